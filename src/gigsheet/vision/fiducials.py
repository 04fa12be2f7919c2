"""Finding the sheet's ArUco markers: fast when the picture is good, harder and harder when it is not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.sheet.template import DICTIONARY

Gray = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

CELLS = 6
"""Cells along a marker's side, its black border among them (DICT_4X4_50)."""


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """One marker seen in the picture; corners are float64 [4, 2], clockwise from the marker's own top left."""

    id: int
    corners: Floats

    @property
    def side(self) -> float:
        """The mean length of a side in pixels."""
        return float(np.linalg.norm(self.corners - np.roll(self.corners, 1, axis=0), axis=1).mean())


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to look.

    Attributes:
        side: the long side in pixels that the picture is reduced to, by a whole factor.
        windows: sides of the neighbourhoods whose mean is the threshold.
        least: the smallest marker looked for: its perimeter by the picture's long side.
        contrast: grey levels by which a marker is darker than its neighbourhood; the less, the more contours of grain
            there are to follow.
        smooth: standard deviation of a blur before, against noise and halftones; 0 for none.
        even: whether local contrast is evened out before (low light, glare).
    """

    side: int
    windows: tuple[int, int, int] = (13, 13, 10)
    least: float = 0.04
    contrast: float = 7
    smooth: float = 0.0
    even: bool = False


QUICK = Attempt(side=1000, contrast=16)
THOROUGH = (
    Attempt(side=1000, windows=(5, 29, 8), least=0.03),
    Attempt(side=2000, windows=(9, 45, 12), least=0.015),
    Attempt(side=2000, windows=(9, 45, 12), least=0.015, smooth=2.0, even=True),
    Attempt(side=4000, windows=(15, 63, 24), least=0.01, smooth=1.5),
)


def look(pixels: Gray, attempt: Attempt) -> list[Sighting]:
    """The markers that one attempt finds; corners in `pixels`, to about a pixel of the reduced picture."""
    factor = max(1, round(max(pixels.shape) / attempt.side))
    small = reduced(pixels, factor)
    if attempt.smooth:
        small = np.asarray(cv2.GaussianBlur(small, (0, 0), attempt.smooth), np.uint8)
    if attempt.even:
        small = np.asarray(cv2.createCLAHE(4.0, (8, 8)).apply(small), np.uint8)
    corners, ids, _ = _detector(attempt.windows, attempt.least, attempt.contrast).detectMarkers(small)
    return [
        Sighting(int(i), (c.reshape(4, 2).astype(np.float64) + 0.5) * factor - 0.5)
        for i, c in zip([] if len(corners) == 0 else np.ravel(ids), corners, strict=True)
    ]


def reduced(pixels: Gray, factor: int) -> Gray:
    """The picture at 1/`factor` of its size, area-averaged."""
    factor = min(factor, *pixels.shape)  # a strip of three pixels stays one
    if factor <= 1:
        return pixels
    height, width = pixels.shape[0] // factor, pixels.shape[1] // factor
    whole = pixels[: height * factor, : width * factor]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def merge(known: Iterable[Sighting], more: Iterable[Sighting]) -> list[Sighting]:
    """Both lists, without what was seen twice at one place; the earlier sighting stays."""
    merged = list(known)
    for new in more:
        if not any(
            old.id == new.id and np.linalg.norm(old.corners.mean(0) - new.corners.mean(0)) < new.side for old in merged
        ):
            merged.append(new)
    return merged


def refine(pixels: Gray, sightings: list[Sighting]) -> list[Sighting]:
    """The same markers with corners to a fraction of a pixel, from the gradients around each corner."""
    if not sightings:
        return []
    sharp = _sharpen(pixels, np.stack([s.corners for s in sightings]))
    return [Sighting(s.id, corners) for s, corners in zip(sightings, sharp, strict=True)]


def confirm(pixels: Gray, marker_id: int, corners: Floats) -> Sighting | None:
    """The marker at a place where it should be, if its cells can be read there with at most one wrong."""
    patch_side = CELLS * 4
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * patch_side - 0.5
    matrix = cv2.getPerspectiveTransform(square, corners.astype(np.float32))
    patch = cv2.warpPerspective(
        pixels, matrix, (patch_side, patch_side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderValue=128
    )
    cells = patch.reshape(CELLS, 4, CELLS, 4)[:, 1:3, :, 1:3].mean(axis=(1, 3))
    expected = _cells(marker_id)
    light, dark = cells[expected].mean(), cells[~expected].mean()
    if light - dark < 20 or np.sum((cells > (light + dark) / 2) != expected) > 1:
        return None
    sighting = Sighting(marker_id, corners)
    refined = Sighting(marker_id, _sharpen(pixels, corners[None])[0])
    moved = np.linalg.norm(refined.corners - corners, axis=1).max()
    return refined if moved < sighting.side / CELLS else None


def _sharpen(pixels: Gray, corners: Floats) -> Floats:
    """The corners of markers, [n, 4, 2], to a fraction of a pixel; as they are where a marker is at the edge."""
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).mean(axis=1)
    reaches = np.clip(sides / CELLS * 0.7, 2, 12).astype(np.intp)
    around = (reaches + 2)[:, None]
    low, high = corners.min(axis=1) - around, corners.max(axis=1) + around
    inside = (low >= 0).all(axis=1) & (high < pixels.shape[::-1]).all(axis=1)
    low, high = low.astype(np.intp), high.astype(np.intp) + 2
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.02)
    sharp = corners.copy()
    for k in np.flatnonzero(inside):
        # cornerSubPix is fast on a small picture and slow to be handed a large one.
        part = pixels[low[k, 1] : high[k, 1], low[k, 0] : high[k, 0]]
        reach = (int(reaches[k]),) * 2
        found = cv2.cornerSubPix(part, (corners[k] - low[k]).astype(np.float32), reach, (-1, -1), stop)
        sharp[k] = found.reshape(4, 2) + low[k]
    return sharp


@cache
def _dictionary() -> cv2.aruco.Dictionary:
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))


@cache
def _detector(windows: tuple[int, int, int], least: float, contrast: float) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    (
        parameters.adaptiveThreshWinSizeMin,
        parameters.adaptiveThreshWinSizeMax,
        parameters.adaptiveThreshWinSizeStep,
    ) = windows
    parameters.adaptiveThreshConstant = contrast
    parameters.minMarkerPerimeterRate = least
    parameters.maxMarkerPerimeterRate = 0.6
    return cv2.aruco.ArucoDetector(_dictionary(), parameters)


@cache
def _cells(marker_id: int) -> npt.NDArray[np.bool_]:
    """Which of a marker's cells are white, bool [CELLS, CELLS]."""
    image = cv2.aruco.generateImageMarker(_dictionary(), marker_id, CELLS)
    return np.asarray(image, np.uint8) > 127
