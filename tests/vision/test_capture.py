"""The capture generator itself: points go where their pixels go, and the same seed gives the same picture."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from tests.support.capture import Capture, Paper, Photo, Scan, photograph, scan

PLAIN = Photo(megapixels=1.0, defocus_px=0.6, noise=0)
CAPTURES: dict[str, Callable[[Paper, np.random.Generator], Capture]] = {
    "flat": lambda p, rng: photograph(p, PLAIN, rng),
    "bent": lambda p, rng: photograph(p, Photo(megapixels=1.0, bend_mm=14, tilt_deg=30, noise=0), rng),
    "folded": lambda p, rng: photograph(p, Photo(megapixels=1.0, fold_slope=0.2, turn_deg=200, noise=0), rng),
    "crumpled": lambda p, rng: photograph(p, Photo(megapixels=1.0, crumple_slope=0.1, turn_deg=75, noise=0), rng),
    "scan": lambda p, rng: scan(p, Scan(dpi=110, skew_deg=2, turns=3, stretch=(1, 1.01), wobble_mm=1), rng),
}


def dotted() -> tuple[Paper, np.ndarray]:
    """White paper with black dots, and their middles."""
    pixels = np.full((1188, 840, 3), 255, np.uint8)
    middles = np.array([(x, y) for x in range(90, 800, 220) for y in range(90, 1150, 290)])
    for x, y in middles:
        cv2.circle(pixels, (int(x), int(y)), 6, (0, 0, 0), -1, cv2.LINE_AA)
    return Paper(pixels, np.ones(pixels.shape[:2], np.float32), 4.0), middles


@pytest.mark.parametrize("name", CAPTURES)
def test_points_go_where_their_pixels_go(name: str) -> None:
    paper, middles = dotted()
    capture = CAPTURES[name](paper, np.random.default_rng(7))
    gray = cv2.cvtColor(capture.pixels, cv2.COLOR_BGR2GRAY)
    for x, y in capture.to_image(middles):
        r = 12
        i, j = round(float(x)), round(float(y))
        patch = gray[j - r : j + r + 1, i - r : i + r + 1].astype(float)
        dark = np.clip(np.median(gray[j - r : j + r + 1, [i - r, i + r]]) - 30 - patch, 0, None)
        found = np.array([(dark.sum(0) * np.arange(-r, r + 1)).sum(), (dark.sum(1) * np.arange(-r, r + 1)).sum()])
        assert np.abs(found / dark.sum() + (i, j) - (x, y)).max() < 0.35


def test_a_seed_gives_the_same_picture() -> None:
    paper, _ = dotted()
    one, two = (photograph(paper, PLAIN, np.random.default_rng(3)).pixels for _ in range(2))
    assert np.array_equal(one, two)
