"""The default engine: what it is given decides what it says, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gigsheet.errors import UnreadableFileError
from gigsheet.recognise import ctc, get_engine
from gigsheet.recognise.ctc import STRIDE, WEIGHTS, CtcEngine, log_softmax
from gigsheet.records import CLASSES, RowStrip
from gigsheet.vision.rows import STRIP_HEIGHT


def strip(pixels: np.ndarray, turn: int = 1) -> RowStrip:
    columns = 20 + np.arange(pixels.shape[1], dtype=np.float32) / 5.5
    corner = (0.0, 0.0)
    return RowStrip(1, turn, pixels, columns, (corner, corner, corner, corner), blank=False)


def scribble(width: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    pixels = np.full((STRIP_HEIGHT, width), 255, np.uint8)
    points = np.stack([rng.uniform(0, width, 20), rng.uniform(5, 35, 20)], axis=1)
    cv2.polylines(pixels, [points.astype(np.int32)], False, 30, 2, cv2.LINE_AA)
    return pixels


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=4), st.integers(0, 1000))
def test_shapes_and_normalisation(widths: list[int], seed: int) -> None:
    strips = [strip(scribble(width, seed + k)) for k, width in enumerate(widths)]
    for given_strip, glyphs in zip(strips, get_engine("ctc").recognise(strips), strict=True):
        width = given_strip.pixels.shape[1]
        assert glyphs.log_probs.shape == (-(-width // STRIDE), CLASSES)
        assert glyphs.log_probs.dtype == np.float32
        assert glyphs.x_mm.shape == (len(glyphs.log_probs),)
        assert np.all(np.diff(glyphs.x_mm) >= 0)
        assert given_strip.columns_mm[0] <= glyphs.x_mm[0] <= glyphs.x_mm[-1] <= given_strip.columns_mm[-1]
        np.testing.assert_allclose(np.exp(glyphs.log_probs).sum(axis=1), 1, atol=1e-4)
        assert glyphs.engine == get_engine("ctc").id


def test_a_strip_is_read_the_same_alone_and_in_company() -> None:
    engine = CtcEngine()
    strips = [strip(scribble(width, width)) for width in (97, 260, 33, 181)]
    together = engine.recognise(strips)
    for one, glyphs in zip(strips, together, strict=True):
        np.testing.assert_array_equal(engine.recognise([one])[0].log_probs, glyphs.log_probs)


def test_what_is_hazy_is_read_by_every_net(monkeypatch: pytest.MonkeyPatch) -> None:
    hazy = strip(scribble(220, 3))
    monkeypatch.setattr(ctc, "HAZY_NATS", 1e9)
    (once,) = CtcEngine().recognise([hazy])
    (alone,) = CtcEngine(WEIGHTS[1:]).recognise([hazy])
    monkeypatch.setattr(ctc, "HAZY_NATS", 0.0)
    (again,) = CtcEngine().recognise([hazy])
    assert once.others == ()
    np.testing.assert_array_equal(again.log_probs, once.log_probs)
    np.testing.assert_array_equal(again.others, [alone.log_probs])


def test_no_columns_no_time_steps() -> None:
    (glyphs,) = get_engine("ctc").recognise([strip(np.zeros((STRIP_HEIGHT, 0), np.uint8))])
    assert glyphs.log_probs.shape == (0, CLASSES)
    assert glyphs.x_mm.shape == (0,)


def test_white_paper_reads_as_nothing() -> None:
    (glyphs,) = get_engine("ctc").recognise([strip(np.full((STRIP_HEIGHT, 160), 255, np.uint8))])
    assert np.all(glyphs.log_probs.argmax(axis=1) == 0)


def test_log_softmax_of_huge_scores() -> None:
    assert np.all(np.isfinite(log_softmax(np.array([[1e4, 0.0, -1e4]], np.float32))))


def test_missing_weights_say_what_to_do() -> None:
    with pytest.raises(UnreadableFileError, match=r"third\.onnx.* install"):
        _ = CtcEngine([*WEIGHTS, Path("nowhere") / "third.onnx"]).id


def test_damaged_weights_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "second.onnx").write_bytes(WEIGHTS[1].read_bytes()[:1000])
    with pytest.raises(UnreadableFileError, match=r"second\.onnx is damaged; install"):
        CtcEngine([WEIGHTS[0], tmp_path / "second.onnx"]).prepare()


def test_weights_are_small_enough_for_the_wheel() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS) < 4_000_000


def test_importing_the_engine_does_not_load_onnxruntime() -> None:
    program = "import sys, gigsheet.recognise.ctc; sys.exit('onnxruntime' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
