"""Every kind of mark by every pen is a mark; print, and strokes beside it, are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import pytest

from gigsheet.sheet.template import load_template
from gigsheet.vision.marks import read_marks
from gigsheet.vision.page import find_pages
from gigsheet.vision.picture import Picture
from tests.support.capture import Paper, Photo, Scan, photograph, scan
from tests.support.pen import PX_MM, Game, filled_page

RESULTS = ("WE", "THEY", "draw", "concession", "time")


def marked(paper: Paper, seed: int = 0, photo: bool = True) -> dict[tuple[int, str, str], float]:
    rng = np.random.default_rng(seed)
    if photo:
        capture = photograph(paper, Photo(megapixels=4, tilt_deg=12, bend_mm=2), rng)
    else:
        capture = scan(paper, Scan(dpi=200), rng)
    [page] = find_pages(Picture.of(cv2.cvtColor(capture.pixels, cv2.COLOR_BGR2GRAY)))
    return {(m.game, m.choice, m.option): m.probability for m in read_marks(page)}


def games(*choices: tuple[Sequence[str], Sequence[str]]) -> dict[int, Game]:
    return {k: Game(first=first, result=result) for k, (first, result) in enumerate(choices, 1)}


def assert_marked(got: dict[tuple[int, str, str], float], wanted: dict[int, Game]) -> None:
    for (game, choice, option), probability in got.items():
        is_marked = game in wanted and option in getattr(wanted[game], choice)
        assert (probability > 0.9) if is_marked else (probability < 0.1), (game, choice, option, probability)


@pytest.mark.parametrize(("kind", "photo"), [("circle", True), ("tick", True), ("cross", False), ("fill", False)])
def test_each_kind_of_mark(kind: Any, photo: bool) -> None:
    wanted = games((["WE"], ["concession"]), (["THEY"], ["draw"]), (["WE"], ["time"]))
    paper = filled_page(wanted, template="match", paper="letter", seed=1, kinds=(kind,))
    assert_marked(marked(paper, seed=1, photo=photo), wanted)


def test_two_marks_are_two_and_none_is_none() -> None:
    wanted = games((["WE", "THEY"], ["THEY", "time"]))
    assert_marked(marked(filled_page(wanted, seed=3), photo=False), wanted)
    assert_marked(marked(filled_page({}), photo=False), {})


def test_all_choices_have_their_probability_in_the_sheets_order() -> None:
    keys = list(marked(filled_page({}, template="match"), photo=False))
    one = [("first", "WE"), ("first", "THEY"), *(("result", option) for option in RESULTS)]
    assert keys == [(game, *pair) for game in (1, 2, 3) for pair in one]


def test_strokes_beside_a_choice_are_no_mark() -> None:
    paper = filled_page({}, seed=4)
    boxes = load_template("single", "a4").games[0].result
    x0, y0, x1, y1 = boxes["draw"]
    for points in (
        [(x0 - 4, y0 - 1.5), (x1 + 6, y0 - 2)],
        [(x1 + 1, y1 + 1), (x1 + 3, y1 + 4)],
        [(x0 + 4, y0 + 1), (x0 + 4.4, y0 + 1.3)],
    ):
        cv2.polylines(paper.pixels, [np.int32(np.array(points) * PX_MM * 16)], False, (90, 50, 30), 6, cv2.LINE_AA, 4)
    assert max(marked(paper, photo=False).values()) < 0.25
