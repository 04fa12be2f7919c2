"""JPEG, the hot path: header facts without a library, then grey pixels straight from OpenCV at a part of the size."""

from __future__ import annotations

import os
from dataclasses import dataclass

import cv2
import numpy as np

from gigsheet.errors import UnreadableFileError
from gigsheet.vision.decoder_notes import decoder_notes
from gigsheet.vision.exif import orientation_in_tiff
from gigsheet.vision.limits import Limits
from gigsheet.vision.picture import Gray, Picture

ENOUGH_PIXELS = 1700
"""A picture whose long side would keep this many pixels is decoded at a half, a quarter or an eighth: a page that
fills the picture then has 5.7 pixels a millimetre or more, half again what the recogniser's strips need."""
_REDUCED = {
    1: cv2.IMREAD_GRAYSCALE,
    2: cv2.IMREAD_REDUCED_GRAYSCALE_2,
    4: cv2.IMREAD_REDUCED_GRAYSCALE_4,
    8: cv2.IMREAD_REDUCED_GRAYSCALE_8,
}
_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_PROGRESSIVE = frozenset({0xC2, 0xC6, 0xCA, 0xCE})
_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})
_MOST_SCANS = 100
_MADE_UP = (
    "premature end of data",
    "found marker 0xd9 instead of RST",  # the end, where restart markers promise more
    "bad Huffman code",
    "bad arithmetic code",
    "Corrupt progression",
)
"""What libjpeg says when it goes on after data that cannot be: from there on pixels are not what was photographed."""


@dataclass(frozen=True, slots=True)
class JpegHeader:
    """What a JPEG says of itself before its first scan; `scans_at` is where the first scan's header begins."""

    width: int
    height: int
    components: int
    progressive: bool
    orientation: int
    scans_at: int


def read_header(data: bytes) -> JpegHeader | None:
    """The header of a JPEG, or None when `data` holds none before a scan."""
    at, frame, orientation = 2, None, 0
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker in _WITHOUT_LENGTH:
            at += 2
            continue
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xDA:
            return JpegHeader(*frame, orientation or 1, at) if frame else None
        if marker in _START_OF_FRAME and length >= 8 and at + 10 <= len(data):
            height, width = (int.from_bytes(data[at + k : at + k + 2], "big") for k in (5, 7))
            frame = (width, height, data[at + 9], marker in _PROGRESSIVE)
        elif marker == 0xE1 and not orientation and data[at + 4 : at + 10] == b"Exif\0\0":
            orientation = orientation_in_tiff(data[at + 10 : at + 2 + length])
        at += 2 + max(length, 2)
    return None


def load_jpeg(data: bytes, source: str, limits: Limits, page: int = 1, orientation: int | None = None) -> Picture:
    """A JPEG's picture, large ones at a part of their size; `orientation` overrules its EXIF.

    Raises UnreadableFileError when the picture is damaged, cut short or larger than `limits` allow.
    """
    header = read_header(data)
    if header is None or not header.width or not header.height:
        raise UnreadableFileError("this JPEG has no picture in it (damaged header); copy or send it again")
    limits.check_size((header.width, header.height), compact=not header.progressive)
    _refuse_cut_short(data, header)
    reduced = reduction(header.width, header.height)
    pixels = decode(data, reduced)
    return Picture.of(
        pixels,
        source,
        orientation=orientation or header.orientation,
        reduced=reduced,
        page=page,
        stored_size=(header.width, header.height),
        reload=(lambda: decode(data, 1)) if reduced > 1 else None,
    )


def reduction(width: int, height: int) -> int:
    """The largest of 1, 2, 4, 8 that leaves the long side `ENOUGH_PIXELS`."""
    return max(r for r in _REDUCED if r == 1 or max(width, height) // r >= ENOUGH_PIXELS)


def decode(data: bytes, reduced: int) -> Gray:
    """Grey pixels at 1/`reduced` of the size, not turned."""
    with decoder_notes() as notes:
        try:
            pixels = cv2.imdecode(np.frombuffer(data, np.uint8), _REDUCED[reduced] | cv2.IMREAD_IGNORE_ORIENTATION)
        except cv2.error:
            pixels = None
    if pixels is None or any(sign in note for note in notes for sign in _MADE_UP):
        raise UnreadableFileError("this JPEG is damaged and cannot be decoded; copy or send it again")
    # The decoder paints what is missing in this very grey, which a whole picture may end in too.
    if not _can_be_heard() and (pixels[-1] == 128).all():
        raise _cut_short()
    return np.asarray(pixels, np.uint8)


def _can_be_heard() -> bool:
    """Whether there is a standard error to catch libjpeg's notes from: services and shells (``2>&-``) may close it."""
    try:
        os.fstat(2)
    except OSError:
        return False
    return True


def _refuse_cut_short(data: bytes, header: JpegHeader) -> None:
    """Decoders paint the missing part of a cut-off JPEG grey and say nothing, and rows would be lost with it."""
    if data.rfind(b"\xff\xd9", header.scans_at) < 0:
        raise _cut_short()
    if header.progressive and data.count(b"\xff\xda", header.scans_at) > _MOST_SCANS:
        raise UnreadableFileError("this JPEG is built of too many scans; save it anew with any picture editor")


def _cut_short() -> UnreadableFileError:
    return UnreadableFileError("the end of this JPEG is missing and rows with it; copy or send it again")
