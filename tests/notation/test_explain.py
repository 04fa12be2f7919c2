from __future__ import annotations

import pytest

from gigsheet.notation import check, parse_turn
from gigsheet.notation.explain import explain_board, explain_move, explain_outcome, explain_report, explain_text

GAME = "A4\nB'3\nB5 xB' +A3 A<>B (-B'2) z C'1"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("A'4", ["THEY rolls", "d4", "4"]),
        ("xB'3", ["steal THEY's d6", "value, 3"]),
        ("xB", ["steal WE's d6"]),
        ("+C7", ["increment WE's d8", "7"]),
        ("-A'1", ["decrement THEY's d4", "1"]),
        ("=D5", ["set WE's d10", "5"]),
        ("~E'9", ["reroll THEY's d12", "9"]),
        ("A<>B'", ["swap WE's d4 with THEY's d6"]),
        ("(-A2)", ["reaction", "decrement"]),
    ],
)
def test_without_a_board(entry: str, words: list[str]) -> None:
    (move,), wrong = explain_text(entry)
    assert not wrong
    assert not move.diagnostics
    assert all(word in move.sentence for word in words)


def test_with_the_board() -> None:
    turn = explain_report(check(GAME))[2]
    assert [move.sentence for move in turn.moves] == [
        "WE rolls WE's d6: it shows 5",
        "WE steals THEY's d6, showing 3",
        "WE raises WE's d4 from 4 to 3 - an error, but so the board now stands",
        "WE swaps WE's d4 (showing 3) and WE's d6 (showing 5) - refused",
        "in reaction, THEY lowers THEY's d6 from 3 to 2",
        "WE rolls THEY's d8: it shows 1 - refused",
    ]
    assert [d.code for d in turn.diagnostics] == ["syntax"]
    assert [d.code for move in turn.moves for d in move.diagnostics] == [
        "not-raised",
        "swap-same-side",
        "roll-not-yours",
    ]
    assert explain_board(turn.position.after) == "WE: A3, B5, B'2, 10 Street Cred; THEY: no Gigs, 0 Street Cred"


def test_what_a_ruleset_s_notation_lacks_is_wrong_in_it() -> None:
    moves, wrong = explain_text("A<>B'", ruleset="quickref")
    assert not moves
    assert [d.code for d in wrong] == ["syntax"]


def test_wrong_input_is_explained_too() -> None:
    moves, wrong = explain_text("A9 A04")
    assert [d.code for d in moves[0].diagnostics] == ["value-range"]
    assert [d.code for d in wrong] == ["syntax"]
    assert "leading zero" in wrong[0].message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A", "no value"),
        ("+A'", "no value"),
        ("A04", "leading zero"),
        ("1|", "nothing follows"),
        ("A4 ..", "stands alone"),
        ("(A4", "closed"),
        ("A4 7", "number stands here by itself"),
        ("hello", "is no entry"),
        ("A4 foo", "foo is no entry"),
        ("A4 +B'ig 3", "+B'ig 3 is no entry"),
        ("A4 b ' ~A3", "what THEY's d6"),
        ("A B", "what WE's d4 shows"),
        ("01| A4", "01| is no entry: a number has no leading zero"),
        ("01.A4", "leading zero"),
        ("A'  04", "leading zero"),
    ],
)
def test_why_text_does_not_parse(text: str, words: str) -> None:
    (diagnostic,) = check(text).diagnostics
    assert diagnostic.code == "syntax"
    assert words in diagnostic.message


def test_outcomes() -> None:
    assert explain_outcome(check("")) == "no turn is written"
    rolls = [f"{die}{prime}1" for die in "ABCDEF" for prime in ("", "'")]
    assert explain_outcome(check("\n".join([*rolls, "xA'", ".."]))) == "WE wins at the start of turn 15 (overtime)"
    assert explain_outcome(check("\n".join([*rolls, "..", "..", "xA'"]))) == "WE wins in turn 15 (overtime)"
    pending = explain_outcome(check("\n".join([*rolls[:11], "F'1 xA"])))
    assert pending.startswith("undecided after turn 12; THEY wins at the start of their next turn unless")


def test_a_move_alone() -> None:
    assert explain_move(parse_turn("xB'").entries[0].moves[0]).startswith("steal THEY's d6")
