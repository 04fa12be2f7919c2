"""Writes everything that an event gives out into one folder."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gigsheet.errors import UsageError
from gigsheet.report.html import render
from gigsheet.report.tables import SCHEMA, result_records, results_csv, rows_csv, transcript_names
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

    All of it is one state of the event, though an import may be running, and on a full disk the earlier export stays
    whole. Transcripts that an earlier export wrote here and that are no longer among them are removed: whoever takes
    all that lie there must not count a game twice.

    Raises:
        UsageError: the folder cannot be written to, or holds the export of another event.
    """
    with store.snapshot():
        return _export(store, folder)


def _export(store: Store, folder: Path) -> Exported:
    results = queries.results(store)
    findings = find(store, results)
    names = transcript_names(results)
    games = list(result_records(results, queries.printed_sheets(store), findings, names))
    records = [record for _, record in games]
    counts = queries.counts(store)
    withdrawn = withdrawn_titles(store)
    places = ((game, (game.sheet.reading_id, game.game)) for game in results)
    texts = {names[place]: game.transcript for game, place in places if place in names}
    written, index = folder / "transcripts", folder / "results.json"
    last, event_id = _last_export(index), queries.event_id(store)
    if last.get("event_id", event_id) != event_id:
        raise UsageError(f"{folder} holds the export of another event: name another folder with -o, or remove that one")
    document = {
        "schema": SCHEMA,
        "event_id": event_id,
        "sheets": {"sure": counts.sure, "flagged": counts.flagged, "refused": counts.refused},
        "open": counts.open,
        "settled": counts.settled,
        "withdrawn": withdrawn,
        "transcripts": list(texts),
        "games": records,
    }
    try:
        written.mkdir(parents=True, exist_ok=True)
        gone = _transcripts(last) - set(texts)
        with _Replacement() as new:
            # A spreadsheet tells UTF-8 by the mark; without it names are garbled.
            new.write(folder / "results.csv", results_csv(records).encode("utf-8-sig"))
            new.write(folder / "rows.csv", rows_csv(results, queries.rows(store)).encode("utf-8-sig"))
            new.write(folder / "report.html", render(store, counts, games, findings, withdrawn))
            for name, text in texts.items():
                new.write(written / name, text.encode())
            new.write(index, (json.dumps(document, ensure_ascii=False) + "\n").encode())
        for name in gone:
            (written / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written to ({error.strerror}): name another folder with -o") from None
    return Exported(folder, len(records), len(texts), counts.open, counts.refused, counts.unread)


def _last_export(index: Path) -> dict[str, Any]:
    """What the results.json of the last export into this folder says; nothing where there is none that can be read."""
    try:
        document = json.loads(index.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _transcripts(last: dict[str, Any]) -> set[str]:
    """The transcripts that an export lists: names without a folder, whatever it holds."""
    names = last.get("transcripts")
    if not isinstance(names, list):
        return set()
    return {name for name in names if isinstance(name, str) and Path(name).name == name and name.endswith(".txt")}


class _Replacement:
    """Files that take the place of others all together, once each of them is written whole."""

    def __init__(self) -> None:
        self._parts: dict[Path, Path] = {}

    def __enter__(self) -> _Replacement:
        return self

    def write(self, path: Path, data: bytes) -> None:
        """A file that holds just that stays as it is: an event is exported again and again, and thousands of small
        files written over take longer than everything else."""
        with suppress(FileNotFoundError):
            if path.read_bytes() == data:
                return
        part = self._parts[path] = path.with_name(f".{path.name}.part")
        part.write_bytes(data)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for path, part in self._parts.items():
            if kind is None:
                part.replace(path)
            else:
                part.unlink(missing_ok=True)
