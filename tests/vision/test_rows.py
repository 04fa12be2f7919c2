"""Gaps are closed, ends trimmed, and every column that is kept knows where it came from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gigsheet.sheet.template import load_template
from gigsheet.vision import rows


def strip(inked: list[int], width: int = 600) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    pixels = np.full((rows.STRIP_HEIGHT, width), 255, np.uint8)
    pixels[10:30, inked] = 0
    columns = (20 + np.arange(width) / rows.STRIP_PX_PER_MM).astype(np.float32)
    return pixels, (pixels < 128).any(axis=0), columns


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 599), max_size=12))
def test_ink_is_kept_in_order_and_no_gap_is_longer_than_it_may_be(inked: list[int]) -> None:
    pixels, inked_columns, columns = strip(inked)
    kept, kept_mm = rows.compress_gaps(pixels, inked_columns, columns)
    assert kept.shape == (rows.STRIP_HEIGHT, len(kept_mm))
    assert np.all(np.diff(kept_mm) > 0)
    dark = kept.min(axis=0) == 0
    assert dark.sum() == len(set(inked))
    assert set(kept_mm[dark]) == set(columns[inked])
    if inked:
        where = np.flatnonzero(dark)
        longest = rows.GAP_MM * rows.STRIP_PX_PER_MM + 1
        ends = rows.END_MM * rows.STRIP_PX_PER_MM + 1
        assert np.all(np.diff(where) <= longest + 1)
        assert where[0] <= ends
        assert len(dark) - 1 - where[-1] <= ends


def test_a_strip_without_ink_has_no_width() -> None:
    pixels, inked_columns, columns = strip([])
    kept, kept_mm = rows.compress_gaps(pixels, inked_columns, columns)
    assert kept.shape == (rows.STRIP_HEIGHT, 0)
    assert kept_mm.shape == (0,)


@pytest.mark.parametrize(
    ("inked_mm", "cut"),
    [
        ((30, 40), False),  # stays well inside
        ((150, 173), True),  # goes on over the right end
        ((172.6, 173), False),  # a note that begins early, with nothing before it
        ((25.5, 30), True),  # begins left of the strip
    ],
)
def test_writing_that_goes_on_over_an_end_is_outside(inked_mm: tuple[float, float], cut: bool) -> None:
    columns_mm = np.linspace(25.5, 173, 811, dtype=np.float32)
    inked_columns = (columns_mm >= inked_mm[0]) & (columns_mm <= inked_mm[1])
    zones = rows._zones(columns_mm, 25.5, 173.0)
    assert rows._runs_out(inked_columns, zones, beside=True) is cut
    assert rows._runs_out(inked_columns, zones, beside=False) is (cut or inked_mm[1] == 173)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_strips_without_boxes_go_on_past_the_entry_area_up_to_other_print(paper: str) -> None:
    template = load_template("match", paper)
    ends = dict(zip([(game.game, row.turn) for game, row in rows._rows(template)], rows._ends(template), strict=True))
    layouts = {(game.game, row.turn): row for game in template.games for row in game.rows}
    beyond = {place: ends[place][1] - row.entry_area_mm[2] for place, row in layouts.items()}
    assert beyond[1, 5] > 7, "nothing stands there but the next game's number"
    assert 0 < beyond[1, 2] < 1, "a marker stands there"
    assert 2 < beyond[3, 4] < 3, "the serial stands there"
    assert len(set(rows._widths(load_template("single", paper)))) == 1
    assert len(set(rows._widths(template))) > 1
