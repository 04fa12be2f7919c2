"""A row's picture in a terminal, in Braille: eight dots to a character, fine enough for handwriting."""

from __future__ import annotations

import shutil

import cv2
import numpy as np

_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""The bit of each dot of a Braille character, four high and two wide."""
_FIRST = 0x2800
_TALLEST = 7
"""Lines of text that a row may take."""
_MARGIN = 8
"""Pixels left beside the writing."""
_INK = 0.25
"""A dot is set when so much of its area is ink: thin strokes must not fall between dots."""


def drawn(jpeg: bytes, columns: int | None = None) -> str:
    """The picture as lines of Braille, as wide as the terminal (or `columns` characters)."""
    columns = columns or min(shutil.get_terminal_size().columns - 1, 160)
    gray = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    if gray is None:
        return ""
    paper = cv2.medianBlur(cv2.resize(gray, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA), 21)
    flat = cv2.subtract(cv2.resize(paper, gray.shape[::-1]), gray)
    threshold, _ = cv2.threshold(flat, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    ink = (flat > max(threshold * 0.8, 18)).astype(np.float32)
    ys, xs = np.nonzero(ink)
    if len(xs):
        ink = ink[max(0, ys.min() - _MARGIN) : ys.max() + _MARGIN, max(0, xs.min() - _MARGIN) : xs.max() + _MARGIN]
    scale = min(2 * columns / ink.shape[1], 4 * _TALLEST / ink.shape[0])
    width, height = max(2, round(ink.shape[1] * scale)), max(4, round(ink.shape[0] * scale))
    dots = cv2.resize(ink, (width, height), interpolation=cv2.INTER_AREA) > _INK
    padded = np.zeros((-(-height // 4) * 4, -(-width // 2) * 2), bool)
    padded[:height, :width] = dots
    cells = padded.reshape(padded.shape[0] // 4, 4, padded.shape[1] // 2, 2).transpose(0, 2, 1, 3)
    codes = (cells * _DOTS).sum(axis=(2, 3)) + _FIRST
    return "\n".join("".join(map(chr, line)) for line in codes)
