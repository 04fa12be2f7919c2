"""Readings survive JSON, and have SPEC 6's shape."""

from __future__ import annotations

import json
from functools import reduce
from operator import getitem
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gigsheet.reading_json import from_dict, to_dict
from gigsheet.records import (
    Alternative,
    ChoiceReading,
    GameReading,
    RowFlag,
    RowReading,
    SheetId,
    SheetReading,
)

share = st.floats(0, 1).map(lambda p: round(p, 4))
pixels = st.floats(-1000, 10_000).map(lambda v: round(v, 1))
point = st.tuples(pixels, pixels)
texts = st.text("ABCDEFx+-=~()'<>. 0123456789", max_size=20)
flags = st.lists(st.sampled_from(get_args(RowFlag)), unique=True).map(tuple)
rows = st.builds(
    RowReading,
    turn=st.integers(1, 18),
    text=texts,
    confidence=share,
    flags=flags,
    alternatives=st.lists(st.builds(Alternative, texts, share), max_size=3).map(tuple),
    quad=st.none() | st.tuples(point, point, point, point),
    why=st.lists(texts, max_size=2).map(tuple),
)
choices = st.builds(
    ChoiceReading,
    value=st.none() | st.sampled_from(["WE", "THEY", "draw"]),
    confidence=share,
    flags=st.sampled_from([(), ("unmarked",), ("double-mark",)]),
)
games = st.builds(
    GameReading,
    game=st.integers(1, 3),
    first=choices,
    result=choices,
    rows=st.lists(rows, max_size=3).map(tuple),
    transcript=texts,
)
sheets = st.builds(
    SheetReading,
    source=st.text(min_size=1),
    page=st.integers(1, 400),
    sheet=st.none()
    | st.builds(SheetId, texts, st.integers(1, 9), st.sampled_from(["a4", "letter"]), st.none() | texts),
    games=st.lists(games, max_size=3).map(tuple),
    flags=st.sampled_from([(), ("bent-page",)]),
    timings_ms=st.dictionaries(st.sampled_from(["load", "page"]), st.floats(0, 1e4).map(lambda v: round(v, 2))),
)


@settings(max_examples=40, deadline=None)
@given(sheets)
def test_round_trip(reading: SheetReading) -> None:
    assert from_dict(json.loads(json.dumps(to_dict(reading)))) == reading


@settings(max_examples=40, deadline=None)
@given(sheets)
def test_a_sheet_is_flagged_when_anything_on_it_is(reading: SheetReading) -> None:
    data = to_dict(reading)
    parts = [part for game in data["games"] for part in (game["first"], game["result"], *game["rows"])]
    assert data["flagged"] == (bool(data["flags"]) or any(part["flagged"] for part in parts))
    assert all(part["flagged"] == bool(part["flags"]) for part in parts)


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (("schema",), "gigsheet.check/1"),
        (("source",), ...),
        (("sheet",), {"serials": 2}),
        (("games",), 3),
        (("games", 0), None),
        (("games", 0, "first"), "WE"),
        (("games", 0, "rows", 0, "box_px"), [[1]]),
        (("games", 0, "rows", 0, "box_px"), [[10**400, 1]] * 4),
        (("games", 0, "rows", 0, "alternatives"), ["A4"]),
        (("timings_ms",), "fast"),
    ],
)
def test_what_is_no_reading_is_one_error(place: tuple[str | int, ...], wrong: object) -> None:
    game = GameReading(1, ChoiceReading("WE", 1.0), ChoiceReading("WE", 1.0), (RowReading(1, "A4", 1.0),), "1| A4\n")
    data = to_dict(SheetReading("a.jpg", games=(game,)))
    *path, last = place
    part = reduce(getitem, path, data)
    if wrong is ...:
        del part[last]
    else:
        part[last] = wrong
    for bad in (data, [data], None):
        with pytest.raises(ValueError, match=r"^no gigsheet\.reading/1 object: "):
            from_dict(bad)


def test_refusal() -> None:
    reading = SheetReading("a.jpg", 3, error="no-sheet", message="no sheet: photograph the whole page")
    assert to_dict(reading) == {
        "schema": "gigsheet.reading/1",
        "source": "a.jpg",
        "page": 3,
        "error": "no-sheet",
        "message": "no sheet: photograph the whole page",
        "games": [],
    }
    assert from_dict(to_dict(reading)) == reading
