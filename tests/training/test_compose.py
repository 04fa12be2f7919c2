"""The composer: what a strip says is what was written on it."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigsheet.errors import UnreadableFileError
from gigsheet.records import ALPHABET
from gigsheet.training.batches import WIDTHS, make_batch, padded_width
from gigsheet.training.compose import COLUMNS_PER_MM, STRIP_HEIGHT, Composer
from gigsheet.training.figures import best_temperature, calibration_error, greedy, text_log_prob
from gigsheet.training.forms import FORMS, load_forms
from gigsheet.training.hand import Hand, HandStyle
from gigsheet.training.samples import (
    LABELS,
    Fold,
    PenSample,
    Pool,
    blended,
    even_strokes,
    load_pen_pools,
    pen_sample,
    write_kept_out,
)
from gigsheet.training.texts import edit_distance, row, strip_text, target
from gigsheet.training.turning import Turning, turned
from gigsheet.vision import rows


@pytest.fixture(scope="module")
def pool() -> Pool:
    """Our own forms as one writer's hand, plain strokes for what they lack."""
    pool = Pool()
    for label, by_writer in load_forms().samples.items():
        for samples in by_writer.values():
            pool.add(label, "us", samples[0])
    for label in LABELS:
        if label not in FORMS:
            line = np.array([[0, 0], [0.2, 0.3], [0.1, 0.8]], np.float32)
            sample = pen_sample([line], 1.0)
            assert sample is not None
            pool.add(label, "us", sample)
    return pool


def test_the_strips_are_the_readers() -> None:
    assert rows.STRIP_HEIGHT == STRIP_HEIGHT
    assert rows.STRIP_PX_PER_MM == COLUMNS_PER_MM


def test_strips_hold_what_they_say(pool: Pool) -> None:
    composer = Composer(pool, Pool(), "seed")
    for strip in (composer.strip() for _ in range(40)):
        assert strip.pixels.shape[0] == STRIP_HEIGHT
        assert strip.pixels.dtype == np.uint8
        assert strip.text
        assert set(strip.text) <= set(ALPHABET)
        assert strip.pixels.min() < 150, "no ink"
        # CTC needs a time step a character and one more between two alike.
        twins = sum(a == b for a, b in zip(strip.text, strip.text[1:], strict=False))
        assert strip.pixels.shape[1] // 4 >= len(strip.text) + twins


def test_the_seed_decides(pool: Pool) -> None:
    one, two, other = (Composer(pool, Pool(), seed).strip() for seed in ("a", "a", "b"))
    np.testing.assert_array_equal(one.pixels, two.pixels)
    assert one.text == two.text
    assert one.pixels.shape != other.pixels.shape or not np.array_equal(one.pixels, other.pixels)


def test_primes_keep_clear_of_their_neighbours(pool: Pool) -> None:
    hand = Hand(pool, Pool(), random.Random(3), HandStyle(plain=True))
    hand.primes_touch = False
    placed, _ = hand.write("D'5", 5.0, 0.0)
    left, prime, right = (glyph.extent(-0.55 * 5.0) for glyph in placed)
    assert left is not None
    assert prime is not None
    assert right is not None
    assert left[1] <= prime[0]
    assert prime[1] <= right[0]


@given(st.integers(0, 10_000))
def test_texts_are_of_the_alphabet(seed: int) -> None:
    rng = random.Random(seed)
    assert set("".join(row(rng))) <= set(ALPHABET)
    entries = strip_text(rng)
    assert entries
    assert target(entries).count("#") == sum(crossed for _, crossed in entries)


@given(st.text("ab", max_size=6), st.text("ab", max_size=6))
def test_edit_distance(a: str, b: str) -> None:
    assert edit_distance(a, b) == edit_distance(b, a)
    assert (edit_distance(a, b) == 0) == (a == b)
    assert abs(len(a) - len(b)) <= edit_distance(a, b) <= max(len(a), len(b))


def test_batches_keep_every_strip(pool: Pool) -> None:
    composer = Composer(pool, Pool(), "batch")
    strips = [composer.strip(30.0) for _ in range(5)]
    width = max(padded_width(s) or 0 for s in strips)
    batch = make_batch(strips, width)
    assert width in WIDTHS
    for k, strip in enumerate(strips):
        np.testing.assert_array_equal(batch.pixels[k, :, : batch.widths[k]], strip.pixels)
        assert np.all(batch.pixels[k, :, batch.widths[k] :] == 255)
    assert batch.lengths.sum() == len(batch.targets)


def test_writers_kept_out_are_not_learned_from(tmp_path: Path) -> None:
    records = [
        {"label": label, "writer": f"w{k:02}", "ref_h": 10, "strokes": [[0, 0, 3, 9], [1, 4, 5, 4]]}
        for k in range(20)
        for label in "A4X|"
    ]
    with gzip.open(tmp_path / "strokes.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(r) + "\n" for r in records)
    learn, kept = load_pen_pools(tmp_path, Fold(2, 10))
    assert kept.writers == ["w01", "w11"]
    assert not set(kept.writers) & set(learn.writers)
    assert set(learn.samples) == {"A", "4", "x"}
    write_kept_out(tmp_path, Fold(2, 10), tmp_path / "kept-out")
    assert load_pen_pools(tmp_path / "kept-out", None)[0].writers == kept.writers
    everybody, nobody = load_pen_pools(tmp_path, None)
    assert len(everybody.writers) == 20
    assert not nobody.writers


@given(st.integers(1, 6), st.lists(st.text("abc", min_size=1, max_size=3), unique=True, min_size=6))
def test_folds_share_out_all_writers(of: int, names: list[str]) -> None:
    parts = [Fold(number, of).writers(names) for number in range(1, of + 1)]
    assert sorted(name for part in parts for name in part) == sorted(names)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_blends_lie_between_two_samples() -> None:
    def four(bar: float) -> PenSample:
        lines = [np.array([[0.5, 0], [0, 0.6], [1, bar]]), np.array([[0.7, 0.2], [0.7, 1]])]
        sample = pen_sample([np.asarray(line, np.float32) for line in lines], 1.0)
        assert sample is not None
        return sample

    one, other = four(0.6), four(0.8)
    halfway = blended(one, other, 0.5)
    np.testing.assert_allclose(even_strokes(halfway), (even_strokes(one) + even_strokes(other)) / 2, atol=0.02)
    turned = np.concatenate([stroke[::-1] for stroke in np.split(other.points, other.starts)])
    backwards = PenSample(turned, other.starts, other.width, other.height)
    np.testing.assert_allclose(blended(one, backwards, 0.5).points, halfway.points, atol=1e-5)
    bar = pen_sample([np.array([[0, 0], [1, 1]], np.float32)], 1.0)
    assert bar is not None
    assert blended(one, bar, 0.5) is one, "another form"


def five() -> PenSample:
    """A 5 in two strokes: the bow, which stays open, and the bar."""
    angle = np.linspace(-2.2, 2.6, 20)
    bow = np.stack([0.25 + 0.3 * np.cos(angle), 0.65 + 0.3 * np.sin(angle)], axis=1)
    sample = pen_sample([np.concatenate([[[0.1, 0.0]], bow]).astype(np.float32), np.array([[0.1, 0], [0.5, 0]])], 1.0)
    assert sample is not None
    return sample


def test_a_hand_without_a_turn_draws_what_it_was_shown() -> None:
    sample, none = five(), Turning(0, 0, 0, 0, 0, 0)
    same = turned(sample, [none, none])
    assert (same.width, same.height) == pytest.approx((sample.width, sample.height), abs=0.02)
    np.testing.assert_allclose(even_strokes(same), even_strokes(sample), atol=0.05)


def test_a_stronger_bend_closes_a_bow() -> None:
    def gap(bend: float) -> float:
        """How far the end of the bow is from its middle, in capital heights."""
        sample = turned(five(), [Turning(bend, 0, 0, 0, 0, 0), Turning(0, 0, 0, 0, 0, 0)])
        bow = sample.points[: sample.starts[0]] * [sample.width, sample.height]
        return float(np.hypot(*(bow[-1] - bow[len(bow) // 2])))

    assert gap(0.25) < gap(0.0) < gap(-0.25)


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_turned_samples_are_samples(seed: int, strength: float) -> None:
    rng, sample = random.Random(seed), five()
    habits = [Turning.of_a_hand(rng, strength) for _ in range(2)]
    other = turned(sample, [habit.varied(rng, 0.3 * strength) for habit in habits])
    assert len(other.starts) == 1
    assert 0 < other.starts[0] < len(other.points)
    assert other.points.min() >= 0
    assert other.points.max() <= 1 + 1e-6
    assert 1 / 1.7 - 0.1 < other.width / sample.width < 1.7 + 0.1
    assert 1 / 1.7 - 0.1 < other.height / sample.height < 1.7 + 0.1


def test_a_folder_without_handwriting_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match=r"strokes\.jsonl\.gz"):
        load_pen_pools(tmp_path, None)
    (tmp_path / "strokes.jsonl.gz").write_bytes(b"no gzip at all")
    with pytest.raises(UnreadableFileError, match="cannot be read"):
        load_pen_pools(tmp_path, None)


def test_ctc_likelihood_sums_to_one_over_short_texts() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(2, 29)).astype(np.float32)
    log_probs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    texts = ["", *ALPHABET, *(a + b for a in ALPHABET for b in ALPHABET if a != b)]
    assert sum(np.exp(text_log_prob(log_probs, t)) for t in texts) == pytest.approx(1, abs=1e-5)
    text, sure = greedy(log_probs)
    assert len(text) == len(sure)


def test_temperature_is_found() -> None:
    rng = np.random.default_rng(2)
    honest = np.log(rng.dirichlet(np.ones(29) * 0.1, size=400).astype(np.float32) + 1e-6)
    said = [" " if k == 0 else ALPHABET[k - 1] for k in (rng.choice(29, p=np.exp(p) / np.exp(p).sum()) for p in honest)]
    texts = [t.strip() for t in said]
    assert best_temperature([1.5 * p[None] for p in honest], texts) == pytest.approx(1.5, abs=0.15)


def test_calibration_error() -> None:
    assert calibration_error([0.5] * 30, [True, False] * 15) == pytest.approx(0, abs=0.04)
    assert calibration_error([0.9] * 30, [False] * 30) == pytest.approx(0.9, abs=1e-6)
