"""From a found page to one strip a row: cut, lit evenly, blanks known, the empty stretches left out."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Gray = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]

STRIP_HEIGHT = 40
"""Pixels down a strip: the row's entry area and `MARGIN_MM[1]` above and below it."""
STRIP_PX_PER_MM = 5.5
"""Pixels a millimetre along a strip."""
MARGIN_MM = (1.5, 0.3)
"""How far a strip reaches beyond the entry area, across and down, in mm."""
GAP_MM = 3.0
"""What is left of a longer stretch without ink between two entries."""
END_MM = 2.0
"""What is left of the blank before the first and after the last ink."""

INK_BELOW = 150
"""Flat-fielded pixels darker than this are ink or print."""
SPECK = 5
"""Fewer dark pixels than this in a 5 x 5 neighbourhood are noise or dust."""


def ink_mask(flat: Gray, printed: Mask | None = None) -> Mask:
    """Which pixels are ink.

    Args:
        flat: uint8 [n, height, width], flat-fielded strips.
        printed: bool [n, height, width] or broadcastable; where the sheet itself has print, which is never ink.

    Returns:
        bool [n, height, width].
    """
    n, height, width = flat.shape
    if flat.size == 0:
        return np.zeros(flat.shape, np.bool_)
    dark = flat < INK_BELOW
    if printed is not None:
        dark &= ~printed
    stacked = dark.reshape(n * height, width).astype(np.uint8)
    crowd = cv2.boxFilter(stacked, -1, (5, 5), normalize=False, borderType=cv2.BORDER_CONSTANT)
    mask: Mask = dark & (crowd.reshape(flat.shape) >= SPECK)
    return mask


def compress_gaps(pixels: Gray, ink: Mask, columns_mm: Floats) -> tuple[Gray, Floats]:
    """Leaves out what lies between the entries.

    Args:
        pixels: uint8 [height, width], one strip.
        ink: bool [height, width], from `ink_mask`.
        columns_mm: float32 [width], where each column lies on the page, rising.

    Returns:
        The kept columns, uint8 [height, kept], and where each lies, float32 [kept]: of every longer inkless stretch
        `GAP_MM` around its ends, and `END_MM` before the first and after the last ink. Width 0 if there is no ink.
    """
    inked = ink.any(axis=0)
    since = columns_mm - np.maximum.accumulate(np.where(inked, columns_mm, -np.inf))
    until = np.minimum.accumulate(np.where(inked, columns_mm, np.inf)[::-1])[::-1] - columns_mm
    between = np.minimum(since, until) <= GAP_MM / 2
    before = np.isinf(since) & (until <= END_MM)
    after = np.isinf(until) & (since <= END_MM)
    keep = between | before | after
    return pixels[:, keep], columns_mm[keep]
