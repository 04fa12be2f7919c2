"""Draws a reading on the picture it was read from: where each row was found, what was read there, doubt in colour."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.records import RowReading, SheetReading

_SURE = (60, 150, 40)
_DOUBT = (20, 110, 250)
_ILLEGAL = (190, 40, 190)
_LONGEST_SIDE = 2400


def draw(gray: npt.NDArray[np.uint8], readings: Sequence[SheetReading]) -> npt.NDArray[np.uint8]:
    """The picture with every row outlined and its text beside it.

    Args:
        gray: uint8 [height, width], the picture as a person sees it at full size.
        readings: the sheets read from it.

    Returns:
        uint8 [height, width, 3], BGR, scaled down to at most 2400 pixels a side. Green rows are sure, orange ones in
        doubt, purple ones surely read but refused by the checker.
    """
    scale = min(1.0, _LONGEST_SIDE / max(gray.shape))
    size = (round(gray.shape[1] * scale), round(gray.shape[0] * scale))
    small = cv2.resize(gray, size, interpolation=cv2.INTER_AREA) if scale < 1 else gray
    canvas = cv2.cvtColor(small, cv2.COLOR_GRAY2BGR)
    for reading in readings:
        for game in reading.games:
            for row in game.rows:
                _draw_row(canvas, row, scale)
    return np.asarray(canvas, dtype=np.uint8)


def _colour(row: RowReading) -> tuple[int, int, int]:
    if not row.flagged:
        return _SURE
    return _ILLEGAL if row.flags == ("illegal",) else _DOUBT


def _draw_row(canvas: npt.NDArray[np.uint8], row: RowReading, scale: float) -> None:
    if row.quad is None:
        return
    quad = np.float32(row.quad) * scale
    colour = _colour(row)
    cv2.polylines(canvas, [np.int32(np.round(quad * 16))], True, colour, 2 if row.flagged else 1, cv2.LINE_AA, 4)

    # The text runs along the row's own direction whatever way the sheet lies: it is drawn level, then warped into place.
    height = float(np.linalg.norm(quad[3] - quad[0]))
    width = float(np.linalg.norm(quad[1] - quad[0]))
    if height < 6:
        return
    label = row.text or row.flags[0] if row.flags else row.text
    font, size = cv2.FONT_HERSHEY_SIMPLEX, height * 0.4 / 22
    (text_width, text_height), base = cv2.getTextSize(label, font, size, 1)
    tag_height = text_height + base + 2
    tag = np.zeros((tag_height, text_width + 4), np.uint8)
    cv2.putText(tag, label, (2, text_height + 1), font, size, 255, 1, cv2.LINE_AA)

    along, down = (quad[1] - quad[0]) / max(width, 1), (quad[3] - quad[0]) / height
    top_left = quad[1] - along * (text_width + 6)
    target = np.float32([top_left, top_left + along * tag.shape[1], top_left + down * tag_height])
    source = np.float32([[0, 0], [tag.shape[1], 0], [0, tag_height]])
    placed = cv2.warpAffine(tag, cv2.getAffineTransform(source, target), (canvas.shape[1], canvas.shape[0]))
    x, y, w, h = cv2.boundingRect(placed)
    ink = placed[y : y + h, x : x + w, None].astype(np.float32) / 255
    part = canvas[y : y + h, x : x + w]
    part[:] = (part * (1 - ink) + np.float32(colour) * ink).astype(np.uint8)
