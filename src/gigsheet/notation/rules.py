"""The dice and the rules (SPEC 2): `State`, `Ruleset`, `apply`, `legal_moves`, and what a faulty move does (SPEC 3).

`play_move` is the one implementation: the checker, the decoder, `apply` and `legal_moves` all rest on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from gigsheet.notation.syntax import Move, Player

LETTERS: Final = "ABCDEF"
PLAYERS: Final[tuple[Player, Player]] = ("WE", "THEY")
DICE: Final = tuple(letter + prime for prime in ("", "'") for letter in LETTERS)
"""The twelve dice, WE's first."""
SIDES: Final = {die: dict(zip(LETTERS, (4, 6, 8, 10, 12, 20), strict=True))[die[0]] for die in DICE}
OWNER: Final[dict[str, Player]] = {die: "THEY" if die[1:] else "WE" for die in DICE}
OTHER: Final[dict[Player, Player]] = {"WE": "THEY", "THEY": "WE"}

LAST_REGULATION_TURN: Final = 14
OVERTIME_GIGS: Final = 7

# A die takes seven bits of State.dice: five for its value, one a player who may control it. All zero: in its Fixer.
_BITS = 7
_DIE_MASK = 127
_VALUE = 31
_HELD_BY: Final[dict[Player, int]] = {"WE": 32, "THEY": 64}
_SHIFT: Final = {die: _BITS * k for k, die in enumerate(DICE)}
_GIGS_MASK: Final = {p: sum(_HELD_BY[p] << shift for shift in _SHIFT.values()) for p in PLAYERS}
_OUT_MASK: Final = {p: sum(96 << _SHIFT[die] for die in DICE if OWNER[die] == p) for p in PLAYERS}
_OUT_BUT_D20: Final = {p: sum(96 << _SHIFT[die] for die in DICE if OWNER[die] == p and die[0] != "F") for p in PLAYERS}
_CONTROLLER: Final[dict[int, Player | None]] = {0: None, 32: "WE", 64: "THEY"}

TURN_START: Final = 0
MOVED: Final = 1
ROLLED: Final = 2


@dataclass(frozen=True, eq=False, slots=True)
class Ruleset:
    """What the rules differ in; the three there are come by `Ruleset.named`.

    Attributes:
        name: "cr", "alpha" or "quickref".
        gigs_to_win: who starts their own turn with so many Gigs wins.
        roll_first: a turn must begin with a roll while the Fixer holds a die.
        swaps: the notation has swaps.
    """

    name: str
    gigs_to_win: int
    roll_first: bool
    swaps: bool

    @staticmethod
    def named(name: str | Ruleset) -> Ruleset:
        """The ruleset of that name; a ValueError that lists the names when there is none.

        >>> Ruleset.named("alpha").gigs_to_win
        6
        """
        if isinstance(name, Ruleset):
            return name
        try:
            return RULESETS[name]
        except (KeyError, TypeError):  # a list, for one, is no key at all
            raise ValueError(f"there is no ruleset {name!r}; choose one of {', '.join(RULESETS)}") from None

    def __reduce__(self) -> tuple[object, tuple[str]]:
        # There is one object a ruleset, compared by identity (states are hashed often), also across processes.
        return (Ruleset.named, (self.name,))


RULESETS: Final = {
    ruleset.name: ruleset
    for ruleset in (
        Ruleset("cr", 7, roll_first=True, swaps=True),
        Ruleset("alpha", 6, roll_first=True, swaps=True),
        Ruleset("quickref", 7, roll_first=False, swaps=False),
    )
}


class IllegalMoveError(ValueError):
    """A move that the checker refuses; `code` is its diagnostic code (SPEC 3)."""

    def __init__(self, move: Move, code: str) -> None:
        super().__init__(f"{move.text}: {code}")
        self.move = move
        self.code = code


class State(NamedTuple):
    """The whole position: the twelve dice, whose turn it is and how far it has gone, and who has won.

    Equal positions are equal and hash alike. Read it through its methods: `dice` is packed.

    Attributes:
        dice: the twelve dice, seven bits each.
        turn: the number of the turn that is being played, from 1.
        actor: whose turn that is.
        stage: TURN_START, MOVED (moves written, none a roll) or ROLLED.
        ruleset: the rules it is played by.
        winner: who has won, or None.
        won_in: the turn in which (or at whose start) they have; 0 while nobody has.
    """

    dice: int
    turn: int
    actor: Player
    stage: int
    ruleset: Ruleset
    winner: Player | None = None
    won_in: int = 0

    @staticmethod
    def start(first: Player = "WE", ruleset: str | Ruleset = "cr") -> State:
        """The start of a game: every die in its owner's Fixer.

        >>> State.start("THEY").actor
        'THEY'
        """
        return State(0, 1, first, TURN_START, Ruleset.named(ruleset))

    def controller(self, die: str) -> Player | None:
        """Who has the die in their Gigs; None while it is in its Fixer."""
        return _CONTROLLER[self.dice >> _SHIFT[die] & 96]

    def value(self, die: str) -> int | None:
        """What the die shows; None while it is in its Fixer."""
        return self.dice >> _SHIFT[die] & _VALUE or None

    def gigs(self, player: Player) -> tuple[str, ...]:
        """The dice that the player controls."""
        held = _HELD_BY[player]
        return tuple([die for die, shift in _SHIFT.items() if self.dice >> shift & held])

    def gig_count(self, player: Player) -> int:
        return (self.dice & _GIGS_MASK[player]).bit_count()

    def fixer(self, player: Player) -> tuple[str, ...]:
        """The player's own dice that have not been rolled yet."""
        return tuple([die for die, shift in _SHIFT.items() if OWNER[die] == player and not self.dice >> shift & 96])

    def fixer_empty(self, player: Player) -> bool:
        return (self.dice & _OUT_MASK[player]).bit_count() == len(LETTERS)

    def street_cred(self, player: Player) -> int:
        """The sum of the values that the player controls."""
        held = _HELD_BY[player]
        return sum([code & _VALUE for code in self._codes() if code & held])

    def _codes(self) -> list[int]:
        dice = self.dice
        return [dice >> shift & _DIE_MASK for shift in _SHIFT.values()]

    def board(self) -> dict[str, list[Any] | None]:
        """Every die: None in its Fixer, else [controller, value] (the shape of SPEC 4)."""
        return {
            die: (["WE" if code & 32 else "THEY", code & _VALUE] if code else None)
            for die, code in zip(DICE, self._codes(), strict=True)
        }

    @property
    def phase(self) -> str | None:
        """ "regulation" or "overtime" once there is a winner."""
        if self.winner is None:
            return None
        return "overtime" if self.won_in > LAST_REGULATION_TURN else "regulation"

    @property
    def may_pass(self) -> bool:
        """Whether the turn may be a pass: nothing was moved, and there is nothing to roll (or no need to)."""
        return (
            self.winner is None
            and self.stage == TURN_START
            and (not self.ruleset.roll_first or self.fixer_empty(self.actor))
        )

    @property
    def pending(self) -> Player | None:
        """Who does not move next but holds enough Gigs to win at the start of their next turn (SPEC 2, rule 9)."""
        rival = OTHER[self.actor]
        if self.winner is None and self.gig_count(rival) >= self.ruleset.gigs_to_win:
            return rival
        return None


def apply(state: State, move: Move) -> State:
    """The state after a legal move within a turn; `end_turn` ends the turn.

    Raises IllegalMoveError with the checker's code for any move that `legal_moves` does not list.

    >>> apply(State.start(), Move("", "A", 4)).value("A")
    4
    """
    after, code = play_move(state, move)
    # What the checker says of the whole turn, of which `play_move` knows nothing; the game's end comes before it.
    if state.winner is None:
        if move.action == "<>" and not state.ruleset.swaps:
            code = "syntax"
        elif move.action and state.stage == TURN_START and not state.may_pass:
            code = "roll-missing"
    if code is not None:
        raise IllegalMoveError(move, code)
    return after


def legal_moves(state: State, *, reaction: bool = False) -> Iterator[Move]:
    """Every next move of the turn that the checker accepts, with values; a steal with and without its checksum, a
    swap in either order. With `reaction`, those that the player who is not active may write in parentheses.

    A turn must begin with its roll while the Fixer holds a die, and a roll is never legal later (but in `quickref`).

    >>> [move.text for move in legal_moves(State.start())][:5]
    ['A1', 'A2', 'A3', 'A4', 'B1']
    """
    if state.winner is not None:
        return
    actor = state.actor
    may_roll = state.stage == TURN_START or (state.stage == MOVED and not state.ruleset.roll_first)
    if may_roll and not reaction:
        fixer = state.fixer(actor)
        if fixer:
            for die in fixer if len(fixer) == 1 else [die for die in fixer if die[0] != "F"]:
                for value in range(1, SIDES[die] + 1):
                    yield Move("", die, value)
            if state.ruleset.roll_first:
                return
    mine, theirs = state.gigs(actor), state.gigs(OTHER[actor])
    if not reaction:
        for die in theirs:
            yield Move("x", die)
            yield Move("x", die, state.value(die))
    for die in (*mine, *theirs):
        sides, now = SIDES[die], state.value(die) or 0
        for action, low, high in (("+", now + 1, sides), ("-", 1, now - 1), ("=", 1, sides), ("~", 1, sides)):
            for value in range(low, high + 1):
                yield Move(action, die, value)
    if not reaction and state.ruleset.swaps:
        for one in mine:
            for two in theirs:
                yield Move("<>", one, None, two)
                yield Move("<>", two, None, one)


def play_move(state: State, move: Move, *, reaction: bool = False, lenient: bool = False) -> tuple[State, str | None]:
    """What the checker makes of one move: the state after it with SPEC 3's effect, and the code of its error or None.

    Args:
        state: the state before the move.
        move: any move of the grammar.
        reaction: it stands in parentheses.
        lenient: its line holds text that is no entry, so that `late-roll` is not reported.

    >>> state, code = play_move(State.start(), Move("", "F", 9))
    >>> code, state.value("F")
    ('d20-early', 9)
    """
    dice, turn, actor, stage, ruleset, winner, won_in = state
    if winner is not None:
        return state, "after-end"
    action = move.action
    if action == "":
        if reaction:
            code: str | None = "reaction-kind"
        else:
            dice, code = _roll(state, move, lenient)
            stage = ROLLED
    elif reaction and (action == "x" or action == "<>"):
        code = "reaction-kind"
    elif action == "x":
        before = dice & _GIGS_MASK[actor]
        dice, code = _steal(dice, actor, move)
        held = dice & _GIGS_MASK[actor]
        if turn > LAST_REGULATION_TURN and held != before and held.bit_count() >= OVERTIME_GIGS:
            winner, won_in = actor, turn
    elif action == "<>":
        dice, code = _swap(dice, move)
    else:
        dice, code = _change(dice, move)
    # The tuple's own constructor: NamedTuple's takes half a microsecond more, and the decoder lives on this.
    after = tuple.__new__(State, (dice, turn, actor, stage or MOVED, ruleset, winner, won_in))
    return after, code


def _roll(state: State, move: Move, lenient: bool) -> tuple[int, str | None]:
    dice, actor, stage = state.dice, state.actor, state.stage
    die = move.die
    value = move.value or 0
    shift = _SHIFT[die]
    here = dice >> shift & _DIE_MASK
    if not 1 <= value <= SIDES[die]:
        return dice, "value-range"
    if OWNER[die] != actor:
        return (_show(dice, shift, here, value) if here else dice), "roll-not-yours"
    if here:
        return _show(dice, shift, here, value), "not-in-fixer"
    code = None
    if stage == ROLLED:
        code = "second-roll"
    elif stage == MOVED and not lenient and state.ruleset.roll_first:
        code = "late-roll"
    elif die[0] == "F" and (dice & _OUT_BUT_D20[actor]).bit_count() < len(LETTERS) - 1:
        code = "d20-early"
    return dice | (_HELD_BY[actor] | value) << shift, code


def _steal(dice: int, actor: Player, move: Move) -> tuple[int, str | None]:
    shift = _SHIFT[move.die]
    here = dice >> shift & _DIE_MASK
    written = move.value
    now = here & _VALUE
    if written is not None and not 1 <= written <= SIDES[move.die]:
        code: str | None = "value-range"
        written = None
    elif not here:
        code = "not-in-gigs"
    elif here & _HELD_BY[actor]:
        code = "steal-own"
    elif written is not None and written != now:
        code = "steal-value"
    else:
        code = None
    if here:
        dice += ((_HELD_BY[actor] | (written or now)) - here) << shift
    return dice, code


def _change(dice: int, move: Move) -> tuple[int, str | None]:
    shift = _SHIFT[move.die]
    here = dice >> shift & _DIE_MASK
    value = move.value or 0
    if not 1 <= value <= SIDES[move.die]:
        return dice, "value-range"
    if not here:
        return dice, "not-in-gigs"
    now = here & _VALUE
    code = None
    if move.action == "+":
        if value <= now:
            code = "not-raised"
    elif move.action == "-" and value >= now:
        code = "not-lowered"
    return dice + ((value - now) << shift), code


def _swap(dice: int, move: Move) -> tuple[int, str | None]:
    one, two = _SHIFT[move.die], _SHIFT[move.other or move.die]
    held_one, held_two = dice >> one & 96, dice >> two & 96
    if not held_one or not held_two:
        return dice, "not-in-gigs"
    if held_one == held_two:
        return dice, "swap-same-side"
    change = held_two - held_one
    return dice + (change << one) - (change << two), None


def _show(dice: int, shift: int, here: int, value: int) -> int:
    return dice + ((value - (here & _VALUE)) << shift)


def end_turn(state: State) -> State:
    """The state at the start of the next turn: whoever wins there, by rule 7 or as turn 14 ends (rule 8), has won."""
    return skip_turns(state, 1)


def skip_turns(state: State, count: int) -> State:
    """The state `count` turns on with nothing played: rule 7 is applied once, at the start of the turn reached.

    `end_turn` has applied it at the start of the first of them; of the later ones nobody knows the board. Overtime
    begins by rule 8 even if turn 14 is among them.
    """
    dice, turn, actor, _, ruleset, winner, won_in = state
    reached = turn + count
    if count % 2:
        actor = OTHER[actor]
    if winner is None and turn <= LAST_REGULATION_TURN < reached:
        for player in PLAYERS:
            if (dice & _GIGS_MASK[player]).bit_count() >= OVERTIME_GIGS:
                winner, won_in = player, LAST_REGULATION_TURN + 1
    if winner is None and (dice & _GIGS_MASK[actor]).bit_count() >= ruleset.gigs_to_win:
        winner, won_in = actor, reached
    return tuple.__new__(State, (dice, reached, actor, TURN_START, ruleset, winner, won_in))
