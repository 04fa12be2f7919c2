"""What a store holds, without the times and ids that differ from run to run: equal states are equal stores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from gigsheet.store import Store, tables


def state_of(event: Path, database: str | None = None) -> dict[str, Any]:
    """Scans and their files, names, readings, rows, games and corrections, sorted."""
    with Store(event, database) as store, store.reading_from() as connection:
        scans = {row.id: row for row in connection.execute(sa.select(tables.scan))}
        readings = {row.id: row for row in connection.execute(sa.select(tables.reading))}
        key = {i: (scans[r.scan_id].sha256, r.page, r.revision, r.sheet_index) for i, r in readings.items()}

        def derived(table: sa.Table) -> list[Any]:
            rows = connection.execute(sa.select(table)).mappings()
            return sorted(([key[r["reading_id"]], *map(str, list(r.values())[1:])] for r in rows), key=str)

        return {
            "scans": sorted((r.sha256, r.size, r.pages) for r in scans.values()),
            "files": sorted(p.name for p in (event / "scans").rglob("[!.]*") if p.is_file()),
            "names": sorted((scans[r.scan_id].sha256, r.name) for r in connection.execute(sa.select(tables.scan_name))),
            "readings": sorted((key[i], r.current, r.serial, r.error, _body(r.body)) for i, r in readings.items()),
            "pages": sorted(
                (scans[r.scan_id].sha256, r.page, r.revision, r.recipe, r.lost)
                for r in connection.execute(sa.select(tables.page_read))
            ),
            "games": derived(tables.game),
            "rows": derived(tables.entry_row),
            "crops": derived(tables.crop),
        }


def _body(text: str) -> str:
    return json.dumps(json.loads(text) | {"timings_ms": None}, sort_keys=True)
