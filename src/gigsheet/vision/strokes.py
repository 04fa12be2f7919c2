"""Strokes of the pen too long for writing: along a row, or down several, by which a player strikes them out."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Gray = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

_ALONG_BELOW, _DOWN_BELOW = 200, 170
"""Flat-fielded pixels darker than that may be a stroke along a row, or down several. A pencil's is paler than what is
called ink; so are shadows and folds, which go down over many rows more often than along one."""
_LONGEST_MM = 18.5
"""Ink that hangs together along a row for longer than that is no writing: of a row's ink the longest piece is under
14 mm in 99 %, under 17 in 99.9 % (14,832 rows by 137 hands); 4 of 19,440 strips, blank ones
among them, hold a longer one."""
_EDGE = 5
"""Pixels along a strip's upper and lower edge that are left out: strikes keep off them, folds and frames lie there."""
_ALONG = 4
"""Columns that are looked at as one: a slanting stroke hangs together all the same."""
_BRIDGE = 7
"""Pixels down: where the sheet's own lines are, a stroke is not seen."""
_LEAST_ROWS = 3.5
"""Ink that hangs together over so many rows is such a stroke. Writing that touches the rows above and below did so
in two of 1,080 games by 137 hands."""
_WHOLE = 0.5
"""The share of a game's written rows from which on such a stroke means the whole game, wherever it begins and ends."""


def struck_along(flat: Gray, printed: Mask, px_per_mm: float) -> Mask:
    """The rows along which one stroke runs that is too long for writing.

    Args:
        flat: uint8 [n, height, width], flat-fielded strips.
        printed: bool [n, height, width]; where the sheet itself has print.
        px_per_mm: columns to a millimetre.

    Returns:
        bool [n].
    """
    dark = (flat[:, _EDGE:-_EDGE] < _ALONG_BELOW) & ~printed[:, _EDGE:-_EDGE]
    longest = round(_LONGEST_MM * px_per_mm)
    # Where no run of inked columns is as long, no stroke is: most rows need not be looked at closely.
    columns = np.asarray(dark.any(axis=1), np.uint8)
    runs = cv2.erode(columns, np.ones((1, longest + 1), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    found: Mask = np.asarray(runs.any(axis=1), np.bool_)
    for k in np.flatnonzero(found):
        _, _, stats, _ = cv2.connectedComponentsWithStats(dark[k].view(np.uint8), connectivity=8)
        found[k] = stats[1:, cv2.CC_STAT_WIDTH].max(initial=0) > longest
    return found


def struck_down(flat: Gray, printed: Mask) -> Mask:
    """The rows of a game that may be struck out by a stroke down several of them: all, when it takes up half of them.

    Args:
        flat, printed: as for `struck_along`, the strips of one game in order.

    Returns:
        bool [n].
    """
    dark = (flat < _DOWN_BELOW) & ~printed
    n, height, width = dark.shape
    found = np.zeros(n, np.bool_)
    stacked = np.ascontiguousarray(dark[:, :, : width // _ALONG * _ALONG]).reshape(n * height, -1)
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
    written = dark.any(axis=(1, 2))
    return found | (np.count_nonzero(found & written) >= max(1.0, _WHOLE * np.count_nonzero(written)))
