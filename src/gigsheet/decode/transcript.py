"""Rows put together to a transcript, and the checker's report on it, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gigsheet.notation.check import Diagnostic, Report, check

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
        texts: each row's text; "" for a blank row, which is a missing turn; `UNREADABLE`.
        continued: for each row whether it holds the rest of the turn before it.
        first: who went first.
        ruleset: its name.
    """
    lines = [f"first: {first}"]
    places = []
    turn = 0
    for text, more in zip(texts, continued, strict=True):
        if more and turn:
            lines[-1] += f" {text or ''}".rstrip()
        else:
            turn += 1
            lines.append("" if text == "" else f"{turn}| {text or ''}".rstrip())
        places.append(len(lines))
    while lines[-1] == "":
        lines.pop()
    transcript = "\n".join(lines) + "\n"
    return Written(transcript, check(transcript, ruleset=ruleset), tuple(places))
