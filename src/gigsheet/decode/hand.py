"""The writer is one person for the whole sheet: what the rules settle in one row teaches the others.

All games of a sheet are deciphered; the rows that are settled say how this hand makes its characters, the engine's
scores are corrected by that, and the games are deciphered once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gigsheet.decode.candidates import Candidate, RowInput, candidates
from gigsheet.decode.decipher import Deciphered, decipher
from gigsheet.decode.prices import Prices
from gigsheet.recognise.adapt import adapted
from gigsheet.records import Mark

SETTLED = 0.95
"""Rows whose text has this share of all games teach."""
DOUBTFUL = 0.995
"""Where every row's text has this share there is nothing to be learned for, and the time is saved."""


@dataclass(frozen=True, slots=True, eq=False)
class GameInput:
    """What the stages before know of one game: its rows up to the last one with ink, and its marks."""

    game: int
    rows: tuple[RowInput, ...]
    marks: tuple[Mark, ...]

    @classmethod
    def of(cls, rows: Sequence[RowInput], marks: Sequence[Mark], game: int = 1) -> GameInput:
        """A game from all its rows, those after the last one with ink left out."""
        inked = 1 + max((k for k, row in enumerate(rows) if row.glyphs is not None), default=-1)
        return cls(game, tuple(rows[:inked]), tuple(marks))


def decipher_sheet(
    games: Sequence[GameInput],
    listed: Sequence[Sequence[Sequence[Candidate]]],
    prices: Prices,
    *,
    rules: bool = True,
    ruleset: str = "cr",
) -> list[tuple[GameInput, Deciphered]]:
    """Every game of a sheet, read with what the sheet itself says of its writer.

    Args:
        games: the sheet's games that somebody played.
        listed: for each game each row's candidates.
        prices, rules, ruleset: as `decipher` takes them.

    Returns:
        For each game its input, with the scores corrected if there was reason to, and what was read from it.
    """

    def solve(game: GameInput, rows: Sequence[Sequence[Candidate]]) -> Deciphered:
        return decipher(game.rows, rows, game.marks, prices, rules=rules, ruleset=ruleset)

    found = [(game, solve(game, rows)) for game, rows in zip(games, listed, strict=True)]
    if not rules or not any(_in_doubt(read) for _, read in found):
        return found
    corrected = _corrected(found)
    return [
        (new, read) if new is old else (new, solve(new, candidates(new.rows)))
        for new, (old, read) in zip(corrected, found, strict=True)
    ]


def _share(read: Deciphered, row: int) -> float:
    choice = read.choices[row]
    return choice.probabilities[choice.place] if read.listed[row] else 1.0


def _in_doubt(read: Deciphered) -> bool:
    return any(_share(read, row) < DOUBTFUL for row in range(len(read.listed)))


def _corrected(found: Sequence[tuple[GameInput, Deciphered]]) -> list[GameInput]:
    """The games with their scores adapted to the writer; the very same ones where nothing changes."""
    places, glyphs, texts = [], [], []
    for g, (game, read) in enumerate(found):
        for k, row in enumerate(game.rows):
            if row.glyphs is not None and read.listed[k]:
                settled = _share(read, k) >= SETTLED
                places.append((g, k))
                glyphs.append(row.glyphs)
                texts.append(read.listed[k][read.choices[k].place].raw if settled else None)
    rows = [list(game.rows) for game, _ in found]
    changed = set()
    for (g, k), old, new in zip(places, glyphs, adapted(glyphs, texts), strict=True):
        if new is not old:
            rows[g][k] = replace(rows[g][k], glyphs=new)
            changed.add(g)
    return [replace(game, rows=tuple(rows[g])) if g in changed else game for g, (game, _) in enumerate(found)]
