from __future__ import annotations

import csv
import errno
import json
import os
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from gigsheet.cli.app import app
from gigsheet.errors import UsageError
from gigsheet.records import MarkFlag, PageFlag, RowFlag
from gigsheet.report.export import export
from gigsheet.report.html import render
from gigsheet.report.words import reasons
from gigsheet.store import PageTurn, PrintedSheet, Store, queries
from gigsheet.store.corrected import Entry, Spot
from gigsheet.store.findings import Findings, Incomplete
from gigsheet.store.queries import SheetRef
from gigsheet.store.scans import ScanFile
from gigsheet.store.withdrawn import places_named
from tests.event.stack import REFERENCE, game_of, sheet

EVIL = "<script>alert(1)</script>"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two sheets, one of them with formulas for rows and a doubtful one; and a hostile player's name."""
    with Store(tmp_path / "event", create=True) as opened:
        readings = [
            sheet("7F3K-01", source="a.jpg"),
            sheet("7F3K-02", game_of(["=C4", "+B5", "-B2 A4"], doubt={3: "-B2"}), source="=cmd|'/c calc'!A1.jpg"),
        ]
        for k, reading in enumerate(readings):
            scan_id = opened.add_scan(ScanFile(f"{k:064}", ".jpg", 1, reading.source, Path("x")), 1)
            opened.save_page(scan_id, PageTurn(1), "first", [reading], {(0, 1, 3): b"\xff\xd8crop"})
        opened.record_printed([PrintedSheet("7F3K-01", "Open", "2", "9", EVIL, "@SUM(1)")])
        yield opened


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_results_have_a_line_a_game_with_its_pairing(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "out")
    first, second = table(tmp_path / "out" / "results.csv")
    assert (first["serial"], first["round"], first["table"], first["we"]) == ("7F3K-01", "2", "9", EVIL)
    assert (first["result"], first["winner"], first["turn"], first["open"]) == ("WE", "WE", "11", "0")
    # The three rows are all refused by the checker, and the result mark has no game to stand on.
    assert (second["legal"], second["open"]) == ("no", "3")
    document = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [game["serial"] for game in document["games"]] == ["7F3K-01", "7F3K-02"]


def test_no_cell_begins_like_a_formula(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "out")
    for name in ("results.csv", "rows.csv"):
        for row in table(tmp_path / "out" / name):
            assert not [cell for cell in row.values() if cell[:1] in "=+-@\t\r" and cell]
    texts = [row["line"] for row in table(tmp_path / "out" / "rows.csv") if row["serial"] == "7F3K-02"]
    assert texts == ["1| =C4", "2| +B5", "3| -B2 A4"]


def test_a_transcript_a_game(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out" / "transcripts").iterdir())
    assert names == ["7F3K-01.txt", "7F3K-02.txt"]
    assert (tmp_path / "out" / "transcripts" / "7F3K-01.txt").read_text().splitlines()[1] == f"1| {REFERENCE[0]}"


def test_the_report_is_one_file_that_shows_flagged_rows_with_crop_reading_and_reason(
    store: Store, tmp_path: Path
) -> None:
    export(store, tmp_path / "out")
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert EVIL not in html
    assert "&lt;script&gt;" in html
    assert not re.search(r"(?:src|href)=[\"'](?!data:)", html)
    assert "data:image/jpeg;base64," in html
    assert "The ink may also say -B2." in html
    assert "7F3K-02" in html


def test_the_report_tells_what_the_stack_shows(store: Store, tmp_path: Path) -> None:
    evil = SheetRef(1, 1, "0", f"{EVIL}.jpg", 1, 1, 1, 1, "7F3K-09", "match")
    printed = PrintedSheet("7F3K-08", "Open", EVIL, "9")
    findings = Findings(
        duplicates=((evil, evil),),
        unfinished=(evil,),
        incomplete=(Incomplete(EVIL, "9", ("7F3K-09",), ("7F3K-08",)),),
        to_come=(printed,),
        unknown=(evil,),
        gaps=("7F3K-05", "7F3K-06"),
    )
    html = render(store, queries.counts(store), [], findings).decode()
    assert EVIL not in html
    for told in (
        "Serial 7F3K-09 came 2 times: &lt;script",
        "7F3K-09: one game each, and no third: a game or its page is missing.",
        "table 9: 7F3K-09 came, 7F3K-08 did not.",
        "has serial 7F3K-09, which was not printed for this event.",
        "1 printed sheet is still to come: 7F3K-08.",
        "Serials skipped in the stack: 7F3K-05, 7F3K-06.",
    ):
        assert told in html


def test_two_sheets_of_one_game_that_differ_in_the_result_alone_are_told_everywhere(tmp_path: Path) -> None:
    with Store(tmp_path / "event", create=True) as store:
        for k, result in enumerate(("WE", "THEY")):
            scan_id = store.add_scan(ScanFile(f"{k:064}", ".jpg", 1, f"{k}.jpg", Path("x")), 1)
            reading = sheet(f"7F3K-0{k}", game_of(REFERENCE, result=result), source=f"{k}.jpg")
            store.save_page(scan_id, PageTurn(1), "first", [reading])
        export(store, tmp_path / "out")
    run = CliRunner().invoke(app, ["status", "--event", str(tmp_path / "event")])
    assert "one game on two sheets, 7F3K-00 and 7F3K-01, which differ in result\n" in run.stdout
    assert run.exit_code == 1
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert 'result: <span class="text">WE</span> or <span class="text">THEY</span>' in html
    assert [row["notes"] for row in table(tmp_path / "out" / "results.csv")] == ["two-sheets-differ"] * 2


@pytest.mark.parametrize(
    ("theirs", "lines", "notes"),
    [
        (REFERENCE[3:], [], "winner-disputed"),
        (
            REFERENCE,
            ["one game on two sheets, 7F3K-00 and 7F3K-01, which differ in first, result, whose dice are WE's"],
            "two-sheets-differ winner-disputed",
        ),
    ],
)
def test_sheets_of_one_table_that_name_different_winners_are_told_everywhere(
    tmp_path: Path, theirs: list[str], lines: list[str], notes: str
) -> None:
    with Store(tmp_path / "event", create=True) as store:
        for k, texts in enumerate((REFERENCE, theirs)):
            scan_id = store.add_scan(ScanFile(f"{k:064}", ".jpg", 1, f"{k}.jpg", Path("x")), 1)
            reading = sheet(f"7F3K-0{k}", game_of(texts), source=f"{k}.jpg")
            store.save_page(scan_id, PageTurn(1), "first", [reading])
        players = (("Ana", EVIL), (EVIL, "Ana"))
        store.record_printed(PrintedSheet(f"7F3K-0{k}", "Open", "2", "9", *who) for k, who in enumerate(players))
        export(store, tmp_path / "out")
    told = f"ound 2, table 9: the players' sheets differ in who won: Ana on 7F3K-00, {EVIL} on 7F3K-01"
    run = CliRunner().invoke(app, ["status", "--event", str(tmp_path / "event")])
    assert [line for line in run.stdout.splitlines() if "differ" in line] == [*lines, f"r{told}"]
    assert run.exit_code == 1
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"<li>R{escape(told)}.</li>" in html
    assert ("both players write the same ones as their own" in html) == bool(lines)
    assert [row["notes"] for row in table(tmp_path / "out" / "results.csv")] == [notes] * 2


def test_the_export_of_another_event_is_not_written_over(store: Store, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(store, out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with Store(tmp_path / "saturday", create=True) as other:
        refused = f"{out} holds the export of another event: name another folder with -o, or remove that one"
        run = CliRunner().invoke(app, ["export", "--event", str(other.folder), "-o", str(out)])
        assert isinstance(run.exception, UsageError)
        assert str(run.exception) == refused
        assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
        assert export(other, tmp_path / "out2").games == 0
    store.close()
    moved = tmp_path / "event-of-friday"
    store.folder.rename(moved)
    with Store(moved) as again:
        assert export(again, out).games == 2
        (out / "results.json").write_text('{"schema": "gigsheet.results/1", "transcripts": []}')
        assert export(again, out).games == 2, "whose an export of an older Gigsheet is nobody can say"


def test_what_did_not_change_is_not_written_again(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "out")
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    before = {path: path.stat().st_mtime_ns for path in files}
    export(store, tmp_path / "out")
    assert {path: path.stat().st_mtime_ns for path in files} == before
    (first, *_) = queries.sheets(store)
    store.correct(first.reading_id, Spot(1, "row", 1), "A3")
    export(store, tmp_path / "out")
    after = {path: path.stat().st_mtime_ns for path in files}
    assert [path.name for path in files if path.suffix == ".txt" and after[path] != before[path]] == ["7F3K-01.txt"]


def test_settled_rows_are_shown_as_settled(store: Store, tmp_path: Path) -> None:
    flagged = queries.next_open(store, limit=9)
    for entry in flagged:
        store.correct(entry.sheet.reading_id, entry.entry.spot, entry.entry.text)
    for entry in queries.next_open(store, limit=9):
        store.correct(entry.sheet.reading_id, entry.entry.spot, "WE")
    done = export(store, tmp_path / "out")
    assert done.open == 0
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert 'class="entry settled"' in html
    assert 'class="sheet open"' not in html


def test_transcripts_follow_corrections(store: Store, tmp_path: Path) -> None:
    (first, *_) = queries.sheets(store)
    store.correct(first.reading_id, Spot(1, "row", 1), "A3")
    export(store, tmp_path / "out")
    assert (tmp_path / "out" / "transcripts" / "7F3K-01.txt").read_text().splitlines()[1] == "1| A3"


def test_every_flag_has_a_sentence() -> None:
    flags = {flag for kind in (PageFlag, MarkFlag, RowFlag) for flag in get_args(kind)}
    for flag in sorted(flags):
        (said,) = reasons(Entry(Spot(1, "row", 1), "A4", 0.5, (flag,)))
        assert said != flag.replace("-", " ").capitalize() + ".", flag


def test_an_export_leaves_no_transcript_of_what_is_gone(store: Store, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(store, out)
    (out / "transcripts" / "mine.txt").write_text("not from an export")
    assert sorted(path.name for path in (out / "transcripts").iterdir()) == ["7F3K-01.txt", "7F3K-02.txt", "mine.txt"]
    store.withdraw(places_named(store, "a.jpg"))
    export(store, out)
    assert sorted(path.name for path in (out / "transcripts").iterdir()) == ["7F3K-02.txt", "mine.txt"]


def test_an_export_is_one_state_though_pages_come_in(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = queries.results

    def results_and_then_a_page(of: Store) -> list[queries.GameResult]:
        found = asked(of)
        scan_id = of.add_scan(ScanFile("f" * 64, ".jpg", 1, "late.jpg", Path("x")), 1)
        of.save_page(scan_id, PageTurn(1), "first", [sheet("7F3K-09", source="late.jpg")])
        return found

    monkeypatch.setattr(queries, "results", results_and_then_a_page)
    assert export(store, tmp_path / "out").games == 2
    assert len(queries.sheets(store)) == 3


def test_two_scans_of_one_name_keep_their_games_apart(tmp_path: Path) -> None:
    with Store(tmp_path / "event", create=True) as store:
        for content, result in (("1", "WE"), ("2", "THEY")):
            scan_id = store.add_scan(ScanFile(content * 64, ".jpg", 1, "IMG.jpg", Path("x")), 1)
            reading = sheet(f"7F3K-0{content}", game_of(REFERENCE, doubt={3: "B4"}, result=result), source="IMG.jpg")
            store.save_page(scan_id, PageTurn(1), "first", [reading])
        export(store, tmp_path / "out")
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    heads = re.findall(r"<p>(IMG\.jpg.*?)</p>", html)
    assert heads == [
        "IMG.jpg #11111111 · WE (WE at turn 11, regulation)",
        "IMG.jpg #22222222 · THEY (WE at turn 11, regulation)",
    ]
    assert re.findall(r"<td>(IMG\.jpg.*)", html) == ["IMG.jpg #11111111", "IMG.jpg #22222222"]
    games, rows = table(tmp_path / "out" / "results.csv"), table(tmp_path / "out" / "rows.csv")
    assert [game["scan"] for game in games] == ["#11111111", "#22222222"]
    assert {(row["serial"], row["scan"]) for row in rows} == {("7F3K-01", "#11111111"), ("7F3K-02", "#22222222")}


@pytest.mark.parametrize("name", ["x" * 250, "ä" * 200])
def test_a_long_name_stops_no_export(store: Store, tmp_path: Path, name: str) -> None:
    scan_id = store.add_scan(ScanFile("f" * 64, ".jpg", 1, f"{name}.jpg", Path("x")), 1)
    store.save_page(scan_id, PageTurn(1), "first", [sheet(None, source=f"{name}.jpg")])
    assert export(store, tmp_path / "out").transcripts == 3


def test_an_event_whose_name_is_not_utf8_has_a_report(tmp_path: Path) -> None:
    with Store(tmp_path / os.fsdecode(b"ev\xff"), create=True) as store:
        export(store, tmp_path / "out")
    assert r"<title>ev\udcff" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_every_game_names_its_transcript(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "out")
    document = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    named = [game["transcript"] for game in document["games"]]
    assert sorted(named) == sorted(document["transcripts"]) == ["7F3K-01.txt", "7F3K-02.txt"]
    assert [game["transcript"] for game in table(tmp_path / "out" / "results.csv")] == named
    for game in document["games"]:
        lines = (tmp_path / "out" / "transcripts" / game["transcript"]).read_text(encoding="utf-8").splitlines()
        assert len(lines) >= game["turns"]


def test_a_full_disk_leaves_the_earlier_export_whole(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    export(store, out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    store.correct(queries.sheets(store)[1].reading_id, Spot(1, "row", 3), "-B2", "Ana")
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if "report.html" in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UsageError, match="No space left"):
        export(store, out)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    monkeypatch.undo()
    export(store, out)
    assert (out / "rows.csv").read_bytes() != before[out / "rows.csv"]
