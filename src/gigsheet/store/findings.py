"""What only the whole stack can show: sheets that came twice, one game on two sheets, sheets that are missing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, NamedTuple

from gigsheet.notation.compare import TurnDifference, compare
from gigsheet.store import queries
from gigsheet.store.corrected import result_text
from gigsheet.store.queries import GameResult, SheetRef
from gigsheet.store.store import PrintedSheet, Store

_IN_A_ROW = 3
"""So many turns in a row alike make two games worth comparing."""
_SHARE_ALIKE = 0.6
_CROWD = 20
"""A run of turns that so many games share is no sign of one game: copies of an example, or the emptiest of openings."""
_DIE = re.compile("([A-F])('?)")
_NUMBER = re.compile(r"(.*?)(\d+)$")


def place(round_: str, table: str) -> str:
    """Where people sit, in words; "" where nothing is known of it."""
    return ", ".join(part for part in (round_ and f"round {round_}", table and f"table {table}") if part)


class MarkDifference(NamedTuple):
    """A printed choice that the two have differently; "" where one says nothing."""

    field: Literal["first", "result"]
    text_a: str
    text_b: str


@dataclass(frozen=True, slots=True)
class SameGame:
    """Two sheets that hold one game, and what they have differently (as the first one's side sees it).

    `same_side`: both write the same dice as WE's, though they were printed for two who play against each other.
    """

    a: GameResult
    b: GameResult
    turns: tuple[TurnDifference, ...] = ()
    marks: tuple[MarkDifference, ...] = ()
    same_side: bool = False

    @property
    def differ(self) -> bool:
        return bool(self.turns or self.marks or self.same_side)


class Claim(NamedTuple):
    """A game, and who won it as its sheet has it: a player's name, or ``draw``."""

    game: GameResult
    winner: str


@dataclass(frozen=True, slots=True)
class Disputed:
    """A game of which the two players' sheets name different winners."""

    round: str
    table: str
    game: int
    claims: tuple[Claim, ...]

    @property
    def text(self) -> str:
        """In one line: where, and who won on which sheets."""
        of_several = self.game > 1 or any(claim.game.sheet.template != "single" for claim in self.claims)
        places = (place(self.round, self.table), f"game {self.game}" if of_several else "")
        serials: dict[str, dict[str, None]] = {}
        for game, winner in self.claims:
            serials.setdefault(winner, {})[game.sheet.serial or game.sheet.title] = None
        said = (
            f"{'a draw' if winner == 'draw' else winner} on {' and '.join(sheets)}"
            for winner, sheets in serials.items()
        )
        differ = f"the players' sheets differ in who won: {', '.join(said)}"
        return ": ".join(part for part in (", ".join(part for part in places if part), differ) if part)


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
    disputed: games of which the players' sheets name different winners (only where printed sheets are known).
    unfinished: sheets of a match that nobody has won twice, though two games were played.
    incomplete: tables of which a sheet is missing while another came.
    to_come: printed sheets that have not come.
    unknown: sheets whose serial was not printed for this event (only where printed sheets are known).
    gaps: serials between the first and the last of their batch that have not come (only where none are known).
    """

    duplicates: tuple[tuple[SheetRef, ...], ...] = ()
    same_games: tuple[SameGame, ...] = ()
    disputed: tuple[Disputed, ...] = ()
    unfinished: tuple[SheetRef, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()
    to_come: tuple[PrintedSheet, ...] = ()
    unknown: tuple[SheetRef, ...] = ()
    gaps: tuple[str, ...] = field(default=())

    @property
    def any(self) -> bool:
        """Something to look at; sheets that are merely still to come are not."""
        return bool(self.duplicates or self.same_games_that_differ or self.disputed or self.unfinished or self.unknown)

    @property
    def same_games_that_differ(self) -> tuple[SameGame, ...]:
        return tuple(pair for pair in self.same_games if pair.differ)


def find(store: Store, results: Sequence[GameResult] | None = None) -> Findings:
    """Compares everything in the store with everything else; `results` if they are at hand already."""
    games = [game for game in (queries.results(store) if results is None else results) if game.played]
    sheets = queries.sheets(store, refused=False)
    printed = queries.printed_sheets(store)
    seen = {sheet.serial for sheet in sheets if sheet.serial}
    known = {sheet.serial: sheet for sheet in printed}
    return Findings(
        duplicates=tuple(_duplicates(sheets)),
        same_games=tuple(_same_games(games, known)),
        disputed=tuple(_disputed(games, known)),
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


def _same_games(games: Sequence[GameResult], printed: Mapping[str, PrintedSheet]) -> Iterator[SameGame]:
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
            yield _compared(a, b, rivals=_rivals(printed.get(a.sheet.serial or ""), printed.get(b.sheet.serial or "")))


def _rivals(a: PrintedSheet | None, b: PrintedSheet | None) -> bool:
    """Whether two sheets were printed for the two players of one pairing."""
    return (
        a is not None
        and b is not None
        and (a.event, a.round, a.table, a.we, a.they) == (b.event, b.round, b.table, b.they, b.we)
        and _has_players(a)
    )


def _has_players(sheet: PrintedSheet) -> bool:
    return bool(sheet.we and sheet.they and sheet.we != sheet.they)


def _turns(game: GameResult) -> list[str]:
    return [line.partition("|")[2].strip() for line in _lines(game)]


def _lines(game: GameResult) -> list[str]:
    return [line for line in game.transcript.splitlines() if not line.startswith("first")]


def _compared(a: GameResult, b: GameResult, *, rivals: bool) -> SameGame:
    # With their numbers: without them a row that was left blank and one that cannot be read are the same.
    lines_a, lines_b = _lines(a), _lines(b)
    mirrored = [_flip(line) for line in lines_a]
    turns: tuple[TurnDifference, ...] = ()
    if lines_b in (lines_a, mirrored):  # nearly all; a whole comparison costs a millisecond
        turned = lines_b == mirrored if rivals else lines_b != lines_a  # lines without a die are both
    else:
        found = compare(a.transcript, b.transcript)
        turns, turned = found.turns, found.flipped
    # Of rivals it is known who marks what, whoever's dice either of them wrote as WE's.
    return SameGame(a, b, turns, tuple(_mark_differences(a, b, turned=turned or rivals)), rivals and not turned)


def _mark_differences(a: GameResult, b: GameResult, *, turned: bool) -> Iterator[MarkDifference]:
    """`turned` says that the two sit on opposite sides of the table."""
    other = {"WE": "THEY", "THEY": "WE"} if turned else {}
    firsts = _first(a), other.get(_first(b), _first(b))
    if len(set(firsts)) > 1:
        yield MarkDifference("first", *firsts)
    winner = _winner(b) or ""
    results = result_text(_winner(a), a.also), result_text(other.get(winner, winner), b.also)
    if len(set(results)) > 1:
        yield MarkDifference("result", *results)


def _first(game: GameResult) -> str:
    """Who went first in the game as it stands, also where neither is marked."""
    return "THEY" if game.transcript.startswith("first: THEY") else "WE"


def _winner(game: GameResult) -> str | None:
    """Of the result box, or by the dice where it says nothing."""
    return game.result or game.winner


def _flip(line: str) -> str:
    return _DIE.sub(lambda die: die[1] + ("" if die[2] else "'"), line)


def _disputed(games: Iterable[GameResult], printed: Mapping[str, PrintedSheet]) -> Iterator[Disputed]:
    """Games whose players name different winners on their sheets, whatever else these hold.

    Of a player with several sheets at one table nobody knows which game of the other's each of them holds. So what is
    compared is how often each name is the winner, once either player's sheets are as many.
    """
    pairings: dict[tuple[str, str, str, tuple[str, ...], int], list[tuple[PrintedSheet, Claim]]] = defaultdict(list)
    for game in games:
        sheet = printed.get(game.sheet.serial or "")
        winner = _winner(game)
        if sheet is not None and winner and _has_players(sheet):
            players = tuple(sorted((sheet.we, sheet.they)))
            claim = Claim(game, {"WE": sheet.we, "THEY": sheet.they}.get(winner, winner))
            pairings[sheet.event, sheet.round, sheet.table, players, game.game].append((sheet, claim))
    for (_, round_, table, players, number), claims in pairings.items():
        # Each sheet's words once, though it may have been photographed twice.
        said = [{(sheet.serial, claim.winner) for sheet, claim in claims if sheet.we == player} for player in players]
        many = {len({serial for serial, _ in words}) for words in said}
        won = {tuple(sorted(winner for _, winner in words)) for words in said}
        if len(many) == 1 and len(won) > 1:
            yield Disputed(round_, table, number, tuple(claim for _, claim in claims))


def _unfinished(games: Sequence[GameResult]) -> Iterator[SheetRef]:
    by_sheet: dict[SheetRef, list[GameResult]] = defaultdict(list)
    for game in games:
        if game.sheet.template == "match":
            by_sheet[game.sheet].append(game)
    for sheet, played in by_sheet.items():
        winners = [_winner(game) for game in played]
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
