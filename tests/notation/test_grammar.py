"""SPEC 1, sentence by sentence: what parses to what, where it stands, and how reading goes on after a fault."""

from __future__ import annotations

import pytest

from gigsheet.notation import check, format_turn, parse, parse_turn
from gigsheet.notation.syntax import MAX_DIGITS, Move, Transcript, Turn, parse_line
from gigsheet.notation.text import fold, split_lines


def codes(text: str, **options: object) -> list[str]:
    return [d.code for d in check(text, **options).diagnostics]


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("A4", Move("", "A", 4)),
        ("F'20", Move("", "F'", 20)),
        ("xB", Move("x", "B")),
        ("xB'3", Move("x", "B'", 3)),
        ("+C7", Move("+", "C", 7)),
        ("-A'1", Move("-", "A'", 1)),
        ("=D10", Move("=", "D", 10)),
        ("~E12", Move("~", "E", 12)),
        ("A<>B'", Move("<>", "A", None, "B'")),
        ("B'<>A", Move("<>", "B'", None, "A")),
        ("A0", Move("", "A", 0)),
        ("A21", Move("", "A", 21)),
        ("A 4", Move("", "A", 4)),
        ("x B ' 3", Move("x", "B'", 3)),
        ("- A 2", Move("-", "A", 2)),
        ("A ' < > B", Move("<>", "A'", None, "B")),
        ("\u00a0A\t4", Move("", "A", 4)),
    ],
)
def test_move_and_back(text: str, move: Move) -> None:
    turn = parse_turn(text)
    assert [entry.moves for entry in turn.entries] == [(move,)]
    assert not turn.faulty
    assert parse_turn(move.text).entries == turn.entries


@pytest.mark.parametrize("text", ["A4-A1xB'", "A4 -A1 xB'", " A 4 - A 1 x B ' ", "1|A4-A1xB'", "1 A4 -A1 xB' ; why"])
def test_white_space_and_prefix_do_not_matter(text: str) -> None:
    assert format_turn(parse_turn(text)) == "A4 -A1 xB'"


def test_reaction_holds_moves_and_is_one_entry() -> None:
    turn = parse_turn("A4 ( -B'2+C3 ) xD")
    assert [len(entry.moves) for entry in turn.entries] == [1, 2, 1]
    assert [entry.reaction for entry in turn.entries] == [False, True, False]
    assert format_turn(turn) == "A4 (-B'2 +C3) xD"


@pytest.mark.parametrize(
    "text", ["A", "A'", "+A", "-A'", "=B", "~C", "A04", "xA04", "A00", "x", "4", "()", "(A4", "A4)"]
)
def test_no_entry(text: str) -> None:
    assert parse_turn(text if text != "4" else "1|4").faulty


@pytest.mark.parametrize(
    "text", ["(..)", "A<>", "<>A", "A4<>B", "+A<>B'", "((A4))", "A''4", "z", "AA", "A4 1", "A४", "*"]
)
def test_more_that_is_no_entry(text: str) -> None:
    assert parse_turn(text).faulty


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("..", None),
        ("3..", 3),
        ("3...", 3),
        ("3|..", 3),
        ("3 ..", 3),
        ("3. ..", 3),
        ("3…", 3),
        ("3.…", 3),
        ("3 | . .", 3),
        ("3 . . .", 3),
    ],
)
def test_pass(text: str, number: int | None) -> None:
    line = parse_line(text)
    assert line.turn == Turn()
    assert line.turn.passed
    assert line.number == number


@pytest.mark.parametrize(
    ("text", "number"), [("3|A4", 3), ("3.A4", 3), ("3 A4", 3), ("3A4", 3), ("12 | A4", 12), ("0|A4", 0)]
)
def test_prefix(text: str, number: int) -> None:
    line = parse_line(text)
    assert line.number == number
    assert format_turn(line.turn) == "A4"


@pytest.mark.parametrize(
    "text", ["1", "1|", "1.", " 1 | ;comment", "1....", "..A4", ".. A4", "A4 ..", ".. ..", ".", "01|A4", "|A4", "1||A4"]
)
def test_faulty_turn(text: str) -> None:
    assert codes(text) == ["syntax"]


@pytest.mark.parametrize(
    ("text", "read", "span"),
    [
        ("A 2 1", "A2", (4, 5)),
        ("A4 xx B5", "A4 B5", (3, 5)),
        ("A4 zB5", "A4", (3, 6)),
        ("(A4 B5", "B5", (0, 3)),
        ("( A4 B5", "A4 B5", (0, 1)),
        ("A x B", "xB", (0, 1)),
        ("A04 B5", "B5", (0, 3)),
        ("A4)xB C2", "A4 C2", (2, 5)),
        (".. A4", "A4", (0, 2)),
        ("..A4", "", (0, 4)),
        ("A4..B5 C6", "A4 C6", (2, 6)),
        ("A4 -B C4 -D", "A4 C4", (3, 5)),
        ("2| z z z A4", "A4", (3, 8)),
        ("A4 (-B2 z) +C3", "A4 +C3", (3, 10)),
        ("7|", "", (0, 2)),
    ],
)
def test_recovery(text: str, read: str, span: tuple[int, int]) -> None:
    """Reading goes on at the next place after white space where an entry parses."""
    line = parse_line(text)
    assert format_turn(line.turn) == read
    assert line.turn.faulty
    assert line.fault == span


def test_typography_folds_place_by_place() -> None:
    assert fold("a’b‘c′dʹe`f´−–—×X∼") == "A'B'C'D'E'F'---xx~"
    assert format_turn(parse_turn("a4 −b’2 ×C′ XD ∼eʹ3 e`<>f´")) == "A4 -B'2 xC' xD ~E'3 E'<>F'"
    assert parse_line("A4 −B’2").spans == ((0, 2), (3, 7))


def test_numbers_of_any_length_are_no_trouble() -> None:
    assert codes("A" + "9" * MAX_DIGITS) == ["value-range"]
    assert codes("A" + "9" * (MAX_DIGITS + 1)) == ["syntax"]
    assert codes("9" * 200 + "|A4") == ["turn-number"]


@pytest.mark.parametrize(
    "text",
    ["first: THEY", "FIRST:they", " f I r s t : t h e y ", "\n\nfirst: THEY ; we lost the toss", "; note\nfirst:THEY"],
)
def test_header(text: str) -> None:
    assert check(text).first == "THEY"
    assert check(text).diagnostics == ()


@pytest.mark.parametrize(
    "text", ["first", "first:", "first: ME", "first THEY", "first: WE THEY", "firstly", "first: THEY A4"]
)
def test_malformed_header_is_no_turn(text: str) -> None:
    report = check(f"{text}\nA4")
    assert [(d.code, d.line, d.turn) for d in report.diagnostics] == [("syntax", 1, None)]
    assert report.first == "WE"
    assert report.turns == 1


def test_second_and_late_header() -> None:
    assert [(d.code, d.line) for d in check("first: THEY\nfirst: WE\nA'4\nfirst: THEY\nA4").diagnostics] == [
        ("syntax", 2),
        ("syntax", 4),
    ]
    assert check("first: THEY\nfirst: WE\nA'4").first == "THEY"
    assert check("A4\nfirst: THEY").first == "WE"


def test_a_good_header_after_a_malformed_one_is_read() -> None:
    assert check("first: me\nfirst: THEY").first == "THEY"


def test_comments_and_lines() -> None:
    assert codes("; nothing\nA4 ; a d4\n;\nA'4;x") == []
    assert check("; nothing\nA4 ; a d4\n;\nA'4;x").turns == 2
    assert split_lines("a\r\nb\rc\nd") == ["a", "b", "c", "d"]
    assert check("\ufeffA4\r\nA'4\r\n").diagnostics == ()


def test_swap_is_no_entry_of_the_quick_reference() -> None:
    game = "A4\nA'4\nB5 A<>A'"
    assert codes(game) == []
    assert codes(game, ruleset="quickref") == ["syntax"]
    assert "quick reference" in check(game, ruleset="quickref").diagnostics[0].message


def test_transcript_parses_to_lines() -> None:
    transcript = parse("first: THEY\n\n; c\nA'4\n\nfirst: WE")
    assert isinstance(transcript, Transcript)
    assert [line.kind for line in transcript.lines] == ["header", "blank", "comment", "turn", "blank", "bad-header"]


@pytest.mark.parametrize("text", ["a4", "A’4 xA'", "A4 −A2", "…", "1…", "FIRST: we", "first:WE", "×A"])
def test_style_only_when_strict(text: str) -> None:
    assert "style" not in codes(text)
    assert "style" in codes(text, strict=True)
    assert all(d.severity == "warning" for d in check(text, strict=True).diagnostics if d.code == "style")


def test_each_variant_is_one_style_warning_at_its_sign() -> None:
    found = [d for d in check("a4 −a’2 xB", strict=True).diagnostics if d.code == "style"]
    assert [(d.span, d.entry) for d in found] == [((0, 1), 1), ((3, 4), 2), ((4, 5), 2), ((5, 6), 2)]


@pytest.mark.parametrize("text", ["first: WE\n1| A4 -A2 ; ’\n", "  first: WE  \nA 4"])
def test_plain_forms_have_no_style(text: str) -> None:
    assert codes(text, strict=True) == []
