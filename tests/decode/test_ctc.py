"""CTC: the exact scores against brute force, the beam against the exact scores."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gigsheet.decode.ctc import (
    Floats,
    Scored,
    log_likelihoods,
    plain_text,
    pooled_log_likelihoods,
    segment_rows,
    well_formed,
)
from gigsheet.decode.grammar import accepts
from gigsheet.records import ALPHABET, BLANK, CLASSES
from tests.decode.ink import glyphs, noise


def readings(scores: Floats) -> list[Scored]:
    return well_formed(scores, segment_rows([scores])[0], 16)


def _collapse(path: tuple[int, ...]) -> str:
    kept = [k for k, _ in itertools.groupby(path) if k != BLANK]
    return "".join(ALPHABET[k - 1] for k in kept)


def _brute_force(scores: np.ndarray, classes: list[int]) -> dict[str, float]:
    """All texts over a few classes with their probability: every path, summed."""
    found: dict[str, float] = {}
    for path in itertools.product(classes, repeat=len(scores)):
        p = float(np.exp(sum(scores[t, k] for t, k in enumerate(path))))
        found[_collapse(path)] = found.get(_collapse(path), 0.0) + p
    return found


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_exact_likelihood_is_the_sum_over_all_paths(seed: int, frames: int) -> None:
    scores = noise(np.random.default_rng(seed), frames)
    classes = [BLANK, 1, 2, 11]
    truth = _brute_force(scores, classes)
    texts = list(truth)
    got = log_likelihoods([(scores, text) for text in texts])
    np.testing.assert_allclose(np.exp(got), [truth[t] for t in texts], rtol=1e-4, atol=1e-12)


def test_exact_likelihood_of_rows_of_unequal_length() -> None:
    rng = np.random.default_rng(3)
    rows = [noise(rng, n) for n in (2, 7, 4)]
    items = [(rows[0], "A4"), (rows[1], "A4"), (rows[2], ""), (rows[1], "")]
    together = log_likelihoods(items)
    alone = [log_likelihoods([item])[0] for item in items]
    np.testing.assert_allclose(together, alone, rtol=1e-9)


def test_a_text_longer_than_its_frames_is_impossible() -> None:
    scores = noise(np.random.default_rng(1), 2)
    assert log_likelihoods([(scores, "A4-")])[0] == -np.inf
    assert log_likelihoods([(scores, "11")])[0] == -np.inf  # a blank must part the two
    assert log_likelihoods([(scores, "")])[0] == pytest.approx(float(scores[:, BLANK].sum()), rel=1e-5)
    assert log_likelihoods([]).shape == (0,)


def test_what_several_nets_make_of_a_text_is_averaged() -> None:
    first, second = glyphs("A4xB", {1: {"9": 0.3}}), glyphs("A9xB", {1: {"4": 0.2}})
    both, texts = replace(first, others=(second.log_probs,)), ["A4xB", "A9xB"]
    items = [(both, texts[0]), (first, texts[0]), (both, texts[1])]
    one, two = ([log_likelihoods([(seen.log_probs, text)])[0] for text in texts] for seen in (first, second))
    means = [(a + b) / 2 for a, b in zip(one, two, strict=True)]
    np.testing.assert_allclose(pooled_log_likelihoods(items), [means[0], one[0], means[1]])
    assert pooled_log_likelihoods([]).shape == (0,)


def test_a_net_that_rules_everything_out_has_no_veto() -> None:
    seen = glyphs("A4xB", {1: {"9": 0.3}})
    nothing = np.full_like(seen.log_probs, -60.0)
    nothing[:, BLANK] = 0.0
    found = pooled_log_likelihoods([(replace(seen, others=(nothing,)), text) for text in ("A4xB", "A9xB")])
    assert np.isfinite(found).all()
    assert found[0] > found[1]


def test_plain_ink_has_one_reading() -> None:
    scores = glyphs("A4-A1xB'3").log_probs
    assert plain_text(segment_rows([scores])[0]) == "A4-A1xB'3"
    assert [text for text, _ in readings(scores)] == ["A4-A1xB'3"]


def test_doubt_is_listed_with_its_weight() -> None:
    found = dict(readings(glyphs("A4xB", {1: {"9": 0.3}, 3: {"D": 0.01}}).log_probs))
    assert max(found, key=lambda text: found[text]) == "A4xB"
    assert found["A9xB"] - found["A4xB"] == pytest.approx(np.log(0.3 / 0.7), abs=1e-3)
    assert {"A4xD", "A9xD"} <= found.keys()


def test_what_the_grammar_forbids_is_not_listed() -> None:
    found = [text for text, _ in readings(glyphs("AA", {1: {"4": 0.001}}).log_probs)]
    assert found[0] == "A4"
    assert all(map(accepts, found))


def test_sure_nonsense_is_opened_up_again() -> None:
    assert all(accepts(text) for text, _ in readings(glyphs("4A", sharp=1e-5).log_probs))


@pytest.mark.parametrize("doubtful", [(3,), (2, 3), (0, 1, 3)])
def test_doubt_after_sure_nonsense(doubtful: tuple[int, ...]) -> None:
    doubt = {place: {"9": 0.3} for place in doubtful}
    assert all(accepts(text) for text, _ in readings(glyphs("44B4", doubt, sharp=1e-5).log_probs))


doubts = st.dictionaries(
    st.integers(0, 8), st.dictionaries(st.sampled_from(["", *ALPHABET]), st.floats(0.001, 0.2), max_size=3), max_size=5
)


@given(doubts)
@settings(max_examples=60, deadline=None)
def test_the_beam_scores_as_the_exact_forward_pass_does(doubt: dict[int, dict[str, float]]) -> None:
    scores = glyphs("A4-A1xB'3", doubt).log_probs
    found = readings(scores)
    assert all(accepts(text) for text, _ in found)
    exact = log_likelihoods([(scores, text) for text, _ in found])
    ours = np.array([score for _, score in found])
    np.testing.assert_allclose(ours - ours[0], exact - exact[0], atol=0.02)


def test_segments_of_several_rows() -> None:
    doubtful, sure = glyphs("A4", {0: {"": 0.4}}).log_probs, glyphs("..").log_probs
    nothing = np.zeros((0, CLASSES), np.float32)
    first, empty, second = segment_rows([doubtful[1:5], nothing, sure])
    assert [segment.text for segment in first] == ["A", "4"]
    assert first[0].frames is not None
    assert first[1].frames is None
    assert empty == []
    assert [segment.text for segment in second] == [".", "."]
    assert [s.log_prob for s in second] == pytest.approx([s.log_prob for s in segment_rows([sure])[0]])


def test_ink_at_the_ends_of_two_rows_stays_apart() -> None:
    peak = glyphs("A").log_probs[1:2]
    assert [plain_text(row) for row in segment_rows([peak, peak])] == ["A", "A"]


def test_an_empty_row() -> None:
    assert segment_rows([]) == []
    assert readings(np.zeros((0, CLASSES), np.float32)) == []
