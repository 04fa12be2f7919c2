"""From markers seen to sheets: which belong together, and what is wrong with a picture where none do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from gigsheet.sheet.template import Template, load_template, templates
from gigsheet.vision.fiducials import Sighting, confirm
from gigsheet.vision.mapping import Floats, PageMapping, fit_homography

Gray = npt.NDArray[np.uint8]

_LEAST_MARKERS = 3
_AGREE_MM = (16.0, 8.0, 5.0)
"""How far a marker may lie from where the others say, in rounds: extrapolated from two, then from ever more of them.
Paper that bends, is folded or crumpled stays within the last."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The markers of one sheet, and the flat mapping that they agree on."""

    template: Template
    sightings: tuple[Sighting, ...]
    homography: Floats


@cache
def known_templates() -> tuple[Template, ...]:
    """Every template that is read."""
    return tuple(load_template(name, paper) for name, paper in templates())


@cache
def marker_corners(template: Template) -> dict[int, Floats]:
    """Each marker's corners in mm, float64 [4, 2], by id."""
    return {m.id: np.asarray(m.corners_mm, np.float64) for m in template.markers}


def assemble(pixels: Gray, sightings: list[Sighting]) -> tuple[list[Sheet], list[Sighting]]:
    """The sheets that the sightings make up, and the known markers that are left over.

    A marker that was overlooked is taken where the others say that it is, if its pattern can be read there.
    """
    sheets: list[Sheet] = []
    leftover: list[Sighting] = []
    for template in known_templates():
        where = marker_corners(template)
        left = [s for s in sightings if s.id in where]
        while len(left) > 1:
            sheet = _whole(left, template)
            if sheet is None:
                group = _agreeing(left, where)
                sheet = _complete(pixels, group, template) if group else None
            if sheet is None:
                break
            sheets.append(sheet)
            left = [s for s in left if not any(s is used for used in sheet.sightings)]
        leftover += left
    return sheets, leftover


def _fit(group: list[Sighting], where: dict[int, Floats]) -> Floats | None:
    matrix = fit_homography(np.concatenate([where[s.id] for s in group]), np.concatenate([s.corners for s in group]))
    # A sheet is seen from its front: a mapping that mirrors it is a mistake.
    return matrix if matrix is not None and np.linalg.det(matrix) > 0 else None


def _distances_mm(group: list[Sighting], where: dict[int, Floats], matrix: Floats) -> Floats:
    """How far each marker's middle lies from its place, in mm, by the flat mapping."""
    middles = np.stack([s.corners.mean(axis=0) for s in group])
    places = np.stack([where[s.id].mean(axis=0) for s in group])
    off = PageMapping(matrix).to_flat_mm(middles) - places
    return np.asarray(np.hypot(off[:, 0], off[:, 1]), np.float64)


def _whole(left: list[Sighting], template: Template) -> Sheet | None:
    """The sheet, if all its markers were seen once and agree: as most photographs have it."""
    where = marker_corners(template)
    if len(left) != len(where) or len({s.id for s in left}) < len(left):
        return None
    matrix = _fit(left, where)
    if matrix is None or _distances_mm(left, where, matrix).max() >= _AGREE_MM[-1]:
        return None
    return Sheet(template, tuple(left), matrix)


def _agreeing(left: list[Sighting], where: dict[int, Floats]) -> list[Sighting] | None:
    """The largest set of markers that one sheet explains, no id twice."""
    if max(Counter(s.id for s in left).values()) == 1 and len(left) >= _LEAST_MARKERS:
        matrix = _fit(left, where)
        if matrix is not None and _distances_mm(left, where, matrix).max() < _AGREE_MM[-1]:
            return left
    best: list[Sighting] = []
    pairs = sorted(combinations(left, 2), key=lambda p: float(np.linalg.norm(p[0].corners[0] - p[1].corners[0])))
    for one, other in pairs[:400]:
        if one.id == other.id:
            continue
        group = [one, other]
        for limit in _AGREE_MM:
            matrix = _fit(group, where)
            if matrix is None:
                break
            group = _nearest(left, _distances_mm(left, where, matrix), limit)
            if len(group) < 2:
                break
        if len(group) > len(best):
            best = group
        if len(best) == len(where):
            break
    return best if len(best) > 1 else None


def _nearest(left: list[Sighting], distances: Floats, limit: float) -> list[Sighting]:
    chosen: dict[int, int] = {}
    for k in np.argsort(distances):
        if distances[k] < limit:
            chosen.setdefault(left[k].id, int(k))
    return [left[k] for k in chosen.values()]


def _complete(pixels: Gray, group: list[Sighting], template: Template) -> Sheet | None:
    """The sheet with those of its markers added that `confirm` reads where they should be, nearest first."""
    where = marker_corners(template)
    matrix = _fit(group, where)
    if matrix is None:
        return None
    seen = {s.id for s in group}
    middle = np.mean([where[s.id] for s in group], axis=(0, 1))
    for marker_id in sorted(where, key=lambda i: float(np.linalg.norm(where[i].mean(axis=0) - middle))):
        if marker_id in seen:
            continue
        corners = PageMapping(matrix).to_px(where[marker_id])
        if (corners < 0).any() or (corners >= pixels.shape[::-1]).any():
            continue
        found = confirm(pixels, marker_id, corners)
        refit = _fit([*group, found], where) if found else None
        if found and refit is not None:
            group, matrix = [*group, found], refit
    enough = len(group) >= _LEAST_MARKERS and _distances_mm(group, where, matrix).max() < _AGREE_MM[-1]
    return Sheet(template, tuple(group), matrix) if enough else None
