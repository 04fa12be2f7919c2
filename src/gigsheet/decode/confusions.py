"""Which characters a hand confuses: what stands in doubt in one row counts against the same character in the others.

A net is certain and wrong where a hand's 5 looks like everybody's 8. But in some other row the ink will be less sure,
or the rules will have settled it: there an 8 was near that is a 5. Then no 8 of this hand is beyond doubt.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from gigsheet.decode.candidates import Candidate

FAR_NATS = -12.0
"""Stands for no rival at all: farther behind than the beam keeps any."""

MOST_NATS = 3.0
"""The ink of one row cannot say more than this against another."""

About = TypeVar("About")
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
    longer = len(rival) - len(chosen)
    if not -1 <= longer <= 1 or chosen == rival:
        return None
    start = 0
    for a, b in zip(chosen, rival, strict=False):
        if a != b:
            break
        start += 1
    if chosen[start + (longer <= 0) :] != rival[start + (longer >= 0) :]:
        return None
    return chosen[start : start + (longer <= 0)], rival[start : start + (longer >= 0)]


def confusions(rows: Sequence[tuple[Sequence[Candidate], int]]) -> list[Confusion]:
    """How doubtful the characters of each row are by what the other rows show.

    Args:
        rows: all rows of one sheet: the candidates, and which of them was chosen; one may have none.
    """
    contending = [edits(row, place) if row else {} for row, place in rows]
    found = [(*edit, nats, number) for number, own in enumerate(contending) for edit, nats in own.items()]
    passed_over = _Nearest((rival, nats, number) for _, rival, nats, number in found)
    challenged = _Nearest((chosen, nats, number) for chosen, _, nats, number in found)
    same = _Nearest(((chosen, rival), nats, number) for chosen, rival, nats, number in found)
    told = []
    for number, ((row, place), own) in enumerate(zip(rows, contending, strict=True)):
        characters = set(row[place].raw) if row else set()
        told.append(
            Confusion(
                max((passed_over.but(number, char) for char in characters), default=FAR_NATS),
                max((challenged.but(number, char) for char in characters), default=FAR_NATS),
                max((here + same.but(number, (d, c)) for (c, d), here in own.items()), default=2 * FAR_NATS),
                max((here + same.but(number, (c, d)) for (c, d), here in own.items()), default=2 * FAR_NATS),
            )
        )
    return told


class _Nearest(Generic[About]):
    """The most nats that any row but one has about something, `MOST_NATS` at most.

    Args:
        found: (what it is about, nats, row).
    """

    def __init__(self, found: Iterable[tuple[About, float, int]]) -> None:
        self._found: dict[About, list[tuple[float, int]]] = defaultdict(list)
        for about, nats, row in found:
            self._found[about].append((nats, row))
        for nearest in self._found.values():
            nearest.sort(reverse=True)

    def but(self, left_out: int, about: About) -> float:
        """Of all rows but one."""
        for nats, row in self._found.get(about, ()):
            if row != left_out:
                return min(nats, MOST_NATS)
        return FAR_NATS
