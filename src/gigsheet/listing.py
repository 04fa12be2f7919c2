"""A reading as plain lines for people: what was read, how sure, why it should be looked at, how the game ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gigsheet.errors import one_line
from gigsheet.records import ChoiceReading, GameReading, RowReading, SheetReading

_PAPER = {"a4": "A4", "letter": "Letter"}
_TEXT_WIDTH = 28


def listing(reading: SheetReading) -> str:
    """The lines that `gigsheet read` prints for one sheet, or the one line that says why there are none."""
    where = f"{one_line(reading.source)}, page {reading.page}"
    if reading.sheet_index > 1:
        where += f", sheet {reading.sheet_index}"
    if reading.error is not None:
        return f"{where}: {reading.message}"
    sheet = reading.sheet
    head = []
    if sheet is not None:
        head.append(f"{sheet.template} on {_PAPER.get(sheet.paper, sheet.paper)}")
        head.append(f"serial {sheet.serial}" if sheet.serial else "serial not readable")
    head.append(f"look: {_words(reading.flags)}" if reading.flags else "found")
    lines = [f"{where}: {', '.join(head)}"]
    several = len(reading.games) > 1
    for game in reading.games:
        if several and game.rows:
            lines.append(f"game {game.game}")
        if game.rows or not several:
            lines.extend(_game_lines(game))
    if several and not any(game.rows for game in reading.games):
        lines.append(_closing(None, reading.games))
    return "\n".join(lines)


def _game_lines(game: GameReading) -> Iterator[str]:
    yield "first: " + _choice_text(game.first)
    for row, refusal in zip(game.rows, _refusals(game), strict=True):
        line = f"{row.turn:>2}  {row.text:<{_TEXT_WIDTH}} {_percent(row.confidence):>7}"
        yield f"{line}  look: {_reason(row, refusal)}" if row.flagged else line
    if game.result.value is not None or game.result.flagged:
        also = "".join(f", {mark}" for mark in game.result.also)
        yield "result: " + _choice_text(game.result) + also
    yield _closing(game.check, [game])


def _closing(check: dict[str, Any] | None, games: Sequence[GameReading]) -> str:
    """How the games ended, and how much there is to look at."""
    rows = sum(row.flagged for game in games for row in game.rows)
    marks = sum(game.first.flagged + game.result.flagged for game in games)
    if check is None and not rows + marks:
        return f"{outcome(check)}    Look whether that is so."
    look = [f"{count} {what}{'s' * (count > 1)}" for count, what in ((rows, "row"), (marks, "mark")) if count]
    return f"{outcome(check)}    {' and '.join(look) + ' to look at' if look else 'Nothing to look at'}."


def _percent(share: float) -> str:
    """Rounded down and never 100: a row is not sure beyond doubt."""
    return f"{min(int(1000 * share), 999) / 10:.1f} %"


def _choice_text(choice: ChoiceReading) -> str:
    text = choice.value or "not marked"
    return f"{text}   look: {_words(choice.flags)}" if choice.flagged else text


def _refusals(game: GameReading) -> list[str | None]:
    """What the checker says first of each row that it refuses."""
    from gigsheet.decode.transcript import lines_of  # the decoder's part, which not all that imports this one needs

    said: dict[int, str] = {}
    for diagnostic in (game.check or {}).get("diagnostics", ()):
        if diagnostic["severity"] == "error" and diagnostic["turn"] is not None:
            said.setdefault(diagnostic["line"], diagnostic["message"])
    return [said.get(line) for line in lines_of(game.rows)]


def _reason(row: RowReading, refusal: str | None) -> str:
    """Why a row should be looked at: what else it may be, or what the checker has against it."""
    if "unreadable" in row.flags or "blank-row" in row.flags:
        return _words(row.flags)
    parts = []
    if "low-confidence" in row.flags or "rule-conflict" in row.flags:
        texts = [row.text, *(a.text for a in row.alternatives if a.text != row.text)][:2]
        parts.append(" or ".join(text or "nothing" for text in texts) + "?")
    if "illegal" in row.flags and refusal:
        parts.append(refusal)
    others = [flag for flag in row.flags if flag not in ("low-confidence", "rule-conflict", "illegal")]
    if others:
        parts.append(_words(others))
    return "; ".join(parts) or _words(row.flags)


def _words(flags: Sequence[str]) -> str:
    return ", ".join(flag.replace("-", " ") for flag in flags)


def outcome(check: dict[str, Any] | None) -> str:
    """How a checked game ended, as a sentence (from a `gigsheet.check/1` object)."""
    if check is None:
        return "Nothing is written on it."
    result = check["outcome"]
    dice = check["boards"][-1]["dice"].values() if check["boards"] else ()
    gigs = {player: sum(1 for die in dice if die and die[0] == player) for player in ("WE", "THEY")}
    if result["winner"]:
        who, turn = result["winner"], result["turn"]
        when = f"in overtime, turn {turn}" if result["phase"] == "overtime" else f"at the start of turn {turn}"
        return f"{who} wins {when}, with {gigs[who]} Gigs."
    if result["pending"]:
        return (
            f"Undecided; {result['pending']} wins at the start of their next turn unless the missing turn changes it."
        )
    return f"Undecided after turn {check['turns']}: WE {gigs['WE']} Gigs, THEY {gigs['THEY']}."
