"""Rows put together to a transcript, and the checker's report on it, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gigsheet.notation.check import Diagnostic, Report, check
from gigsheet.records import RowReading

UNREADABLE = None
"""Stands for the text of a row that has ink and cannot be read."""


@dataclass(frozen=True, slots=True)
class Written:
    """A transcript and what the checker makes of it.

    Attributes:
        transcript: as SPEC 6 has it.
        report: the checker's.
        lines: for each row the number of its line in the transcript; a continued row has the line it continues.
    """

    transcript: str
    report: Report
    lines: tuple[int, ...]

    def errors(self, row: int) -> list[Diagnostic]:
        """What the checker refuses in one row (a row that is continued, or continues another, answers for both)."""
        line = self.lines[row]
        return [d for d in self.report.diagnostics if d.line == line and d.severity == "error" and d.turn is not None]


def write(texts: Sequence[str | None], continued: Sequence[bool], first: str, ruleset: str) -> Written:
    """Put a game's rows together and check them.

    Args:
        texts: each row's text; "" for a blank row, which is a missing turn (but before the first turn, where SPEC 3
            counts none); `UNREADABLE`.
        continued: for each row whether it holds the rest of the turn before it.
        first: who went first.
        ruleset: its name.
    """
    lines, places = _put_together(texts, continued, first)
    transcript = "\n".join(lines) + "\n"
    return Written(transcript, check(transcript, ruleset=ruleset), places)


def texts_of(rows: Iterable[RowReading]) -> list[str | None]:
    """The texts of rows as `write` takes them."""
    return [UNREADABLE if "unreadable" in row.flags and not row.text else row.text for row in rows]


def is_continued(rows: Iterable[RowReading]) -> list[bool]:
    """Which rows hold the rest of the turn before them, as `write` takes it."""
    return ["continued" in row.flags for row in rows]


def lines_of(rows: Sequence[RowReading]) -> tuple[int, ...]:
    """For each row of a reading the number of its line in the transcript, by which the checker's report names it.

    It is no row's number: what is continued, and blank rows at the top, shift the lines against the rows.
    """
    return _put_together(texts_of(rows), is_continued(rows), "WE")[1]


def _put_together(
    texts: Sequence[str | None], continued: Sequence[bool], first: str
) -> tuple[list[str], tuple[int, ...]]:
    lines = [f"first: {first}"]
    places = []
    turn = 0
    for text, more in zip(texts, continued, strict=True):
        if more and turn:
            lines[-1] += f" {text or ''}".rstrip()
        else:
            turn += bool(turn) or text != ""
            lines.append("" if text == "" else f"{turn}| {text or ''}".rstrip())
        places.append(len(lines))
    while lines[-1] == "":
        lines.pop()
    return lines, tuple(places)
