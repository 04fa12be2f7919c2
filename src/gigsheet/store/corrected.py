"""A reading with its corrections applied: what holds now, what is still open, how the game ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from gigsheet.records import (
    ENDINGS,
    WINNERS,
    Alternative,
    ChoiceReading,
    GameReading,
    RowFlag,
    RowReading,
    SheetReading,
)

Field = Literal["page", "first", "row", "result"]
"""What a person can settle: the page as a whole, a printed choice, or a row."""

_RANK_OF_RESULT = 10_000


@dataclass(frozen=True, slots=True)
class Spot:
    """Where on a sheet an entry stands. `game` is 0 for the page, `turn` 0 for all but a row."""

    game: int
    field: Field
    turn: int = 0

    @property
    def rank(self) -> int:
        """Sorts the entries of one game from the top of the sheet to its bottom."""
        return {"page": -1, "first": 0, "row": self.turn, "result": _RANK_OF_RESULT}[self.field]

    @property
    def title(self) -> str:
        """As people call it: ``turn 5``, ``first``, ``result``, ``page``."""
        return f"turn {self.turn}" if self.field == "row" else self.field


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing on a sheet that was read, and whether somebody should look at it.

    `text` is a row's text, a choice's value with its further marks (``WE, concession``), or None. `why` says in
    sentences why it is flagged, as far as that is known; `alternatives` are its other texts, likeliest first.
    """

    spot: Spot
    text: str | None
    confidence: float
    flags: tuple[str, ...] = ()
    settled: bool = False
    why: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()

    @property
    def open(self) -> bool:
        return bool(self.flags) and not self.settled


@dataclass(frozen=True, slots=True)
class Corrected:
    """A sheet as it stands now, and its entries in the order of the page."""

    reading: SheetReading
    entries: tuple[Entry, ...]


def corrected(reading: SheetReading, corrections: dict[Spot, str | None]) -> Corrected:
    """Applies what people settled; every game that was touched is put together and checked anew.

    Rows that nobody settled keep their text and their confidence; only `illegal` and `result-mismatch`, which depend on
    the whole game, are judged again.
    """
    games = tuple(_corrected_game(game, corrections) for game in reading.games)
    now = replace(reading, games=games)
    return Corrected(now, tuple(_entries(now, set(corrections))))


def result_text(value: str | None, also: Iterable[str] = ()) -> str:
    """A result box as one text: ``WE``, ``draw, time``, or nothing."""
    return ", ".join(([value] if value else []) + list(also))


def parse_result(text: str | None) -> tuple[str | None, tuple[str, ...]]:
    """The inverse of `result_text`, in any case and with commas or spaces between.

    Raises:
        ValueError: a word is no result mark, or two results are named.
    """
    words = [_mark(word) for word in (text or "").replace(",", " ").split()]
    winners = [word for word in words if word in WINNERS]
    if len(winners) > 1:
        raise ValueError(f"only one of {', '.join(WINNERS)} can be the result")
    return (winners[0] if winners else None), tuple(word for word in ENDINGS if word in words)


def _mark(word: str) -> str:
    for known in (*WINNERS, *ENDINGS):
        if word.lower() == known.lower():
            return known
    raise ValueError(f"{word!r} is no mark of the result box; it has {', '.join((*WINNERS, *ENDINGS))}")


def _corrected_game(game: GameReading, corrections: dict[Spot, str | None]) -> GameReading:
    mine = {spot: text for spot, text in corrections.items() if spot.game == game.game}
    if not mine:
        return game
    rows = {row.turn: row for row in game.rows}
    first, result = game.first, game.result
    for spot, text in mine.items():
        if spot.field == "row":
            rows[spot.turn] = _settled_row(rows.get(spot.turn), spot.turn, text or "")
        elif spot.field == "first":
            first = ChoiceReading(text or None, 1.0)
        elif spot.field == "result":
            value, also = parse_result(text)
            result = ChoiceReading(value, 1.0, also=also)
    from gigsheet.store.recheck import rechecked  # it loads the decoder, which an event without corrections never needs

    settled = {spot.turn if spot.field == "row" else spot.field for spot in mine}
    return rechecked(replace(game, first=first, result=result, rows=_without_tail(rows)), settled)


def _settled_row(row: RowReading | None, turn: int, text: str) -> RowReading:
    if row is None:
        return RowReading(turn, text, 1.0)
    kept: tuple[RowFlag, ...] = ("continued",) if "continued" in row.flags else ()
    return replace(row, text=text, confidence=1.0, flags=kept, alternatives=(), why=())


def _without_tail(rows: dict[int, RowReading]) -> tuple[RowReading, ...]:
    """The rows in order up to the last that holds something; blank ones above one that was added are looked at."""
    written = [turn for turn, row in rows.items() if row.text or row.flags]
    last = max(written, default=0)
    return tuple(rows.get(turn, RowReading(turn, "", 1.0, ("blank-row",))) for turn in range(1, last + 1))


def _entries(reading: SheetReading, settled: set[Spot]) -> Iterable[Entry]:
    """What was read, and what was settled though nothing is read there (any more): an answer is never out of sight."""
    page = Spot(0, "page")
    if reading.flags or page in settled:
        yield Entry(page, None, 1.0, reading.flags, page in settled)
    for game in reading.games:
        first, result = Spot(game.game, "first"), Spot(game.game, "result")
        yield Entry(first, game.first.value, game.first.confidence, game.first.flags, first in settled)
        for row in game.rows:
            spot = Spot(game.game, "row", row.turn)
            yield Entry(spot, row.text, row.confidence, row.flags, spot in settled, row.why, row.alternatives)
        last = len(game.rows)
        below = (spot for spot in settled if (spot.game, spot.field) == (game.game, "row") and spot.turn > last)
        yield from (Entry(spot, "", 1.0, settled=True) for spot in sorted(below, key=lambda spot: spot.turn))
        text = result_text(game.result.value, game.result.also)
        yield Entry(result, text or None, game.result.confidence, game.result.flags, result in settled)
