"""Pairings files as organisers have them, and what is wrong with the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from gigsheet.errors import GigsheetError, UnreadableFileError, UsageError
from gigsheet.sheet.pairings import Seat, read_pairings

TWO_SEATS = [Seat("1", "Anna Nowak", "Béla Kovács", 2), Seat("1", "Béla Kovács", "Anna Nowak", 2)]


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "round3.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        "table,we,they\n1,Anna Nowak,Béla Kovács\n",
        "\ufefftable;we;they\r\n1;Anna Nowak;Béla Kovács\r\n",
        "Table\tWE\tThey\n1\tAnna Nowak\tBéla Kovács",
        'they,points,we,table\nBéla Kovács,"9,5",Anna Nowak,1\n\n,,,\n',
        'table,we,they\n1,"  Anna   Nowak ",Be\u0301la Kova\u0301cs\n',
    ],
    ids=["plain", "excel", "tabs", "more-columns", "spaces-and-combining"],
)
def test_a_pairing_seats_both_players(tmp_path: Path, content: str) -> None:
    assert read_pairings(written(tmp_path, content)) == TWO_SEATS


@pytest.mark.parametrize(
    ("content", "kind", "parts"),
    [
        ("table,we\n1,Ann\n", UsageError, ["line 1", "no column they among table, we"]),
        ("1,Ann,Bob\n", UsageError, ["line 1", "no column table, we, they"]),
        ("table,we,they\n1,Ann,Bob\n2,Cy,\n", UsageError, ["line 3", "column they", "bye"]),
        ("table,we,they\n1,Ann\n", UsageError, ["line 2", "column they"]),
        (
            "table,we,they\n1,Ann,Bob\n2,Cy,Di\n\n1,Eve,Flo\n",
            UsageError,
            ["line 5", "table 1", "line 2", "a line a table"],
        ),
        ("table,we,they\n1,Ann,Bob\n2,Cy, cy\n", UsageError, ["line 3", "Cy plays against Cy", "namesakes"]),
        ("table,we,they\n", UsageError, ["no pairings"]),
        ("", UsageError, ["no pairings"]),
        ("table,we,they\n1,Bj\xf8rn,Ann\n".encode("latin-1"), UnreadableFileError, ["not UTF-8", "save it again"]),
    ],
)
def test_what_is_wrong_is_told_with_line_and_remedy(
    tmp_path: Path, content: str | bytes, kind: type[GigsheetError], parts: list[str]
) -> None:
    with pytest.raises(kind) as refused:
        read_pairings(written(tmp_path, content))
    assert refused.value.exit_status == 2
    for part in ["round3.csv", *parts]:
        assert part in refused.value.message
    assert "\n" not in refused.value.message


@pytest.mark.parametrize("name", [".", "none.csv"])
def test_what_cannot_be_opened_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableFileError, match="cannot be read"):
        read_pairings(tmp_path / name)
