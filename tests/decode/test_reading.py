"""A whole game from scores to its reading: what SPEC 6 says of rows, flags, marks and the transcript."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gigsheet.decode import RowInput, decode_game
from gigsheet.decode.calibration import Calibration, Confidence, Logistic, shipped
from gigsheet.decode.candidates import candidates
from gigsheet.decode.decipher import decipher
from gigsheet.decode.reading import is_shown
from gigsheet.notation.check import check
from gigsheet.records import GameReading, Glyphs, Mark, RowReading
from tests.decode.ink import Doubt, glyphs, noise

GAME = [
    "A4 -A1", "A'4", "B4 -B2", "B'1", "C8 -B1 (-A'2)", "C'3 xC", "D6 -D4 xB' xA'", "D'4", "E12 xC' xD'", "E'12",
]  # fmt: skip
"""SPEC's reference game: WE wins at the start of turn 11."""

MARGIN = Logistic(-2.0, {"margin": 8.0})
BY_MARGIN = Confidence(MARGIN, MARGIN, ((0.001, 0.9), (0.1, 0.5)))
"""A transparent stand-in for what is learned from sheets: sure from a margin of about five nats on."""


@pytest.fixture(scope="module")
def plain() -> Calibration:
    return replace(shipped(), with_rules=BY_MARGIN, without_rules=BY_MARGIN)


def marks(first: float = 0.99, they: float = 0.01, **result: float) -> list[Mark]:
    options = {"WE": 0.01, "THEY": 0.01, "draw": 0.01, "concession": 0.01, "time": 0.01} | result
    return [
        Mark(1, "first", "WE", first),
        Mark(1, "first", "THEY", they),
        *(Mark(1, "result", option, p) for option, p in options.items()),
    ]


def inputs(texts: list[str], doubts: dict[int, Doubt] | None = None) -> list[RowInput]:
    """Rows from 1 with these texts as plain ink; "" is a blank row."""
    return [
        RowInput(turn, glyphs(text.replace(" ", ""), (doubts or {}).get(turn)) if text else None)
        for turn, text in enumerate(texts, 1)
    ]


def decode(
    texts: list[str], plain: Calibration, doubts: dict[int, Doubt] | None = None, **options: object
) -> GameReading:
    given = options.pop("marks", marks(WE=0.99))
    return decode_game(inputs(texts, doubts), given, calibration=plain, **options)  # type: ignore[arg-type]


def row(game: GameReading, turn: int) -> RowReading:
    return next(r for r in game.rows if r.turn == turn)


def test_plain_ink_of_a_whole_game(plain: Calibration) -> None:
    game = decode(GAME, plain)
    assert [r.text for r in game.rows] == GAME
    assert not game.flagged
    assert game.first.value == "WE"
    assert game.result.value == "WE"
    assert game.transcript == "first: WE\n" + "".join(f"{n}| {t}\n" for n, t in enumerate(GAME, 1))
    assert game.check is not None
    assert game.check["outcome"]["turn"] == 11
    assert all(r.why == () for r in game.rows)


def test_the_rules_settle_what_the_ink_leaves_open(plain: Calibration) -> None:
    doubt = {3: {1: {"9": 0.7}}}
    game = decode(GAME, plain, doubt)
    assert row(game, 3).text == "B4 -B2"
    assert row(game, 3).alternatives[0].text == "B9 -B2"
    assert row(decode(GAME, plain, doubt, rules=False), 3).text == "B9 -B2"


def test_what_the_rules_leave_open_is_in_doubt_and_explained(plain: Calibration) -> None:
    game = decode(GAME, plain, {3: {1: {"3": 0.45}}})
    found = row(game, 3)
    assert "low-confidence" in found.flags
    assert {found.text, found.alternatives[0].text} == {"B4 -B2", "B3 -B2"}
    assert any("The rules allow" in said for said in found.why)
    doubted = decode(GAME, plain, {3: {1: {"9": 0.98}}})
    assert any("would be refused: " in said and "6.3.3" in said for said in row(doubted, 3).why)


def test_what_the_dice_make_likelier_is_told(plain: Calibration) -> None:
    rows = ["A4", "C'3", "B5 -C'2"]
    found = row(decode(rows, plain, {3: {2: {"~": 0.7}}}), 3)
    assert found.text == "B5 -C'2"
    assert "rule-conflict" in found.flags
    assert "The rules allow “B5 ~C'2” as well, but with this value “B5 -C'2” is 4 times as likely." in found.why


SLIPS = {
    "sign": (3, "B4 +B2"),
    "value": (3, "B9 -B2"),
    "prime": (4, "B1"),
    "letter": (8, "C'4"),
    "roll dropped": (7, "-D4 xB' xA'"),
    "entry dropped": (7, "D6 -D4 xB'"),
    "steal of an own die": (6, "C'3 xC'"),
    "d20 too early": (8, "F'4"),
    "wrong checksum": (6, "C'3 xC7"),
    "pass too early": (4, ".."),
    "reaction with a roll": (5, "C8 -B1 (A'2)"),
}


@pytest.mark.parametrize("kind", SLIPS)
def test_a_plain_slip_is_transcribed_as_it_stands(kind: str, plain: Calibration) -> None:
    turn, text = SLIPS[kind]
    written = [text if n == turn else t for n, t in enumerate(GAME, 1)]
    game = decode(written, plain)
    assert [r.text for r in game.rows] == written
    refused = {d.turn for d in check(game.transcript).diagnostics if d.severity == "error"}
    for r in game.rows:
        assert r.flags == (("illegal",) if r.turn in refused else ())
        assert bool(r.why) == (r.turn in refused)


def test_text_outside_the_grammar_is_transcribed_when_it_is_plain(plain: Calibration) -> None:
    game = decode(["A4 -A1", "A'4", "B -B2"], plain)
    assert row(game, 3).text == "B -B2"
    assert "illegal" in row(game, 3).flags


def test_crossed_out_entries_are_left_out(plain: Calibration) -> None:
    game = decode(["A4 # -A1", "# A'4", "B4"], plain)
    assert [r.text for r in game.rows] == ["A4 -A1", "A'4", "B4"]
    assert [r.flags for r in game.rows] == [("struck-out",), ("struck-out",), ()]
    assert "#" not in game.transcript


def test_a_row_all_crossed_out_says_nothing(plain: Calibration) -> None:
    game = decode(["A4 -A1", "#", "B4"], plain)
    assert row(game, 2).text == ""
    assert "struck-out" in row(game, 2).flags
    assert "\n\n3| B4" in game.transcript


def test_rules_still_choose_after_two_missing_turns(plain: Calibration) -> None:
    """WE hold seven Gigs when two turns are lost: nobody knows whether THEY took one back, so the game goes on."""
    seven = ["A1", "A'1", "B1 xA'", "B'1", "C1 xB'", "C'1", "D1 xC'"]
    game = decode([*seven, "", "", "D'4"], plain, {9: {0: {"C": 0.6}}})
    assert row(game, 10).text == "D'4", "C' is no longer in its Fixer"
    assert game.check is not None
    assert "after-end" not in [d["code"] for d in game.check["diagnostics"]]


def test_blank_rows_before_the_first_turn_are_no_turns(plain: Calibration) -> None:
    game = decode(["", "A4 -A1", "A'4", "", "B'4"], plain)
    assert [r.flags for r in game.rows] == [("blank-row",), (), (), ("blank-row",), ()]
    assert game.transcript == "first: WE\n\n1| A4 -A1\n2| A'4\n\n4| B'4\n"
    assert game.check is not None
    assert [d["code"] for d in game.check["diagnostics"]] == ["blank-line"]


def test_doubt_names_the_rows_as_the_sheet_counts_them(plain: Calibration) -> None:
    """Another text of row 3 lets a later row fail; a blank row at the top shifts the turns against the rows."""
    game = decode(["", "A4", "A'4", "B4", "B'4", "xB'"], plain, {3: {0: {"B": 0.8}}})
    (said,) = [why for why in row(game, 3).why if "would be refused" in why]
    assert said.startswith("With “B'4” row 5 would be refused")


def test_blank_rows_between_turns_are_missing_turns(plain: Calibration) -> None:
    game = decode(["A4 -A1", "", "B4 -B2", "", ""], plain)
    assert [r.turn for r in game.rows] == [1, 2, 3]
    assert (row(game, 2).text, row(game, 2).flags) == ("", ("blank-row",))
    assert game.transcript == "first: WE\n1| A4 -A1\n\n3| B4 -B2\n"
    assert game.check is not None
    assert [d["code"] for d in game.check["diagnostics"]] == ["blank-line"]
    assert row(game, 3).flags == ()


def test_an_unreadable_row_is_its_number_alone(plain: Calibration) -> None:
    rows = inputs(["A4 -A1", "A'4", "B4"])
    nothing = glyphs("~~", {0: {"": 0.999999}, 1: {"": 0.999999}})
    game = decode_game([rows[0], RowInput(2, nothing), rows[2]], marks(), calibration=plain)
    assert row(game, 2).flags == ("unreadable",)
    assert row(game, 2).text == ""
    assert row(game, 2).confidence < 0.05
    assert game.transcript == "first: WE\n1| A4 -A1\n2|\n3| B4\n"


def test_a_row_of_nonsense_is_unreadable_and_costs_nothing(plain: Calibration) -> None:
    rows = inputs(["A4 -A1", "A'4", "B4"])
    scribble = noise(np.random.default_rng(1), 180)
    rows[1] = RowInput(2, Glyphs(scribble, np.linspace(30, 150, 180, dtype=np.float32), "noise", others=(scribble,)))
    assert candidates(rows)[1] == []
    game = decode_game(rows, marks(), calibration=plain)
    assert [r.flags for r in game.rows] == [(), ("unreadable",), ()]
    assert game.transcript == "first: WE\n1| A4 -A1\n2|\n3| B4\n"


def test_the_guess_of_an_unreadable_row_is_among_its_alternatives_the_likeliest_first(plain: Calibration) -> None:
    never = Logistic(-30.0, {})
    hopeless = replace(plain, with_rules=replace(BY_MARGIN, legal=never, illegal=never))
    game = decode(["A4 -A1", "A'4"], hopeless)
    assert [(r.text, r.flags) for r in game.rows] == [("", ("unreadable",))] * 2
    for read, written in zip(game.rows, ["A4 -A1", "A'4"], strict=True):
        assert written in [other.text for other in read.alternatives]
        shares = [other.confidence for other in read.alternatives]
        assert shares == sorted(shares, reverse=True)
        assert len(shares) <= 5
        assert not [why for why in read.why if "is refused" in why], "nothing was transcribed that could be"


def test_a_full_turn_goes_on_in_the_next_row(plain: Calibration) -> None:
    texts = [*GAME[:6], "D6 -D4 xB' xA' +C8 =D3", "xC'", "D'4"]
    texts[6] = "D6 -D4 xB' xA' =B'3 =D3"
    game = decode(texts, plain)
    assert row(game, 8).flags == ("continued",)
    assert "7| D6 -D4 xB' xA' =B'3 =D3 xC'\n8| D'4\n" in game.transcript
    assert row(game, 9).flags == ()


def test_ink_that_is_cut_off_is_flagged(plain: Calibration) -> None:
    rows = inputs(GAME)
    rows[3] = replace(rows[3], overflow=0.3)
    assert decode_game(rows, marks(WE=0.99), calibration=plain).rows[3].flags == ("outside-box",)


def test_rows_outweigh_a_wrong_first_mark(plain: Calibration) -> None:
    game = decode(GAME, plain, marks=marks(first=0.01, they=0.99, WE=0.99))
    assert game.first.value == "WE"
    assert game.first.flags == ("rule-conflict",)
    assert [r.flags for r in game.rows] == [()] * len(GAME)


@pytest.mark.parametrize(("we", "they", "flag"), [(0.99, 0.99, "double-mark"), (0.01, 0.01, "unmarked")])
def test_first_unmarked_or_marked_twice_is_concluded_from_the_rows(
    we: float, they: float, flag: str, plain: Calibration
) -> None:
    first = decode(GAME, plain, marks=marks(first=we, they=they, WE=0.99)).first
    assert (first.value, first.flags) == ("WE", (flag,))


def test_a_result_that_the_game_contradicts(plain: Calibration) -> None:
    assert decode(GAME, plain, marks=marks(THEY=0.99)).result.flags == ("result-mismatch",)
    assert decode(GAME, plain, marks=marks(THEY=0.99)).result.value == "THEY"
    assert decode(GAME[:4], plain, marks=marks(WE=0.99)).result.flags == ("result-mismatch",)
    assert decode(GAME[:4], plain, marks=marks(draw=0.99)).result.flags == ()


def test_a_conceded_game_may_have_any_winner(plain: Calibration) -> None:
    result = decode(GAME[:4], plain, marks=marks(THEY=0.99, concession=0.99)).result
    assert (result.value, result.flags, result.also) == ("THEY", (), ("concession",))


def test_result_unmarked_or_marked_twice(plain: Calibration) -> None:
    unmarked = decode(GAME, plain, marks=marks()).result
    assert (unmarked.value, unmarked.flags) == ("WE", ("unmarked",))
    double = decode(GAME, plain, marks=marks(WE=0.99, THEY=0.99)).result
    assert double.flags == ("double-mark",)
    unfinished = decode(GAME[:4], plain, marks=marks(time=0.99)).result
    assert (unfinished.value, unfinished.also) == (None, ("time",))


def test_a_game_nobody_played_has_no_flag(plain: Calibration) -> None:
    game = decode(["", "", ""], plain, marks=marks(first=0.01))
    assert game.rows == ()
    assert (game.first.value, game.result.value) == (None, None)
    assert not game.flagged


def test_the_ruleset_is_the_one_asked_for(plain: Calibration) -> None:
    game = decode(GAME[:2], plain, ruleset="alpha")
    assert game.check is not None
    assert game.check["ruleset"] == "alpha"


def test_a_smaller_risk_flags_no_fewer_rows(plain: Calibration) -> None:
    doubt = {3: {1: {"3": 0.02}}, 5: {1: {"3": 0.3}}}
    flagged = [sum(r.flagged for r in decode(GAME, plain, doubt, risk=risk).rows) for risk in (0.2, 0.001, 0.0001)]
    assert flagged == sorted(flagged)
    assert flagged[-1] == len(GAME)  # the calibration cannot vouch for so little


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.3, 2.0, 8.0, 30.0]),
    st.lists(st.integers(0, 14), min_size=1, max_size=4),
)
@settings(max_examples=40, deadline=None)
def test_any_scores_give_a_reading(seed: int, sharpness: float, lengths: list[int]) -> None:
    rng = np.random.default_rng(seed)
    rows = [
        RowInput(
            turn, Glyphs(noise(rng, n, sharpness), np.linspace(30, 90, n, dtype=np.float32), "noise") if n else None
        )
        for turn, n in enumerate(lengths, 1)
    ]
    for rules in (True, False):
        game = decode_game(rows, [], rules=rules)
        assert len(game.rows) <= len(rows)
        assert all(0 <= r.confidence <= 1 for r in game.rows)
        assert all(0 <= a.confidence <= 1 for r in game.rows for a in r.alternatives)


def test_a_row_is_shown_where_a_flag_is_owed_however_sure_it_is(plain: Calibration) -> None:
    rows = [*inputs(GAME), RowInput(len(GAME) + 1, glyphs("A4")), RowInput(len(GAME) + 2, glyphs(""))]
    rows[3] = replace(rows[3], overflow=0.3)
    rows[4] = RowInput(5, None)
    found = decipher(rows, candidates(rows), marks(WE=0.99), plain.prices)
    shown = {rows[k].turn for k in range(len(rows)) if is_shown(rows[k], found, k)}
    assert {4, 5, len(GAME) + 1, len(GAME) + 2} <= shown, "cut off, blank, after the end of the game, unreadable"
    assert not {1, 2, 3} & shown


def test_a_result_without_a_row_is_looked_at(plain: Calibration) -> None:
    """There was a game, and its rows may be too pale to be seen."""
    game = decode([], plain, marks=marks(WE=0.99))
    assert game.rows == ()
    assert game.result.flags == ("result-mismatch",)
    unplayed = decode([], plain, marks=marks(0.01, 0.01))
    assert not unplayed.flagged


def test_a_row_of_uncertain_ink_is_never_sure(plain: Calibration) -> None:
    rows = inputs(GAME)
    rows[3] = replace(rows[3], uncertain=True)
    game = decode_game(rows, marks(WE=0.99), calibration=plain)
    assert row(game, 4).text == GAME[3]
    assert row(game, 4).flags == ("low-confidence",)
    assert "struck out" in row(game, 4).why[-1]
    assert not row(game, 3).flagged
