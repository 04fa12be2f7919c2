"""The report for people: one HTML file with everything in it, pictures too, that opens without a network."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gigsheet.records import Alternative
from gigsheet.report.words import percent, reasons
from gigsheet.store import Store, queries
from gigsheet.store.corrected import Entry
from gigsheet.store.findings import Findings
from gigsheet.store.queries import Counts, SheetRef

_FOLDER = Path(__file__).parent
_WORTH_A_LOOK = 0.005
_COLUMNS = ("Serial", "Round", "Table", "WE", "THEY", "Game", "Result", "By the dice", "Open", "Notes", "Source")


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """A flagged or settled entry: `picture` is a data URL, or None where no crop was kept."""

    entry: Entry
    reasons: tuple[str, ...]
    picture: str | None

    @property
    def alternatives(self) -> list[Alternative]:
        """Those worth a look; the others differ from impossible by little."""
        return [other for other in self.entry.alternatives if other.confidence >= _WORTH_A_LOOK]


@dataclass(frozen=True, slots=True)
class ShownSheet:
    """A sheet with something to look at; `open` is false once all of it is settled."""

    sheet: SheetRef
    games: Sequence[Mapping[str, Any]]
    entries: Sequence[ShownEntry]

    @property
    def open(self) -> bool:
        return any(shown.entry.open for shown in self.entries)


def render(
    store: Store,
    counts: Counts,
    records: Sequence[Mapping[str, Any]],
    findings: Findings,
) -> str:
    """The whole report: sheets that need a person first, then what the stack shows, then every game."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = percent
    shown = sorted(_sheets(store, records), key=lambda sheet: not sheet.open)
    return environment.get_template("report.html.j2").render(
        title=store.folder.resolve().name,
        counts=counts,
        sheets=shown,
        refused=queries.sheets(store, refused=True),
        findings=findings,
        columns=_COLUMNS,
        games=[_cells(record) for record in records],
    )


def _sheets(store: Store, records: Sequence[Mapping[str, Any]]) -> Iterator[ShownSheet]:
    entries = queries.flagged_entries(store)
    crops = queries.crops(store)
    by_place: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for record in records:
        by_place.setdefault((record["source"], record["page"], record["sheet"]), []).append(record)
    for sheet in queries.sheets(store, refused=False):
        of_sheet = entries.get(sheet.reading_id)
        if of_sheet:
            shown = [
                ShownEntry(
                    entry, reasons(entry), _data_url(crops.get((sheet.reading_id, entry.spot.game, entry.spot.turn)))
                )
                for entry in of_sheet
            ]
            yield ShownSheet(sheet, by_place.get((sheet.source, sheet.page, sheet.sheet_index), []), shown)


def _cells(game: Mapping[str, Any]) -> tuple[str, ...]:
    """A game's line in the table of all games."""
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
        game["source"] + (f", page {game['page']}" if game["page"] > 1 else ""),
    )


def _data_url(jpeg: bytes | None) -> str | None:
    return None if jpeg is None else "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")
