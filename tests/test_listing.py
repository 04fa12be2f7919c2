"""The plain lines of a reading: what stands beside a row is what the checker says of this row."""

from __future__ import annotations

import pytest

from gigsheet.decode.transcript import write
from gigsheet.listing import listing
from gigsheet.records import ChoiceReading, GameReading, RowFlag, RowReading, SheetReading

WE = ChoiceReading("WE", 0.99)


def lines(texts: list[str], flags: dict[int, tuple[RowFlag, ...]]) -> list[str]:
    """The lines of a sheet with these rows; `flags` by row, from 1."""
    rows = tuple(RowReading(turn, text, 0.99, flags.get(turn, ())) for turn, text in enumerate(texts, 1))
    continued = ["continued" in row.flags for row in rows]
    sheet = write(texts, continued, "WE", "cr")
    rows = tuple(
        RowReading(row.turn, row.text, 0.99, (*row.flags, "illegal") if sheet.errors(k) else row.flags)
        for k, row in enumerate(rows)
    )
    game = GameReading(1, WE, ChoiceReading(None, 1.0), rows, sheet.transcript, sheet.report.to_dict())
    return listing(SheetReading("photo.jpg", games=(game,))).splitlines()


@pytest.mark.parametrize(
    ("texts", "flags"),
    [
        (["A4", "A'4", "B4", "-B2", "B'1", "D11", "F'4"], {4: ("continued",)}),
        (["", "", "A4", "A'4", "B4", "D11", "F'4"], {1: ("blank-row",), 2: ("blank-row",)}),
        (["A4", "A'4", "", "B'2", "B4", "D11", "F'4"], {3: ("blank-row",)}),
    ],
)
def test_a_row_is_refused_in_its_own_words(texts: list[str], flags: dict[int, tuple[RowFlag, ...]]) -> None:
    said = {line.split()[0]: line for line in lines(texts, flags)}
    assert "look: D shows 1 to 10" in said["6"] or "11" in said["6"].partition("look: ")[2], said["6"]
    assert "F'" in said["7"].partition("look: ")[2], said["7"]
    assert "look" not in said["5"]
