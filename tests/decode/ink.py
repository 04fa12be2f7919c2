"""Scores as an engine would give them for a written text: peaks, blanks between, and doubt where the test wants it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gigsheet.records import BLANK, CLASS_OF, CLASSES, Glyphs

Doubt = Mapping[int, Mapping[str, float]]
"""For the place of a character in the text: the probabilities of what else it may be ("" is nothing at all)."""


def glyphs(text: str, doubt: Doubt | None = None, *, sharp: float = 1e-6, left_mm: float = 30.0) -> Glyphs:
    """One frame a character, two blanks between; `sharp` is spread over all other classes."""
    frames = []
    for place, char in enumerate(text):
        peak = np.full(CLASSES, sharp / CLASSES)
        others = dict((doubt or {}).get(place, {}))
        peak[CLASS_OF[char]] += 1 - sharp - sum(others.values())
        for other, probability in others.items():
            peak[CLASS_OF[other] if other else BLANK] += probability
        blank = np.full(CLASSES, sharp / CLASSES)
        blank[BLANK] += 1 - sharp
        frames += [blank, peak, blank]
    if not frames:
        return Glyphs(np.zeros((0, CLASSES), np.float32), np.zeros(0, np.float32), "synthetic")
    scores = np.log(np.array(frames)).astype(np.float32)
    return Glyphs(scores, np.linspace(left_mm, left_mm + 6 * len(text), len(frames), dtype=np.float32), "synthetic")


def noise(rng: np.random.Generator, frames: int, sharpness: float = 2.0) -> np.ndarray:
    """Random normalised scores, float32 [frames, CLASSES]."""
    logits = rng.normal(size=(frames, CLASSES)) * sharpness
    return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), np.float32)
