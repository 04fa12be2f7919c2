"""How sharp a sheet is, measured where its print is known: on the outer edges of its markers."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.vision.assemble import Sheet, marker_corners

Gray = npt.NDArray[np.uint8]

_PROFILE_MM = 2.0
_STEPS = 41
_ALONG = 24


def edge_width_mm(pixels: Gray, sheet: Sheet) -> float:
    """The width over which the markers' black turns to paper, in mm: contrast by steepest slope, the median."""
    where = marker_corners(sheet.template)
    widths = [w for s in sheet.sightings for w in _edge_widths(pixels, s.corners, _side_mm(where[s.id]))]
    return float(np.median(widths)) if widths else float("inf")


def _side_mm(corners: npt.NDArray[np.float64]) -> float:
    return float(corners[1, 0] - corners[0, 0])


def _edge_widths(pixels: Gray, corners: npt.NDArray[np.float64], side_mm: float) -> list[float]:
    """One width a side of one marker, from the mean profile across the middle of that side."""
    middle = corners.mean(axis=0)
    across = np.linspace(-1, 1, _STEPS) * _PROFILE_MM / 2
    widths = []
    for k in range(4):
        a, b = corners[k], corners[(k + 1) % 4]
        outward = (a + b) / 2 - middle
        outward *= 2 / side_mm
        along = a + (b - a) * np.linspace(0.2, 0.8, _ALONG)[:, None]
        places = (along[:, None] + across[:, None] * outward).astype(np.float32)
        seen = cv2.remap(pixels, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        profile = seen.mean(axis=0)
        contrast = profile[-5:].mean() - profile[: _STEPS // 2 - 4].min()
        slope = np.diff(profile).max() / (across[1] - across[0])
        if contrast > 12 and slope > 0:
            widths.append(float(contrast / slope))
    return widths
