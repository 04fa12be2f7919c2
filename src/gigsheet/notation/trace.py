"""A game turn by turn: as lines for the terminal, and as one self-contained page that steps through it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Final

from gigsheet.notation.check import Diagnostic, Report
from gigsheet.notation.explain import ExplainedTurn, explain_outcome, explain_report
from gigsheet.notation.rules import PLAYERS, State
from gigsheet.notation.syntax import Player

_DATA_MARK: Final = "/*GAME*/null"


def trace_text(report: Report) -> str:
    """Each turn as written, then both players' Street Cred, Gigs and Fixer after it, then what is wrong with it.

    >>> from gigsheet.notation.check import check
    >>> print(trace_text(check("A4", source="game.txt")), end="")
    game.txt: WE goes first, ruleset cr
    <BLANKLINE>
    Turn  1  WE    A4
        WE    Street Cred  4  Gigs A4                               Fixer B C D E F
        THEY  Street Cred  0  Gigs -                                Fixer A' B' C' D' E' F'
    <BLANKLINE>
    undecided after turn 1
    """
    rows = [f"{report.source}: {report.first} goes first, ruleset {report.ruleset}", ""]
    headers = [d for d in report.diagnostics if d.turn is None and d.code != "blank-line"]
    rows += [_said(d) for d in headers]
    for turn in explain_report(report):
        rows.append(f"Turn {turn.position.turn:2}  {turn.actor:4}  {_written(turn)}")
        rows += [f"    {_side(turn.position.after, player)}" for player in PLAYERS]
        rows += [_said(d) for d in turn.diagnostics]
        rows += [_said(d) for move in turn.moves for d in move.diagnostics]
    if report.positions:
        rows.append("")
    rows.append(explain_outcome(report))
    return "\n".join(rows) + "\n"


def _written(turn: ExplainedTurn) -> str:
    return turn.line.text[slice(*turn.line.content)]


def _side(state: State, who: Player) -> str:
    gigs = " ".join(f"{die}{state.value(die)}" for die in state.gigs(who)) or "-"
    fixer = " ".join(state.fixer(who)) or "-"
    return f"{who:4}  Street Cred {state.street_cred(who):2}  Gigs {gigs:<32} Fixer {fixer}".rstrip()


def _said(diagnostic: Diagnostic) -> str:
    return f"    {diagnostic.severity} {diagnostic.code} (line {diagnostic.line}): {diagnostic.message}"


def trace_html(report: Report) -> str:
    """The game as one page: HTML, styles and script in one text, nothing loaded from anywhere."""
    page = resources.files("gigsheet.notation").joinpath("trace.html").read_text(encoding="utf-8")
    # Inside <script> only "<" could end the data early; U+2028 and U+2029 are escaped by json itself.
    data = json.dumps(trace_data(report)).replace("<", "\\u003c")
    return page.replace(_DATA_MARK, data, 1)


def trace_data(report: Report) -> dict[str, Any]:
    """What the page is made from: every turn as parts of text with what each part means, and the board after it."""
    turns = explain_report(report)
    return {
        "source": report.source,
        "ruleset": report.ruleset,
        "first": report.first,
        "outcome": explain_outcome(report),
        "headers": [_problem(d) for d in report.diagnostics if d.turn is None and d.code != "blank-line"],
        "turns": [
            {
                "turn": turn.position.turn,
                "actor": turn.actor,
                "parts": _parts(turn),
                "problems": [_problem(d) for d in turn.diagnostics],
                **_board(turn.position.after),
            }
            for turn in turns
        ],
    }


def _board(state: State) -> dict[str, Any]:
    return {
        "dice": state.board(),
        "street_cred": {player: state.street_cred(player) for player in PLAYERS},
        "gigs": {player: state.gig_count(player) for player in PLAYERS},
    }


def _problem(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "rule": diagnostic.rule,
    }


def _parts(turn: ExplainedTurn) -> list[dict[str, Any]]:
    """The line's text in pieces: moves with their sentences, what lies between, and where it does not parse."""
    text, at = turn.line.text, turn.line.content[0]
    parts: list[dict[str, Any]] = []
    pieces: list[tuple[int, int, str, tuple[Diagnostic, ...]]] = [
        (*move.span, move.sentence, move.diagnostics) for move in turn.moves
    ]
    if turn.line.turn is not None and turn.line.turn.passed:
        sentence = f"{turn.actor} passes: there is nothing to roll"
        if any(d.code == "pass-early" for d in turn.diagnostics):
            sentence = f"{turn.actor} passes"
        pieces.append((*turn.line.spans[0], sentence, ()))
    syntax = [d for d in turn.diagnostics if d.code == "syntax"]
    pieces += [(*d.span, "this is no entry of the notation", (d,)) for d in syntax]
    for start, end, sentence, said in sorted(pieces, key=lambda piece: piece[:2]):
        if start > at:
            parts.append({"text": text[at:start]})
        parts.append({"text": text[start:end], "sentence": sentence, "problems": [_problem(d) for d in said]})
        at = end
    if at < turn.line.end:
        parts.append({"text": text[at : turn.line.end]})
    return parts
