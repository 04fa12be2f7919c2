"""The shapes of the notation's signs as this project draws them by hand: our own strokes, nobody's font or hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Point = tuple[float, float]
Points = npt.NDArray[np.float64]

# Each sign has one or more forms. A form is strokes parted by "/"; a stroke is points "x,y" in hundredths of a capital,
# x to the right, y up from the baseline, with a smooth line through them. A point given twice is a corner.
_DRAWN = {
    "0": ("50,97 22,88 4,50 16,10 40,0 62,14 70,50 58,88 42,99",),
    "1": (
        "2,74 26,99 26,99 25,0",
        "10,100 8,0",
    ),
    "2": (
        "4,76 20,98 48,96 58,72 36,34 2,2 2,2 64,3",
        "5,80 28,99 54,82 44,46 10,8 14,0 36,10 66,2",
    ),
    "3": ("5,88 28,100 52,84 44,62 22,54 22,54 52,44 58,20 32,-1 2,10",),
    "4": (
        "40,100 4,34 4,34 68,36 / 50,66 48,0",
        "14,98 6,46 6,46 62,47 / 54,98 50,0",
    ),
    "5": ("12,97 8,56 8,56 34,62 58,40 48,8 20,-1 0,10 / 12,97 58,100",),
    "6": ("50,99 20,72 4,30 18,1 48,4 56,30 38,48 10,34",),
    "7": (
        "2,97 60,99 60,99 24,0",
        "2,97 60,99 60,99 24,0 / 16,50 56,53",
    ),
    "8": ("54,84 32,100 10,82 30,56 56,26 34,0 6,20 24,50 50,72 53,88",),
    "9": ("54,84 32,100 8,78 20,54 46,62 56,92 56,92 52,40 44,0",),
    "A": (
        "0,0 33,100 33,100 68,0 / 14,35 56,37",
        "0,0 20,84 38,100 54,84 66,0 / 10,40 62,42",
    ),
    "B": ("7,100 5,0 / 6,99 42,97 54,77 36,55 8,53 8,53 48,49 64,25 44,2 4,0",),
    "C": ("62,84 40,100 12,78 4,40 24,3 62,13",),
    "D": ("7,100 5,0 / 0,98 42,92 66,50 42,8 2,0",),
    "E": (
        "56,99 5,100 5,100 5,0 5,0 58,1 / 6,52 46,53",
        "54,88 30,100 12,80 32,55 32,55 6,30 24,0 58,12",
    ),
    "F": ("58,100 5,99 5,99 5,0 / 6,52 44,53",),
    "x": ("0,64 50,0 / 50,66 2,2",),
    "+": ("28,76 27,20 / 0,48 56,48",),
    "-": ("0,46 48,48",),
    "=": ("0,62 50,64 / 0,33 50,35",),
    "~": ("0,40 14,57 30,47 46,37 60,56",),
    "(": ("28,112 7,75 5,30 26,-14",),
    ")": ("2,112 23,75 25,30 4,-14",),
    "'": ("12,114 4,80",),
    "<": ("48,82 2,50 2,50 48,18",),
    ">": ("2,82 48,50 48,50 2,18",),
    ".": ("0,3 5,0",),
}

_STEPS = 8


def _strokes(drawn: str) -> list[list[Point]]:
    return [[_point(point) for point in stroke.split()] for stroke in drawn.split("/")]


def _point(drawn: str) -> Point:
    x, _, y = drawn.partition(",")
    return int(x) / 100, int(y) / 100


FORMS: dict[str, list[list[list[Point]]]] = {sign: [_strokes(form) for form in forms] for sign, forms in _DRAWN.items()}
"""By sign its forms, each a list of strokes, each a list of points in capital heights."""


def smooth(stroke: Sequence[Point] | Points) -> Points:
    """A Catmull-Rom line through a stroke's points, float64 [n, 2], broken where a point stands twice."""
    points = np.asarray(stroke, np.float64)
    corners = np.nonzero(np.all(np.diff(points, axis=0) == 0, axis=1))[0] + 1
    return np.concatenate([_through(part) for part in np.split(points, corners)])


def _through(points: Points) -> Points:
    padded = np.concatenate([2 * points[:1] - points[1:2], points, 2 * points[-1:] - points[-2:-1]])
    t = np.linspace(0, 1, _STEPS, endpoint=False)[:, None]
    a, b, c, d = (padded[k : len(padded) - 3 + k, None] for k in range(4))
    spans = 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
    return np.concatenate([spans.reshape(-1, 2), points[-1:]])
