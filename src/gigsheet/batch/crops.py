"""Cuts flagged rows out of a picture, level and with a margin, for whoever settles them."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.records import Quad, SheetReading
from gigsheet.vision.picture import Picture

_MARGIN = 0.18
"""Of the row's height, on every side: strokes leave their box."""
_WIDEST = 1000
_JPEG_QUALITY = 80


def flagged_rows(reading: SheetReading) -> Iterator[tuple[int, int, Quad]]:
    """(game, turn, quad) of every flagged row whose place is known."""
    for game in reading.games:
        for row in game.rows:
            if row.flagged and row.quad is not None:
                yield game.game, row.turn, row.quad


def cut_row(picture: Picture, quad: Quad) -> bytes:
    """A row as a grey JPEG file, at most 1000 pixels wide.

    Args:
        picture: the picture as it was loaded.
        quad: the row's corners in the picture as a person sees it at full size, in pixels.
    """
    corners = _stored(picture, _widened(np.asarray(quad, np.float64)))
    top, right, bottom, left = (float(side) for side in np.linalg.norm(corners - np.roll(corners, -1, 0), axis=1))
    width, height = (max(8, round(side)) for side in ((top + bottom) / 2, (left + right) / 2))
    target = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - np.float32(0.5)
    transform = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    strip = cv2.warpPerspective(picture.pixels, transform, (width, height), flags=cv2.INTER_LINEAR, borderValue=255)
    if width > _WIDEST:  # in a step of its own: a warp samples four pixels for each, and thin strokes fall between them
        size = (_WIDEST, max(8, round(height * _WIDEST / width)))
        strip = cv2.resize(strip, size, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", strip, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    if not done:
        raise ValueError(f"a strip of {strip.shape[1]} x {strip.shape[0]} pixels could not be encoded")
    return data.tobytes()


def _widened(quad: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    across = quad[[1, 2]] - quad[[0, 3]]
    down = quad[[3, 2]] - quad[[0, 1]]
    height = np.linalg.norm(down, axis=1).mean()
    along = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9) * height * _MARGIN
    below = down * _MARGIN
    out: npt.NDArray[np.float64] = np.stack(
        [-along[0] - below[0], along[0] - below[1], along[1] + below[1], below[0] - along[1]]
    )
    return quad + out


def _stored(picture: Picture, seen: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The inverse of `Picture.to_seen`."""
    x, y = seen[..., 0], seen[..., 1]
    w, h = picture.stored_size
    turned = {1: (x, y), 3: (w - 1 - x, h - 1 - y), 6: (y, h - 1 - x), 8: (w - 1 - y, x)}[picture.orientation]
    return (np.stack(turned, axis=-1) + 0.5) * picture.scale - 0.5
