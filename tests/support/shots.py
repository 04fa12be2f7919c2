"""A picture as delivered together with the truth about it, and the middling photograph that situations start from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from gigsheet.sheet.template import Template
from tests.support.capture import Capture, Floats, Photo, Pixels, Scan, photograph, scan
from tests.support.pages import Page

Rng = np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """One sheet in a picture: the entry areas of its written rows in picture pixels, [4, 2] each, by game and turn."""

    template: Template
    serial: str
    rows: dict[tuple[int, int], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A file as delivered, the sheets in it in reading order, and the codes with which it may be refused."""

    data: bytes
    sheets: tuple[Truth, ...]
    expects: frozenset[str] = frozenset()


Situation = Callable[[Rng, float], Shot]


def middling(rng: Rng, megapixels: float, **settings: object) -> Photo:
    """A middling photograph, but for the settings given."""
    usual: dict[str, object] = {
        "megapixels": megapixels,
        "turn_deg": float(rng.uniform(-4, 4)),
        "tilt_deg": float(rng.uniform(0, 15)),
        "tilt_towards_deg": float(rng.uniform(0, 360)),
        "fill": float(rng.uniform(0.78, 0.95)),
        "bend_mm": float(rng.uniform(0, 3)),
        "defocus_px": float(rng.uniform(0.5, 1.0)) * math.sqrt(megapixels / 8),
        "noise": float(rng.uniform(1, 4)),
    }
    return Photo(**{**usual, **settings})  # type: ignore[arg-type]


def taken(page: Page, photo: Photo, rng: Rng) -> Shot:
    return shot_of(photograph(page.paper(), photo, rng), [page])


def scanned(page: Page, settings: Scan, rng: Rng) -> Shot:
    return shot_of(scan(page.paper(), settings, rng), [page])


def shot_of(capture: Capture, sheets: list[Page]) -> Shot:
    return Shot(capture.jpeg(), tuple(truth_of(p, capture.to_image) for p in sheets))


def truth_of(page: Page, to_image: Callable[[Floats], Floats]) -> Truth:
    return Truth(page.template, page.serial, {key: to_image(quad) for key, quad in page.rows().items()})


def plain_pixels(shot: Shot) -> Pixels:
    """A shot's picture, to look at."""
    return np.asarray(cv2.imdecode(np.frombuffer(shot.data, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def px_per_mm(megapixels: float) -> float:
    """About how many pixels a page's millimetre has in a middling photograph."""
    return 0.86 * math.sqrt(megapixels * 1e6 * 4 / 3) / 297
