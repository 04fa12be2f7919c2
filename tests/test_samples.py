"""Every sample is read: what was written is what comes out, or the row is flagged."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import gigsheet

SAMPLES = sorted(path.parent for path in (Path(__file__).parents[1] / "samples").glob("*/about.toml"))


def test_there_are_samples() -> None:
    assert len(SAMPLES) >= 3


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_no_wrong_row_goes_unseen(sample: Path) -> None:
    about = tomllib.loads((sample / "about.toml").read_text(encoding="utf-8"))
    picture = next(path for path in sample.iterdir() if path.suffix in {".jpg", ".png", ".pdf"})
    (reading,) = gigsheet.read(picture)
    assert reading.error is None
    assert reading.sheet is not None
    assert reading.sheet.template == about.get("template", "single")

    (game,) = reading.games
    expected = (sample / "expected.txt").read_text(encoding="utf-8").splitlines()
    header, turns = expected[0], [line.split("|", 1)[1].strip() for line in expected[1:] if "|" in line]
    assert game.first.flagged or f"first: {game.first.value}" == header
    assert [row.turn for row in game.rows] == list(range(1, len(turns) + 1))
    wrong = [(row.turn, row.text, want) for row, want in zip(game.rows, turns, strict=True) if row.text != want]
    silent = [miss for miss in wrong if not game.rows[miss[0] - 1].flagged]
    assert not silent
    assert len(wrong) <= len(turns) // 5, f"samples are written clearly: {wrong}"
    assert picture.stat().st_size < 1_000_000
