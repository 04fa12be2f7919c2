"""Strokes of the pen too long for writing: along a row, or down several, by which a player strikes them out."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]

_LONGEST_MM = 18.5
"""Ink that hangs together along a row for longer than that is no writing: of 14,832 rows in 137 hands without an entry
crossed out, the longest of a row reached 12.7 mm in 99 %, 16 in 99.9 %, 18.5 in all but one."""
_ALONG = 4
"""Columns that are looked at as one: a slanting stroke hangs together all the same."""
_BRIDGE = 7
"""Pixels down: where the sheet's own lines are, a stroke is not seen."""
_LEAST_ROWS = 3.1
"""Ink that hangs together over so many rows is such a stroke. Writing that touches the rows above and below does so
over 2.75 at most (480 games of the dev sets)."""
_WHOLE = 0.5
"""The share of a game's written rows from which on such a stroke means the whole game, wherever it begins and ends."""


def struck_along(ink: Mask, px_per_mm: float) -> Mask:
    """The rows along which one stroke runs that is too long for writing.

    Args:
        ink: bool [n, height, width], the ink of strips.
        px_per_mm: columns to a millimetre.

    Returns:
        bool [n].
    """
    longest = round(_LONGEST_MM * px_per_mm)
    # Where no run of inked columns is as long, no stroke is: most rows need not be looked at closely.
    columns = np.asarray(ink.any(axis=1), np.uint8)
    runs = cv2.erode(columns, np.ones((1, longest + 1), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    found: Mask = np.asarray(runs.any(axis=1), np.bool_)
    for k in np.flatnonzero(found):
        _, _, stats, _ = cv2.connectedComponentsWithStats(ink[k].view(np.uint8), connectivity=8)
        found[k] = stats[1:, cv2.CC_STAT_WIDTH].max(initial=0) > longest
    return found


def struck_down(ink: Mask) -> Mask:
    """The rows of a game that may be struck out by a stroke down several of them: all, when it takes up half of them.

    Args:
        ink: bool [n, height, width], the ink of a game's strips, in order.

    Returns:
        bool [n].
    """
    n, height, width = ink.shape
    found = np.zeros(n, np.bool_)
    stacked = np.ascontiguousarray(ink[:, :, : width // _ALONG * _ALONG]).reshape(n * height, -1)
    cells = stacked.view(np.uint32) != 0
    bridge = np.ones((_BRIDGE, 3), np.uint8)
    # Most rows are parted from the next by bare paper from end to end: then no stroke goes down through them.
    inked = cv2.dilate(np.asarray(cells.any(axis=1), np.uint8)[:, None], bridge)
    least = round(_LEAST_ROWS * height)
    if not cv2.erode(inked, np.ones((least, 1), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0).any():
        return found
    bridged = cv2.dilate(cells.view(np.uint8), bridge)
    _, _, stats, _ = cv2.connectedComponentsWithStats(bridged, connectivity=8)
    tops, heights = stats[1:, cv2.CC_STAT_TOP], stats[1:, cv2.CC_STAT_HEIGHT]
    for top, tall in zip(tops.tolist(), heights.tolist(), strict=True):
        if tall > least:
            found[(top + _BRIDGE) // height : (top + tall - _BRIDGE) // height + 1] = True
    written = ink.any(axis=(1, 2))
    return found | (np.count_nonzero(found & written) >= max(1.0, _WHOLE * np.count_nonzero(written)))
