"""A round's pairings as an organiser's program or spreadsheet exports them: CSV with table, we, they."""

from __future__ import annotations

import csv
import io
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from gigsheet.errors import UnreadableFileError, UsageError

COLUMNS = ("table", "we", "they")
DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True)
class Seat:
    """One player of one pairing: who writes this sheet (`we`), against whom, at which table; `line` is the file's."""

    table: str
    we: str
    they: str
    line: int


def read_pairings(path: Path) -> list[Seat]:
    """Two seats a pairing, the player of the column ``we`` first, in the file's order.

    The first line names the columns, in any order and case; further columns are passed over. Fields are parted by
    commas, semicolons or tabs, as spreadsheets do it.

    Raises:
        UnreadableFileError: no such file, or it is no text in UTF-8.
        UsageError: a column or a name is missing, a table comes twice, or somebody plays against themselves; with the
            line and the remedy.
    """
    text = _text(path)
    heading = text.lstrip().partition("\n")[0]
    delimiter = max(DELIMITERS, key=heading.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    at: dict[str, int] | None = None
    seats: list[Seat] = []
    line_of: dict[str, int] = {}
    try:
        for cells in lines:
            values = [unicodedata.normalize("NFC", " ".join(cell.split())) for cell in cells]
            if not any(values):
                continue
            if at is None:
                at = _columns(path, values)
                continue
            table, we, they = _pairing(path, lines.line_num, at, values)
            line = lines.line_num
            if (before := line_of.setdefault(table.casefold(), line)) != line:
                raise UsageError(
                    f"{path}, line {line}: table {table} stands in line {before} already; write a line a table"
                )
            seats += [Seat(table, we, they, line), Seat(table, they, we, line)]
    except csv.Error as error:
        raise UsageError(f"{path}, line {lines.line_num}: no CSV ({error}); save the pairings as CSV again") from error
    if not seats:
        raise UsageError(f"{path}: no pairings; write a first line table,we,they and one line a pairing below it")
    return seats


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UnreadableFileError(f"{path}: cannot be read ({error.strerror}); name a CSV file of pairings") from error
    except UnicodeDecodeError as error:
        raise UnreadableFileError(
            f"{path}: not UTF-8; save it again as CSV UTF-8, so that no name is garbled"
        ) from error


def _columns(path: Path, names: list[str]) -> dict[str, int]:
    found = {name.casefold(): k for k, name in reversed(list(enumerate(names)))}
    if missing := [column for column in COLUMNS if column not in found]:
        raise UsageError(
            f"{path}, line 1: no column {', '.join(missing)} among {', '.join(names)}; "
            "the first line names the columns table, we, they"
        )
    return {column: found[column] for column in COLUMNS}


def _pairing(path: Path, line: int, at: dict[str, int], values: list[str]) -> list[str]:
    pairing = [values[k] if (k := at[column]) < len(values) else "" for column in COLUMNS]
    for column, value in zip(COLUMNS, pairing, strict=True):
        if not value:
            raise UsageError(
                f"{path}, line {line}: nothing in column {column}; "
                "fill it in, or take the line out (a bye needs no sheet)"
            )
    _, we, they = pairing
    if we.casefold() == they.casefold():
        raise UsageError(
            f"{path}, line {line}: {we} plays against {we}; mend one of the names, or tell two namesakes apart"
        )
    return pairing
