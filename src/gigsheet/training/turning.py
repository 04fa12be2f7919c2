"""Strokes drawn with another turn of the wrist: bows more or less closed, hooks at their ends, strokes cut or overshot.

A stroke is taken as a path of equal steps, and what is changed is the direction and the length of the steps, not the
place of points: so a bow closes, an 8 stays open and a bar overshoots as they do where people write fast. (To vary
handwriting by how the pen moves is the idea of the kinematic theory, Plamondon 1995; its log-normal strokes are not
used.)
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gigsheet.training.samples import PenSample, Points, evenly

STEP = 0.05
"""The length of a step, in capital heights."""
STEPS = (5, 48)
"""The fewest and the most steps of a stroke; one that is shorter than three of `STEP` is left as it is."""
ENDS = 0.4
"""A stroke's first and last part begin so far from its middle, the half of the stroke being 1."""
SHORTEST = 0.1
"""No step becomes shorter than this share of what it was."""
LIKE = 1.6
"""A character that comes out wider or narrower, taller or shorter by more than this factor is left as it was."""


class Turning(NamedTuple):
    """How a stroke is changed.

    Attributes:
        bend: by how much its turns are stronger (negative: weaker).
        sway: radians that its whole length turns further.
        start, end: radians by which its first and last part turn.
        early, late: by how much its first and last steps are longer (negative: shorter).
    """

    bend: float
    sway: float
    start: float
    end: float
    early: float
    late: float

    @classmethod
    def of_a_hand(cls, rng: random.Random, strength: float) -> Turning:
        """A habit; `strength` is 0 for none and 1 for the most that leaves characters what they are."""
        return cls(*[max(-MOST, min(MOST, rng.gauss(0.0, 1.0))) * spread * strength for spread in SPREAD])

    def varied(self, rng: random.Random, strength: float) -> Turning:
        """The same habit, not quite kept."""
        return Turning(*[value + rng.gauss(0.0, spread * strength) for value, spread in zip(self, SPREAD, strict=True)])


SPREAD = Turning(0.13, 0.15, 0.6, 0.6, 0.3, 0.3)
"""Standard deviations of the strongest habits."""
MOST = 2.2
"""No habit is further out, in standard deviations."""


def turned(sample: PenSample, turnings: Sequence[Turning]) -> PenSample:
    """A character with each of its strokes changed, the middle of each where it was."""
    size = np.array([max(sample.width, 1e-3), max(sample.height, 1e-3)], np.float32)
    strokes = [_turned(stroke * size, turning) for stroke, turning in zip(sample.strokes, turnings, strict=True)]
    points = np.concatenate(strokes)
    low, high = points.min(axis=0), points.max(axis=0)
    span = high - low
    if ((span > LIKE * size + STEP) | (span < size / LIKE - STEP)).any():
        return sample
    starts = np.cumsum([len(stroke) for stroke in strokes])[:-1]
    unit = np.asarray((points - low) / np.maximum(span, 1e-3), np.float32)
    return PenSample(unit, tuple(starts.tolist()), float(span[0]), float(span[1]))


def _turned(line: Points, turning: Turning) -> Points:
    """One stroke, [n, 2] in capital heights."""
    whole = float(np.hypot(*np.diff(line, axis=0).T).sum())
    if whole < 3 * STEP:
        return line
    steps = max(STEPS[0], min(STEPS[1], math.ceil(whole / STEP)))
    path = evenly(line, steps + 1)
    moves = np.diff(path, axis=0)
    heading = np.unwrap(np.arctan2(moves[:, 1], moves[:, 0]))
    place = np.linspace(-1.0, 1.0, steps)
    first, last = np.maximum(0.0, (-place - ENDS) / (1 - ENDS)), np.maximum(0.0, (place - ENDS) / (1 - ENDS))
    middle = heading.mean()
    heading = middle + (heading - middle) * (1 + turning.bend) + turning.sway * place
    heading += turning.start * first**2 + turning.end * last**2
    length = np.hypot(moves[:, 0], moves[:, 1])
    length *= np.maximum(SHORTEST, 1 + turning.early * (first > 0) + turning.late * (last > 0))
    steps_on = np.stack([np.cos(heading), np.sin(heading)], axis=1) * length[:, None]
    drawn = np.concatenate([[[0.0, 0.0]], np.cumsum(steps_on, axis=0)])
    return np.asarray(drawn - drawn.mean(axis=0) + path.mean(axis=0), np.float32)
