"""The list of printed sheets that `gigsheet blank` writes: which serial was printed for whom."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from gigsheet.errors import UnreadableFileError, UsageError
from gigsheet.store.cells import guarded, unguarded
from gigsheet.store.store import PrintedSheet

COLUMNS = ("serial", "event", "round", "table", "we", "they")


def write_printed(sheets: list[PrintedSheet]) -> str:
    """The list as CSV, its columns named in the first line."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for s in sheets:
        writer.writerow([guarded(cell) for cell in (s.serial, s.event, s.round, s.table, s.we, s.they)])
    return out.getvalue()


def read_printed(path: Path) -> list[PrintedSheet]:
    """The inverse of `write_printed`; a spreadsheet may have saved the list again, with semicolons or further columns.

    Raises:
        UnreadableFileError, UsageError: there is no such list; the message has the remedy.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnreadableFileError(
            f"{path}: cannot be read ({error.strerror}); name the list that `gigsheet blank --printed` wrote"
        ) from None
    except UnicodeDecodeError:
        raise UnreadableFileError(f"{path}: not UTF-8; save it again as CSV UTF-8") from None
    delimiter = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    sheets = []
    try:
        if "serial" not in (rows.fieldnames or ()):
            raise UsageError(f"{path}: no column serial; name the list that `gigsheet blank --printed` wrote")
        for row in rows:
            cells = {name: unguarded((row.get(name) or "").strip()) for name in COLUMNS}
            if cells["serial"]:
                sheets.append(PrintedSheet(**cells))
    except csv.Error as error:
        raise UsageError(f"{path}, line {rows.line_num}: no CSV ({error}); save the list as CSV again") from None
    return sheets
