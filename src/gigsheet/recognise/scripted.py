"""An engine that says what it is told: for tests of everything after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gigsheet.records import BLANK, CLASS_OF, CLASSES, Glyphs, RowStrip


class ScriptedEngine:
    """Sees in each strip the text that was given for its row.

    Args:
        texts: (game, turn) -> text; white space is ignored. A row that is not named reads as nothing.
        certainty: the probability each character is given; the rest is shared by all other classes.
    """

    id = "scripted"

    def __init__(self, texts: Mapping[tuple[int, int], str], certainty: float = 0.98) -> None:
        self.texts, self.certainty = dict(texts), certainty

    def prepare(self) -> None:
        """There is nothing to load."""

    def recognise(self, strips: Sequence[RowStrip]) -> list[Glyphs]:
        """One `Glyphs` a strip; one of width 0 has no time steps."""
        return [self._read(strip) for strip in strips]

    def _read(self, strip: RowStrip) -> Glyphs:
        text = "".join(self.texts.get((strip.game, strip.turn), "").split()) if strip.pixels.shape[1] else ""
        if strip.pixels.shape[1] == 0:
            return Glyphs(np.zeros((0, CLASSES), np.float32), np.zeros(0, np.float32), self.id)
        # blank, character, blank, character, ..., blank
        classes = [BLANK] + [k for c in text for k in (CLASS_OF[c], BLANK)]
        left, right = float(strip.columns_mm[0]), float(strip.columns_mm[-1])
        return Glyphs(
            spelled(classes, self.certainty), np.linspace(left, right, len(classes), dtype=np.float32), self.id
        )


def spelled(classes: Sequence[int], certainty: float | Sequence[float]) -> np.ndarray:
    """Log-probabilities float32 [time, CLASSES] in which one class a time step has the given probability."""
    sure = np.clip(np.broadcast_to(np.asarray(certainty, np.float32), (len(classes),)), 1e-6, 1 - 1e-6)
    probabilities = np.repeat(((1 - sure) / (CLASSES - 1))[:, None], CLASSES, axis=1)
    probabilities[np.arange(len(classes)), list(classes)] = sure
    return np.log(probabilities).astype(np.float32)
