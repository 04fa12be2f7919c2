"""What a player may have meant by a turn that the checker refuses.

The board as written goes on from the slip; the board on the table goes on from what was meant, and the rows that follow
are written from that one. The lattice follows both. What was meant is one slip away: another sign, prime, die or value,
or a roll that was left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from gigsheet.notation.check import play_turn
from gigsheet.notation.rules import SIDES, State
from gigsheet.notation.syntax import Entry, Move, Turn

MOST = 12
"""So many different boards are followed at most."""
_OPPOSITE = {"+": "-", "-": "+"}


def intended(state: State, turn: Turn) -> list[State]:
    """The states after the legal turns that are one slip away from `turn`, at most `MOST` different ones.

    Args:
        state: the state at the start of the turn.
        turn: as it was written, refused by the checker.
    """
    found: dict[State, None] = {}
    for other in _meant(state, turn):
        after, codes = play_turn(state, other)
        if not codes:
            found[after] = None
        if len(found) == MOST:
            break
    return list(found)


def _meant(state: State, turn: Turn) -> Iterator[Turn]:
    for k, (moves, reaction) in enumerate(turn.entries):
        for m, move in enumerate(moves):
            for other in _misread(move):
                entry = Entry((*moves[:m], other, *moves[m + 1 :]), reaction)
                yield Turn((*turn.entries[:k], entry, *turn.entries[k + 1 :]))
    for die in state.fixer(state.actor):
        yield Turn((Entry((Move("", die, (SIDES[die] + 1) // 2),)), *turn.entries))


def _misread(move: Move) -> Iterator[Move]:
    """The moves that may become `move` by one slip; of values only a low, a middle and a high one."""
    if move.action in _OPPOSITE:
        yield move._replace(action=_OPPOSITE[move.action])
    if move.action != "<>":
        yield move._replace(die=move.die[0] if move.die[1:] else move.die + "'")
    if move.value is not None:
        sides = SIDES[move.die]
        yield from (move._replace(value=value) for value in ((sides + 1) // 2, 1, sides))
    yield from (move._replace(die=letter + move.die[1:]) for letter in "ABCDEF" if letter != move.die[0])
