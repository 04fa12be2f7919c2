"""An event's results and rows as CSV, JSON and transcripts."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gigsheet.filenames import FileNames
from gigsheet.store.cells import guarded
from gigsheet.store.findings import Findings
from gigsheet.store.queries import GameResult, SheetRef
from gigsheet.store.store import PrintedSheet
from gigsheet.store.withdrawn import tag

SCHEMA = "gigsheet.results/1"
RESULT_COLUMNS = (
    "serial", "event", "round", "table", "we", "they", "game", "result", "also", "winner", "turn", "phase", "pending",
    "first", "turns", "legal", "open", "notes", "source", "page", "sheet", "scan", "transcript",
)  # fmt: skip
ROW_COLUMNS = (
    "serial", "game", "turn", "line", "confidence", "flags", "settled", "source", "page", "sheet", "scan",
)  # fmt: skip


def results_csv(games: Iterable[Mapping[str, Any]]) -> str:
    """A line a game (see `result_records`)."""
    return _csv(RESULT_COLUMNS, ([_cell(game[column]) for column in RESULT_COLUMNS] for game in games))


def rows_csv(results: Sequence[GameResult], rows: Iterable[Sequence[Any]]) -> str:
    """A line a row. Its text follows its turn's number, as the notation has it (``3| =C4``), and so is no formula.

    Args:
        results: the games, for their sheets.
        rows: as `gigsheet.store.queries.rows` gives them.
    """
    ends: dict[int, tuple[object, list[object]]] = {}
    for result in results:
        sheet = result.sheet
        place = [guarded(sheet.source), sheet.page, sheet.sheet_index, tag(sheet.sha256)]
        ends[sheet.reading_id] = guarded(sheet.serial), place
    lines = (
        [
            ends[key][0],
            game,
            turn,
            f"{turn}| {text}".rstrip(),
            round(sure, 4),
            flags,
            "yes" if done else "",
            *ends[key][1],
        ]
        for key, game, turn, text, sure, flags, done in rows
    )
    return _csv(ROW_COLUMNS, lines)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else guarded(value)


def result_records(
    results: Iterable[GameResult],
    printed: Iterable[PrintedSheet],
    findings: Findings,
    names: Mapping[tuple[int, int], str],
) -> Iterator[tuple[SheetRef, dict[str, Any]]]:
    """A JSON-ready object a game that was played, and its sheet.

    `result` is what the result box says, or the game's own winner where it says nothing; `winner`, `turn`, `phase` and
    `pending` are the checker's; `open` counts what is still to settle; `notes` say what the stack shows; `scan`
    tells scans of one name apart; `transcript` is its file by `names` (see `transcript_names`), None where it has none.
    """
    known = {sheet.serial: sheet for sheet in printed}
    notes = _notes(findings)
    for game in results:
        if not game.played:
            continue
        sheet = known.get(game.sheet.serial or "", PrintedSheet(game.sheet.serial or ""))
        record = {
            "serial": game.sheet.serial,
            "event": sheet.event,
            "round": sheet.round,
            "table": sheet.table,
            "we": sheet.we,
            "they": sheet.they,
            "game": game.game,
            "result": game.result or game.winner,
            "also": list(game.also),
            "winner": game.winner,
            "turn": game.turn,
            "phase": game.phase,
            "pending": game.pending,
            "first": game.first,
            "turns": game.turns,
            "legal": game.legal,
            "open": game.open,
            "notes": sorted(notes[game.sheet.reading_id, game.game] | notes[game.sheet.reading_id, 0]),
            "source": game.sheet.source,
            "page": game.sheet.page,
            "sheet": game.sheet.sheet_index,
            "scan": tag(game.sheet.sha256),
            "transcript": names.get((game.sheet.reading_id, game.game)),
        }
        yield game.sheet, record


def _notes(findings: Findings) -> defaultdict[tuple[int, int], set[str]]:
    """(Reading, game; 0 for the whole sheet) -> what the stack shows about it."""
    notes: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for same in findings.duplicates:
        for sheet in same:
            notes[sheet.reading_id, 0].add("duplicate-serial")
    for sheet in findings.unfinished:
        notes[sheet.reading_id, 0].add("match-unfinished")
    for sheet in findings.unknown:
        notes[sheet.reading_id, 0].add("unknown-serial")
    for pair in findings.same_games:
        note = "two-sheets-differ" if pair.differ else "two-sheets-agree"
        for game in (pair.a, pair.b):
            notes[game.sheet.reading_id, game.game].add(note)
    for dispute in findings.disputed:
        for game, _ in dispute.claims:
            notes[game.sheet.reading_id, game.game].add("winner-disputed")
    return notes


def transcript_names(results: Iterable[GameResult]) -> dict[tuple[int, int], str]:
    """(Reading, game) -> file name of every game with a transcript: by the sheet's serial, or by its picture."""
    names, found = FileNames(), dict[tuple[int, int], str]()
    for game in results:
        if not game.transcript:
            continue
        sheet = game.sheet
        stem = sheet.serial or re.split(r"[/\\]", sheet.source)[-1].rsplit(".", 1)[0] + f"-page{sheet.page}"
        stem = re.sub(r"[^\w.()-]+", "_", stem).strip("._") or "sheet"
        if sheet.template != "single" or game.game > 1:
            stem += f"-game{game.game}"
        found[sheet.reading_id, game.game] = f"{names.take(stem)}.txt"
    return found
