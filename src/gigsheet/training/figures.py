"""What an engine gets right on strips whose text is known, read greedily, and how honest its probabilities are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gigsheet.recognise.engine import Engine
from gigsheet.records import ALPHABET, RowStrip
from gigsheet.training.compose import COLUMNS_PER_MM, Strip
from gigsheet.training.texts import edit_distance

Floats = npt.NDArray[np.float32]
BINS = 15


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares of strips and characters, counts beside them.

    `row_calibration` and `character_calibration` are expected calibration errors over bins of equal count, of the
    greedy text's probability and of the probability of each character in it.
    """

    strips: int
    strips_right: float
    characters: int
    characters_wrong: float
    row_calibration: float
    character_calibration: float

    def __str__(self) -> str:
        return (
            f"strips right {100 * self.strips_right:.2f} % of {self.strips}, characters wrong "
            f"{100 * self.characters_wrong:.2f} % of {self.characters}, calibration error of rows "
            f"{100 * self.row_calibration:.2f} %, of characters {100 * self.character_calibration:.2f} %"
        )


def as_row(strip: Strip, turn: int = 1) -> RowStrip:
    """A composed strip in the form the engines take."""
    columns = np.arange(strip.pixels.shape[1], dtype=np.float32) / COLUMNS_PER_MM
    corner = (0.0, 0.0)
    return RowStrip(1, turn, strip.pixels, columns, (corner, corner, corner, corner), blank=False)


def scores(engine: Engine, strips: list[Strip]) -> tuple[list[Floats], list[str]]:
    """The log-probabilities of each strip, and what each really says."""
    return [g.log_probs for g in engine.recognise([as_row(s) for s in strips])], [s.text for s in strips]


def greedy(log_probs: Floats) -> tuple[str, Floats]:
    """The best class of each time step, merged: the text, and the probability of each of its characters."""
    best = log_probs.argmax(axis=1)
    sure = np.exp(log_probs.max(axis=1))
    text, characters = "", list[float]()
    for step, k in enumerate(best):
        if k and (step == 0 or best[step - 1] != k):
            text += ALPHABET[k - 1]
            characters.append(float(sure[step]))
        elif k:
            characters[-1] = max(characters[-1], float(sure[step]))
    return text, np.array(characters, np.float32)


def text_log_prob(log_probs: Floats, text: str) -> float:
    """The exact probability that CTC gives a text, as a logarithm: summed over all alignments (Graves et al. 2006)."""
    classes = [0] + [k for c in text for k in (ALPHABET.index(c) + 1, 0)]
    emit = log_probs[:, classes].astype(np.float64)
    skip = np.array([s >= 2 and classes[s] != 0 and classes[s] != classes[s - 2] for s in range(len(classes))])
    forward = np.full(len(classes), -np.inf)
    forward[:2] = emit[0, :2]
    for step in emit[1:]:
        one = np.concatenate([[-np.inf], forward[:-1]])
        two = np.where(skip, np.concatenate([[-np.inf, -np.inf], forward[:-2]])[: len(classes)], -np.inf)
        forward = np.logaddexp(np.logaddexp(forward, one), two) + step
    return float(np.logaddexp(forward[-1], forward[-2]) if len(classes) > 1 else forward[-1])


def tempered(log_probs: Floats, temperature: float) -> Floats:
    """The log-probabilities at another temperature."""
    scaled = log_probs / np.float32(temperature)
    normalised: Floats = scaled - np.logaddexp.reduce(scaled, axis=1, keepdims=True)
    return normalised


def best_temperature(log_probs: list[Floats], texts: list[str]) -> float:
    """The temperature under which the true texts are likeliest, to a twentieth."""

    def loss(twentieths: int) -> float:
        return -sum(text_log_prob(tempered(p, twentieths / 20), text) for p, text in zip(log_probs, texts, strict=True))

    best = min(range(14, 42, 4), key=loss)
    return min(range(best - 3, best + 4), key=loss) / 20


def calibration_error(confidences: list[float], right: list[bool]) -> float:
    """Expected calibration error over bins of equal count (Naeini et al. 2015)."""
    order = np.argsort(confidences)
    parts = np.array_split(order, BINS)
    sure, true = np.asarray(confidences), np.asarray(right, float)
    return float(sum(abs(sure[p].sum() - true[p].sum()) for p in parts) / max(1, len(order)))


def measure(engine: Engine, strips: list[Strip]) -> Figures:
    """Reads strips greedily and compares."""
    log_probs, texts = scores(engine, strips)
    wrong = right = 0
    row_sure, row_right, char_sure, char_right = list[float](), list[bool](), list[float](), list[bool]()
    for p, truth in zip(log_probs, texts, strict=True):
        text, sure = greedy(p)
        right += text == truth
        wrong += edit_distance(text, truth)
        row_sure.append(float(np.exp(text_log_prob(p, text))))
        row_right.append(text == truth)
        if len(text) == len(truth):  # only then is it plain which character is which
            char_sure += sure.tolist()
            char_right += [a == b for a, b in zip(text, truth, strict=True)]
    characters = sum(map(len, texts))
    return Figures(
        len(strips),
        right / len(strips),
        characters,
        wrong / characters,
        calibration_error(row_sure, row_right),
        calibration_error(char_sure, char_right),
    )
