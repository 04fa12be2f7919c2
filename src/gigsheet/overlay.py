"""Draws a reading on the picture it was read from: where each row was found, what was read there, doubt in colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.records import RowReading, SheetReading

Canvas = npt.NDArray[Any]
"""uint8 [height, width, 3], BGR."""

_SURE = (60, 150, 40)
_DOUBT = (20, 110, 250)
_ILLEGAL = (190, 40, 190)
_LONGEST_SIDE = 2400


def draw(gray: npt.NDArray[np.uint8], readings: Sequence[SheetReading]) -> Canvas:
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
    canvas: Canvas = cv2.cvtColor(small, cv2.COLOR_GRAY2BGR)
    for reading in readings:
        for game in reading.games:
            for row in game.rows:
                _draw_row(canvas, row, scale)
    return canvas


def _colour(row: RowReading) -> tuple[int, int, int]:
    if not row.flagged:
        return _SURE
    return _ILLEGAL if row.flags == ("illegal",) else _DOUBT


def _draw_row(canvas: Canvas, row: RowReading, scale: float) -> None:
    if row.quad is None:
        return
    quad = np.array(row.quad, np.float32) * scale
    colour = _colour(row)
    outline = np.round(quad * 16).astype(np.int32)
    cv2.polylines(canvas, [outline], True, colour, 2 if row.flagged else 1, cv2.LINE_AA, 4)

    # The text runs along the row, whatever way the sheet lies: it is drawn level, then warped into place.
    height = float(np.linalg.norm(quad[3] - quad[0]))
    width = float(np.linalg.norm(quad[1] - quad[0]))
    label = row.text or (row.flags[0] if row.flags else "")
    if height < 6 or not label:
        return
    tag = _tag(label, height * 0.4 / 22)
    along, down = (quad[1] - quad[0]) / max(width, 1), (quad[3] - quad[0]) / height
    top_left = quad[1] - along * (tag.shape[1] + 2)
    target = np.array([top_left, top_left + along * tag.shape[1], top_left + down * tag.shape[0]], np.float32)
    source = np.array([[0, 0], [tag.shape[1], 0], [0, tag.shape[0]]], np.float32)
    _blend(canvas, tag, cv2.getAffineTransform(source, target), colour)


def _tag(label: str, size: float) -> Canvas:
    """The label, white on black, uint8 [height, width]."""
    font = cv2.FONT_HERSHEY_SIMPLEX
    (width, height), base = cv2.getTextSize(label, font, size, 1)
    tag = np.zeros((height + base + 2, width + 4), np.uint8)
    cv2.putText(tag, label, (2, height + 1), font, size, 255, 1, cv2.LINE_AA)
    return tag


def _blend(canvas: Canvas, tag: Canvas, matrix: npt.NDArray[Any], colour: tuple[int, int, int]) -> None:
    placed = cv2.warpAffine(tag, matrix, (canvas.shape[1], canvas.shape[0]))
    x, y, w, h = cv2.boundingRect(placed)
    ink = placed[y : y + h, x : x + w, None].astype(np.float32) / 255
    part = canvas[y : y + h, x : x + w]
    part[:] = (part * (1 - ink) + np.array(colour, np.float32) * ink).astype(np.uint8)
