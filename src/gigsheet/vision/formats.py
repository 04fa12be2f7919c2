"""What a file holds, told by its first bytes: names and endings lie."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.TiffImagePlugin import TiffImageFile

DAMAGE = Exception
"""Whatever a decoder raises on bytes that do not hold means the same, and Pillow's plugins raise nearly everything."""
_MAGIC = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"II+\0", "TIFF"),
    (b"MM\0+", "TIFF"),
    (b"GIF8", "GIF"),
    (b"BM", "BMP"),
    (b"PK\3\4", "ZIP"),
    (b"PK\5\6", "ZIP"),
)
_HEIF_BRANDS = frozenset({b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1"})
_AVIF_BRANDS = frozenset({b"avif", b"avis"})

_SUBFILE_TAG = 0x00FE
_REDUCED_COPY = 1

_ENDINGS = "avif bmp gif heic heif jfif jpe jpeg jpg pdf png tif tiff webp zip"
PICTURES = frozenset(f".{ending}" for ending in _ENDINGS.split())
"""The endings of what is taken from a folder or an archive; a file named by itself is taken whatever its ending."""


def sniff(head: bytes) -> str | None:
    """The format of a file by its first kilobyte, or None when it is none that is read.

    One of JPEG, PNG, TIFF, GIF, BMP, WEBP, AVIF, HEIC, PDF, ZIP.
    """
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    if head[4:8] == b"ftyp":
        return _of_brands({head[8:12], *(head[k : k + 4] for k in range(16, min(_box_size(head), 256), 4))})
    return "PDF" if b"%PDF-" in head else None  # a PDF may begin with up to a kilobyte of something else


def page_frames(tiff: TiffImageFile) -> Iterator[int]:
    """Turns an open TIFF to its pages, one after the other, and gives the number of each one's frame, from 0.

    A reduced copy of a page (a thumbnail) is no page, unless there is nothing else. Raises any `DAMAGE`.
    """
    only_copies = True
    for frame in count():
        try:
            tiff.seek(frame)
        except EOFError:
            break
        if not int(tiff.tag_v2.get(_SUBFILE_TAG, 0)) & _REDUCED_COPY:
            only_copies = False
            yield frame
    if only_copies:
        tiff.seek(0)
        yield 0


def _of_brands(brands: set[bytes]) -> str | None:
    if brands & _AVIF_BRANDS:
        return "AVIF"
    return "HEIC" if brands & _HEIF_BRANDS else None


def _box_size(head: bytes) -> int:
    return int.from_bytes(head[:4], "big")
