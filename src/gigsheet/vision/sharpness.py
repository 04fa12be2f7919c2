"""How sharp a sheet is, measured where its print is known: on the outer edges of its markers."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.vision.assemble import Sheet, marker_corners
from gigsheet.vision.middle import middle

Gray = npt.NDArray[np.uint8]

_HALF_MM = 1.0
_ACROSS = np.linspace(-_HALF_MM, _HALF_MM, 33)
_ALONG = np.linspace(0.2, 0.8, 8)
_LEAST_CONTRAST = 12


def edge_width_mm(pixels: Gray, sheet: Sheet) -> float:
    """The width over which the markers' black turns to paper, in mm: contrast by steepest slope, the median.

    Infinite when no marker has an edge to speak of.
    """
    where = marker_corners(sheet.template)
    corners = np.stack([s.corners for s in sheet.sightings])
    sides_mm = np.array([where[s.id][1, 0] - where[s.id][0, 0] for s in sheet.sightings])
    starts, ends = corners, np.roll(corners, -1, axis=1)
    outward = ((starts + ends) / 2 - corners.mean(axis=1, keepdims=True)) * (2 / sides_mm)[:, None, None]
    along = starts[:, :, None] + (ends - starts)[:, :, None] * _ALONG[:, None]
    places = along[..., None, :] + _ACROSS[:, None] * outward[:, :, None, None]
    x, y = np.moveaxis(places.astype(np.float32), -1, 0).reshape(2, -1, len(_ACROSS))
    seen = cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    # One profile a side of a marker, from black to paper.
    profiles = seen.reshape(-1, len(_ALONG), len(_ACROSS)).mean(axis=1)
    contrast = profiles[:, -5:].mean(axis=1) - profiles[:, :12].min(axis=1)
    slope = np.diff(profiles, axis=1).max(axis=1) / (_ACROSS[1] - _ACROSS[0])
    clear = (contrast > _LEAST_CONTRAST) & (slope > 0)
    return middle(contrast[clear] / slope[clear]) if clear.any() else float("inf")
