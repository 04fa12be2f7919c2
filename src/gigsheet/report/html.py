"""The report for people: one HTML file with everything in it, pictures too, that opens without a network.

Written piece by piece in plain Python: a large event has tens of thousands of entries, and a template engine takes
longer for them than everything else that an export does.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from gigsheet.report.words import percent, reasons
from gigsheet.store import Store, queries
from gigsheet.store.corrected import Entry
from gigsheet.store.findings import Findings
from gigsheet.store.queries import Counts, SheetRef

_PAGE = Path(__file__).parent / "report.html"
_WORTH_A_LOOK = 0.005
"""Other texts less likely than that differ from impossible by little."""
_COLUMNS = ("Serial", "Round", "Table", "WE", "THEY", "Game", "Result", "By the dice", "Open", "Notes", "Source")
_BODY = "\0"
"""Where the body goes: a sign that no HTML holds."""

Record = Mapping[str, Any]
"""A game as `gigsheet.report.tables.result_records` gives it."""


def render(
    store: Store,
    counts: Counts,
    games: Sequence[tuple[SheetRef, Record]],
    findings: Findings,
    withdrawn: Sequence[str] = (),
) -> bytes:
    """The whole report in UTF-8: sheets that need a person first, then what the stack shows, then every game (`games`
    are those with their sheets), then what was withdrawn."""
    title = escape(store.folder.resolve().name)
    page = Template(_PAGE.read_text(encoding="utf-8")).substitute(title=title, body=_BODY)
    before, _, after = page.partition(_BODY)
    refused = queries.sheets(store, refused=True)
    return b"".join(
        [
            before.encode(errors="backslashreplace"),  # the folder's name may not be UTF-8
            *(part.encode() for part in (*_counts(counts), *_refused(refused), *_stack(findings))),
            *_flagged(store, games),
            *(part.encode() for part in (*_games(games), *_withdrawn(withdrawn), after)),
        ]
    )


def _counts(counts: Counts) -> Iterator[str]:
    shown = (
        (counts.sheets, "sheets"),
        (counts.sure, "sure"),
        (counts.flagged, "with something open"),
        (counts.refused, "not read"),
        (counts.open, "entries to settle"),
        (counts.settled, "settled"),
    )
    yield '<ul class="counts">\n'
    yield from (f"<li><b>{count}</b> {what}</li>\n" for count, what in shown)
    yield "</ul>\n"


def _refused(sheets: Sequence[SheetRef]) -> Iterator[str]:
    if sheets:
        yield "<h2>Not read</h2>\n<ul>\n"
        for sheet in sheets:
            why = f'{escape(sheet.message or "")} <span class="tag">{escape(sheet.error or "")}</span>'
            yield f"<li>{escape(sheet.title)}: {why}</li>\n"
        yield "</ul>\n"


def _stack(found: Findings) -> Iterator[str]:
    items = [f"<li>{item}</li>\n" for item in _findings(found)]
    if items:
        yield "<h2>What the stack shows</h2>\n<ul>\n"
        yield from items
        yield "</ul>\n"


def _findings(found: Findings) -> Iterator[str]:
    for same in found.duplicates:
        where = escape("; ".join(sheet.title for sheet in same))
        yield f"Serial {escape(same[0].serial or '')} came {len(same)} times: {where}."
    for pair in found.same_games:
        a, b = (escape(game.sheet.serial or game.sheet.title) for game in (pair.a, pair.b))
        if not pair.differ:
            yield f"One game on two sheets: {a} and {b}, which agree."
            continue
        turns = ((f"turn {turn.number_a or turn.number_b}", turn.text_a, turn.text_b) for turn in pair.turns)
        items = "".join(
            f"<li>{what}: {_text(in_a)} or {_text(in_b)}</li>" for what, in_a, in_b in (*pair.marks, *turns)
        )
        if pair.same_side:
            items += "<li>whose dice are WE's: both players write the same ones as their own</li>"
        yield f"One game on two sheets: {a} and {b}, which differ, as {a} sees it:\n<ul>{items}</ul>\n"
    for dispute in found.disputed:
        yield f"{escape(dispute.text[0].upper() + dispute.text[1:])}."
    for sheet in found.unfinished:
        yield f"{escape(sheet.serial or sheet.title)}: one game each, and no third: a game or its page is missing."
    for table in found.incomplete:
        where = escape(f"Round {table.round}, table {table.table}" if table.round else f"table {table.table}")
        yield f"{where}: {escape(', '.join(table.came))} came, {escape(', '.join(table.missing))} did not."
    for sheet in found.unknown:
        yield f"{escape(sheet.title)} has serial {escape(sheet.serial or '')}, which was not printed for this event."
    if found.to_come:
        serials = escape(", ".join(sheet.serial for sheet in found.to_come))
        many = len(found.to_come)
        yield f"{many} printed {'sheet is' if many == 1 else 'sheets are'} still to come: {serials}."
    if found.gaps:
        yield f"Serials skipped in the stack: {escape(', '.join(found.gaps))}."


def _flagged(store: Store, games: Sequence[tuple[SheetRef, Record]]) -> Iterator[bytes]:
    """The sheets with something to look at: those with something open, then those that are settled."""
    entries = queries.flagged_entries(store)
    crops = queries.crops(store)
    by_reading: dict[int, list[Record]] = {}
    for sheet, game in games:
        by_reading.setdefault(sheet.reading_id, []).append(game)
    shown = [sheet for sheet in queries.sheets(store, refused=False) if sheet.reading_id in entries]
    still_open = {sheet.reading_id: any(entry.open for entry in entries[sheet.reading_id]) for sheet in shown}
    if shown:
        yield b"<h2>Flagged</h2>\n"
    for sheet in sorted(shown, key=lambda sheet: not still_open[sheet.reading_id]):
        own = by_reading.get(sheet.reading_id, [])
        yield _sheet_head(sheet, own, opened=still_open[sheet.reading_id]).encode()
        for entry in entries[sheet.reading_id]:
            picture = crops.get((sheet.reading_id, entry.spot.game, entry.spot.turn))
            yield from _entry(entry, picture, several=len(own) > 1)
        yield b"</section>\n"


def _sheet_head(sheet: SheetRef, games: Sequence[Record], *, opened: bool) -> str:
    ends = "".join(f" · {escape(_ending(game, several=len(games) > 1))}" for game in games)
    return (
        f'<section class="sheet{" open" if opened else ""}">\n'
        f"<header>\n<h3>{escape(sheet.serial or 'no serial')}</h3>\n"
        f"<p>{escape(sheet.title)}{ends}</p>\n</header>\n"
    )


def _ending(game: Record, *, several: bool) -> str:
    text = ", ".join((game["result"] or "undecided", *game["also"]))
    if game["winner"]:
        text += f" ({game['winner']} at turn {game['turn']}, {game['phase']})"
    return f"game {game['game']}: {text}" if several else text


def _entry(entry: Entry, jpeg: bytes | None, *, several: bool) -> Iterator[bytes]:
    """A flagged or settled entry, with its picture if one was kept."""
    spot = entry.spot
    which = f"game {spot.game}, " if several and spot.game else ""
    yield f'<div class="entry{" settled" if entry.settled else ""}">\n<div>{which}{spot.title}</div>\n<div>\n'.encode()
    if jpeg is not None:
        yield b'<img src="data:image/jpeg;base64,'
        yield b2a_base64(jpeg, newline=False)
        yield b'" alt="The row as it was written" loading="lazy">'
    rest = "" if spot.field == "page" else f'<p class="text">{escape(entry.text or "nothing")}</p>\n'
    if not entry.settled:
        tags = "".join([f' <span class="tag">{flag}</span>' for flag in entry.flags])
        rest += f"<p>{escape(' '.join(reasons(entry)))}{tags}\n {percent(entry.confidence)}</p>\n"
        others = [
            f"{_text(other.text)} {percent(other.confidence)}"
            for other in entry.alternatives
            if other.confidence >= _WORTH_A_LOOK
        ]
        if others:
            rest += f"<p>or {', '.join(others)}</p>\n"
    yield f"{rest}</div>\n</div>\n".encode()


def _text(text: str | None) -> str:
    return f'<span class="text">{escape(text or "nothing")}</span>'


def _games(games: Sequence[tuple[SheetRef, Record]]) -> Iterator[str]:
    """The table of all games."""
    head = "".join(f"<th>{column}" for column in _COLUMNS)
    yield f'<h2>All games</h2>\n<div class="scroll"><table>\n<thead><tr>{head}</thead>\n<tbody>\n'
    for sheet, game in games:
        yield "<tr>" + "".join([f"<td>{escape(cell)}" for cell in (*_cells(game), sheet.title)]) + "\n"
    yield "</tbody>\n</table></div>"


def _withdrawn(titles: Sequence[str]) -> Iterator[str]:
    if titles:
        yield "<h2>Withdrawn</h2>\n<p>Counted nowhere above:</p>\n<ul>\n"
        yield from (f"<li>{escape(name)}</li>\n" for name in titles)
        yield "</ul>\n"


def _cells(game: Record) -> tuple[str, ...]:
    """What stands in the table of all games, but for the source."""
    if game["winner"]:
        dice = f"{game['winner']}, turn {game['turn']}"
    else:
        dice = f"undecided, {game['pending']} pending" if game["pending"] else "undecided"
    return (
        *(game[key] or "" for key in ("serial", "round", "table", "we", "they")),
        str(game["game"]),
        ", ".join([game["result"] or "", *game["also"]]),
        dice,
        str(game["open"] or ""),
        " ".join(game["notes"]),
    )
