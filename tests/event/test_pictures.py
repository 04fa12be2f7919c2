from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from gigsheet.batch.crops import cut_row
from gigsheet.batch.parts import parts_of
from gigsheet.batch.pictures import row_picture, row_quad
from gigsheet.batch.worker import Part, read_part
from gigsheet.cli.braille import drawn
from gigsheet.pipeline import Options
from gigsheet.store import PageTurn, Store, queries
from gigsheet.vision.picture import Picture

SAMPLE = Path(__file__).parents[2] / "samples" / "angle" / "photo.jpg"


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("reduced", [1, 2])
def test_a_row_is_cut_level_whatever_way_the_picture_was_stored(orientation: int, reduced: int) -> None:
    stored = np.full((400, 600), 255, np.uint8)
    cv2.rectangle(stored, (100, 200), (300, 240), 0, -1)
    cv2.rectangle(stored, (100, 200), (120, 240), 128, -1)
    pixels = cv2.resize(stored, None, fx=1 / reduced, fy=1 / reduced, interpolation=cv2.INTER_AREA)
    picture = Picture.of(pixels, orientation=orientation, reduced=reduced, stored_size=(600, 400))
    # Where the bar's corners lie for a person, found by turning the picture instead of the points.
    seen = picture.as_seen()
    ys, xs = np.nonzero(seen < 200)
    x0, y0, x1, y1 = (float(v) * reduced for v in (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1))
    upright = y1 - y0 > x1 - x0
    quad = ((x0, y1), (x0, y0), (x1, y0), (x1, y1)) if upright else ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    strip = cv2.imdecode(np.frombuffer(cut_row(picture, quad), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert strip.shape[1] > 3 * strip.shape[0]
    middle = strip[strip.shape[0] // 2]
    assert (middle < 60).mean() > 0.7
    assert strip[2].min() > 150
    assert min(middle[0], middle[-1]) > 150


def test_a_row_that_is_made_smaller_is_not_aliased() -> None:
    stripes = np.tile(np.array([0, 255], np.uint8), (400, 2000))
    strip = cut_row(Picture.of(stripes), ((100, 100), (3900, 100), (3900, 200), (100, 200)))
    shown = cv2.imdecode(np.frombuffer(strip, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert shown.shape == (35, 1000)
    assert np.ptp(shown) < 40, "stripes a quarter as wide as a pixel are grey"
    assert abs(float(shown.mean()) - 127.5) < 10


def test_a_part_of_a_pdf_is_read_as_its_page_with_crops_of_flagged_rows(tmp_path: Path) -> None:
    from PIL import Image

    with Image.open(SAMPLE) as photo:
        photo.save(tmp_path / "stack.pdf", save_all=True, append_images=[photo], resolution=300)
    with Store(tmp_path / "event", create=True) as store:
        with (tmp_path / "stack.pdf").open("rb") as file:
            kept = store.scans.keep(file, "stack.pdf")
        parts = parts_of(kept.path)
        scan_id = store.add_scan(kept, parts.count)
        ((_, content),) = parts.cut([2])
        assert content is not None
        read = read_part(Part("stack.pdf", content, 2), Options())
        (reading,) = read.readings
        assert (reading.page, reading.source, reading.error) == (2, "stack.pdf", None)
        assert reading.sheet is not None
        assert reading.sheet.serial == "7F3K-02"
        flagged = {(0, game.game, row.turn) for game in reading.games for row in game.rows if row.flagged}
        assert set(read.crops) == flagged
        # A row that was not flagged has no picture yet, and gets one from the scan.
        store.save_page(scan_id, PageTurn(2), "first", read.readings)
        (sheet,) = queries.sheets(store)
        row = reading.games[0].rows[0]
        assert row_quad(reading, 1, row.turn) == row.quad
        picture = row_picture(store, sheet, 1, row.turn, row.quad)
        assert picture is not None
        assert drawn(picture, 80).strip("⠀\n")
        assert max(len(line) for line in drawn(picture, 80).splitlines()) <= 80
        assert row_picture(store, sheet, 1, row.turn, None) is None
        kept.path.unlink()
        assert row_picture(store, sheet, 1, row.turn, row.quad) is None


def test_a_row_that_nothing_was_read_in_lies_where_the_others_say() -> None:
    (reading,) = read_part(Part("photo.jpg", SAMPLE), Options()).readings
    (game,) = reading.games
    assert len(game.rows) == 13
    shorter = replace(reading, games=(replace(game, rows=game.rows[:10]),))
    said, was = row_quad(shorter, 1, 13), game.rows[12].quad
    assert said is not None
    assert was is not None
    assert np.abs(np.subtract(said, was)).max() < 8, "pixels; the row is 68 high"
    assert row_quad(replace(reading, games=(replace(game, rows=()),)), 1, 13) is None
