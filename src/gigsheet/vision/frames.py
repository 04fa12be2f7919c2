"""The printed frames of the rows as rulers: where the paper bends between the fiducials, they bend with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.sheet.template import Template
from gigsheet.vision.grid import sample
from gigsheet.vision.mapping import Floats, Observations, PageMapping

Gray = npt.NDArray[np.uint8]

_DOWN_PER_MM = 5.0
_ALONG_PER_MM = 2.0
_SEARCH_MM = 2.0
_REACH_MM = 2.8
"""How far above and below a line is looked: the search, and what a pair of lines needs besides."""
_SEGMENT_MM = 24.0
_TOGETHER_MM = 1.5
_LINE_SPREAD_MM = 0.18
"""Standard deviation of a printed line's profile as a camera sees it."""
_DARKEST = 40
"""A frame is at most so much darker than its paper; what is darker is pen or print and counts as no more than that."""
_LEAST_CLEAR = 5.0
"""A line must stand out of its segment's other shifts by so many of their standard deviations."""
_ERROR_MM = 0.08


@dataclass(frozen=True, slots=True)
class _Band:
    """Horizontal frame lines close together: their middle, their offsets from it, and the pieces looked at singly."""

    y_mm: float
    lines_mm: tuple[float, ...]
    segments_mm: tuple[tuple[float, float], ...]


def measure_frames(pixels: Gray, template: Template, mapping: PageMapping) -> Observations:
    """How far below (mm, +) or above (-) the mapping's prediction the rows' printed lines are seen.

    Returns:
        One observation a line piece that is plainly visible; across the page (x) nothing is measured, NaN. Offsets are
        relative to `mapping` as it stands, its bend included.
    """
    at: list[tuple[float, float]] = []
    offsets: list[float] = []
    for lines_mm, bands in _bands(template).items():
        kernel, shifts = _kernel(lines_mm)
        for segments in sorted({b.segments_mm for b in bands}):
            # Every other row: a smooth bend needs no more, and each costs its samples.
            these = [b for b in bands if b.segments_mm == segments][::2]
            profiles = _profiles(pixels, mapping, these, segments)
            shift, clear = _best_shift(profiles, kernel, shifts)
            for b, s in zip(*np.nonzero(clear >= _LEAST_CLEAR), strict=True):
                at.append((sum(segments[s]) / 2, these[b].y_mm))
                offsets.append(float(shift[b, s]))
    seen = np.stack([np.full(len(offsets), np.nan), np.asarray(offsets, np.float64)], axis=1)
    return Observations(np.asarray(at, np.float64).reshape(-1, 2), seen, np.full(len(offsets), _ERROR_MM))


@cache
def _bands_of(key: tuple[tuple[float, tuple[tuple[float, float], ...]], ...]) -> dict[tuple[float, ...], list[_Band]]:
    bands: dict[tuple[float, ...], list[_Band]] = {}
    for segments in sorted({pieces for _, pieces in key}):
        heights = sorted({y for y, pieces in key if pieces == segments})
        while heights:
            near = [y for y in heights if y - heights[0] <= _TOGETHER_MM]
            heights = heights[len(near) :]
            middle = sum(near) / len(near)
            lines = tuple(round(y - middle, 3) for y in near)
            bands.setdefault(lines, []).append(_Band(middle, lines, segments))
    return bands


def _bands(template: Template) -> dict[tuple[float, ...], list[_Band]]:
    """The rows' frame lines by the pattern that they make."""
    lines = []
    for game in template.games:
        for row in game.rows:
            x0, y0, x1, y1 = row.entry_area_mm
            if row.boxes_mm:
                pieces = tuple((b[0], b[2]) for b in row.boxes_mm)
                lines += [(y0, pieces), (y1, pieces)]
            else:
                count = max(1, round((x1 - x0) / _SEGMENT_MM))
                edges = np.linspace(x0, x1, count + 1).tolist()
                lines.append((y1, tuple(pairwise(edges))))
    return _bands_of(tuple(lines))


@cache
def _kernel(lines_mm: tuple[float, ...]) -> tuple[Floats, Floats]:
    """One matched filter a shift, [shifts, heights], each of mean 0 and norm 1; and the shifts in mm."""
    heights = np.arange(-_REACH_MM, _REACH_MM + 1e-9, 1 / _DOWN_PER_MM)
    shifts = np.arange(-_SEARCH_MM, _SEARCH_MM + 1e-9, 1 / _DOWN_PER_MM)
    from_lines = heights[None, :, None] - shifts[:, None, None] - np.asarray(lines_mm)
    filters = np.exp(-((from_lines / _LINE_SPREAD_MM) ** 2) / 2).sum(axis=-1)
    filters -= filters.mean(axis=1, keepdims=True)
    return filters / np.linalg.norm(filters, axis=1, keepdims=True), shifts


def _profiles(
    pixels: Gray, mapping: PageMapping, bands: list[_Band], segments: tuple[tuple[float, float], ...]
) -> Floats:
    """How dark each height of each piece is, [bands, segments, heights], strong ink held down to a frame's darkness."""
    heights = np.arange(-_REACH_MM, _REACH_MM + 1e-9, 1 / _DOWN_PER_MM)
    left, right = segments[0][0], segments[-1][1]
    along = np.arange(left, right, 1 / _ALONG_PER_MM) + 0.5 / _ALONG_PER_MM
    seen = sample(pixels, mapping, along, np.array([b.y_mm for b in bands])[:, None] + heights)
    n, down, across = seen.shape
    stacked = seen.reshape(n * down, across)
    paper = cv2.blur(cv2.dilate(stacked, np.ones((5, 3), np.uint8)), (9, 9))
    dark = np.minimum(cv2.subtract(paper, stacked), _DARKEST).reshape(n, down, across)
    ends = [np.searchsorted(along, (x0 + 0.5, x1 - 0.5)) for x0, x1 in segments]
    parts = [dark[:, :, a:b].sum(axis=2, dtype=np.int32) / (b - a) for a, b in ends]
    return np.stack(parts, axis=1)


def _best_shift(profiles: Floats, kernel: Floats, shifts: Floats) -> tuple[Floats, Floats]:
    """The shift in mm of the best match, [bands, segments], to a part of a step; and how clearly it stands out.

    What matches best at an end of the search is no line, but the slope of something beyond: it is not clear at all.
    """
    match = profiles @ kernel.T
    peak = match.argmax(axis=2)
    best = np.clip(peak, 1, len(shifts) - 2)
    around = np.take_along_axis(match, best[..., None] + np.arange(-1, 2), axis=2)
    curve = around[..., 0] - 2 * around[..., 1] + around[..., 2]
    step = np.where(curve < 0, (around[..., 0] - around[..., 2]) / (2 * np.minimum(curve, -1e-9)), 0)
    shift = shifts[best] + np.clip(step, -1, 1) / _DOWN_PER_MM
    # What is left when the line itself is taken away: a pair of lines half matches itself a line further on.
    rest = (profiles - around[..., 1:2] * kernel[best]) @ kernel.T
    spread = np.sqrt(np.square(rest).mean(axis=2)) + 0.15
    return shift, np.where(best == peak, around[..., 1] / spread, 0)
