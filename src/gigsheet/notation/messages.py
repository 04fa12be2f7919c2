"""The sentences of the diagnostics: what was written, what the board held, and which rule says otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from gigsheet.notation.rules import OTHER, OWNER, SIDES, Ruleset, State
from gigsheet.notation.syntax import Line, Move, NumberedTurn, Player
from gigsheet.notation.text import fold

NOTATION: Final = "notation"
_RULES: Final = {
    "turn-number": NOTATION,
    "blank-line": NOTATION,
    "syntax": NOTATION,
    "style": NOTATION,
    "reaction-kind": NOTATION,
    "too-long": "8.17",
    "pass-early": "8.6.5",
    "roll-missing": "8.6.5",
    "second-roll": "8.6.5",
    "late-roll": "8.6",
    "roll-not-yours": "8.6.5",
    "not-in-fixer": "1.7.1",
    "d20-early": "8.6.5.1.1",
    "steal-own": "6.8",
    "steal-value": "11.5.1.2",
    "not-raised": "6.4",
    "not-lowered": "6.5",
    "swap-same-side": "6.7",
}
_RANGE_RULES: Final = {"+": "6.4.3", "-": "6.5.1"}
_ACTION_RULES: Final = {"x": "6.8", "+": "6.4", "-": "6.5", "=": "6.1.4", "~": "6.1.4", "<>": "6.7"}
VERBS: Final = {
    "": "roll",
    "x": "steal",
    "+": "increment",
    "-": "decrement",
    "=": "set",
    "~": "reroll",
    "<>": "swap",
}
_LONGEST_NUMBER_SHOWN: Final = 12
_FAULT_LOOK: Final = 40


def die_name(die: str) -> str:
    """Whose die of how many sides.

    >>> die_name("B'")
    "THEY's d6"
    """
    return f"{OWNER[die]}'s d{SIDES[die]}"


def where(die: str, state: State) -> str:
    """Where a die stands and what it shows.

    >>> where("B'", State.start())
    "B' (THEY's d6) is still in THEY's Fixer"
    """
    controller = state.controller(die)
    if controller is None:
        return f"{die} ({die_name(die)}) is still in {OWNER[die]}'s Fixer"
    return f"{die} ({die_name(die)}) is in {controller}'s Gigs, showing {state.value(die)}"


def number_text(number: int | None) -> str:
    """A number as a sentence can bear it: a very long one is cut."""
    text = str(number)
    return text if len(text) <= _LONGEST_NUMBER_SHOWN else f"{text[:_LONGEST_NUMBER_SHOWN]}… ({len(text)} digits)"


def rule_of(code: str, state: State, move: Move | None = None) -> str:
    """The section of the Comprehensive Rules that a code rests on, or "notation"."""
    if code == "after-end":
        return "1.11" if state.phase == "overtime" else "1.10"
    if code == "value-range":
        return _RANGE_RULES.get(move.action if move else "", "6.3.3")
    if code == "not-in-gigs":
        return _ACTION_RULES[move.action if move else "x"]
    return _RULES[code]


def blank_line(numbered: NumberedTurn) -> str:
    """A blank line before this turn."""
    if numbered.missing:
        return (
            f"a blank line between turns: the next line is numbered {numbered.number}, so the blank is taken for a "
            "missing turn; a pass is written .."
        )
    return "a blank line between turns: remove it, or write .. if the turn was a pass"


def turn_number(numbered: NumberedTurn) -> str:
    written = number_text(numbered.line.number)
    return f"the line is numbered {written}, but it is turn {numbered.number}: it is read as turn {numbered.number}"


def too_long(number: int) -> str:
    return f"turn {number}: a sheet has rows for 16 turns, and few games are longer"


def style(text: str) -> str:
    plain = fold(text).replace("…", "..")
    return f"{text} is read as {plain}; the plain form is {plain}"


def header_style(text: str, first: Player) -> str:
    return f"{text!r} is read as 'first: {first}'; that is the plain form"


def bad_header(text: str, well_formed: bool) -> str:
    if well_formed:
        return "a header stands once, before the first turn: this one is ignored"
    return f"{_cut(text)} is no header: write first: WE or first: THEY"


def after_end(state: State) -> str:
    return f"the game is over: {state.winner} won {won_how(state)}; nothing can be played after that"


def won_how(state: State) -> str:
    """How the game of this state was won."""
    gigs = state.gig_count(state.winner) if state.winner else 0
    return f"in turn {state.won_in}, in {state.phase}, with {gigs} Gigs"


_FAULT: Final = re.compile(
    r"(?P<passed>\.\s*\.|…)|(?P<zero>([-+=~x]?\s*[A-F](\s*')?\s*)?0[0-9])|(?P<swap>[A-F](\s*')?\s*<\s*>\s*[A-F])"
    r"|(?P<value>[-+=~]?\s*(?P<die>[A-F](\s*')?)(?!\w|\s*[0-9<']))|(?P<reaction>\()|(?P<number>[0-9])"
)
"""Why text is no entry, as far as its beginning tells. A word, such as "foo", is no die without its value."""
_ENTRIES: Final = "an entry is such as A4, xB', +C'7, -A1, =D5, ~E9, A<>B' or (-A2)"


def syntax(line: Line, ruleset: Ruleset) -> str:
    """Why the first text that is no entry is none."""
    start, end = line.fault or (0, 0)
    shown = _cut(line.text[start:end])
    if (start, end) == line.number_span:
        return f"nothing follows the turn number {shown}: write the turn's entries, or .. for a pass"
    found = _FAULT.match(fold(line.text[start : min(end, start + _FAULT_LOOK)]))
    kind = found.lastgroup if found else None
    if kind == "passed":
        return f"{shown}: a pass stands alone in its turn, without entries beside it"
    if kind == "zero":
        return f"{shown} is no entry: a number has no leading zero"
    if kind == "swap" and not ruleset.swaps:
        return f"{shown}: the quick reference knows no swap"
    if found and kind == "value":
        die = "".join(found["die"].split())
        return f"{shown} has no value: what {die_name(die)} shows must be written, 1 to {SIDES[die]}"
    if kind == "reaction":
        return f"{shown}: parentheses hold one or more moves, such as (-A2), and are closed on the same line"
    if kind == "number":
        return f"{shown}: a number stands here by itself; it belongs right after its die, as in A4"
    return f"{shown} is no entry: {_ENTRIES}"


def _cut(text: str, longest: int = 24) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def sentence(code: str, state: State, move: Move | None) -> str:
    """The message of a code about a turn or one of its moves; `state` is the board right before it."""
    if move is None:
        return _TURN_SENTENCES[code](state)
    return _MOVE_SENTENCES[code](state, move)


def _pass_early(state: State) -> str:
    return f"{state.actor} cannot pass: a turn begins with a roll while {_fixer(state)}"


def _roll_missing(state: State) -> str:
    return f"{state.actor}'s turn has no roll: it must begin with one while {_fixer(state)}"


def _fixer(state: State) -> str:
    return f"{state.actor}'s Fixer holds {', '.join(state.fixer(state.actor))}"


def _reaction_kind(state: State, move: Move) -> str:
    return (
        f"({move.text}): a reaction, by {OTHER[state.actor]}, may only increment, decrement, set or reroll a die, "
        f"not {VERBS[move.action]} one"
    )


def _value_range(state: State, move: Move) -> str:
    shown = number_text(move.value)
    text = f"a d{SIDES[move.die]} shows 1 to {SIDES[move.die]}, never {shown}; {where(move.die, state)}"
    if move.action == "x" and state.controller(move.die):
        text += ", and keeps its value"
    return text


def _roll_not_yours(state: State, move: Move) -> str:
    return f"{state.actor} rolls {move.die}, {die_name(move.die)}: a die is rolled only by its owner"


def _not_in_fixer(state: State, move: Move) -> str:
    return f"{where(move.die, state)}: only a die in the Fixer can be rolled; to change it write ~{move.text}"


def _second_roll(state: State, move: Move) -> str:
    return f"{state.actor} rolls {move.die} ({die_name(move.die)}), but a turn has one roll only"


def _late_roll(state: State, move: Move) -> str:
    return f"{state.actor} rolls {move.die} ({die_name(move.die)}) late: the roll comes before everything else"


def _d20_early(state: State, move: Move) -> str:
    rest = ", ".join(die for die in state.fixer(state.actor) if die != move.die)
    return f"{state.actor} rolls {move.die}, the d20, while the Fixer still holds {rest}: the d20 is rolled last"


def _not_in_gigs(state: State, move: Move) -> str:
    dice = [die for die in (move.die, move.other) if die and state.controller(die) is None]
    there = " and ".join(where(die, state) for die in dict.fromkeys(dice))
    return f"{there}: only a die in somebody's Gigs can be {_PAST[move.action]}"


_PAST: Final = {
    "x": "stolen",
    "+": "incremented",
    "-": "decremented",
    "=": "set",
    "~": "rerolled",
    "<>": "swapped",
}


def _steal_own(state: State, move: Move) -> str:
    return f"{where(move.die, state)}: {state.actor} cannot steal what {state.actor} controls already"


def _steal_value(state: State, move: Move) -> str:
    return f"{where(move.die, state)}: a stolen die keeps its value, but {number_text(move.value)} is written"


def _not_raised(state: State, move: Move) -> str:
    return f"{where(move.die, state)}: an increment must raise it, and {move.value} does not"


def _not_lowered(state: State, move: Move) -> str:
    return f"{where(move.die, state)}: a decrement must lower it, and {move.value} does not"


def _swap_same_side(state: State, move: Move) -> str:
    if move.die == move.other:
        return f"{move.text}: a swap exchanges two dice, and this is {move.die} ({die_name(move.die)}) twice"
    return (
        f"{move.die} ({die_name(move.die)}) and {move.other} ({die_name(move.other or move.die)}) are both in "
        f"{state.controller(move.die)}'s Gigs: a swap exchanges a die of WE's with one of THEY's"
    )


_TURN_SENTENCES: Final[dict[str, Callable[[State], str]]] = {
    "pass-early": _pass_early,
    "roll-missing": _roll_missing,
    "after-end": after_end,
}
_MOVE_SENTENCES: Final[dict[str, Callable[[State, Move], str]]] = {
    "reaction-kind": _reaction_kind,
    "value-range": _value_range,
    "roll-not-yours": _roll_not_yours,
    "not-in-fixer": _not_in_fixer,
    "second-roll": _second_roll,
    "late-roll": _late_roll,
    "d20-early": _d20_early,
    "not-in-gigs": _not_in_gigs,
    "steal-own": _steal_own,
    "steal-value": _steal_value,
    "not-raised": _not_raised,
    "not-lowered": _not_lowered,
    "swap-same-side": _swap_same_side,
}
