"""SPEC 2, rules 7 to 10: who wins, when, in which phase, and what is said of what comes after."""

from __future__ import annotations

import pytest

from gigsheet.notation import check

REFERENCE = [
    *("A4 -A1", "A'4", "B4 -B2", "B'1", "C8 -B1 (-A'2)", "C'3 xC", "D6 -D4 xB' xA'", "D'4", "E12 xC' xD'", "E'12"),
]
ROLLS = [f"{die}{prime}1" for die in "ABCDEF" for prime in ("", "'")]


def outcome(rows: list[str], **options: object) -> tuple:
    found = check("\n".join(rows), **options).outcome
    return found.winner, found.turn, found.phase, found.pending


def codes(rows: list[str], **options: object) -> list[tuple]:
    return [(d.code, d.turn) for d in check("\n".join(rows), **options).diagnostics]


def test_the_reference_game() -> None:
    report = check("\n".join(REFERENCE))
    assert report.diagnostics == ()
    assert outcome(REFERENCE) == ("WE", 11, "regulation", None)
    assert report.boards()[-1]["street_cred"] == {"WE": 1 + 1 + 4 + 12 + 1 + 2 + 3 + 4, "THEY": 8 + 12}


def test_seven_held_by_the_other_player_is_pending() -> None:
    assert outcome(REFERENCE[:9]) == (None, None, None, "WE")
    assert outcome([*REFERENCE[:9], "E'12 xA xB"]) == (None, None, None, None)


def test_a_turn_after_the_end_is_not_applied_but_listed() -> None:
    report = check("\n".join([*REFERENCE, "F9", "12| z F'9", "5| .."]))
    assert [(d.code, d.turn) for d in report.diagnostics] == [
        *(("after-end", 11), ("after-end", 12), ("turn-number", 13), ("after-end", 13)),
    ]
    assert report.turns == 13
    assert [b["turn"] for b in report.boards()][-1] == 13
    assert report.boards()[-1]["dice"] == report.boards()[9]["dice"]
    assert report.outcome.turn == 11


def test_blank_lines_after_the_end_are_still_blank_lines() -> None:
    assert codes([*REFERENCE, "", "12| F'9"]) == [("blank-line", None), ("after-end", 12)]


def test_alpha_wins_with_six() -> None:
    assert outcome(REFERENCE, ruleset="alpha") == ("WE", 11, "regulation", None)
    six = [*ROLLS[:10], "F1", "F'1 xA xB xC xD xE xF"]
    assert outcome(ROLLS[:10], ruleset="alpha") == (None, None, None, None)
    assert outcome(ROLLS[:11], ruleset="alpha") == (None, None, None, "WE")
    assert outcome(ROLLS[:12], ruleset="alpha") == ("WE", 13, "regulation", None)
    assert outcome(ROLLS[:12]) == (None, None, None, None)
    assert outcome(six, ruleset="alpha") == (None, None, None, "THEY")


def seven_at_fourteen(player: str) -> list[str]:
    """Fourteen turns, at the end of which the player holds seven."""
    rows = [*ROLLS, "..", ".."]
    if player == "WE":
        rows[12] = "xA'"
    else:
        rows[13] = "xA"
    return rows


@pytest.mark.parametrize("player", ["WE", "THEY"])
@pytest.mark.parametrize("ruleset", ["cr", "quickref"])
def test_overtime_begins_as_turn_14_ends(player: str, ruleset: str) -> None:
    assert outcome(seven_at_fourteen(player), ruleset=ruleset) == (player, 15, "overtime", None)
    assert codes([*seven_at_fourteen(player), ".."], ruleset=ruleset) == [("after-end", 15)]


def test_alpha_needs_seven_for_overtime_but_six_at_the_start_of_a_turn() -> None:
    rows = [*ROLLS[:10], "..", "..", "..", "F'1"]  # WE holds five, THEY six
    assert outcome(rows, ruleset="alpha") == (None, None, None, "THEY")
    assert outcome([*rows, ".."], ruleset="alpha") == ("THEY", 16, "overtime", None)
    assert outcome([*rows[:-1], "F'1 xA"], ruleset="alpha") == ("THEY", 15, "overtime", None)


def test_fourteen_turns_without_seven_go_on() -> None:
    assert outcome([*ROLLS, "..", ".."]) == (None, None, None, None)


def test_a_steal_to_seven_in_overtime_wins_at_once() -> None:
    rows = [*ROLLS, "..", "..", "xA' xB'"]
    assert outcome(rows) == ("WE", 15, "overtime", None)
    assert codes(rows) == [("after-end", 15)]
    report = check("\n".join(rows))
    assert report.diagnostics[0].span == (4, 7)
    assert report.boards()[-1]["dice"]["B'"] == ["THEY", 1]


def test_after_end_stands_once_a_line_and_a_roll_there_counts() -> None:
    rows = [*ROLLS[:10], "xA'", "..", "..", "..", "xB' xC' xD' (-A1) F3"]
    assert ("after-end", 15) in codes(rows)
    rows = [*ROLLS[:-2], "F1", "..", "..", "..", "xA' F2"]
    assert [code for code, _ in codes(rows)].count("after-end") == 1


@pytest.mark.parametrize(
    ("turn", "won"),
    [("xA'1", True), ("xA'3", True), ("xA'9", True), ("xA", False), ("A<>A'", False), ("+A3", False), ("(xA')", False)],
)
def test_which_moves_win_in_overtime(turn: str, won: bool) -> None:
    """A steal by which a die changes hands, even a faulty one; no other move."""
    assert (outcome([*ROLLS, "..", "..", turn])[0] == "WE") is won


def test_a_roll_to_seven_in_overtime_does_not_win_at_once() -> None:
    rows = [*ROLLS[:10], "..", "..", "xA'", "..", "F3"]
    assert outcome(rows) == (None, None, None, "WE")
    assert outcome([*rows, ".."]) == ("WE", 17, "overtime", None)
    assert outcome([*rows, "xF"]) == (None, None, None, None)
    assert outcome([*rows[:-1], "F3 xB'"]) == ("WE", 15, "overtime", None)


def test_play_on_after_overtime_began() -> None:
    rows = [*ROLLS, "..", "..", "..", "xA"]
    assert outcome(rows) == ("THEY", 16, "overtime", None)
    assert codes(rows) == []


def test_a_missing_turn_has_rule_seven_at_its_start() -> None:
    rows = [f"{n}| {row}" for n, row in enumerate(REFERENCE, 1)]
    assert outcome([*rows, "", "12| F'5"]) == ("WE", 11, "regulation", None)
    assert codes([*rows, "", "12| F'5"]) == [("blank-line", None), ("after-end", 12)]


def test_of_several_missing_turns_only_the_first_has_it() -> None:
    """After turn 9 WE holds eight, and turn 10 is THEY's: WE's turn 11 is a later missing one, turn 13 is written."""
    rows = [f"{n}| {row}" for n, row in enumerate(REFERENCE[:9], 1)]
    assert outcome([*rows, "", "", "12| E'5 xA xB"]) == (None, None, None, None)
    assert codes([*rows, "", "", "12| E'5 xA xB"]) == [("blank-line", None), ("blank-line", None)]
    assert outcome([*rows, "", "11| F5"]) == ("WE", 11, "regulation", None)


def test_overtime_begins_though_turn_14_is_missing() -> None:
    rows = [f"{n}| {row}" for n, row in enumerate([*ROLLS, "xA'"], 1)]
    assert outcome([*rows, "", "15| .."]) == ("WE", 15, "overtime", None)
    # Turns 13 and 14 are missing: rule 7 is not applied to THEY's turn 14, rule 8 is as it ends.
    rows[11:] = ["12| F'1 xA", "", ""]
    assert outcome([*rows, "15| .."]) == ("THEY", 15, "overtime", None)


def test_turns_may_be_more_than_boards() -> None:
    report = check("1| A4\n\n\n4| A'4")
    assert report.turns == 4
    assert len(report.boards()) == 2
