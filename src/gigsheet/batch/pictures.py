"""The picture of a row: kept when the sheet was read, or cut from the scan again."""

from __future__ import annotations

from gigsheet.records import Quad
from gigsheet.store import Store, queries
from gigsheet.store.queries import SheetRef


def row_picture(store: Store, sheet: SheetRef, game: int, turn: int, quad: Quad | None) -> bytes | None:
    """A row as a JPEG file; None when its place is unknown or the scan is gone.

    A row that was sure when it was read, and is doubted since a correction, has no picture yet.
    """
    kept = queries.crop(store, sheet.reading_id, game, turn)
    if kept is not None or quad is None:
        return kept
    from gigsheet.batch.crops import cut_row
    from gigsheet.batch.parts import parts_of
    from gigsheet.vision.load import PageFailure, load

    path = store.scans.find(sheet.sha256)
    if path is None:
        return None
    parts = parts_of(path)
    content = None if parts.in_place else next((part for _, part in parts.cut([sheet.page])), None)
    for item in load(path, page=sheet.page) if content is None else load(content):
        if not isinstance(item, PageFailure):
            return cut_row(item, quad)
    return None
