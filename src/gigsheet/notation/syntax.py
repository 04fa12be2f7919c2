"""The grammar of SPEC 1: text to `Move`, `Entry`, `Turn`, `Transcript`, and back.

Nothing here raises on any text. What is no entry of the grammar is marked as a fault, and the reading goes on at the
next place after white space where an entry parses. All of it takes time linear in the text: the patterns are atomic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from gigsheet.notation.text import COMMENT, fold, require_text, split_lines

Player = Literal["WE", "THEY"]
Span = tuple[int, int]
"""[start, end) in characters of a line, from 0."""

MAX_DIGITS = 1000
"""A longer number is no number: beyond this Python itself may refuse to convert it."""

_NUMBER = rf"(?:0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}}+)(?![0-9])"
_DIE = r"[A-F](?>\s*+'|)"
_SWAP = rf"{_DIE}\s*+<\s*+>\s*+{_DIE}"
_STEAL = rf"x\s*+{_DIE}(?>\s*+{_NUMBER}|(?!\s*+[0-9]))"
_OTHER = rf"(?>[-+=~]\s*+|){_DIE}\s*+{_NUMBER}"
_PLAIN_MOVE = rf"(?>{_STEAL}|{_OTHER})"
_ANY_MOVE = rf"(?>{_STEAL}|{_OTHER}|{_SWAP})"
# A dot belongs to the prefix unless exactly it and the next one are the pass: `3.A4`, `3...`, but not `3..`.
_PREFIX = re.compile(rf"\s*+({_NUMBER})(\s*+(?:\||\.(?!\s*+\.(?!\s*+\.))))?")
_PASS = re.compile(r"\s*+(\.\s*+\.|…)")
_TEXT = re.compile(r"\S")


class _Grammar:
    """The patterns of a grammar with or without swaps (the older quick reference has none)."""

    def __init__(self, move: str) -> None:
        entry = rf"(?>({move})|\(\s*+((?>{move}\s*+)++)\))"
        self.move = re.compile(move)
        self.entry = re.compile(rf"\s*+{entry}")
        self.resume = re.compile(rf"(?<=\s){entry}")


_WITH_SWAPS = _Grammar(_ANY_MOVE)
_WITHOUT_SWAPS = _Grammar(_PLAIN_MOVE)


class Move(NamedTuple):
    """One change of the dice.

    Attributes:
        action: "" (roll), "x", "+", "-", "=", "~", or "<>" (swap).
        die: "A".."F", with "'" where THEY owns it.
        value: what the die shows after it; None for a swap, and for a steal without its checksum.
        other: the second die of a swap, else None.

    >>> Move("x", "B'", 3).text
    "xB'3"
    """

    action: str
    die: str
    value: int | None = None
    other: str | None = None

    @property
    def text(self) -> str:
        """The plain form, which parses back to the same move."""
        if self.action == "<>":
            return f"{self.die}<>{self.other}"
        return f"{self.action}{self.die}{'' if self.value is None else self.value}"


class Entry(NamedTuple):
    """What stands in one box of the sheet: a move, or a reaction's moves."""

    moves: tuple[Move, ...]
    reaction: bool = False

    @property
    def text(self) -> str:
        inside = " ".join(move.text for move in self.moves)
        return f"({inside})" if self.reaction else inside


class Turn(NamedTuple):
    """A turn's entries; none is a pass. `faulty`: its line also holds text that is no entry.

    >>> Turn(()).passed
    True
    """

    entries: tuple[Entry, ...] = ()
    faulty: bool = False

    @property
    def passed(self) -> bool:
        return not self.entries and not self.faulty

    @property
    def text(self) -> str:
        return format_turn(self)


class Line(NamedTuple):
    """One line of a transcript.

    Attributes:
        kind: "turn", "blank", "comment", "header", or "bad-header" (malformed, second or late).
        text: the line as written.
        turn: the turn, when it is one.
        number: the turn's written number, or None.
        number_span: where the number and its mark stand; (0, 0) without one.
        spans: where each move stands, those of reactions too, in order; for a pass, where its dots stand.
        fault: where the first text that is no entry stands, or None.
        end: where the line's content ends, before its comment and the white space there.
        first: the player that a header names.
    """

    kind: Literal["turn", "blank", "comment", "header", "bad-header"]
    text: str
    turn: Turn | None = None
    number: int | None = None
    number_span: Span = (0, 0)
    spans: tuple[Span, ...] = ()
    fault: Span | None = None
    end: int = 0
    first: Player | None = None

    @property
    def comment(self) -> str:
        """The comment with its semicolon, or the empty string."""
        at = self.text.find(COMMENT)
        return "" if at < 0 else self.text[at:].rstrip()

    @property
    def content(self) -> Span:
        """From the first to the last sign of the entries; the number when nothing follows it."""
        start = self.number_span[1]
        rest = self.text[start : self.end]
        start += len(rest) - len(rest.lstrip())
        return (start, self.end) if start < self.end else self.number_span


class NumberedTurn(NamedTuple):
    """A turn's line with its place in the game.

    Attributes:
        line: the line itself.
        at: its number in the file, from 1.
        number: the turn it is, by SPEC 3's `turn-number`.
        misnumbered: the written number is another one.
        missing: how many turns the blank lines right before it stand for.
        blanks: the numbers in the file of all blank lines since the turn before.
    """

    line: Line
    at: int
    number: int
    misnumbered: bool
    missing: int
    blanks: tuple[int, ...]


class Transcript(NamedTuple):
    """A game as written: who went first, and every line."""

    first: Player
    lines: tuple[Line, ...]

    def turns(self) -> Iterator[NumberedTurn]:
        """The turns in order, each with its number: blank lines are missing turns where the next number says so."""
        number = 0
        blanks: list[int] = []
        run = 0  # the blank lines right before this line; comments between do not matter
        for at, line in enumerate(self.lines, 1):
            if line.kind == "turn":
                number += 1
                written = line.number
                missing = 0
                if run and written == number + run:
                    missing = run
                    number = written
                wrong = written is not None and written != number
                yield NumberedTurn(line, at, number, wrong, missing, tuple(blanks))
                run = 0
                blanks.clear()
            elif line.kind == "blank":
                if number:
                    run += 1
                    blanks.append(at)
            elif line.kind != "comment":
                run = 0


def parse(text: str, *, swaps: bool = True) -> Transcript:
    """Read a whole transcript. Never raises on any text; `swaps` is False where the ruleset has none.

    >>> parse("first: they\\nA'4\\n").first
    'THEY'
    """
    first: Player = "WE"
    lines = []
    open_to_header = True
    for raw in split_lines(text):
        line = parse_line(raw, swaps=swaps)
        if line.kind == "turn":
            open_to_header = False
        elif line.kind == "header":
            if open_to_header and line.first is not None:
                first = line.first
                open_to_header = False
            else:
                line = line._replace(kind="bad-header")
        lines.append(line)
    return Transcript(first, tuple(lines))


def parse_turn(text: str, *, swaps: bool = True) -> Turn:
    """Read one turn, with or without its number. Text that is no turn gives a faulty turn without entries.

    >>> parse_turn("A4 -A1 (+B'3)").text
    "A4 -A1 (+B'3)"
    >>> parse_turn("3| ..")
    Turn(entries=(), faulty=False)
    >>> parse_turn("A04 B5")
    Turn(entries=(Entry(moves=(Move(action='', die='B', value=5, other=None),), reaction=False),), faulty=True)
    """
    require_text(text)
    return parse_line(text, swaps=swaps).turn or Turn(faulty=True)


def format_turn(turn: Turn) -> str:
    """The plain form: entries parted by one space, ``..`` for a pass. What did not parse is left out.

    >>> format_turn(parse_turn("a 4xB’"))
    "A4 xB'"
    """
    return " ".join([entry.text for entry in turn.entries]) or ("" if turn.faulty else "..")


def parse_line(line: str, *, swaps: bool = True) -> Line:
    """Read one line by itself: whether a header is late or second only `parse` can know."""
    body = line.partition(COMMENT)[0].rstrip()
    if not body:
        return Line("comment" if COMMENT in line else "blank", line)
    folded = fold(body)
    if folded.lstrip()[0] == "F":
        compact = "".join(body.split()).lower()
        if compact.startswith("first"):
            return _header(line, compact, len(body))
    number, number_span, position = None, (0, 0), 0
    prefix = _PREFIX.match(folded)
    if prefix:
        number, position = int(prefix[1]), prefix.end()
        number_span = (prefix.start(1), position)
    passed = _PASS.match(folded, position)
    if passed and passed.end() == len(folded):
        return Line("turn", line, _PASS_TURN, number, number_span, (passed.span(1),), None, len(folded))
    entries, spans, fault = _entries(folded, position, _WITH_SWAPS if swaps else _WITHOUT_SWAPS)
    if not entries and fault is None:
        fault = number_span
    turn = Turn(tuple(entries), fault is not None)
    return Line("turn", line, turn, number, number_span, tuple(spans), fault, len(folded))


_PASS_TURN = Turn()
_HEADERS: dict[str, Player] = {"first:we": "WE", "first:they": "THEY"}


def _header(line: str, compact: str, end: int) -> Line:
    start = len(line) - len(line.lstrip())
    first = _HEADERS.get(compact)
    return Line("header", line, spans=((start, end),), end=end, first=first)


def _entries(folded: str, position: int, grammar: _Grammar) -> tuple[list[Entry], list[Span], Span | None]:
    """The entries from `position` on, where their moves stand, and where the first fault stands."""
    entries: list[Entry] = []
    spans: list[Span] = []
    fault: Span | None = None
    match_entry = grammar.entry.match
    end = len(folded)
    while position < end:
        found = match_entry(folded, position)
        if found is None:
            start = _TEXT.search(folded, position).start()  # type: ignore[union-attr]  # the line ends in text
            found = grammar.resume.search(folded, start + 1)
            if fault is None:
                stop = end if found is None else found.start()
                fault = (start, start + len(folded[start:stop].rstrip()))
            if found is None:
                break
        position = found.end()
        span = found.span(1)
        if span[0] >= 0:
            entries.append(_entry(found[1]))
            spans.append(span)
        else:
            inside = list(grammar.move.finditer(folded, *found.span(2)))
            entries.append(Entry(tuple([_entry(move[0]).moves[0] for move in inside]), reaction=True))
            spans.extend([move.span() for move in inside])
    return entries, spans, fault


def _entry(text: str) -> Entry:
    # Long texts are not remembered: white space inside a move can make one as long as the file.
    return _short_entry(text) if len(text) <= 8 else _short_entry.__wrapped__(text)


@lru_cache(maxsize=4096)
def _short_entry(text: str) -> Entry:
    """The entry of one move that the grammar has matched."""
    compact = "".join(text.split())
    if "<" in compact:
        die, _, other = compact.partition("<>")
        return Entry((Move("<>", die, None, other),))
    action = compact[0] if compact[0] in "x+-=~" else ""
    stem = compact.rstrip("0123456789")
    digits = compact[len(stem) :]
    return Entry((Move(action, stem[len(action) :], int(digits) if digits else None),))
