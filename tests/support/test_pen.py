"""The pen draws what it is told, where it is told, the same for the same seed; the samples are what it draws today."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from gigsheet.notation import check
from gigsheet.records import ALPHABET, STRUCK
from gigsheet.sheet.template import load_template
from tests.support import make_samples
from tests.support.glyphs import FORMS, smooth
from tests.support.pen import PX_MM, SERIAL, Game, blank_page, filled_page, rows_of


def test_every_sign_of_the_alphabet_has_its_strokes() -> None:
    assert set(FORMS) == set(ALPHABET) - {STRUCK}


def test_corners_stay_sharp_and_curves_pass_through_their_points() -> None:
    curve = smooth([(0.0, 0.0), (1.0, 0.5), (1.0, 0.5), (0.0, 1.0)])
    assert (np.abs(curve - [1.0, 0.5]).max(axis=1) < 1e-9).any()
    assert curve.max() <= 1.0


def test_ink_lies_in_its_box_and_nowhere_else() -> None:
    game = Game(rows=["A4 -A1", "", "E'12"], first=["WE"], result=["THEY"])
    paper = filled_page({1: game}, seed=5)
    inked = np.abs(paper.pixels.astype(int) - blank_page("single", "a4", SERIAL)).max(axis=2) > 40
    layout = load_template("single", "a4").games[0]
    meant = [layout.rows[0].boxes_mm[0], layout.rows[0].boxes_mm[1], layout.rows[2].boxes_mm[0]]
    meant += [layout.first["WE"], layout.result["THEY"]]
    for x0, y0, x1, y1 in meant:
        dx, dy = 0.16 * (x1 - x0), 0.2 * (y1 - y0)
        area = np.s_[int((y0 - dy) * PX_MM) : int((y1 + dy) * PX_MM), int((x0 - dx) * PX_MM) : int((x1 + dx) * PX_MM)]
        assert inked[area].any()
        inked[area] = False
    assert not inked.any()


def test_a_page_without_games_is_the_printed_page_and_a_seed_is_a_page() -> None:
    assert np.array_equal(filled_page({}).pixels, blank_page("single", "a4", SERIAL))
    games = {1: Game(rows=["A4"], result=["draw"])}
    pages = [filled_page(games, template="match", paper="letter", seed=seed).pixels for seed in (1, 1, 2)]
    assert np.array_equal(pages[0], pages[1])
    assert not np.array_equal(pages[0], pages[2])


def test_missing_turns_are_blank_rows() -> None:
    assert rows_of("first: WE\n1| A4\n3| B2 xA\n") == ["A4", "", "B2 xA"]


@pytest.mark.parametrize("name", make_samples.names())
def test_samples_are_what_is_drawn_today(name: str) -> None:
    folder = make_samples.SAMPLES / name
    kept = cv2.imread(str(make_samples.picture_of(folder)))
    drawn = cv2.imdecode(np.frombuffer(make_samples.draw(folder).jpeg(), np.uint8), cv2.IMREAD_COLOR)
    assert kept.shape == drawn.shape
    # Another OpenCV or libjpeg rounds otherwise: alike, not the same.
    assert np.abs(kept.astype(int) - drawn).mean() < 4


@pytest.mark.parametrize("name", make_samples.names())
def test_samples_hold_whole_games_in_canonical_form(name: str) -> None:
    text = (make_samples.SAMPLES / name / "expected.txt").read_text(encoding="utf-8")
    assert len(rows_of(text)) == check(text).turns >= 10
    assert check(text).outcome.winner is not None
    assert not check(text, strict=True).diagnostics or name == "angle"
