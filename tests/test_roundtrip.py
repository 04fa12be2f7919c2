"""Print, write, photograph or scan, read: what was written comes out, and what the rules refuse stays as written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import pytest

import gigsheet
from gigsheet.records import GameReading, SheetReading
from gigsheet.sheet.template import load_template
from tests.support.capture import Paper, Photo, Scan, photograph, scan
from tests.support.pen import PX_MM, Game, MarkKind, filled_page

TEN_TURNS = (
    "A4 -A1",
    "A'4",
    "B4 -B2",
    "B'1",
    "C8 -B1 (-A'2)",
    "C'3 xC",
    "D6 -D4 xB' xA'",
    "D'4",
    "E12 xC' xD'",
    "E'12",
)
PASSING = ("A2", "A'1", "B3 xA'", "B'6")


def read_photo(paper: Paper, seed: int = 1, **settings: float) -> SheetReading:
    photo = Photo(megapixels=6, **settings)
    (reading,) = gigsheet.read(photograph(paper, photo, np.random.default_rng(seed)).jpeg())
    assert reading.error is None, reading.message
    return reading


def texts(game: GameReading) -> list[str]:
    return [row.text for row in game.rows]


def silent(game: GameReading, written: Sequence[str]) -> list[tuple[int, str, str]]:
    """Rows that are wrong and not flagged."""
    rows = zip(game.rows, written, strict=True)
    return [(row.turn, row.text, want) for row, want in rows if row.text != want and not row.flagged]


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_photo_of_a_legal_game(paper: str) -> None:
    page = filled_page({1: Game(TEN_TURNS, ["WE"], ["WE"])}, paper=paper, seed=2)
    reading = read_photo(page, turn_deg=8, tilt_deg=15)
    (game,) = reading.games
    assert reading.sheet is not None
    assert (reading.sheet.paper, reading.sheet.serial) == (paper, "7F3K-02")
    assert texts(game) == list(TEN_TURNS)
    assert game.check is not None
    assert game.check["outcome"] == {"winner": "WE", "turn": 11, "phase": "regulation", "pending": None}
    assert game.transcript.startswith("first: WE\n1| A4 -A1\n")


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_any_quarter_turn(turn: int) -> None:
    page = filled_page({1: Game(TEN_TURNS[:4], ["WE"])}, seed=3)
    (game,) = read_photo(page, turn_deg=turn).games
    assert not silent(game, TEN_TURNS[:4])
    assert game.first.value == "WE"


def test_a_plain_slip_is_transcribed_as_it_stands() -> None:
    slipped = ["A4 -A1", "A'4", "B4 +B2", "B'1"]
    page = filled_page({1: Game(slipped, ["WE"])}, seed=4)
    (game,) = read_photo(page).games
    assert texts(game) == slipped
    assert "illegal" in game.rows[2].flags


def test_blank_row_between_turns() -> None:
    page = filled_page({1: Game(["A4", "A'4", "", "B'1"], ["WE"])}, seed=5)
    (game,) = read_photo(page).games
    assert texts(game) == ["A4", "A'4", "", "B'1"]
    assert game.rows[2].flags == ("blank-row",)
    assert game.transcript == "first: WE\n1| A4\n2| A'4\n\n4| B'1\n"


def test_crossed_out_entry_is_left_out_and_flagged() -> None:
    page = filled_page({1: Game(PASSING, ["WE"], struck={3: "B5"})}, seed=6)
    (game,) = read_photo(page).games
    assert texts(game)[2] == "B3 xA'"
    assert "struck-out" in game.rows[2].flags


def test_notes_are_not_read() -> None:
    page = filled_page({1: Game(PASSING, ["WE"], notes={2: "A4", 7: "xB"})}, seed=7)
    (game,) = read_photo(page).games
    assert len(game.rows) == len(PASSING)
    assert not silent(game, PASSING)


def test_entries_along_the_row_with_no_regard_for_boxes() -> None:
    page = filled_page({1: Game(TEN_TURNS, ["WE"], by_boxes=False)}, seed=8)
    (game,) = read_photo(page).games
    assert not silent(game, TEN_TURNS)


def test_an_empty_sheet_reads_as_no_rows() -> None:
    (game,) = read_photo(filled_page({}, seed=9)).games
    assert game.rows == ()
    assert game.transcript == ""


@pytest.mark.parametrize("kind", ["circle", "cross", "tick", "fill"])
def test_every_kind_of_mark(kind: MarkKind) -> None:
    page = filled_page({1: Game(PASSING, ["THEY"], ["concession", "WE"])}, seed=10, kinds=[kind])
    (game,) = read_photo(page).games
    assert game.first.value == "THEY" or game.first.flagged
    assert game.result.value == "WE"
    assert game.result.also == ("concession",)


def test_two_marks_are_flagged() -> None:
    page = filled_page({1: Game(PASSING, ["WE", "THEY"], ["WE", "THEY"])}, seed=11)
    (game,) = read_photo(page).games
    assert "double-mark" in game.first.flags
    assert "double-mark" in game.result.flags


def test_no_mark_is_flagged_and_the_rows_decide() -> None:
    page = filled_page({1: Game(TEN_TURNS)}, seed=12)
    (game,) = read_photo(page).games
    assert "unmarked" in game.first.flags
    assert game.first.value in (None, "WE")


def test_match_reads_three_games_and_leaves_out_the_one_not_played() -> None:
    games = {1: Game(TEN_TURNS, ["WE"], ["WE"]), 2: Game(PASSING, ["WE"])}
    reading = read_photo(filled_page(games, template="match", paper="letter", seed=13))
    one, two, three = reading.games
    assert not silent(one, TEN_TURNS)
    assert not silent(two, PASSING)
    assert (three.rows, three.first.value, three.result.value, three.flagged) == ((), None, None, False)


def test_a_fold_between_two_rows_plays_no_third_game() -> None:
    games = {1: Game(PASSING, ["WE"], ["WE"]), 2: Game(PASSING, ["WE"], ["WE"])}
    paper = filled_page(games, template="match", seed=16)
    x0, _, x1, y1 = (round(mm * PX_MM) for mm in load_template("match", "a4").games[2].rows[9].entry_area_mm)
    reach = round(60 * PX_MM)
    cv2.line(paper.pixels, (x0 - reach, y1 - 16), (x1 + reach, y1 + 16), (115, 115, 115), 5)
    three = read_photo(paper, bend_mm=2, turn_deg=2).games[2]
    assert (three.rows, three.first.value, three.flagged) == ((), None, False)


def test_scan() -> None:
    page = filled_page({1: Game(TEN_TURNS, ["WE"], ["WE"])}, seed=14)
    picture = scan(page, Scan(), np.random.default_rng(14)).jpeg()
    (reading,) = gigsheet.read(picture)
    assert not silent(reading.games[0], TEN_TURNS)


def test_options_that_there_are_not_are_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        gigsheet.read(b"", colour=True)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"risk": "0.1"}, "risk must be a number, not '0.1'"),
        ({"risk": None}, "risk must be a number, not None"),
        ({"risk": True}, "risk must be a number, not True"),
        ({"rules": "no"}, "rules must be True or False, not 'no'"),
        ({"engine": None}, "engine must be a string, not None"),
        ({"ruleset": ["cr"]}, r"ruleset must be a string, not \['cr'\]"),
    ],
)
def test_an_option_of_another_type_is_named_at_the_door(options: dict[str, Any], wanted: str) -> None:
    with pytest.raises(TypeError, match=wanted):
        gigsheet.Options(**options)
    with pytest.raises(TypeError, match=wanted):
        gigsheet.read(b"", **options)


def test_a_risk_may_be_any_kind_of_number() -> None:
    assert gigsheet.Options(risk=np.float32(0.5)).risk == 0.5
    assert gigsheet.Options(risk=1).risk == 1


@pytest.mark.parametrize("source", [None, 3, ["photo.jpg"], bytearray(b"x")])
def test_what_is_no_file_is_named_at_the_door(source: Any) -> None:
    with pytest.raises(TypeError, match=f"one file: .*, not {type(source).__name__}"):
        gigsheet.read(source)


@pytest.mark.parametrize(("rows", "flags"), [(18, ("last-row",)), (17, ()), (0, ("nothing-written",))])
def test_a_sheet_is_looked_at_when_nothing_is_read_below_its_last_row_or_at_all(
    rows: int, flags: tuple[str, ...]
) -> None:
    page = filled_page({1: Game([".."] * rows)}, seed=3)
    assert read_photo(page).flags == flags
