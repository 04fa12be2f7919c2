"""The checker: a transcript to its `Report` (SPEC 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from gigsheet.notation import messages
from gigsheet.notation.rules import Ruleset, State, end_turn, play_move, skip_turns
from gigsheet.notation.syntax import Entry, Move, NumberedTurn, Player, Span, Transcript, Turn, parse
from gigsheet.notation.text import variants

SCHEMA = "gigsheet.check/1"
LONGEST_GAME = 16


class Diagnostic(NamedTuple):
    """One thing the checker says.

    Attributes:
        severity: "error" or "warning".
        code: one of SPEC 3's.
        line: in the file, from 1.
        turn: the turn's number; None for blank lines and headers.
        entry: from 1 in its turn, a reaction being one; None for a code of the whole line.
        span: [start, end) in characters of the line, from 0.
        message: a sentence that names the dice, the values and the rule.
        rule: the section of the Comprehensive Rules, or "notation".
    """

    severity: str
    code: str
    line: int
    turn: int | None
    entry: int | None
    span: Span
    message: str
    rule: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "severity": self.severity,
            "code": self.code,
            "line": self.line,
            "turn": self.turn,
            "entry": self.entry,
            "span": list(self.span),
            "message": self.message,
            "rule": self.rule,
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who has won, when, in which phase; `pending` is who would at the start of their next turn (SPEC 2, rule 9)."""

    winner: Player | None
    turn: int | None
    phase: str | None
    pending: Player | None

    def to_dict(self) -> dict[str, Any]:
        return {"winner": self.winner, "turn": self.turn, "phase": self.phase, "pending": self.pending}


class Position(NamedTuple):
    """The board after a written turn; `at` is its line in the file, `before` the state at the turn's start."""

    turn: int
    at: int
    before: State
    after: State


@dataclass(frozen=True, slots=True)
class Report:
    """What the checker found in one transcript.

    Attributes:
        source: where the text came from, as the caller calls it.
        ruleset: the ruleset's name.
        transcript: the text as it was parsed.
        turns: the number of the last turn written, 0 if none.
        diagnostics: in the order of line, then column.
        outcome: who has won.
        positions: one a turn written, in order.
    """

    source: str
    ruleset: str
    transcript: Transcript
    turns: int
    diagnostics: tuple[Diagnostic, ...]
    outcome: Outcome
    positions: tuple[Position, ...]

    @property
    def first(self) -> Player:
        return self.transcript.first

    @property
    def ok(self) -> bool:
        """No diagnostic is an error."""
        return not any(d.severity == "error" for d in self.diagnostics)

    def boards(self) -> list[dict[str, Any]]:
        """The board after each turn written, in the shape of SPEC 4."""
        return [_board(position) for position in self.positions]

    def to_dict(self) -> dict[str, Any]:
        """The object of SPEC 4, ready for `json.dumps`."""
        return {
            "schema": SCHEMA,
            "source": self.source,
            "ruleset": self.ruleset,
            "first": self.first,
            "turns": self.turns,
            "ok": self.ok,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
            "outcome": self.outcome.to_dict(),
            "boards": self.boards(),
        }


def _board(position: Position) -> dict[str, Any]:
    dice = position.after.board()
    cred = {"WE": 0, "THEY": 0}
    for held in dice.values():
        if held is not None:
            cred[held[0]] += held[1]
    return {"turn": position.turn, "dice": dice, "street_cred": cred}


class Finding(NamedTuple):
    """A code and what it is about: `entry` and `move` count from 0 (the move over the whole turn); None for the line.

    `state` is the board right before the move, `actor` whoever makes it.
    """

    code: str
    state: State
    entry: int | None = None
    move: int | None = None
    what: Move | None = None


def play_turn(state: State, turn: Turn) -> tuple[State, tuple[str, ...]]:
    """What the checker makes of one turn: the state at the start of the next one, and the codes of this one's errors.

    `state` is that at the start of the turn (`State.start`, or what this gave for the turn before). The codes come as
    in SPEC 3, the line's own first; of `turn-number` and `blank-line`, which are no matter of the turn itself, it
    knows nothing.

    >>> from gigsheet.notation.syntax import parse_turn
    >>> play_turn(State.start(), parse_turn("A9 -A1"))[1]
    ('value-range', 'not-in-gigs')
    """
    after, findings = _findings(state, turn)
    codes = tuple([finding.code for finding in findings])
    if turn.faulty and state.winner is None:
        codes = ("syntax", *codes)
    return end_turn(after), codes


def _findings(state: State, turn: Turn) -> tuple[State, list[Finding]]:
    """The state after a turn's last move, and what is wrong with the turn but for its syntax."""
    findings: list[Finding] = []
    if state.winner is not None:
        return state, [Finding("after-end", state)]
    entries, faulty = turn
    if not entries:
        if not faulty and not state.may_pass:
            findings.append(Finding("pass-early", state))
        return state, findings
    if not faulty and state.ruleset.roll_first and not _rolls(entries) and not state.fixer_empty(state.actor):
        findings.append(Finding("roll-missing", state))
    count = 0
    for index, (moves, reaction) in enumerate(entries):
        for move in moves:
            after, code = play_move(state, move, reaction=reaction, lenient=faulty)
            if code is not None:
                if code == "after-end":
                    findings.append(Finding(code, state, None, count))
                    return state, findings
                findings.append(Finding(code, state, index, count, move))
            state = after
            count += 1
    return state, findings


def _rolls(entries: tuple[Entry, ...]) -> bool:
    # A list: a generator takes twice as long, and the decoder lives on this.
    return True in [not reaction and not moves[0].action for moves, reaction in entries]


def check(text: str, *, ruleset: str | Ruleset = "cr", strict: bool = False, source: str = "<text>") -> Report:
    """Check a transcript. Never raises on any text.

    Args:
        text: the whole transcript.
        ruleset: "cr", "alpha" or "quickref".
        strict: report tolerated variants (``’`` for ``'``, ``×`` for ``x``) as `style` warnings.
        source: what the report calls the text.

    Raises:
        TypeError: this is no text but, for one, bytes.
        ValueError: there is no such ruleset.

    >>> report = check("A4 -A1\\nA'9\\n")
    >>> [(d.code, d.line, d.span) for d in report.diagnostics]
    [('value-range', 2, (0, 3))]
    >>> report.outcome.winner is None
    True
    """
    rules = Ruleset.named(ruleset)
    return check_transcript(parse(text, swaps=rules.swaps), rules, strict=strict, source=source)


def check_transcript(transcript: Transcript, ruleset: Ruleset, *, strict: bool = False, source: str = "") -> Report:
    """`check` for a text that was parsed already (with the ruleset's `swaps`)."""
    state = State.start(transcript.first, ruleset)
    diagnostics: list[Diagnostic] = []
    positions: list[Position] = []
    for numbered in transcript.turns():
        if numbered.missing:
            state = skip_turns(state, numbered.missing)
        after, findings = _findings(state, numbered.line.turn or Turn())
        if findings or numbered.line.fault or numbered.misnumbered or numbered.blanks or numbered.number > LONGEST_GAME:
            diagnostics += _turn_diagnostics(transcript, numbered, state, findings)
        if strict and state.winner is None:
            diagnostics += _style_diagnostics(numbered)
        positions.append(Position(numbered.number, numbered.at, state, after))
        state = end_turn(after)
    diagnostics += _header_diagnostics(transcript, strict)
    diagnostics.sort(key=lambda d: (d.line, d.span[0]))
    outcome = Outcome(state.winner, state.won_in or None, state.phase, state.pending)
    turns = positions[-1].turn if positions else 0
    return Report(source, ruleset.name, transcript, turns, tuple(diagnostics), outcome, tuple(positions))


def _turn_diagnostics(
    transcript: Transcript, numbered: NumberedTurn, state: State, findings: list[Finding]
) -> Iterator[Diagnostic]:
    """What one turn's line, and the blank lines before it, have to be told; `state` is that at the turn's start."""
    line, at, number = numbered.line, numbered.at, numbered.number
    for blank in numbered.blanks:
        span = (0, len(transcript.lines[blank - 1].text))
        yield Diagnostic("error", "blank-line", blank, None, None, span, messages.blank_line(numbered), "notation")

    def whole_line(severity: str, code: str, span: Span, message: str) -> Diagnostic:
        return Diagnostic(severity, code, at, number, None, span, message, messages.rule_of(code, state))

    if numbered.misnumbered:
        yield whole_line("error", "turn-number", line.number_span, messages.turn_number(numbered))
    over = state.winner is not None
    if not over and number - numbered.missing - 1 <= LONGEST_GAME < number:
        yield whole_line("warning", "too-long", line.content, messages.too_long(number))
    if line.fault and not over:
        yield whole_line("error", "syntax", line.fault, messages.syntax(line, state.ruleset))
    for code, before, entry, index, move in findings:
        span = line.content if index is None else line.spans[index]
        if code == "after-end":
            span = (span[0], line.end)
        nth = None if entry is None else entry + 1
        rule = messages.rule_of(code, before, move)
        yield Diagnostic("error", code, at, number, nth, span, messages.sentence(code, before, move), rule)


def _style_diagnostics(numbered: NumberedTurn) -> Iterator[Diagnostic]:
    """The tolerated variants in what was read of one turn."""
    line = numbered.line
    entries = line.turn.entries if line.turn else ()
    owners: list[int | None] = [nth for nth, entry in enumerate(entries, 1) for _ in entry.moves]
    for span, nth in zip(line.spans, owners or [None] * len(line.spans), strict=True):
        for start in variants(line.text, *span):
            sign = line.text[start]
            message = messages.style(sign)
            yield Diagnostic(
                "warning", "style", numbered.at, numbered.number, nth, (start, start + 1), message, "notation"
            )


def _header_diagnostics(transcript: Transcript, strict: bool) -> Iterator[Diagnostic]:
    for at, line in enumerate(transcript.lines, 1):
        if line.kind not in ("header", "bad-header"):
            continue
        span = line.spans[0]
        written = line.text[slice(*span)]
        if line.kind == "bad-header":
            message = messages.bad_header(written, line.first is not None)
            yield Diagnostic("error", "syntax", at, None, None, span, message, "notation")
        elif strict and line.first and written != f"first: {line.first}":
            message = messages.header_style(written, line.first)
            yield Diagnostic("warning", "style", at, None, None, span, message, "notation")
