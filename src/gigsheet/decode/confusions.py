"""Which characters a hand confuses: what stands in doubt in one row counts against the same character in the others.

A net is certain and wrong where a hand's 5 looks like everybody's 8. But in some other row the ink will be less sure,
or the rules will have settled it: there an 8 was near that is a 5. Then no 8 of this hand is beyond doubt.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from gigsheet.decode.candidates import Candidate

FAR_NATS = -12.0
"""Stands for no rival at all; the beam drops what is about as far behind."""

MOST_NATS = 3.0
"""The ink of one row cannot say more than this against another."""

Edit = tuple[str, str]
"""A character that was chosen, and the one that a rival text has in its place ("" for none)."""


class Confusion(NamedTuple):
    """How near the ink of a sheet's other rows comes to confusing one of this row's characters, in nats.

    Attributes:
        passed_over: where another character was chosen, how much more the ink had for one that this row has.
        challenged: where one that this row has was chosen, how much more the ink had for another.
        same_passed_over, same_challenged: the same of two characters that contend in this row as well, and added to it
            how much more the ink has here for the one that was not chosen.
    """

    passed_over: float
    challenged: float
    same_passed_over: float
    same_challenged: float


def edits(row: Sequence[Candidate], place: int) -> dict[Edit, float]:
    """The rivals of a row's chosen text that differ in one character: by edit, how much more ink the nearest has."""
    chosen = row[place]
    found: dict[Edit, float] = {}
    for k, rival in enumerate(row):
        edit = None if k == place else _edit(chosen.raw, rival.raw)
        if edit is not None:
            found[edit] = max(found.get(edit, FAR_NATS), rival.ink - chosen.ink)
    return found


def _edit(chosen: str, rival: str) -> Edit | None:
    """What two texts differ in, if it is one character."""
    shorter = min(len(chosen), len(rival))
    if max(len(chosen), len(rival)) > shorter + 1:
        return None
    start = next((k for k in range(shorter) if chosen[k] != rival[k]), shorter)
    end = next((k for k in range(shorter - start) if chosen[-1 - k] != rival[-1 - k]), shorter - start)
    edit = chosen[start : len(chosen) - end], rival[start : len(rival) - end]
    return edit if max(map(len, edit)) == 1 else None


def confusions(rows: Sequence[tuple[Sequence[Candidate], int]]) -> list[Confusion]:
    """How doubtful the characters of each row are by what the other rows show.

    Args:
        rows: all rows of one sheet: the candidates, and which of them was chosen; one may have none.
    """
    contending = [edits(row, place) if row else {} for row, place in rows]
    passed_over, challenged, same = _Known(), _Known(), _Known()
    for number, found in enumerate(contending):
        for (chosen, rival), nats in found.items():
            passed_over.add(rival, nats, number)
            challenged.add(chosen, nats, number)
            same.add((chosen, rival), nats, number)
    told = []
    for number, ((row, place), own) in enumerate(zip(rows, contending, strict=True)):
        characters = set(row[place].raw) if row else set()
        told.append(
            Confusion(
                max((passed_over.nearest(char, number) for char in characters), default=FAR_NATS),
                max((challenged.nearest(char, number) for char in characters), default=FAR_NATS),
                max((here + same.nearest((d, c), number) for (c, d), here in own.items()), default=2 * FAR_NATS),
                max((here + same.nearest((c, d), number) for (c, d), here in own.items()), default=2 * FAR_NATS),
            )
        )
    return told


class _Known:
    """What was found in the rows of a sheet, by what it is about: nats, and the row."""

    def __init__(self) -> None:
        self._found: dict[str | Edit, list[tuple[float, int]]] = defaultdict(list)

    def add(self, about: str | Edit, nats: float, row: int) -> None:
        self._found[about].append((nats, row))

    def nearest(self, about: str | Edit, but: int) -> float:
        """The most nats that any row but one has, `MOST_NATS` at most."""
        nats = max((nats for nats, row in self._found.get(about, ()) if row != but), default=FAR_NATS)
        return min(nats, MOST_NATS)
