"""What a file holds, told by its first bytes: names and endings lie."""

from __future__ import annotations

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


def _of_brands(brands: set[bytes]) -> str | None:
    if brands & _AVIF_BRANDS:
        return "AVIF"
    return "HEIC" if brands & _HEIF_BRANDS else None


def _box_size(head: bytes) -> int:
    return int.from_bytes(head[:4], "big")
