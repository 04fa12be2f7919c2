"""A reading as plain lines for people: what was read, how sure, why it should be looked at, how the game ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gigsheet.records import ChoiceReading, GameReading, RowReading, SheetReading

_PAPER = {"a4": "A4", "letter": "Letter"}
_TEXT_WIDTH = 28


def listing(reading: SheetReading) -> str:
    """The lines that `gigsheet read` prints for one sheet, or the one line that says why there are none."""
    where = f"{reading.source}, page {reading.page}"
    if reading.sheet_index > 1:
        where += f", sheet {reading.sheet_index}"
    if reading.error is not None:
        return f"{where}: {reading.message}"
    sheet = reading.sheet
    head = [where + ":"]
    if sheet is not None:
        head.append(f"{sheet.template} on {_PAPER.get(sheet.paper, sheet.paper)},")
        head.append(f"serial {sheet.serial}" if sheet.serial else "serial not readable")
    if reading.flags:
        head.append("- look: " + ", ".join(reading.flags))
    lines = [" ".join(head)]
    several = len(reading.games) > 1
    for game in reading.games:
        if several and game.rows:
            lines.append(f"game {game.game}")
        if game.rows or not several:
            lines.extend(_game_lines(game))
    return "\n".join(lines)


def _game_lines(game: GameReading) -> Iterator[str]:
    yield "first: " + _choice_text(game.first)
    for row in game.rows:
        yield _row_line(row)
    if game.result.value is not None or game.result.flagged:
        also = "".join(f", {mark}" for mark in game.result.also)
        yield "result: " + _choice_text(game.result) + also
    doubts = sum(row.flagged for row in game.rows) + game.first.flagged + game.result.flagged
    look = "nothing to look at" if not doubts else f"{doubts} to look at"
    yield f"{outcome(game.check)}    {look}."


def _choice_text(choice: ChoiceReading) -> str:
    text = choice.value or "not marked"
    return f"{text}   look: {', '.join(choice.flags)}" if choice.flagged else text


def _row_line(row: RowReading) -> str:
    line = f"{row.turn:>2}  {row.text:<{_TEXT_WIDTH}} {100 * row.confidence:>3.0f} %"
    return f"{line}  look: {_reason(row)}" if row.flagged else line


def _reason(row: RowReading) -> str:
    if row.why:
        return " ".join(row.why)
    other = next((a.text for a in row.alternatives if a.text != row.text), None)
    if other is not None and ("low-confidence" in row.flags or "rule-conflict" in row.flags):
        return f"{row.text or 'nothing'} or {other or 'nothing'}?"
    return ", ".join(row.flags)


def outcome(check: dict[str, Any] | None) -> str:
    """How a checked game ended, as a sentence (from a `gigsheet.check/1` object)."""
    if check is None:
        return "Nothing to check."
    result = check["outcome"]
    dice = check["boards"][-1]["dice"].values() if check["boards"] else ()
    gigs = {player: sum(1 for die in dice if die and die[0] == player) for player in ("WE", "THEY")}
    if result["winner"]:
        who, turn = result["winner"], result["turn"]
        verb = "win" if who in ("WE", "THEY") else "wins"
        when = f"in overtime, turn {turn}" if result["phase"] == "overtime" else f"at the start of turn {turn}"
        return f"{who} {verb} {when}, with {gigs[who]} Gigs."
    if result["pending"]:
        return f"Undecided; {result['pending']} win at the start of their next turn unless the missing turn changes it."
    return f"Undecided after turn {check['turns']}: WE hold {gigs['WE']} Gigs, THEY hold {gigs['THEY']}."
