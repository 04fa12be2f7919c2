"""The grammar of one row as a finite automaton over the engine's alphabet, without spaces.

It accepts what SPEC 1 calls the entries of a turn (`entry+` or `..`), values 0 to 20 (a 0 is written before it is out
of range), with crossed-out entries (`#`) at any place where an entry may stand. It is deterministic, so a beam carries
one small integer a prefix; everything else of the decoder sees text only.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from gigsheet.records import STRUCK

DICE = "ABCDEF"
DIGITS = "0123456789"
CHANGES = "+-=~"

_DEAD = -1
# What one move still needs; each exists outside and inside parentheses.
_MOVE_STATES = (
    "boundary",  # a move is complete, another may begin
    "die",  # a bare die: a value makes it a roll, `<` a swap
    "owned",  # the same with its prime
    "steal",  # after `x`
    "stolen",  # `xB`: complete, may take a prime or a value
    "stolen-owned",  # `xB'`: complete, may take a value
    "change",  # after one of + - = ~
    "changed",  # `+B`: needs a value, may take a prime
    "changed-owned",  # `+B'`: needs a value
    "one",  # a value that is 1 so far: complete, may take any digit
    "two",  # a value that is 2 so far: complete, may take a 0
    "arrow",  # `B<`
    "partner",  # `B<>`
    "swapped",  # `B<>C`: complete, may take a prime
)
_NAMES = (
    "start",
    "struck",  # only crossed-out entries so far
    "dot",
    "pass",
    "open",  # after `(`
    *(f"{name}" for name in _MOVE_STATES),
    *(f"({name})" for name in _MOVE_STATES),
)
_ID = {name: k for k, name in enumerate(_NAMES)}

START = _ID["start"]


def _move_edges(state: str, ends: dict[str, str], where: str) -> dict[str, str]:
    """The edges of one state within a move. `ends` are the edges of a complete move, `where` wraps a state's name."""

    def at(name: str) -> str:
        return where.format(name)

    value = {"1": at("one"), "2": at("two"), **dict.fromkeys("03456789", at("boundary"))}
    edges: dict[str, dict[str, str]] = {
        "boundary": ends,
        "die": {"'": at("owned"), "<": at("arrow"), **value},
        "owned": {"<": at("arrow"), **value},
        "steal": dict.fromkeys(DICE, at("stolen")),
        "stolen": {**ends, "'": at("stolen-owned"), **value},
        "stolen-owned": {**ends, **value},
        "change": dict.fromkeys(DICE, at("changed")),
        "changed": {"'": at("changed-owned"), **value},
        "changed-owned": value,
        "one": {**ends, **dict.fromkeys(DIGITS, at("boundary"))},
        "two": {**ends, "0": at("boundary")},
        "arrow": {">": at("partner")},
        "partner": dict.fromkeys(DICE, at("swapped")),
        "swapped": {**ends, "'": at("boundary")},
    }
    return edges[state]


def _edges() -> list[dict[str, int]]:
    def begin(where: str) -> dict[str, str]:
        return {
            **dict.fromkeys(DICE, where.format("die")),
            "x": where.format("steal"),
            **dict.fromkeys(CHANGES, where.format("change")),
        }

    outside, inside = "{}", "({})"
    entry = {**begin(outside), "(": "open", STRUCK: "boundary"}
    named: dict[str, dict[str, str]] = {
        "start": {**entry, ".": "dot", STRUCK: "struck"},
        "struck": {**entry, ".": "dot", STRUCK: "struck"},
        "dot": {".": "pass"},
        "pass": {STRUCK: "pass"},
        "open": begin(inside),
    }
    for state in _MOVE_STATES:
        named[state] = _move_edges(state, entry, outside)
        named[inside.format(state)] = _move_edges(state, {**begin(inside), ")": "boundary"}, inside)
    return [{char: _ID[to] for char, to in named[name].items()} for name in _NAMES]


EDGES: tuple[dict[str, int], ...] = tuple(_edges())
"""For each state the state that each character leads to; a character that is absent is not allowed there."""

FINAL: frozenset[int] = frozenset(
    _ID[name] for name in ("struck", "pass", "boundary", "stolen", "stolen-owned", "one", "two", "swapped")
)
"""States in which a row may end. The empty row is not among them: a row with ink says something."""

_COMPLETE = FINAL - {_ID["pass"], _ID["struck"]}
_BEGINS = frozenset((*DICE, "x", *CHANGES, "(", STRUCK))
_JOINS = frozenset(("x", *CHANGES, "(", "<", ">"))  # what stands before them belongs to the same move
_COMPLETE_INSIDE = frozenset(_ID[f"({_NAMES[k]})"] for k in _COMPLETE)


def run(text: str, state: int = START) -> int:
    """The state after `text` (no spaces), or -1 when it leaves the grammar."""
    for char in text:
        state = EDGES[state].get(char, _DEAD)
        if state == _DEAD:
            return _DEAD
    return state


def accepts(text: str) -> bool:
    """Whether `text` (no spaces) is a whole row."""
    return run(text) in FINAL


def _breaks(text: str) -> list[int]:
    """Where entries and the moves within parentheses begin, the first of them left out."""
    breaks, state = [], START
    for at, char in enumerate(text):
        to = EDGES[state].get(char, _DEAD) if state != _DEAD else _DEAD
        if to == _DEAD:
            begins = char in _BEGINS and text[at - 1 : at] not in _JOINS
        elif char == ".":
            begins = state == _ID["struck"]
        else:
            begins = char in _BEGINS and (state in FINAL or state in _COMPLETE_INSIDE)
        if begins and at:
            breaks.append(at)
        state = to
    return breaks


@lru_cache(maxsize=8192)
def entries(text: str) -> tuple[str, ...]:
    """A row's text (no spaces) parted into its entries as written, crossed-out ones as `#`; a pass is ``("..",)``.

    Moves within parentheses are parted by one space. Text outside the grammar is parted wherever a move seems to begin.
    """
    pieces: list[str] = []
    depth = 0
    ends = [*_breaks(text), len(text)]
    for begin, end in pairwise((0, *ends)):
        piece = text[begin:end]
        if depth:
            pieces[-1] += f" {piece}"
        elif piece:
            pieces.append(piece)
        depth = max(0, depth + piece.count("(") - piece.count(")"))
    return tuple(pieces)


@lru_cache(maxsize=8192)
def canonical(text: str) -> str:
    """What a row says, in SPEC 1's plain form: entries parted by one space, crossed-out ones left out."""
    return " ".join(entry for entry in entries(text) if entry != STRUCK)
