"""`format_text`, `flip` and `compare`."""

from __future__ import annotations

import random

import pytest

from gigsheet.notation import check
from gigsheet.notation.compare import compare
from gigsheet.notation.rewrite import UnparsedError, flip, format_text
from gigsheet.notation.simulate import simulate_game

MESSY = "\n; my game\nFIRST:they ; toss\n\na’4−A’1\n2.b3;ok\n\n; rain\n4..\n9| ×A’ ( +b 4 )\n\n"
CLEAN = "; my game\nfirst: THEY ; toss\n1| A'4 -A'1\n2| B3 ;ok\n\n; rain\n4| ..\n9| xA' (+B4)\n"


def test_canonical_form() -> None:
    assert format_text(MESSY) == CLEAN
    assert format_text(CLEAN) == CLEAN
    assert format_text("") == "first: WE\n"


def test_it_keeps_what_the_checker_says() -> None:
    before, after = check(MESSY), check(CLEAN)
    assert [(d.code, d.turn) for d in before.diagnostics] == [(d.code, d.turn) for d in after.diagnostics]
    assert before.boards() == after.boards()


@pytest.mark.parametrize(("text", "lines"), [("A4\nz\nB3\nA 2 1", (2, 4)), ("first: ME", (1,)), ("1|", (1,))])
def test_what_does_not_parse_has_none(text: str, lines: tuple[int, ...]) -> None:
    with pytest.raises(UnparsedError) as caught:
        format_text(text)
    assert caught.value.lines == lines
    with pytest.raises(UnparsedError):
        flip(text)


def test_flip() -> None:
    assert flip(CLEAN) == CLEAN.replace("THEY", "WE").replace("A'", "A").replace("B", "B'")
    assert flip(flip(CLEAN)) == CLEAN
    assert flip("A4") == "first: THEY\n1| A'4\n"


def differences(a: str, b: str) -> list[tuple]:
    return [tuple(turn) for turn in compare(a, b).turns]


def test_compare_the_same_and_the_rivals_sheet() -> None:
    for seed in range(30):
        text = simulate_game(random.Random(seed)).text
        assert compare(text, text).same
        assert not compare(text, text).flipped
        found = compare(text, flip(text))
        assert found.same
        assert found.flipped


def test_compare_says_where() -> None:
    a = "1| A4\n2| A'4 xA\n3| B5\n4| B'1 +A2"
    assert differences(a, a.replace("B5", "B6")) == [(3, "B5", 3, "B6")]
    assert differences(a, a.replace("xA", "xA4")) == []
    assert differences(a.replace("xA", "xA3"), a.replace("xA", "xA4")) == [(2, "A'4 xA3", 2, "A'4 xA4")]
    assert differences(a + "\nC5 A<>A'", a + "\nC5 A'<>A") == []
    assert differences(a, "A4\nA'4 xA\nB'1 +A2") == [(3, "B5", None, "")]
    assert differences("A4\nA'4 xA\nB'1 +A2", a) == [(None, "", 3, "B5")]
    assert differences(a, a + "\nC1") == [(None, "", 5, "C1")]
    assert differences(a, a.replace("B5", "B5 z")) == [(3, "B5", 3, "B5 z")]
    assert differences(a.replace("B5", "(-A2) B5"), a.replace("B5", "-A2 B5")) == [(3, "(-A2) B5", 3, "-A2 B5")]


def test_compare_tells_numbers_that_differ_once() -> None:
    a = "1| A4\n2| A'3\n3| B5\n4| B'1"
    late = "1| A4\n\n3| A'3\n4| B5\n5| B'1"
    assert differences(a, late) == [(2, "2| A'3", 3, "3| A'3")]
    assert differences(late, a) == [(3, "3| A'3", 2, "2| A'3")]
    assert differences("A4\nA'3", "1| A4\n\n3| A'3") == [(2, "2| A'3", 3, "3| A'3")]
    assert differences("3| A4", "1| A4") == [(1, "3| A4", 1, "1| A4")]
    assert differences(a, a.replace("3|", "7|")) == [(3, "3| B5", 3, "7| B5")]
    assert differences(a, "1| A4\n2| A'3\n\n4| B'1") == [(3, "B5", None, "")]
    assert differences(a, "1| A4\n2| A'3\n4| B'1") == [(3, "B5", None, "")]
    assert differences(a, "1| A4\n\n3| A'2\n4| B5\n5| B'1") == [(2, "2| A'3", 3, "3| A'2")]
    assert differences("1| A4\n3| A'3", "1| A4\n\n3| A'3") == [(2, "3| A'3", 3, "3| A'3")]
    found = compare(a, flip(late))
    assert found.flipped
    assert not found.same


def test_compare_flips_even_with_slips_on_both_sheets() -> None:
    text = simulate_game(random.Random(3)).text
    lines = flip(text).splitlines()
    lines[4] = "4| F9"
    found = compare(text, "\n".join(lines))
    assert found.flipped
    assert [turn.number_b for turn in found.turns] == [4]


def test_compare_tells_who_went_first() -> None:
    found = compare("A4\nA'4\nB4", "first: THEY\nA4\nA'4\nB4")
    assert (found.first_a, found.first_b, found.turns, found.same) == ("WE", "THEY", (), False)


def test_compare_huge_texts_pairs_by_position() -> None:
    assert len(compare("A4\n" * 1500, "A4\n" * 1499 + "B4").turns) == 1
