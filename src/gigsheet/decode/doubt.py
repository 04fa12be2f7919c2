"""Doubt in sentences: what the ink prefers, what the rules prefer, and which rule speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from gigsheet.decode.candidates import Candidate
from gigsheet.decode.chances import chance
from gigsheet.decode.decipher import Choice, Deciphered
from gigsheet.decode.transcript import UNREADABLE, Written, write
from gigsheet.notation.syntax import Turn

_UNLIKE = "There is ink in this row, but nothing that resembles an entry."
_MAY_SAY = "The ink may say"
OF_INK = (_UNLIKE, _MAY_SAY)
"""So sentences begin that are about the ink alone, and hold whatever the other rows say."""
WORTH_NAMING = 0.02
"""Other texts are named from this probability on."""
MOST_NAMED = 2
WORTH_ODDS = 2.0
"""What the dice make likelier is told from so many times on."""


def explain(game: Deciphered, row: int) -> tuple[str, ...]:
    """Why one row (counted from 0) is in doubt or refused."""
    listed, choice = game.listed[row], game.choices[row]
    if not listed:
        return (_UNLIKE,)
    here = listed[choice.place].text
    said = []
    if choice.continued:
        said.append("This row seems to hold the rest of the turn in the row before.")
    rivals = [listed[k].text for k in _rivals(listed, choice)]
    by_ink = max(listed, key=lambda candidate: candidate.ink).text
    if by_ink != here:
        said.append(f"The ink looks more like {_quoted(by_ink)}; {_quoted(here)} fits the game better.")
    elif rivals:
        said.append(f"{_MAY_SAY} {' or '.join(map(_quoted, [here, *rivals]))}.")
    if game.texts[row] is not UNREADABLE:  # of such a row the checker says that nothing stands there
        errors = game.sheet.errors(row)[:1]
        said += [f"{_quoted(here)} is refused: {error.message} (rule {error.rule})" for error in errors]
    for rival in dict.fromkeys([by_ink, *rivals]):
        if rival != here and rival:
            said.append(_against(game, row, rival))
    return tuple(said)


def _quoted(text: str) -> str:
    return f"“{text}”" if text else "nothing but crossed-out writing"


def _rivals(listed: Sequence[Candidate], choice: Choice) -> list[int]:
    order = sorted(range(len(listed)), key=lambda k: -choice.probabilities[k])
    return [k for k in order if k != choice.place and choice.probabilities[k] >= WORTH_NAMING][:MOST_NAMED]


def _against(game: Deciphered, row: int, rival: str) -> str:
    """What the checker would say of the game with another text in this row."""
    report = game.sheet.report
    other = [rival if k == row else text for k, text in enumerate(game.texts)]
    changed = write(other, game.continued, report.first, report.ruleset)
    errors = changed.errors(row)
    if errors:
        return f"{_quoted(rival)} would be refused: {errors[0].message} (rule {errors[0].rule})"
    before = {d.turn for d in report.diagnostics if d.severity == "error"}
    errors = [d for d in changed.report.diagnostics if d.severity == "error" and d.turn is not None]
    later = [d for d in errors if d.turn not in before]
    if later:
        number = changed.lines.index(later[0].line) + 1
        return f"With {_quoted(rival)} row {number} would be refused: {later[0].message} (rule {later[0].rule})"
    allowed = f"The rules allow {_quoted(rival)} as well"
    here = game.texts[row]
    if here and not game.sheet.errors(row):
        odds = _odds(game.sheet, changed, game.sheet.lines[row])
        if odds >= WORTH_ODDS:
            return f"{allowed}, but with this value {_quoted(here)} is {odds:.0f} times as likely."
    return f"{allowed}."


def _odds(sheet: Written, other: Written, line: int) -> float:
    """How many times likelier the dice make a line of one transcript than of another; the checker takes both."""
    before = next(position.before for position in sheet.report.positions if position.at == line)
    turn, rival = (written.report.transcript.lines[line - 1].turn or Turn() for written in (sheet, other))
    return exp(chance(before, turn) - chance(before, rival))
