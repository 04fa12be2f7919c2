"""SPEC 3: every code where it holds and where it does not, with its effect on the board."""

from __future__ import annotations

import pytest

from gigsheet.notation import check
from gigsheet.notation.check import Report


def codes(text: str, **options: object) -> list[str]:
    return [d.code for d in check(text, **options).diagnostics]


def last(report: Report, die: str) -> list | None:
    return report.boards()[-1]["dice"][die]


OPENING = "A4\nA'4\n"  # WE: A4; THEY: A'4; turn 3 is WE's


@pytest.mark.parametrize(
    ("turn", "code", "die", "after"),
    [
        # the code and its effect ... and right beside it what is no error
        ("B3 (xA)", "reaction-kind", "A", ["WE", 4]),
        ("B3 (C2)", "reaction-kind", "C", None),
        ("B3 (A<>A')", "reaction-kind", "A", ["WE", 4]),
        ("B3 (-A2)", None, "A", ["WE", 2]),
        ("B7", "value-range", "B", None),
        ("B0", "value-range", "B", None),
        ("B6", None, "B", ["WE", 6]),
        ("B3 =A5", "value-range", "A", ["WE", 4]),
        ("B3 xA'5", "value-range", "A'", ["WE", 4]),
        ("B3 xA'0", "value-range", "A'", ["WE", 4]),
        ("B3 xB'9", "value-range", "B'", None),
        ("B'3", "roll-not-yours", "B'", None),
        ("A'3", "roll-not-yours", "A'", ["THEY", 3]),
        ("A'9", "value-range", "A'", ["THEY", 4]),
        ("A2", "not-in-fixer", "A", ["WE", 2]),
        ("B3 A2", "not-in-fixer", "A", ["WE", 2]),
        ("B3 C2", "second-roll", "C", ["WE", 2]),
        ("B9 C2", "second-roll", "C", ["WE", 2]),
        ("B3 F2", "second-roll", "F", ["WE", 2]),
        ("-A2 B3", "late-roll", "B", ["WE", 3]),
        ("(-A2) B3", "late-roll", "B", ["WE", 3]),
        ("xB' B3", "late-roll", "B", ["WE", 3]),
        ("F20", "d20-early", "F", ["WE", 20]),
        ("B3 xB'", "not-in-gigs", "B'", None),
        ("B3 +C4", "not-in-gigs", "C", None),
        ("B3 C<>A'", "not-in-gigs", "A'", ["THEY", 4]),
        ("B3 C<>C", "not-in-gigs", "C", None),
        ("B3 xA", "steal-own", "A", ["WE", 4]),
        ("B3 xA2", "steal-own", "A", ["WE", 2]),
        ("B3 xA'", None, "A'", ["WE", 4]),
        ("B3 xA'4", None, "A'", ["WE", 4]),
        ("B3 xA'3", "steal-value", "A'", ["WE", 3]),
        ("B3 +A4", "not-raised", "A", ["WE", 4]),
        ("B3 +A3", "not-raised", "A", ["WE", 3]),
        ("B3 +B4", None, "B", ["WE", 4]),
        ("B3 -A4", "not-lowered", "A", ["WE", 4]),
        ("B3 -A'3", None, "A'", ["THEY", 3]),
        ("B3 -B5", "not-lowered", "B", ["WE", 5]),
        ("B3 =A4", None, "A", ["WE", 4]),
        ("B3 ~A'4", None, "A'", ["THEY", 4]),
        ("B3 A<>B", "swap-same-side", "A", ["WE", 4]),
        ("B3 A<>A", "swap-same-side", "A", ["WE", 4]),
        ("B3 A<>A'", None, "A", ["THEY", 4]),
        ("B3 A'<>A", None, "A'", ["WE", 4]),
    ],
)
def test_move_code_and_effect(turn: str, code: str | None, die: str, after: list | None) -> None:
    report = check(OPENING + turn)
    found = [d.code for d in report.diagnostics]
    if turn == "xB' B3":
        assert found == ["not-in-gigs", "late-roll"]
    elif turn == "B9 C2":
        assert found == ["value-range", "second-roll"]
    else:
        assert found == ([code] if code else [])
    assert last(report, die) == after
    assert all(d.line == d.turn == 3 for d in report.diagnostics)


def test_roll_missing_once_before_the_moves() -> None:
    report = check(OPENING + "+A4 -A9")
    assert [(d.code, d.entry) for d in report.diagnostics] == [
        ("roll-missing", None),
        ("not-raised", 1),
        ("value-range", 2),
    ]
    assert codes(OPENING + "(-A2)") == ["roll-missing"]
    assert codes(OPENING + "(B2)") == ["roll-missing", "reaction-kind"]
    assert codes(OPENING + "B9") == ["value-range"]  # a refused roll counts
    assert codes(OPENING + "B'1") == ["roll-not-yours"]
    assert codes(OPENING + "-A2", ruleset="quickref") == []


def test_pass_early() -> None:
    report = check("..\n..")
    assert [(d.code, d.turn, d.entry) for d in report.diagnostics] == [("pass-early", 1, None), ("pass-early", 2, None)]
    assert codes("..\n..", ruleset="quickref") == []


def rolled_out() -> list[str]:
    """Twelve turns that empty both Fixers, and nothing else."""
    return [f"{die}{prime}1" for die in "ABCDEF" for prime in ("", "'")]


def test_an_empty_fixer_may_pass_and_has_nothing_to_roll() -> None:
    game = "\n".join(rolled_out())
    assert codes(game) == []
    assert codes(game + "\n..\n..") == []
    assert codes(game + "\n-B1\n=A2") == ["not-lowered"]
    assert codes(game + "\nA2") == ["not-in-fixer"]


def test_the_d20_is_rolled_last() -> None:
    assert codes("\n".join(rolled_out()[:10])) == []
    assert codes("\n".join([*rolled_out()[:8], "F20"])) == ["d20-early"]
    assert codes("\n".join([*rolled_out()[:10], "F20"])) == []


def test_quickref_needs_no_first_roll_but_has_one_roll_a_turn() -> None:
    assert codes(OPENING + "-A2 B3", ruleset="quickref") == []
    assert codes(OPENING + "B3 C2", ruleset="quickref") == ["second-roll"]
    assert codes(OPENING + "F2", ruleset="quickref") == ["d20-early"]


def test_syntax_line_reports_no_roll_codes_of_its_own() -> None:
    assert codes(OPENING + "z -A2") == ["syntax"]
    assert codes(OPENING + "z -A2 B3") == ["syntax"]
    assert codes(OPENING + "z .. z") == ["syntax"]
    assert codes(OPENING + "-A2 F3 z") == ["d20-early", "syntax"]
    assert codes(OPENING + "B3 C2 z A9") == ["second-roll", "syntax", "value-range"]
    assert last(check(OPENING + "z B3"), "B") == ["WE", 3]


def test_a_faulty_line_counts_as_a_turn() -> None:
    report = check("A4\nnonsense\nB3")
    assert report.turns == 3
    assert [b["turn"] for b in report.boards()] == [1, 2, 3]
    assert [d.code for d in report.diagnostics] == ["syntax"]


def test_entries_count_reactions_as_one() -> None:
    report = check(OPENING + "B3 (-A2 -A9 (C1) -A3 xC'")
    assert (report.diagnostics[0].code, report.diagnostics[0].entry) == ("syntax", None)
    report = check(OPENING + "B3 (-A2 -A9) xC'")
    assert [(d.code, d.entry, d.span) for d in report.diagnostics] == [
        ("value-range", 2, (8, 11)),
        ("not-in-gigs", 3, (13, 16)),
    ]


def test_turn_number() -> None:
    assert codes("1|A4\n2|A'4\n3.B1") == []
    report = check("1|A4\n5|A'4\n3|B1")
    assert [(d.code, d.line, d.turn, d.span) for d in report.diagnostics] == [("turn-number", 2, 2, (0, 2))]


def test_blank_lines() -> None:
    assert codes("\n \nA4\n;\nA'4\n\n\n") == []
    report = check("A4\n\n\t\nA'4")
    assert [(d.code, d.line, d.turn, d.span) for d in report.diagnostics] == [
        ("blank-line", 2, None, (0, 0)),
        ("blank-line", 3, None, (0, 1)),
    ]
    assert report.turns == 2


def test_blank_lines_that_the_number_makes_missing_turns() -> None:
    report = check("1|A4\n\n3|B4\nB'1")
    assert [d.code for d in report.diagnostics] == ["blank-line"]
    assert report.turns == 4
    assert [b["turn"] for b in report.boards()] == [1, 3, 4]
    assert codes("1|A4\n\n;c\n \n4|A'4") == ["blank-line", "blank-line"]
    assert codes("1|A4\n;c\n\n;d\n3|B4") == ["blank-line"]


def test_blank_lines_that_it_does_not() -> None:
    assert codes("1|A4\n\n2|A'4") == ["blank-line"]
    assert codes("1|A4\n\n4|A'4") == ["blank-line", "turn-number"]
    assert codes("1|A4\n\n\n3|A'4") == ["blank-line", "blank-line", "turn-number"]
    assert codes("\n\n3|A4") == ["turn-number"]
    assert codes("1|A4\n\nfirst: WE\n3|A'4") == ["blank-line", "syntax", "turn-number"]
    assert codes("1|A4\n\nfirst: WE\n2|A'4\n") == ["blank-line", "syntax"]


def test_too_long_once_at_the_seventeenth() -> None:
    rows = rolled_out() + [".."] * 4
    assert codes("\n".join(rows)) == []
    report = check("\n".join([*rows, "..", ".."]))
    assert [(d.severity, d.code, d.line, d.turn, d.entry) for d in report.diagnostics] == [
        ("warning", "too-long", 17, 17, None)
    ]
    assert report.ok
    numbered = [f"{n}| {row}" for n, row in enumerate(rows, 1)]
    assert codes("\n".join([*numbered, "", "18| .."])) == ["blank-line", "too-long"]


def test_diagnostics_come_by_line_then_column() -> None:
    report = check("9| xA -A2 z\n\nA'9 xB")
    assert [(d.line, d.span[0]) for d in report.diagnostics] == sorted((d.line, d.span[0]) for d in report.diagnostics)


@pytest.mark.parametrize(
    "code", ["value-range", "roll-not-yours", "not-in-gigs", "steal-value", "d20-early", "not-raised"]
)
def test_messages_name_dice_values_and_rule(code: str) -> None:
    turns = {
        "value-range": ("B7", ["d6", "1 to 6", "7"]),
        "roll-not-yours": ("B'3", ["B'", "THEY's d6", "owner"]),
        "not-in-gigs": ("B3 xC'", ["C'", "THEY's d8", "THEY's Fixer"]),
        "steal-value": ("B3 xA'3", ["A'", "THEY's d4", "showing 4", "3"]),
        "d20-early": ("F3", ["d20", "B, C, D, E"]),
        "not-raised": ("B3 +A2", ["A", "WE's d4", "showing 4", "2"]),
    }
    turn, named = turns[code]
    (diagnostic,) = check(OPENING + turn).diagnostics
    assert diagnostic.code == code
    assert all(words in diagnostic.message for words in named)
    assert diagnostic.rule[0].isdigit()


def test_the_report_has_the_shape_of_the_contract() -> None:
    found = check("F5 z", source="game.txt").to_dict()
    assert list(found) == ["schema", "source", "ruleset", "first", "turns", "ok", "diagnostics", "outcome", "boards"]
    assert found["schema"] == "gigsheet.check/1"
    assert list(found["diagnostics"][0]) == ["severity", "code", "line", "turn", "entry", "span", "message", "rule"]
    assert found["diagnostics"][0]["rule"] == "8.6.5.1.1"
    assert found["outcome"] == {"winner": None, "turn": None, "phase": None, "pending": None}
    assert list(found["boards"][0]["dice"]) == [*"ABCDEF", *(f"{d}'" for d in "ABCDEF")]
    assert found["boards"][0] == {
        "turn": 1,
        "dice": {**dict.fromkeys(found["boards"][0]["dice"]), "F": ["WE", 5]},
        "street_cred": {"WE": 5, "THEY": 0},
    }


def test_empty_texts() -> None:
    for text in ("", "\n\n", ";", "first: THEY"):
        report = check(text)
        assert (report.turns, report.diagnostics, report.boards()) == (0, (), [])


def test_a_ruleset_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="cr, alpha, quickref"):
        check("", ruleset="house")
