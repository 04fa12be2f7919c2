"""What the dice make likelier among texts that the rules allow: a die lowered from 3 shows 1 or 2, rerolled any value.

So `-C2` and `~C2` are not alike after C stood at 3: of the values that the first may write, 2 is every second one, of
those of the second every eighth. Nothing is assumed here of how often players do what.
"""

from __future__ import annotations

from math import log

from gigsheet.notation.rules import SIDES, State
from gigsheet.notation.syntax import Turn

USUAL_NATS = 0.83
"""What an increment or decrement is given on average: the mean of 16,976 in 5,000 simulated games."""


def chance(state: State, turn: Turn) -> float:
    """How many nats likelier the values of a legal turn are than if every die could show any of its sides.

    Args:
        state: the state at the start of the turn.
        turn: one that the checker takes there.

    >>> from gigsheet.notation.syntax import parse_turn
    >>> round(chance(State.start(), parse_turn("C3 -C2")), 2)  # one value of two instead of one of eight
    1.39
    """
    nats = 0.0
    shown: dict[str, int | None] = {}
    for moves, _ in turn.entries:
        for move in moves:
            action, die, value = move.action, move.die, move.value
            if action == "+" or action == "-":
                now = (shown[die] if die in shown else state.value(die)) or 0
                sides = SIDES[die]
                nats += log(sides / (sides - now if action == "+" else now - 1))
            if value is not None:  # on a steal it is the value that the die has
                shown[die] = value
    return nats


def usual_chance(turn: Turn) -> float:
    """The same on average for a turn with these moves, whatever its values: for one that the checker refuses."""
    return USUAL_NATS * sum([move.action in ("+", "-") for moves, _ in turn.entries for move in moves])
