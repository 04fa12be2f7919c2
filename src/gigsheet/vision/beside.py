"""Whether a picture shows one more sheet than was found: too blurred for its markers to be read, but not to be seen.

A marker stays a dark spot on light paper however blurred it is, and a sheet's markers lie as its template has them. The
sheets of one picture lie on one table: in the plane of one that was found, another is only turned and moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.sheet.template import Template
from gigsheet.vision.assemble import Sheet, known_templates, marker_corners
from gigsheet.vision.fiducials import reduced
from gigsheet.vision.mapping import Floats, PageMapping

Gray = npt.NDArray[np.uint8]

_MAP_SIDE = 100
"""Pixels along the map on which room for another sheet is looked for."""
_FAR = 100 * _MAP_SIDE
"""A corner near the horizon lies anywhere: no further than OpenCV can draw."""
_ROOM = 0.8
"""Another sheet needs a free circle as wide as so much of a sheet's short side."""
_REACH_MM = 450
"""How far around a found sheet another is looked for."""
_SOFT_MM = 2.0
"""Noise and strokes are smoothed over so much; a marker stays dark."""
_PAPER_MM = 21
"""Wider than a marker that is blurred: within so much there is paper beside it."""
_LEAST_DARK = 0.08
"""How much darker than its paper a marker is that is blurred over 4 mm."""
_RING_MM, _STANDS_OUT = 13.0, 2.5
"""A marker stands alone: it is so many times darker than what lies so far around it. Print in lines is not."""
_MOST_SPOTS = 200
_STRETCH = 0.04
"""The share by which the plane may be off, so far from the sheet that it was measured on."""
_NEAR_MM = 3.0
_LEAST_SEEN = 10
"""So many of a sheet's 12 markers must be spots within `_NEAR_MM` of their places. Of blurred sheets 11 or 12 are (84
pictures), of other paper 8 at most (336: print, writing, blots, forms, dots, nothing), but 10 of two grids in 108."""


def shows_another(pixels: Gray, sheets: Sequence[Sheet]) -> bool:
    """Whether spots that lie as a sheet's markers do are seen beside the sheets that were found.

    Args:
        pixels: uint8 [height, width], the picture.
        sheets: those that were found in it, at least one.
    """
    if not _has_room(pixels.shape, sheets):
        return False
    spots = _dark_spots(pixels, sheets)
    return len(spots) >= _LEAST_SEEN and any(_holds(spots, template) for template in known_templates())


def _outline(sheet: Sheet) -> Floats:
    """The paper's corners in the picture, float64 [4, 2]."""
    size = (sheet.template.width_mm, sheet.template.height_mm)
    return PageMapping(sheet.homography).to_px(np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * size)


def _has_room(shape: tuple[int, ...], sheets: Sequence[Sheet]) -> bool:
    """Most pictures show one sheet and little else: then there is nothing to look for."""
    scale = _MAP_SIDE / max(shape)
    free = np.ones([max(1, round(side * scale)) for side in shape], np.uint8)
    narrowest = float("inf")
    for sheet in sheets:
        corners = np.clip(_outline(sheet) * scale, -_FAR, _FAR)
        cv2.fillConvexPoly(free, np.round(corners).astype(np.int32), 0)
        narrowest = min(narrowest, *np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).tolist())
    to_the_next = cv2.distanceTransform(np.pad(free, 1), cv2.DIST_L2, 3)
    return bool(2 * to_the_next.max() > _ROOM * narrowest)


def _dark_spots(pixels: Gray, sheets: Sequence[Sheet]) -> Floats:
    """Where something small and dark stands alone on something light, beside the sheets: mm in the first one's plane.

    Float64 [n, 2].
    """
    ruler = sheets[0]
    size = np.array([ruler.template.width_mm, ruler.template.height_mm])
    factor = max(1, int(PageMapping(ruler.homography).px_per_mm(size / 2) / 2))
    small = reduced(pixels, factor)
    smaller = np.array([[1 / factor, 0, 0.5 / factor - 0.5], [0, 1 / factor, 0.5 / factor - 0.5], [0, 0, 1]])
    moved = np.array([[1, 0, -_REACH_MM], [0, 1, -_REACH_MM], [0, 0, 1]])
    window = tuple(np.ceil(size + 2 * _REACH_MM).astype(int).tolist())
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    to_small = smaller @ ruler.homography @ moved
    plane = cv2.warpPerspective(small, to_small, window, flags=how, borderMode=cv2.BORDER_REPLICATE)
    soft = cv2.GaussianBlur(plane, (0, 0), _SOFT_MM)
    paper = cv2.morphologyEx(soft, cv2.MORPH_CLOSE, np.ones((_PAPER_MM, _PAPER_MM), np.uint8))
    dark = 1 - (soft.astype(np.float32) + 1) / (paper.astype(np.float32) + 1)
    y, x = np.nonzero((dark >= _LEAST_DARK) & (dark == cv2.dilate(dark, np.ones((9, 9), np.uint8))))
    towards = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    around = [
        np.clip(np.rint(at[:, None] + _RING_MM * way).astype(np.intp), 0, side - 1)
        for at, way, side in ((y, np.sin(towards), window[1]), (x, np.cos(towards), window[0]))
    ]
    alone = dark[y, x] > _STANDS_OUT * np.sort(dark[around[0], around[1]], axis=1)[:, len(towards) // 2]
    spots = np.column_stack([x, y]).astype(np.float64) - _REACH_MM
    keep = alone & _beside(spots, pixels.shape, sheets)
    darkest = np.argsort(-dark[y, x][keep], kind="stable")[:_MOST_SPOTS]
    return np.asarray(spots[keep][darkest], np.float64)


def _beside(spots: Floats, shape: tuple[int, ...], sheets: Sequence[Sheet]) -> npt.NDArray[np.bool_]:
    """Which places of the first sheet's plane, [n, 2] in mm, are in the picture and on none of the sheets."""
    ruler = sheets[0].homography
    size = np.array([sheets[0].template.width_mm, sheets[0].template.height_mm])
    # Beyond the horizon a plane comes back upside down.
    depth = (spots @ ruler[2, :2] + ruler[2, 2]) * (size / 2 @ ruler[2, :2] + ruler[2, 2])
    px = PageMapping(ruler).to_px(spots)
    beside = (depth > 0) & ((px >= 0) & (px < shape[::-1])).all(axis=1)
    for sheet in sheets:
        own = PageMapping(sheet.homography).to_flat_mm(px)
        beside &= ~((own > 0) & (own < (sheet.template.width_mm, sheet.template.height_mm))).all(axis=1)
    return np.asarray(beside, np.bool_)


def _holds(spots: Floats, template: Template) -> bool:
    """Whether nearly all markers of a sheet lie at spots, wherever on the table it lies."""
    # As complex numbers: to turn and to stretch is to multiply.
    places = np.array([corners.mean(axis=0) for corners in marker_corners(template).values()]) @ (1, 1j)
    seen = spots @ (1, 1j)
    apart = seen[None] - seen[:, None]
    low = spots.min(axis=0) - _NEAR_MM
    empty = np.ones(np.ceil(spots.max(axis=0) + _NEAR_MM - low).astype(int)[::-1] + 1, np.uint8)
    x, y = np.round(spots - low).astype(np.intp).T
    empty[y, x] = 0
    near = cv2.distanceTransform(empty, cv2.DIST_L2, 5) <= _NEAR_MM
    corners = places[:4]  # those of the page, the furthest apart
    for one, other in combinations(range(len(corners)), 2):
        side = corners[other] - corners[one]
        i, j = np.nonzero(np.abs(np.abs(apart) - abs(side)) < _STRETCH * abs(side))
        expected = (places - corners[one]) * (apart[i, j] / side)[:, None] + seen[i][:, None]
        column, row = (np.round(part).astype(np.intp) for part in (expected.real - low[0], expected.imag - low[1]))
        inside = (column >= 0) & (row >= 0) & (column < near.shape[1]) & (row < near.shape[0])
        hit = inside & near[np.where(inside, row, 0), np.where(inside, column, 0)]
        if (np.count_nonzero(hit, axis=1) >= _LEAST_SEEN).any():
            return True
    return False
