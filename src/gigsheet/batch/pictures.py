"""The picture of a row, kept when the sheet was read or cut from the scan again, and where in it a row must lie."""

from __future__ import annotations

from typing import cast

from gigsheet.records import Box, Point, Quad, SheetReading
from gigsheet.sheet.template import load_template
from gigsheet.store import Store, queries
from gigsheet.store.queries import SheetRef


def row_picture(store: Store, sheet: SheetRef, game: int, turn: int, quad: Quad | None) -> bytes | None:
    """A row as a JPEG file; None when its place is unknown or the scan is gone.

    A row that was sure when it was read, and is asked about all the same, has no picture yet.
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


def row_quad(reading: SheetReading, game: int, turn: int) -> Quad | None:
    """Where a row lies in its picture: as it was read, or where it must be as the sheet is printed, judging by the rows
    that were read. None when there are none.
    """
    known = {(one.game, row.turn): row.quad for one in reading.games for row in one.rows if row.quad is not None}
    if (game, turn) in known or not known or reading.sheet is None:
        return known.get((game, turn))
    import cv2
    import numpy as np

    printed = {
        (one.game, row.turn): _corners(row.entry_area_mm)
        for one in load_template(reading.sheet.template, reading.sheet.paper).games
        for row in one.rows
    }
    of_page = np.array([printed[place] for place in known], np.float64).reshape(-1, 2)
    of_picture = np.array(list(known.values()), np.float64).reshape(-1, 2)
    flat, _ = cv2.findHomography(of_page, of_picture)
    wanted = np.array([printed[game, turn]], np.float64)
    return cast(Quad, tuple((float(x), float(y)) for x, y in cv2.perspectiveTransform(wanted, flat)[0]))


def _corners(box: Box) -> tuple[Point, Point, Point, Point]:
    x0, y0, x1, y1 = box
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)
