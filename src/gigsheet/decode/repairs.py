"""Texts that the rules allow and the ink did not list: one character away from what the ink says, scored exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gigsheet.decode.candidates import Candidate
from gigsheet.decode.ctc import WORST_NATS, pooled_log_likelihoods
from gigsheet.decode.grammar import CHANGES, DICE, DIGITS, accepts, canonical
from gigsheet.decode.lattice import turn_of
from gigsheet.notation.check import play_turn
from gigsheet.notation.rules import State
from gigsheet.records import Glyphs

_SIGNS = "x" + CHANGES
MOST_BASES = 2
"""How many of the ink's readings are varied."""


def variants(raw: str) -> Iterator[str]:
    """Every text one character away: a die, a digit or a sign changed, one left out, one more."""
    for at, char in enumerate(raw):
        for kind in (DICE, DIGITS, _SIGNS):
            if char in kind:
                yield from (raw[:at] + other + raw[at + 1 :] for other in kind if other != char)
        yield raw[:at] + raw[at + 1 :]
        if char in DICE:
            yield from (raw[:at] + sign + raw[at:] for sign in _SIGNS)
        if char in DICE and raw[at + 1 : at + 2] != "'":
            yield raw[: at + 1] + "'" + raw[at + 1 :]
        if char in DIGITS or char in DICE or char == "'":
            yield from (raw[: at + 1] + digit + raw[at + 1 :] for digit in DIGITS)


def repairs(listed: Sequence[Candidate], glyphs: Glyphs, state: State) -> list[Candidate]:
    """Further candidates of a row that are legal in `state`, no worse than what the beam would have kept.

    Args:
        listed: the row's candidates, best first.
        glyphs: the row's scores.
        state: the state at the start of the turn.
    """
    known = {candidate.text for candidate in listed}
    legal: dict[str, str] = {}
    for base in listed[:MOST_BASES]:
        for raw in variants(base.raw):
            if not accepts(raw):
                continue
            text = canonical(raw)
            if text and text not in known and text not in legal:
                _, codes = play_turn(state, turn_of(text, state.ruleset.swaps))
                if not codes:
                    legal[text] = raw
    ink = pooled_log_likelihoods([(glyphs, raw) for raw in legal.values()])
    return [
        Candidate(text, raw, score, well_formed=True)
        for (text, raw), score in zip(legal.items(), ink.tolist(), strict=True)
        if score >= listed[0].ink - WORST_NATS
    ]
