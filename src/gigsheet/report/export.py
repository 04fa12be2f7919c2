"""Writes everything that an event gives out into one folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from gigsheet.errors import UsageError
from gigsheet.report.html import render
from gigsheet.report.tables import SCHEMA, result_records, results_csv, rows_csv, transcripts
from gigsheet.store import Store, queries
from gigsheet.store.findings import find
from gigsheet.store.withdrawn import withdrawn_titles


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written where; `open` is what is still to settle, `refused` how many pages could not be read, `unread`
    how many were not read yet."""

    folder: Path
    games: int
    transcripts: int
    open: int
    refused: int
    unread: int


def export(store: Store, folder: Path) -> Exported:
    """Writes results.csv, rows.csv, results.json, report.html and a transcript a game, over those of an earlier export.

    All of it is one state of the event, though an import may be running. Transcripts that an earlier export wrote here
    and that are no longer among them are removed: whoever takes all that lie there must not count a game twice.

    Raises:
        UsageError: the folder cannot be written to.
    """
    with store.snapshot():
        return _export(store, folder)


def _export(store: Store, folder: Path) -> Exported:
    results = queries.results(store)
    findings = find(store, results)
    games = list(result_records(results, queries.printed_sheets(store), findings))
    records = [record for _, record in games]
    counts = queries.counts(store)
    withdrawn = withdrawn_titles(store)
    texts = dict(transcripts(results))
    document = {
        "schema": SCHEMA,
        "sheets": {"sure": counts.sure, "flagged": counts.flagged, "refused": counts.refused},
        "open": counts.open,
        "settled": counts.settled,
        "withdrawn": withdrawn,
        "transcripts": list(texts),
        "games": records,
    }
    written, index = folder / "transcripts", folder / "results.json"
    try:
        written.mkdir(parents=True, exist_ok=True)
        for name in _written_before(index) - set(texts):
            (written / name).unlink(missing_ok=True)
        # A spreadsheet tells UTF-8 by the mark; without it names are garbled.
        _write(folder / "results.csv", results_csv(records).encode("utf-8-sig"))
        _write(folder / "rows.csv", rows_csv(results, queries.rows(store)).encode("utf-8-sig"))
        _write(folder / "report.html", render(store, counts, games, findings, withdrawn))
        for name, text in texts.items():
            _write(written / name, text.encode())
        _write(index, (json.dumps(document, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise UsageError(f"{folder} cannot be written to ({error.strerror}): name another folder with -o") from None
    return Exported(folder, len(records), len(texts), counts.open, counts.refused, counts.unread)


def _written_before(index: Path) -> set[str]:
    """The transcripts that the last export listed in its results.json: names without a folder, whatever it holds."""
    try:
        names = json.loads(index.read_text(encoding="utf-8"))["transcripts"]
        return {name for name in names if Path(name).name == name and name.endswith(".txt")}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _write(path: Path, data: bytes) -> None:
    """A file that holds just that stays as it is: an event is exported again and again, and thousands of small files
    written over take longer than everything else."""
    try:
        if path.read_bytes() == data:
            return
    except FileNotFoundError:
        pass
    path.write_bytes(data)
