"""What only the whole stack can show: sheets that came twice, one game on two sheets, sheets that are missing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from gigsheet.notation.compare import TurnDifference, compare
from gigsheet.store import queries
from gigsheet.store.queries import GameResult, SheetRef
from gigsheet.store.store import PrintedSheet, Store

_IN_A_ROW = 3
"""So many turns in a row alike make two games worth comparing."""
_SHARE_ALIKE = 0.6
_CROWD = 20
"""A run of turns that so many games share is no sign of one game: copies of an example, or the emptiest of openings."""
_DIE = re.compile("([A-F])('?)")
_NUMBER = re.compile(r"(.*?)(\d+)$")


@dataclass(frozen=True, slots=True)
class SameGame:
    """Two sheets that hold one game, and the turns that they have differently (as the first one's side sees them)."""

    a: GameResult
    b: GameResult
    differences: tuple[TurnDifference, ...]


@dataclass(frozen=True, slots=True)
class Incomplete:
    """A table of a round of which some sheets came and others did not."""

    round: str
    table: str
    came: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """Attributes:
    duplicates: sheets with one serial, two or more of them.
    same_games: pairs of sheets, not duplicates, that hold one game.
    unfinished: sheets of a match that nobody has won twice, though two games were played.
    incomplete: tables of which a sheet is missing while another came.
    to_come: printed sheets that have not come.
    unknown: sheets whose serial was not printed for this event (only where printed sheets are known).
    gaps: serials between the first and the last of their batch that have not come (only where none are known).
    """

    duplicates: tuple[tuple[SheetRef, ...], ...] = ()
    same_games: tuple[SameGame, ...] = ()
    unfinished: tuple[SheetRef, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()
    to_come: tuple[PrintedSheet, ...] = ()
    unknown: tuple[SheetRef, ...] = ()
    gaps: tuple[str, ...] = field(default=())

    @property
    def any(self) -> bool:
        """Something to look at; sheets that are merely still to come are not."""
        return bool(self.duplicates or self.same_games_that_differ or self.unfinished or self.unknown)

    @property
    def same_games_that_differ(self) -> tuple[SameGame, ...]:
        return tuple(pair for pair in self.same_games if pair.differences)


def find(store: Store, results: Sequence[GameResult] | None = None) -> Findings:
    """Compares everything in the store with everything else; `results` if they are at hand already."""
    games = [game for game in (queries.results(store) if results is None else results) if game.played]
    sheets = queries.sheets(store, refused=False)
    printed = queries.printed_sheets(store)
    seen = {sheet.serial for sheet in sheets if sheet.serial}
    known = {sheet.serial for sheet in printed}
    return Findings(
        duplicates=tuple(_duplicates(sheets)),
        same_games=tuple(_same_games(games)),
        unfinished=tuple(_unfinished(games)),
        incomplete=tuple(_incomplete(printed, seen)),
        to_come=tuple(sheet for sheet in printed if sheet.serial not in seen),
        unknown=tuple(sheet for sheet in sheets if known and sheet.serial and sheet.serial not in known),
        gaps=() if known else tuple(_gaps(seen)),
    )


def _duplicates(sheets: Iterable[SheetRef]) -> Iterator[tuple[SheetRef, ...]]:
    by_serial: dict[str, list[SheetRef]] = defaultdict(list)
    for sheet in sheets:
        if sheet.serial:
            by_serial[sheet.serial].append(sheet)
    return (tuple(same) for same in by_serial.values() if len(same) > 1)


def _same_games(games: Sequence[GameResult]) -> Iterator[SameGame]:
    """Pairs of games that are alike whichever side of the table wrote them: without primes both sides read the same."""
    turns = [_turns(game) for game in games]
    by_run: dict[tuple[int, str], list[int]] = defaultdict(list)
    for place, lines in enumerate(turns):
        for start in range(len(lines) - _IN_A_ROW + 1):
            by_run[start, "/".join(lines[start : start + _IN_A_ROW]).replace("'", "")].append(place)
    pairs = {pair for places in by_run.values() if len(places) <= _CROWD for pair in combinations(places, 2)}
    for i, j in sorted(pairs):
        a, b = games[i], games[j]
        if a.sheet.serial and a.sheet.serial == b.sheet.serial:
            continue
        alike = sum(x.replace("'", "") == y.replace("'", "") for x, y in zip(turns[i], turns[j], strict=False))
        if alike >= _SHARE_ALIKE * max(len(turns[i]), len(turns[j])):
            yield SameGame(a, b, _differences(a, b))


def _turns(game: GameResult) -> list[str]:
    return [line.partition("|")[2].strip() for line in _lines(game)]


def _lines(game: GameResult) -> list[str]:
    return [line for line in game.transcript.splitlines() if not line.startswith("first")]


def _differences(a: GameResult, b: GameResult) -> tuple[TurnDifference, ...]:
    # With their numbers: without them a row that was left blank and one that cannot be read are the same.
    if _lines(b) in (_lines(a), [_flip(line) for line in _lines(a)]):
        return ()  # nearly all pairs; a whole comparison costs a millisecond
    return compare(a.transcript, b.transcript).turns


def _flip(line: str) -> str:
    return _DIE.sub(lambda die: die[1] + ("" if die[2] else "'"), line)


def _unfinished(games: Sequence[GameResult]) -> Iterator[SheetRef]:
    by_sheet: dict[SheetRef, list[GameResult]] = defaultdict(list)
    for game in games:
        if game.sheet.template == "match":
            by_sheet[game.sheet].append(game)
    for sheet, played in by_sheet.items():
        winners = [game.result or game.winner for game in played]
        if len(played) == 2 and sorted(w or "" for w in winners) == ["THEY", "WE"]:
            yield sheet


def _incomplete(printed: Iterable[PrintedSheet], seen: set[str]) -> Iterator[Incomplete]:
    tables: dict[tuple[str, str], list[str]] = defaultdict(list)
    for sheet in printed:
        if sheet.table:
            tables[sheet.round, sheet.table].append(sheet.serial)
    for (round_, table), serials in tables.items():
        came = tuple(serial for serial in serials if serial in seen)
        missing = tuple(serial for serial in serials if serial not in seen)
        if came and missing:
            yield Incomplete(round_, table, came, missing)


def _gaps(seen: Iterable[str]) -> Iterator[str]:
    batches: dict[str, set[str]] = defaultdict(set)
    for serial in seen:
        if found := _NUMBER.fullmatch(serial):
            batches[found[1]].add(found[2])
    for batch, numbers in sorted(batches.items()):
        values = {int(number) for number in numbers}
        width = min(len(number) for number in numbers)
        if max(values) - min(values) < 2 * len(values):  # else the serials are too far apart to have lain in one stack
            yield from (f"{batch}{k:0{width}}" for k in range(min(values), max(values)) if k not in values)
