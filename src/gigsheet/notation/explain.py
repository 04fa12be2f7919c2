"""A move, an entry, a turn, a whole game in plain English, with the board where there is one."""

from __future__ import annotations

from typing import Final, NamedTuple

from gigsheet.notation.check import Diagnostic, Position, Report, check
from gigsheet.notation.messages import die_name, number_text
from gigsheet.notation.rules import OTHER, OWNER, PLAYERS, SIDES, Ruleset, State, play_move
from gigsheet.notation.syntax import Line, Move, Player, Span, Turn

_CHANGES: Final = {"+": "raises", "-": "lowers", "=": "sets", "~": "rerolls"}


class ExplainedMove(NamedTuple):
    """A move as written, where it stands in its line, what it means, and what the checker says of it."""

    text: str
    span: Span
    sentence: str
    diagnostics: tuple[Diagnostic, ...]


class ExplainedTurn(NamedTuple):
    """A turn with its moves; `diagnostics` holds what is said of the whole line (and the blank ones before it)."""

    position: Position
    actor: Player
    line: Line
    moves: tuple[ExplainedMove, ...]
    diagnostics: tuple[Diagnostic, ...]


def explain_move(move: Move, state: State | None = None, *, reaction: bool = False) -> str:
    """What a move says, in one sentence; with the state before it, also who makes it and what the dice showed.

    >>> explain_move(Move("x", "B'", 3))
    "steal THEY's d6 out of the rival's Gigs; it keeps its value, 3"
    >>> from gigsheet.notation.rules import apply, end_turn
    >>> explain_move(Move("x", "A"), end_turn(apply(State.start(), Move("", "A", 2))))
    "THEY steals WE's d4, showing 2"
    """
    if state is None:
        return ("as a reaction, " if reaction else "") + _without_board(move)
    actor = OTHER[state.actor] if reaction else state.actor
    return ("in reaction, " if reaction else "") + _on_board(move, actor, state)


def _without_board(move: Move) -> str:
    die, value = die_name(move.die), number_text(move.value)
    if move.action == "":
        return f"{OWNER[move.die]} rolls the d{SIDES[move.die]} from the Fixer: it shows {value}"
    if move.action == "x":
        kept = "; it keeps its value" + ("" if move.value is None else f", {value}")
        return f"steal {die} out of the rival's Gigs{kept}"
    if move.action == "<>":
        return f"swap {die} with {die_name(move.other or move.die)}: each goes to the other player's Gigs, values kept"
    verb = {"+": "increment", "-": "decrement", "=": "set", "~": "reroll"}[move.action]
    return f"{verb} {die}: it then shows {value}"


def _on_board(move: Move, actor: Player, state: State) -> str:
    die, value = die_name(move.die), number_text(move.value)
    now = state.value(move.die)
    if move.action == "":
        return f"{actor} rolls {die}: it shows {value}"
    if move.action == "x":
        shown = now if now is not None else move.value
        return f"{actor} steals {die}" + ("" if shown is None else f", showing {number_text(shown)}")
    if move.action == "<>":
        other = move.other or move.die
        return f"{actor} swaps {die} ({_showing(state, move.die)}) and {die_name(other)} ({_showing(state, other)})"
    came = "" if now is None else f" from {now}"
    return f"{actor} {_CHANGES[move.action]} {die}{came} to {value}"


def _showing(state: State, die: str) -> str:
    value = state.value(die)
    return "in the Fixer" if value is None else f"showing {value}"


def explain_text(text: str, *, ruleset: str | Ruleset = "cr") -> tuple[list[ExplainedMove], tuple[Diagnostic, ...]]:
    """The moves of one turn written by itself, without a board, and what is wrong with its grammar and its values.

    The ruleset says what the notation has: there are no swaps in `quickref`.

    >>> moves, wrong = explain_text("A4 xB'3")
    >>> [move.text for move in moves], wrong
    (['A4', "xB'3"], ())
    """
    report = check(text, ruleset=ruleset)
    wrong = tuple([d for d in report.diagnostics if d.code in ("syntax", "value-range", "reaction-kind")])
    moves = []
    for position in report.positions:
        line = report.transcript.lines[position.at - 1]
        for entry, reaction, move, span in _moves(line):
            mine = tuple([d for d in wrong if d.line == position.at and d.entry == entry and d.span == span])
            moves.append(ExplainedMove(move.text, span, explain_move(move, reaction=reaction), mine))
    return moves, tuple([d for d in wrong if d.entry is None])


def explain_report(report: Report) -> list[ExplainedTurn]:
    """Every turn of a checked game, every move on the board that it met."""
    said: dict[int, list[Diagnostic]] = {}
    for diagnostic in report.diagnostics:
        said.setdefault(diagnostic.line, []).append(diagnostic)
    turns = []
    before = 0
    for position in report.positions:
        line = report.transcript.lines[position.at - 1]
        here = said.get(position.at, [])
        between = [d for at in range(before + 1, position.at) for d in said.get(at, [])]
        blanks = [d for d in between if d.code == "blank-line"]
        whole = (*blanks, *(d for d in here if d.entry is None))
        moves = _explain_moves(position.before, line, [d for d in here if d.entry is not None])
        turns.append(ExplainedTurn(position, position.before.actor, line, tuple(moves), whole))
        before = position.at
    return turns


def _explain_moves(state: State, line: Line, said: list[Diagnostic]) -> list[ExplainedMove]:
    moves = []
    faulty = line.turn is not None and line.turn.faulty
    for entry, reaction, move, span in _moves(line):
        mine = tuple([d for d in said if d.entry == entry and span[0] <= d.span[0] < span[1]])
        sentence = explain_move(move, state, reaction=reaction)
        after, code = play_move(state, move, reaction=reaction, lenient=faulty)
        if code == "after-end":
            sentence += " - but the game is over"
        elif code is not None:
            sentence += " - refused" if after.dice == state.dice else " - an error, but so the board now stands"
        moves.append(ExplainedMove(move.text, span, sentence, mine))
        state = after
    return moves


def _moves(line: Line) -> list[tuple[int, bool, Move, Span]]:
    """Every move of a line: its entry from 1, whether that is a reaction, the move, and where it stands."""
    turn = line.turn or Turn()
    flat = [(nth, entry.reaction, move) for nth, entry in enumerate(turn.entries, 1) for move in entry.moves]
    return [(*one, span) for one, span in zip(flat, line.spans, strict=False)]


def explain_outcome(report: Report) -> str:
    """How a game ended, or who could win next.

    >>> explain_outcome(check("A4"))
    'undecided after turn 1'
    """
    outcome = report.outcome
    if outcome.winner is not None:
        at = "at the start of" if not _won_by_steal(report) else "in"
        return f"{outcome.winner} wins {at} turn {outcome.turn} ({outcome.phase})"
    if not report.turns:
        return "no turn is written"
    text = f"undecided after turn {report.turns}"
    if outcome.pending is not None:
        text += f"; {outcome.pending} wins at the start of their next turn unless the rival's turn changes it"
    return text


def _won_by_steal(report: Report) -> bool:
    return any(p.before.winner is None and p.after.winner is not None for p in report.positions)


def explain_board(state: State) -> str:
    """Both players' Gigs and Street Cred in one line.

    >>> explain_board(State.start())
    'WE: no Gigs, 0 Street Cred; THEY: no Gigs, 0 Street Cred'
    """
    sides = []
    for player in PLAYERS:
        gigs = ", ".join(f"{die}{state.value(die)}" for die in state.gigs(player)) or "no Gigs"
        sides.append(f"{player}: {gigs}, {state.street_cred(player)} Street Cred")
    return "; ".join(sides)
