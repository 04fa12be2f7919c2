"""The notation of Gig-dice transcripts: parse, check, explain, replay, write. Pure Python, standard library only.

>>> from gigsheet.notation import check
>>> check("A4\\nA'3\\nB6 xA'\\n").outcome.winner is None
True
"""

from __future__ import annotations

from gigsheet.notation.check import Diagnostic, Outcome, Position, Report, check, play_turn
from gigsheet.notation.rules import (
    DICE,
    IllegalMoveError,
    Ruleset,
    State,
    apply,
    end_turn,
    legal_moves,
    play_move,
    skip_turns,
)
from gigsheet.notation.syntax import Entry, Move, Transcript, Turn, format_turn, parse, parse_turn

__all__ = [
    "DICE",
    "Diagnostic",
    "Entry",
    "IllegalMoveError",
    "Move",
    "Outcome",
    "Position",
    "Report",
    "Ruleset",
    "State",
    "Transcript",
    "Turn",
    "apply",
    "check",
    "end_turn",
    "format_turn",
    "legal_moves",
    "parse",
    "parse_turn",
    "play_move",
    "play_turn",
    "skip_turns",
]
