"""Even light: paper at 255, ink dark, whatever the lamp, the shadow and the pen were."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Gray = npt.NDArray[np.uint8]

CELL = 4
"""The paper's brightness is followed on a grid of cells of so many pixels a side."""
REACH = (2, 5)
"""Ink up to 2 * reach + 1 cells high or across is bridged when the paper under it is guessed."""
INK_LEVEL = 215
"""How dark the darkest ink of a strip is brought to be, of 255."""
FAINTEST_INK = 75
"""Darkness below which a strip's darkest pixels are not taken for its ink: it bounds what noise is amplified by."""
GRAIN = 4
"""Darkness of paper grain that is taken off everywhere, and as much again as the noise's standard deviation."""


def flat_field(gray: Gray) -> Gray:
    """Divides out light and shadow, and brings each strip's ink to one common darkness.

    Every strip is treated by itself: the result for one does not depend on the others in the call.

    Args:
        gray: uint8 [n, height, width], n strips of grey pixels.

    Returns:
        uint8 [n, height, width]; paper is 255, the darkest ink of a strip about 255 - INK_LEVEL. A strip without ink
        stays white: it is amplified no more than the faintest pencil would be.
    """
    if gray.size == 0:
        return gray.copy()
    n, height, width = gray.shape
    flat = cv2.divide(gray.reshape(n * height, width), _paper(gray).reshape(n * height, width), scale=255)
    lit: Gray = flat.reshape(n, height, width).astype(np.uint8, copy=False)
    noise = _noise(lit)
    ink = np.maximum(_ink_darkness(lit), np.maximum(FAINTEST_INK, 7 * noise))
    white = 255 - GRAIN - noise
    gain = INK_LEVEL / np.maximum(ink - GRAIN - noise, 1)
    levels = np.arange(256, dtype=np.float32)
    tables = np.clip(255 - (white[:, None] - levels) * gain[:, None], 0, 255).astype(np.uint8)
    for strip, table in zip(lit, tables, strict=True):
        cv2.LUT(strip, table, dst=strip)
    return lit


def _paper(gray: Gray) -> Gray:
    """The brightness of the paper under each pixel, uint8 [n, height, width]: a closing on a coarse grid, smoothed."""
    n, height, width = gray.shape
    rows, columns = max(1, height // CELL), max(1, width // CELL)
    # Whole cells only, which are fast to average; and all strips as one picture, since no cell lies in two.
    whole = np.ascontiguousarray(gray[:, : rows * CELL]).reshape(-1, width)[:, : columns * CELL]
    grid = cv2.resize(whole, (columns, n * rows), interpolation=cv2.INTER_AREA).reshape(n, rows, columns)
    kernel = (2 * REACH[1] + 1, 2 * REACH[0] + 1)
    pad = 3 * REACH[0]  # as far as a closing and a blur look, so that strips stay apart
    padded = np.pad(grid, ((0, 0), (pad, pad), (0, 0)), mode="symmetric").reshape(-1, columns)
    closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, np.ones(kernel[::-1], np.uint8))
    smooth = cv2.blur(closed, kernel).reshape(n, rows + 2 * pad, columns)
    # A cell more above and below, so that strips stay apart when all are brought to their size at once.
    kept = np.pad(smooth[:, pad : pad + rows], ((0, 0), (1, 1), (0, 0)), mode="edge").reshape(-1, columns)
    fine = cv2.resize(np.maximum(kept, 1), (width, len(kept) * CELL), interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(fine.reshape(n, -1, width)[:, CELL : CELL + height])


def _noise(lit: Gray) -> npt.NDArray[np.float32]:
    """The standard deviation of each strip's noise, float32 [n], from the median step between neighbours."""
    n, _, width = lit.shape
    if width < 2:
        return np.zeros(n, np.float32)
    rows = lit[:, ::4]
    steps = cv2.absdiff(rows[:, :, 1::4].reshape(n, -1), rows[:, :, : width - 1 : 4].reshape(n, -1))
    middle = steps.shape[1] // 2
    # The median absolute difference of two normal deviates is 0.954 of their standard deviation.
    return np.partition(steps, middle, axis=1)[:, middle].astype(np.float32) / 0.954


def _ink_darkness(lit: Gray) -> npt.NDArray[np.float32]:
    """How dark each strip's darker strokes are, float32 [n]: of each column's darkest pixel the 97th percentile.

    One short entry is 5 % of a row's columns. A strip with less ink has its paper taken here, and `FAINTEST_INK` holds.
    """
    deepest = 255 - lit.min(axis=1)
    rank = max(0, round(0.97 * (deepest.shape[1] - 1)))
    return np.partition(deepest, rank, axis=1)[:, rank].astype(np.float32)
