"""Which pixels of the strips are writing: ink, and where there is none, what may be writing all the same."""

from __future__ import annotations

from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

Gray = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

INK_BELOW = 150
"""Flat-fielded pixels darker than this are ink or print."""
SPECK = 5
"""Fewer dark pixels than this in a 5 x 5 neighbourhood are noise or dust."""
LEAST_INK = 12
"""A row with fewer ink pixels is blank: a pass in small dots of pencil has about 20."""
_PALE_BELOW, _LEAST_PALE = 210, 60
"""Where there is no ink, so many pixels darker than that may be writing too pale to be called ink."""
_PALE_ROWS = slice(8, 32)
"""Pixels down a strip in which pale writing shows; above and below them shadows and folds reach in more often."""
_PALE_BETWEEN, _LEAST_BETWEEN = 225, 40
"""The same far from a row's ink, where stretches without ink are left out."""
_NEAR = 12
"""Columns, half to each side, that are not far from ink."""
_STROKE, _PALE_DEPTH = 9, 18
"""Pixels that a stroke is narrower than, and by how much it is darker than its surroundings."""
_TALLEST = 0.7
"""The share of a strip's height that a letter may take: what is longer in one column is an upright fold."""
_ON_PRINT_BELOW = 90
"""Print is pale: darker than that is what was written on a printed line."""
_WIDEST_DOT = 12
"""Columns; what is longer on the lower line is no pass in dots, but a fold or another row's writing."""
_LEAST_DOT, _LARGEST_DOT, _DOTS_APART = 3, 6, (3, 30)
"""A pass in the smallest dots: pixels of each, pixels across, and from one to the other along the row."""


def ink_mask(flat: Gray, printed: Mask | None = None, below: int = INK_BELOW) -> Mask:
    """Which pixels are ink.

    Args:
        flat: uint8 [n, height, width], flat-fielded strips.
        printed: bool [n, height, width] or broadcastable; where the sheet itself has print, which is never ink.
        below: what is darker than that is ink.

    Returns:
        bool [n, height, width].
    """
    if flat.size == 0:
        return np.zeros(flat.shape, np.bool_)
    dark = flat < below
    if printed is not None:
        dark &= ~printed
    return _without_specks(dark, SPECK)


def count(masks: Mask) -> npt.NDArray[np.intp]:
    """How many pixels of each mask are set, [n]: one by one, since NumPy is slow to count along axes."""
    return np.array([np.count_nonzero(mask) for mask in masks], np.intp)


def unlikely_ink(flat: Gray, printed: Mask, ink: Mask) -> Mask:
    """What may be writing in strips that have no ink: pale, dark on a printed line, or a pass in the smallest dots.

    Args:
        flat, printed: as for `ink_mask`.
        ink: what that made of them.

    Returns:
        bool [n, height, width], nothing set in strips with ink.
    """
    found = np.zeros(ink.shape, np.bool_)
    none = np.flatnonzero(count(ink) < LEAST_INK)
    # Hardly a blank strip has anything dark at all, and only those are looked at closely.
    bare, lines = flat[none], printed[none]
    beside = count((bare < _PALE_BELOW) & ~lines) >= 2 * _LEAST_DOT
    some = beside | (count((bare < _ON_PRINT_BELOW) & lines) >= LEAST_INK)
    for k, strip, print_there in zip(none[some], bare[some], lines[some], strict=True):
        found[k] = _pale(strip, print_there) | _on_print(strip, print_there) | _two_dots(strip, print_there)
    return found


def _pale(strip: Gray, printed: Mask) -> Mask:
    mask = ink_mask(strip[None], printed, _PALE_BELOW)[0]
    return mask if np.count_nonzero(mask[_PALE_ROWS]) >= _LEAST_PALE else np.zeros_like(mask)


def _on_print(strip: Gray, printed: Mask) -> Mask:
    mask = ink_mask(strip[None], ~printed, _ON_PRINT_BELOW)[0]
    mask[: len(strip) // 2] = False  # what hangs down from the row above
    columns = np.asarray(mask.any(axis=0)[None], np.uint8)
    mask &= cv2.morphologyEx(columns, cv2.MORPH_OPEN, np.ones((1, _WIDEST_DOT), np.uint8)) == 0
    return mask if np.count_nonzero(mask) >= LEAST_INK else np.zeros_like(mask)


def _two_dots(strip: Gray, printed: Mask) -> Mask:
    """Two small dots side by side are a pass, in less ink than is called ink; dust seldom lies so."""
    dark = (strip < INK_BELOW) & ~printed
    _, _, stats, middles = cv2.connectedComponentsWithStats(dark.view(np.uint8), connectivity=8)
    dots = [
        middle
        for middle, (_, _, width, height, area) in zip(middles[1:], stats[1:], strict=True)
        if area >= _LEAST_DOT and max(width, height) <= _LARGEST_DOT
    ]
    nearest, furthest = _DOTS_APART
    for a, b in combinations(dots, 2):
        if abs(b[1] - a[1]) <= 3 and nearest <= abs(b[0] - a[0]) <= furthest:
            return dark
    return np.zeros_like(dark)


def pale_between(flat: Gray, printed: Mask, inked: Mask) -> Mask:
    """Columns with writing too pale to be called ink, far from a row's ink: where the pen skipped.

    Shadows and folds are as pale, but broad: writing is darker than its surroundings.

    Args:
        flat, printed: as for `ink_mask`.
        inked: bool [n, width], the columns with ink.

    Returns:
        bool [n, width].
    """
    near = cv2.dilate(inked.view(np.uint8), np.ones((1, _NEAR), np.uint8)).view(np.bool_)
    pale = (flat < _PALE_BETWEEN) & ~printed & ~near[:, None]
    found = np.zeros(inked.shape, np.bool_)
    for k in np.flatnonzero((count(pale) >= _LEAST_BETWEEN) & inked.any(axis=1)):
        surroundings = cv2.morphologyEx(flat[k], cv2.MORPH_CLOSE, np.ones((_STROKE, _STROKE), np.uint8))
        strokes = pale[k] & (cv2.subtract(surroundings, flat[k]) > _PALE_DEPTH)
        strokes = _without_specks(strokes[None], 2 * SPECK)[0]
        strokes[:, np.count_nonzero(strokes, axis=0) > _TALLEST * len(strokes)] = False
        if np.count_nonzero(strokes[_PALE_ROWS]) >= _LEAST_BETWEEN:
            found[k] = strokes.any(axis=0)
    return found


def _without_specks(masks: Mask, least: int) -> Mask:
    """The pixels that have at least so many of their kind in the 5 x 5 around them."""
    n, height, width = masks.shape
    stacked = masks.reshape(n * height, width).view(np.uint8)
    crowd = cv2.boxFilter(stacked, -1, (5, 5), normalize=False, borderType=cv2.BORDER_CONSTANT)
    kept: Mask = masks & (crowd.reshape(masks.shape) >= least)
    return kept
