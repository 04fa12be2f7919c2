"""Whether a line that crosses a row goes on over the paper beyond it: a fold does, where a pen has stopped."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.vision.mapping import Floats
from gigsheet.vision.page import Page

_REACH_MM = 30.0
"""So far beyond a row's end the line is looked for; people who strike a row out seldom go half as far."""
_ZONE_MM = 14.0
"""The stretch at the far end of that in which it must show."""
_NEAR_MM = 2.0
_LEAST_MM = 3.0
"""A shorter stretch, where the paper's edge is near, says nothing."""
_EDGE_MM = 2.0
"""The paper's edge itself is dark."""
_TANGENT_MM = 15.0
"""So much of the line, up to its end, gives its direction."""
_STEP_MM = 0.25
_ASIDE_MM, _ASIDE_STEP_MM = 2.0, 0.1
"""How far beside the straight line through both ends it is looked for."""
_STRAY = 7
"""Steps aside by which it may wander within the zone."""
_SHARE = 0.75
"""The share of the zone in which it must show."""
_FADED = 0.3
"""It must be that dark, as a share of its darkness across the row (in which ink was brought to a common darkness)."""


def goes_on(page: Page, start_mm: Floats, end_mm: Floats, darkness: float) -> bool:
    """Whether a straight dark line goes on beyond both of its ends, as far as there is paper in the picture.

    Args:
        page: where it was found.
        start_mm, end_mm: its ends on the page, [2].
        darkness: how dark it is between them, 0..255, paper being 0.

    Returns:
        True when it shows beyond at least one end, and is not missing beyond the other.
    """
    seen = [_shows(page, *ends, darkness * _FADED) for ends in ((end_mm, start_mm), (start_mm, end_mm))]
    return False not in seen and True in seen


def _shows(page: Page, from_mm: Floats, to_mm: Floats, least: float) -> bool | None:
    """Whether a line is darker than `least` in its zone beyond `to_mm`; None where there is no zone to look at."""
    along = (to_mm - from_mm) / np.linalg.norm(to_mm - from_mm)
    far = min(_REACH_MM, _to_the_edge(page, to_mm, along))
    near = max(_NEAR_MM, far - _ZONE_MM)
    if far - near < _LEAST_MM:
        return None
    # The mapping is good where rows are; beyond them the line goes on in the picture as it came.
    before, end = page.mapping.to_px(np.stack([to_mm - _TANGENT_MM * along, to_mm]))
    forth = (end - before) / _TANGENT_MM
    aside = np.array([-forth[1], forth[0]])
    ways, offsets = (
        np.arange(near, far, _STEP_MM),
        np.arange(-_ASIDE_MM, _ASIDE_MM + _ASIDE_STEP_MM / 2, _ASIDE_STEP_MM),
    )
    places = end + ways[:, None, None] * forth + offsets[None, :, None] * aside
    height, width = page.picture.pixels.shape
    inside = (places >= 0) & (places <= np.array([width - 1, height - 1]))
    whole = inside.all(axis=(1, 2))
    if np.count_nonzero(whole) * _STEP_MM < _LEAST_MM:
        return None
    x, y = (np.ascontiguousarray(places[whole, :, k], np.float32) for k in (0, 1))
    gray = cv2.remap(page.picture.pixels, x, y, cv2.INTER_LINEAR).astype(np.float32)
    dark = 255 - 255 * gray / np.maximum(np.percentile(gray, 80, axis=1, keepdims=True), 1)
    smooth = cv2.blur(dark, (1, round(1 / _STEP_MM)))
    wandering = cv2.dilate(smooth, np.ones((1, _STRAY), np.uint8))
    share: npt.NDArray[np.float64] = (wandering > least).mean(axis=0)
    return bool(share.max() >= _SHARE)


def _to_the_edge(page: Page, start_mm: Floats, direction: Floats) -> float:
    """How far it is from a point to the paper's edge, mm."""
    size = np.array([page.template.width_mm, page.template.height_mm])
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = np.where(direction > 0, (size - _EDGE_MM - start_mm) / direction, (_EDGE_MM - start_mm) / direction)
    return float(np.min(np.where(np.abs(direction) < 1e-9, np.inf, ways)))
