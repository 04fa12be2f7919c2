"""Puts a game together again from its rows and lets the checker judge it, after somebody settled an entry."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from gigsheet.decode.choices import contradicts
from gigsheet.decode.doubt import OF_INK
from gigsheet.decode.transcript import is_continued, texts_of, write
from gigsheet.notation.check import Diagnostic
from gigsheet.records import ChoiceReading, GameReading, MarkFlag, RowFlag, RowReading


def rechecked(game: GameReading, settled: Set[str | int]) -> GameReading:
    """The game with transcript, check, and the flags that depend on the whole game (`illegal`, `result-mismatch`).

    Args:
        settled: which of its entries people settled: a row by its turn, a choice by ``first`` or ``result``.
    """
    if not game.rows:
        return replace(game, transcript="", check=None)
    first = game.first.value or (game.check["first"] if game.check else "WE")
    ruleset = game.check["ruleset"] if game.check else "cr"
    sheet = write(texts_of(game.rows), is_continued(game.rows), first, ruleset)
    changed = sheet.transcript != game.transcript
    rows = tuple(_judged(row, sheet.errors(place), changed) for place, row in enumerate(game.rows))
    result = game.result if "result" in settled else _against(game.result, sheet.report.outcome.winner)
    return replace(game, rows=rows, result=result, transcript=sheet.transcript, check=sheet.report.to_dict())


def _judged(row: RowReading, errors: Sequence[Diagnostic], changed: bool) -> RowReading:
    others: tuple[RowFlag, ...] = tuple(flag for flag in row.flags if flag != "illegal")
    flags: tuple[RowFlag, ...] = (*others, "illegal") if errors else others
    if flags == row.flags and not (changed and row.why):
        return row
    # What the rules said of the row was said of the game as it was read. What the ink says holds in any game.
    of_ink = [said for said in row.why if said.startswith(OF_INK)]
    return replace(row, flags=flags, why=(*of_ink, *(error.message for error in errors)))


def _against(result: ChoiceReading, winner: str | None) -> ChoiceReading:
    others: tuple[MarkFlag, ...] = tuple(flag for flag in result.flags if flag != "result-mismatch")
    if result.value is not None and "unmarked" not in others and contradicts(result.value, winner, result.also):
        others = (*others, "result-mismatch")
    return replace(result, flags=others)
