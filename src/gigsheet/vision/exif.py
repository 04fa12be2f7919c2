"""The EXIF orientation, read from a file's own bytes without decoding the picture."""

from __future__ import annotations

import struct

_ORIENTATION_TAG = 0x0112


def orientation_in_tiff(block: bytes) -> int:
    """The orientation 1..8 that a TIFF block (as EXIF is stored) holds in its first directory; 1 when it has none."""
    order = {b"II": "<", b"MM": ">"}.get(block[:2])
    if order is None or len(block) < 8:
        return 1
    (directory,) = struct.unpack_from(order + "I", block, 4)
    if directory + 2 > len(block):
        return 1
    (count,) = struct.unpack_from(order + "H", block, directory)
    for k in range(count):
        at = directory + 2 + 12 * k
        if at + 12 > len(block):
            return 1
        tag, kind = struct.unpack_from(order + "HH", block, at)
        if tag == _ORIENTATION_TAG:
            (value,) = struct.unpack_from(order + ("I" if kind == 4 else "H"), block, at + 8)
            return value if 1 <= value <= 8 else 1
    return 1
