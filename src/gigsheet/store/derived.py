"""What follows from a reading and the corrections that hold at its place: its state, and the rows derived from that."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select

from gigsheet.errors import UsageError
from gigsheet.reading_json import from_dict
from gigsheet.records import GameReading
from gigsheet.store import tables as t
from gigsheet.store.corrected import Corrected, Entry, Spot, corrected


@dataclass(frozen=True, slots=True)
class Answer:
    """A correction that holds: the last one of its entry that nobody took back."""

    id: int
    text: str | None
    author: str


def state_of(connection: Connection, reading_id: int) -> Corrected:
    """A reading with the corrections that hold for its place on the scan.

    Raises:
        UsageError: there is no such reading.
    """
    row = connection.execute(select(t.reading).where(t.reading.c.id == reading_id)).mappings().first()
    if row is None:
        raise UsageError(f"the store has no reading {reading_id}")
    return corrected(from_dict(json.loads(row["body"])), corrections_of(connection, dict(row)))


def corrections_of(connection: Connection, place: Mapping[str, Any]) -> dict[Spot, str | None]:
    """What people settled at a place (`scan_id`, `page`, `sheet_index`) and still holds."""
    return {spot: answer.text for spot, answer in answers_at(connection, place).items()}


def answers_at(connection: Connection, place: Mapping[str, Any]) -> dict[Spot, Answer]:
    """What holds at a place (`scan_id`, `page`, `sheet_index`): the last correction of each spot that nobody undid."""
    c = t.correction.c
    here = (c.scan_id == place["scan_id"]) & (c.page == place["page"]) & (c.sheet_index == place["sheet_index"])
    rows = connection.execute(select(t.correction).where(here).order_by(c.id)).mappings().all()
    undone = {row["undoes"] for row in rows}
    return {
        Spot(row["game"], row["field"], row["turn"]): Answer(row["id"], row["text"], row["author"])
        for row in rows
        if row["undoes"] is None and row["id"] not in undone
    }


def derive(connection: Connection, reading_id: int) -> None:
    """Rewrites what follows from a reading and its corrections: results and rows."""
    forget_derived(connection, [reading_id])
    insert_derived(connection, reading_id, state_of(connection, reading_id))


def forget_derived(connection: Connection, reading_ids: Collection[int]) -> None:
    """Takes out what follows from readings that are not current any more."""
    for table in (t.game, t.entry_row):
        connection.execute(delete(table).where(table.c.reading_id.in_(reading_ids)))


def insert_derived(connection: Connection, reading_id: int, state: Corrected) -> None:
    """Writes what follows from a reading that is current, with its corrections applied."""
    games = [_game_row(reading_id, game) for game in state.reading.games]
    if games:
        connection.execute(t.game.insert(), games)
    entries = [_entry_row(reading_id, entry) for entry in state.entries]
    if entries:
        connection.execute(t.entry_row.insert(), entries)


def _game_row(reading_id: int, game: GameReading) -> dict[str, Any]:
    check = game.check or {}
    outcome = check.get("outcome", {})
    return {
        "reading_id": reading_id,
        "game": game.game,
        "first": game.first.value,
        "result": game.result.value,
        "also": " ".join(game.result.also),
        "winner": outcome.get("winner"),
        "turn": outcome.get("turn"),
        "phase": outcome.get("phase"),
        "pending": outcome.get("pending"),
        "turns": check.get("turns", 0),
        "legal": bool(check.get("ok", True)),
        "transcript": game.transcript,
    }


def _entry_row(reading_id: int, entry: Entry) -> dict[str, Any]:
    return {
        "reading_id": reading_id,
        "game": entry.spot.game,
        "field": entry.spot.field,
        "turn": entry.spot.turn,
        "rank": entry.spot.rank,
        "text": entry.text,
        "confidence": entry.confidence,
        "flags": " ".join(entry.flags),
        "why": "\n".join(entry.why),
        "alternatives": json.dumps([[a.text, a.confidence] for a in entry.alternatives], ensure_ascii=False),
        "settled": entry.settled,
        "open": entry.open,
    }
