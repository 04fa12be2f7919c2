"""Adapting to the writer: other rows teach, a row never teaches itself."""

from __future__ import annotations

import numpy as np
import pytest

from gigsheet.recognise.adapt import adapted, occupation
from gigsheet.recognise.scripted import spelled
from gigsheet.records import ALPHABET, CLASS_OF, CLASSES, Glyphs
from gigsheet.training.figures import greedy, text_log_prob

SHAPES = {c: k for k, c in enumerate(ALPHABET)}


def glyphs(shown: str, read: str, sure: float = 0.7) -> Glyphs:
    """A row of characters whose shapes are `shown` and whose scores say `read`."""
    classes = [0] + [k for c in read for k in (CLASS_OF[c], 0)]
    features = np.zeros((len(classes), len(ALPHABET) + 1), np.float32)
    for k, c in enumerate(shown):
        features[2 * k + 1, SHAPES[c]] = 1
    features[::2, -1] = 1
    return Glyphs(spelled(classes, sure), np.arange(len(classes), dtype=np.float32), "test", features)


def test_a_shape_learned_in_other_rows_is_read_in_this_one() -> None:
    rows = [glyphs("D4", "04") for _ in range(8)]
    texts: list[str | None] = ["D4"] * 7 + [None]
    after = adapted(rows, texts)
    assert greedy(rows[7].log_probs)[0] == "04"
    assert greedy(after[7].log_probs)[0] == "D4"
    for row in after:
        np.testing.assert_allclose(np.exp(row.log_probs).sum(axis=1), 1, atol=1e-5)


def test_a_row_does_not_teach_itself() -> None:
    rows = [glyphs("D4", "04"), *[glyphs("A4", "A4") for _ in range(3)]]
    after = adapted(rows, ["D4", "A4", "A4", "A4"])
    # Fold by fold each row is corrected by the others alone: none of them shows a D.
    assert greedy(after[0].log_probs)[0] == "04"


def test_without_news_nothing_changes() -> None:
    rows = [glyphs("A4", "A4"), glyphs("B5", "B5")]
    after = adapted(rows, ["A4", None])
    assert after[0] is rows[0]
    assert after[1] is rows[1]


def test_engines_without_features_are_left_alone() -> None:
    row = Glyphs(spelled([0, 1, 0], 0.9), np.zeros(3, np.float32), "other")
    assert adapted([row, row], ["A", None])[1] is row


def test_a_text_that_cannot_stand_there_teaches_nothing() -> None:
    rows = [glyphs("D", "0"), glyphs("D", "0")]
    after = adapted(rows, ["D4D4D4D4", None])
    np.testing.assert_array_equal(after[1].log_probs, rows[1].log_probs)


@pytest.mark.parametrize("text", ["", "A", "AA", "A4A"])
def test_occupation_is_the_derivative_of_the_likelihood(text: str) -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(6, CLASSES))
    log_probs = (scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)).astype(np.float32)
    wanted = occupation(log_probs, text)
    assert wanted is not None
    np.testing.assert_allclose(wanted.sum(axis=1), 1, atol=1e-5)
    for t, c in ((0, 0), (2, CLASS_OF["A"]), (3, CLASS_OF["4"]), (5, 0)):
        step = np.zeros_like(log_probs)
        step[t, c] = 0.01
        slope = (text_log_prob(log_probs + step, text) - text_log_prob(log_probs - step, text)) / 0.02
        assert wanted[t, c] == pytest.approx(slope, abs=2e-3)
