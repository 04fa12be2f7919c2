"""The tables in a real spreadsheet, told to evaluate every formula that it sees."""

from __future__ import annotations

import csv
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

from gigsheet.report.export import export
from gigsheet.store import PageTurn, PrintedSheet, Store
from gigsheet.store.scans import ScanFile
from tests.event.stack import game_of, sheet

TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
# Comma, double quote, UTF-8, from line 1, ..., numbers detected as such; the last: formulas are evaluated.
READ_CSV = "CSV:44,34,76,1,,0,false,true,false,false,false,-1,true"


def opened(path: Path, folder: Path) -> tuple[list[list[str]], int]:
    """The cells' texts as LibreOffice shows them, and how many of them are formulas."""
    profile = (folder / "profile").as_uri()
    command = ["soffice", f"-env:UserInstallation={profile}", "--headless", f"--infilter={READ_CSV}"]
    subprocess.run(
        [*command, "--convert-to", "fods", "--outdir", str(folder), str(path)],
        check=True,
        capture_output=True,
        timeout=180,
    )
    cells = []
    formulas = 0
    for row in ET.parse(folder / f"{path.stem}.fods").iter(f"{TABLE}table-row"):
        line = []
        for cell in row.iter(f"{TABLE}table-cell"):
            formulas += f"{TABLE}formula" in cell.attrib
            text = "\n".join("".join(p.itertext()) for p in cell.iter(f"{TEXT}p"))
            line += [text] * int(cell.get(f"{TABLE}number-columns-repeated", "1"))
        cells.append(line)
    return cells, formulas


def test_entries_of_the_notation_are_texts_in_a_spreadsheet(tmp_path: Path) -> None:
    texts = ["=C4", "+B5", "-B2", "~A3", "A4 -A1", "xB'3", "A<>B'"]
    with Store(tmp_path / "event", create=True) as store:
        scan_id = store.add_scan(ScanFile("0" * 64, ".jpg", 1, "=1+1.jpg", Path("x")), 1)
        store.save_page(scan_id, PageTurn(1), "first", [sheet("7F3K-01", game_of(texts), source="=1+1.jpg")])
        store.record_printed([PrintedSheet("7F3K-01", "+1", "-1", "@A1", '=HYPERLINK("http://x")', "Bo")])
        export(store, tmp_path / "out")
    rows, formulas = opened(tmp_path / "out" / "rows.csv", tmp_path)
    assert formulas == 0
    column = rows[0].index("line")
    assert [row[column] for row in rows[1:8]] == [f"{turn}| {text}" for turn, text in enumerate(texts, 1)]
    results, formulas = opened(tmp_path / "out" / "results.csv", tmp_path)
    assert formulas == 0
    assert results[1][results[0].index("we")].endswith('=HYPERLINK("http://x")')


def test_the_spreadsheet_would_have_taken_them_for_formulas(tmp_path: Path) -> None:
    with (tmp_path / "naive.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["text"], ["=C4"], ["=1+1"]])
    _, formulas = opened(tmp_path / "naive.csv", tmp_path)
    assert formulas == 2
