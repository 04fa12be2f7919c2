"""Random whole games that look played, and slips of the pen in them.

The model is of the table, not of the dice alone: units arrive turn by turn, a raid takes one die and one more for
every ten points of its power, the raider prefers the dice that count most, and now and then a card changes a value
or swaps two dice. A game ends when the rules say so, or at the sheet's last row.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from gigsheet.notation.rewrite import format_transcript
from gigsheet.notation.rules import LETTERS, OTHER, PLAYERS, SIDES, Ruleset, State, apply, end_turn
from gigsheet.notation.syntax import Entry, Line, Move, Player, Transcript, Turn, format_turn

ROWS: Final = 16
SLIP_KINDS: Final = ("sign", "value", "prime", "letter", "drop")
_TRIES: Final = 50


class Slip(NamedTuple):
    """An entry as a player might miswrite it.

    `turn` and `entry` count from 1; `kind` is one of SLIP_KINDS; `written` is "" where the entry was forgotten.
    """

    turn: int
    entry: int
    kind: str
    meant: str
    written: str


class SimulatedGame(NamedTuple):
    """A game, its end state by the rules without the slip, and the slip, if one was asked for and could be made."""

    first: Player
    turns: tuple[Turn, ...]
    final: State
    slip: Slip | None = None

    @property
    def text(self) -> str:
        """The canonical transcript."""
        lines = tuple([Line("turn", "", turn) for turn in self.turns])
        return format_transcript(Transcript(self.first, lines))


class _Player:
    """How one player plays, and what they have on the table."""

    def __init__(self, rng: random.Random) -> None:
        self.aggression = rng.uniform(0.3, 0.9)
        self.tinkering = rng.uniform(0.1, 0.5)
        self.boldness = rng.random()  # the wish for big dice early
        self.growth = rng.uniform(0.5, 1.6)
        self.power = 0.0

    def recruit(self, rng: random.Random) -> None:
        """A turn's units come; now and then the rival has got rid of some."""
        self.power = max(0.0, self.power + rng.gauss(self.growth, 1.2))
        if rng.random() < 0.12:
            self.power *= 0.5

    def raids(self, rng: random.Random, turn: int) -> int:
        """How many dice this turn's raid takes: one, and one for every ten points of power; 0 without a raid."""
        if turn < 3 or rng.random() > self.aggression * min(1.0, turn / 8):
            return 0
        return 1 + int(self.power + rng.expovariate(0.25)) // 10


def simulate_game(
    rng: random.Random, *, ruleset: str | Ruleset = "cr", slips: float = 0.0, rows: int = ROWS
) -> SimulatedGame:
    """One random whole game.

    Args:
        rng: where all chance comes from: the same state gives the same game.
        ruleset: by which it is played; without a slip it checks clean in it.
        slips: the probability, 0..1, that one of its entries is miswritten.
        rows: how many turns there is room for; a game not won by then stays undecided.

    >>> game = simulate_game(random.Random(1))
    >>> len(game.turns) == len(game.text.splitlines()) - 1
    True
    """
    first: Player = rng.choice(PLAYERS)
    state = State.start(first, ruleset)
    players = {player: _Player(rng) for player in PLAYERS}
    turns: list[Turn] = []
    while state.winner is None and len(turns) < rows:
        turn, state = _play_turn(rng, state, players[state.actor])
        turns.append(turn)
        state = end_turn(state)
    slip = None
    if turns and rng.random() < slips:
        slip = _make_slip(rng, turns)
    return SimulatedGame(first, tuple(turns), state, slip)


def _play_turn(rng: random.Random, state: State, player: _Player) -> tuple[Turn, State]:
    entries: list[Entry] = []
    player.recruit(rng)
    plan = ["x"] * player.raids(rng, state.turn)
    tinkering = player.tinkering
    plan += ["change"] * rng.choices([0, 1, 2], [1 - tinkering, tinkering * 0.8, tinkering * 0.2])[0]
    rng.shuffle(plan)
    if state.ruleset.swaps and rng.random() < 0.04:
        plan.append("<>")
    roll = _roll(rng, state, player)
    if roll is not None:
        state = apply(state, roll)
        entries.append(Entry((roll,)))
    for step in plan:
        move = _steal(rng, state) if step == "x" else _swap(rng, state) if step == "<>" else _change(rng, state)
        if move is not None and state.winner is None:
            state = apply(state, move)
            entries.append(Entry((move,)))
    return Turn(tuple(entries)), state


def _roll(rng: random.Random, state: State, player: _Player) -> Move | None:
    fixer = state.fixer(state.actor)
    if not fixer:
        return None
    dice = [die for die in fixer if die[0] != "F"] or fixer
    weights = [SIDES[die] ** (2 * player.boldness) for die in dice]
    die = rng.choices(dice, weights)[0]
    return Move("", die, rng.randint(1, SIDES[die]))


def _steal(rng: random.Random, state: State) -> Move | None:
    theirs = state.gigs(OTHER[state.actor])
    if not theirs:
        return None
    die = rng.choices(theirs, [(state.value(die) or 0) ** 1.5 for die in theirs])[0]
    return Move("x", die, state.value(die) if rng.random() < 0.1 else None)


def _swap(rng: random.Random, state: State) -> Move | None:
    mine, theirs = state.gigs(state.actor), state.gigs(OTHER[state.actor])
    if not mine or not theirs:
        return None
    least = min(mine, key=lambda die: state.value(die) or 0)
    most = max(theirs, key=lambda die: state.value(die) or 0)
    return Move("<>", least, None, most) if rng.random() < 0.7 else Move("<>", most, None, least)


def _change(rng: random.Random, state: State) -> Move | None:
    """Most cards raise one's own dice or lower the rival's, by a little."""
    gigs = [*state.gigs(state.actor), *state.gigs(OTHER[state.actor])]
    if not gigs:
        return None
    die = rng.choice(gigs)
    now, sides = state.value(die) or 0, SIDES[die]
    own = state.controller(die) == state.actor
    kind = rng.choices(["+", "-", "=", "~"], [4 if own else 1, 2 if own else 4, 1, 2])[0]
    if kind == "+":
        return Move("+", die, min(sides, now + rng.randint(1, 4))) if now < sides else None
    if kind == "-":
        return Move("-", die, max(1, now - rng.randint(1, 4))) if now > 1 else None
    return Move(kind, die, rng.randint(1, sides))


def _make_slip(rng: random.Random, turns: list[Turn]) -> Slip | None:
    """Miswrite one entry, in place; None when no try finds one that can be."""
    for _ in range(_TRIES):
        at = rng.randrange(len(turns))
        entries = turns[at].entries
        if not entries:
            continue
        nth = rng.randrange(len(entries))
        meant = entries[nth]
        kind = rng.choice(SLIP_KINDS)
        if kind == "drop":
            if len(entries) > 1:
                turns[at] = Turn(entries[:nth] + entries[nth + 1 :])
                return Slip(at + 1, nth + 1, kind, meant.text, "")
            continue
        move = _miswrite(rng, meant.moves[0], kind)
        if move is not None and move != meant.moves[0]:
            turns[at] = Turn((*entries[:nth], Entry((move,)), *entries[nth + 1 :]))
            return Slip(at + 1, nth + 1, kind, meant.text, move.text)
    return None


def _miswrite(rng: random.Random, move: Move, kind: str) -> Move | None:
    if kind == "sign":
        return move._replace(action="-" if move.action == "+" else "+") if move.action in ("+", "-") else None
    if kind == "value":
        return None if move.value is None else move._replace(value=rng.randint(1, max(SIDES.values())))
    if kind == "prime":
        return move._replace(die=move.die[0] + ("" if move.die[1:] else "'"))
    return move._replace(die=rng.choice(LETTERS) + move.die[1:])


def write_game(game: SimulatedGame) -> dict[str, object]:
    """A game as `gigsheet simulate --format json` has it."""
    slip = game.slip
    return {
        "schema": "gigsheet.simulation/1",
        "first": game.first,
        "rows": [format_turn(turn) for turn in game.turns],
        "transcript": game.text,
        "slip": None if slip is None else slip._asdict(),
    }
