"""Sheets that are taken out of an event, and back in: nothing of them is lost."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gigsheet.batch.crew import LocalCrew
from gigsheet.batch.intake import find
from gigsheet.batch.run import Import
from gigsheet.cli.event import export, status, withdraw
from gigsheet.errors import UsageError
from gigsheet.pipeline import Options
from gigsheet.report.export import export as write_export
from gigsheet.store import PageTurn, Store, queries
from gigsheet.store import findings as stack
from gigsheet.store.corrected import Spot
from gigsheet.store.scans import ScanFile
from gigsheet.store.withdrawn import Place, places_named, withdrawn_titles
from tests.event.stack import REFERENCE, game_of, scripted, sheet
from tests.event.state import state_of

DOUBTFUL = game_of(REFERENCE, doubt={3: "B4 -B1"})
ROW_3 = Spot(1, "row", 3)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A doubtful sheet photographed twice, and a PDF of three pages of which the first is the first sheet again."""
    with Store(tmp_path / "event", create=True) as opened:
        for name, content in (("photos/a.jpg", "a"), ("photos/b.jpg", "b")):
            add(opened, name, content, [sheet("7F3K-01", DOUBTFUL, source=name)])
        pages = [sheet(f"7F3K-0{page}", source="round1.pdf", page=page) for page in (1, 2, 3)]
        add(opened, "round1.pdf", "c", *([page] for page in pages))
        yield opened


def add(store: Store, name: str, content: str, *pages: list[object]) -> int:
    scan_id = store.add_scan(ScanFile(content * 64, Path(name).suffix, 3, name, Path(name)), len(pages))
    for number, sheets in enumerate(pages, 1):
        assert store.save_page(scan_id, PageTurn(number), "first", sheets)  # type: ignore[arg-type]
    return scan_id


def titles(store: Store) -> list[str]:
    return [sheet.title for sheet in queries.sheets(store)]


def test_a_sheet_of_a_stack_is_named_by_its_page(store: Store) -> None:
    assert titles(store) == [
        "photos/a.jpg",
        "photos/b.jpg",
        "round1.pdf, page 1",
        "round1.pdf, page 2",
        "round1.pdf, page 3",
    ]


def test_what_is_withdrawn_is_in_no_count_result_or_finding(store: Store) -> None:
    assert [len(same) for same in stack.find(store).duplicates] == [3]
    assert store.withdraw(places_named(store, "photos/b.jpg")) == (1, 1)
    assert store.withdraw(places_named(store, "round1.pdf, page 1")) == (1, 1)
    assert titles(store) == ["photos/a.jpg", "round1.pdf, page 2", "round1.pdf, page 3"]
    counts = queries.counts(store)
    assert (counts.scans, counts.sheets, counts.sure, counts.flagged, counts.open) == (2, 3, 2, 1, 1)
    assert counts.unread == 0
    assert len(queries.results(store)) == 3
    assert len(queries.rows(store)) == 30
    assert not stack.find(store).duplicates
    assert [entry.sheet.title for entry in queries.next_open(store, limit=9)] == ["photos/a.jpg"]
    assert withdrawn_titles(store) == ["photos/b.jpg", "round1.pdf, page 1"]


def test_what_is_taken_back_in_is_as_it_was(store: Store, tmp_path: Path) -> None:
    before = state_of(tmp_path / "event")
    everything = [place for name in ("photos/b.jpg", "round1.pdf") for place in places_named(store, name)]
    assert store.withdraw(everything) == (4, 4)
    assert store.withdraw(everything) == (0, 0)
    assert titles(store) == ["photos/a.jpg"]
    assert withdrawn_titles(store) == ["photos/b.jpg", "round1.pdf"]
    assert store.withdraw(everything, back=True) == (4, 4)
    assert store.withdraw(everything, back=True) == (0, 0)
    assert state_of(tmp_path / "event") == before
    assert withdrawn_titles(store) == []


def test_corrections_hold_for_a_sheet_that_was_away(store: Store) -> None:
    there = places_named(store, "photos/a.jpg")
    first = queries.sheets(store)[0].reading_id
    kept = store.correct(first, ROW_3, "B4 -B1")
    store.withdraw(there)
    with pytest.raises(UsageError, match="withdrawn"):
        store.correct(first, ROW_3, "B4 -B2")
    store.undo(kept)
    store.withdraw(there, back=True)
    assert queries.current_state(store, first).reading.games[0].rows[2].text == REFERENCE[2]
    assert queries.counts(store).open == 2


def test_one_sheet_of_a_picture(store: Store) -> None:
    second = replace(sheet("7F3K-09", source="table.jpg"), sheet_index=2)
    add(store, "table.jpg", "d", [sheet("7F3K-08", source="table.jpg"), second])
    assert titles(store)[-2:] == ["table.jpg, sheet 1", "table.jpg, sheet 2"]
    (there,) = places_named(store, "table.jpg, sheet 2")
    assert there == Place(queries.sheets(store)[-1].scan_id, 1, 2)
    assert store.withdraw([there]) == (1, 1)
    assert titles(store)[-1] == "table.jpg, sheet 1", "another sheet was there, so the name alone would mean both"
    assert withdrawn_titles(store) == ["table.jpg, sheet 2"]
    assert store.withdraw(places_named(store, "table.jpg")) == (1, 1)
    assert withdrawn_titles(store) == ["table.jpg"]
    with pytest.raises(UsageError, match="whole page"):
        store.withdraw([there], back=True)
    assert store.withdraw(places_named(store, "table.jpg"), back=True) == (1, 1)
    assert titles(store)[-1] == "table.jpg, sheet 1", "a sheet that was taken out by itself stays out"
    assert store.withdraw(places_named(store, "table.jpg"), back=True) == (1, 1)
    assert titles(store)[-1] == "table.jpg, sheet 2", "where the picture is in, its name means what is out of it"


def test_what_stays_out_is_said_when_its_page_comes_back(store: Store) -> None:
    second = replace(sheet("7F3K-09", source="table.jpg"), sheet_index=2)
    add(store, "table.jpg", "d", [sheet("7F3K-08", source="table.jpg"), second])
    event = ["--event", str(store.folder)]
    for names in (["table.jpg, sheet 2"], ["table.jpg"]):
        assert CliRunner().invoke(withdraw, [*names, *event]).exit_code == 0
    run = CliRunner().invoke(withdraw, ["table.jpg", "--back", *event])
    assert run.stdout == "table.jpg: back in the event, 1 sheet\nstill withdrawn: table.jpg, sheet 2\n"
    run = CliRunner().invoke(withdraw, ["table.jpg, sheet 2", "--back", *event])
    assert run.stdout == "table.jpg, sheet 2: back in the event, 1 sheet\n"


def test_a_scan_is_called_as_its_reading_is_whatever_else_it_came_as(store: Store) -> None:
    store.add_scan(ScanFile("a" * 64, ".jpg", 3, "another/name.jpg", Path("x")), 1)
    store.withdraw(places_named(store, "photos/a.jpg"))
    assert withdrawn_titles(store) == ["photos/a.jpg"]
    store.withdraw(places_named(store, "another/name.jpg"), back=True)
    assert [file.name for file in queries.scan_files(store)] == ["photos/a.jpg", "photos/b.jpg", "round1.pdf"]


def test_a_page_that_was_never_read_waits_for_nobody(store: Store) -> None:
    scan_id = store.add_scan(ScanFile("e" * 64, ".pdf", 3, "stopped.pdf", Path("stopped.pdf")), 2)
    assert queries.counts(store).unread == 2
    store.withdraw(places_named(store, "stopped.pdf, page 2"))
    assert queries.counts(store).unread == 1
    assert [turn.page for turn in queries.pages_to_read(store, scan_id, 2, "first", "all")] == [1]
    store.withdraw(places_named(store, "stopped.pdf"))
    assert queries.counts(store).unread == 0
    assert "stopped.pdf" not in [file.name for file in queries.scan_files(store)]


def test_a_page_that_was_being_read_while_it_was_withdrawn_stays_out(store: Store) -> None:
    there = places_named(store, "photos/b.jpg")
    store.withdraw(there)
    again = [sheet("7F3K-01", source="photos/b.jpg")]
    assert store.save_page(there[0].scan_id, PageTurn(1, 1), "second", again)
    assert "photos/b.jpg" not in titles(store)
    assert len(queries.results(store)) == 4
    store.withdraw(there, back=True)
    (result,) = [result for result in queries.results(store) if result.sheet.title == "photos/b.jpg"]
    assert result.open == 0, "what was read last counts"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("c.jpg", "no scan c.jpg"),
        ("round1.pdf, page 4", "round1.pdf has 3 pages"),
        ("round1.pdf, page " + "9" * 5000, "no scan"),
        ("photos/a.jpg, sheet 2", "no sheet 2"),
        ("", "no scan"),
    ],
)
def test_a_name_that_stands_for_nothing_is_refused_in_words(store: Store, name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        places_named(store, name)


def test_the_file_s_own_name_will_do_where_it_is_the_only_one(store: Store) -> None:
    assert places_named(store, "a.jpg") == places_named(store, "photos/a.jpg")
    assert places_named(store, "photos/a.jpg, page 1, sheet 1") == [Place(1, 1, 1)]
    add(store, "more/a.jpg", "f", [sheet("7F3K-09", source="more/a.jpg")])
    with pytest.raises(UsageError, match=r"more/a\.jpg, photos/a\.jpg"):
        places_named(store, "a.jpg")


def test_two_scans_of_one_name_are_told_apart_by_their_content(store: Store) -> None:
    for content, serial in (("1", "7F3K-08"), ("2", "7F3K-09")):
        pages = [sheet(serial, source="rs/scan.pdf", page=page) for page in (1, 2)]
        add(store, "rs/scan.pdf", content, *([page] for page in pages))
    first, second = "rs/scan.pdf #11111111", "rs/scan.pdf #22222222"
    assert titles(store)[-4:] == [f"{scan}, page {page}" for scan in (first, second) for page in (1, 2)]
    assert [file.name for file in queries.scan_files(store)][-2:] == ["rs/scan.pdf"] * 2, "the tag is no part of it"
    for name in ("scan.pdf", "rs/scan.pdf", "rs/scan.pdf, page 2"):
        with pytest.raises(UsageError) as refused:
            places_named(store, name)
        said = f"{name.partition(',')[0]} may be {first}, {second}: say which, with quotes around it"
        assert str(refused.value) == said
    there = queries.sheets(store)[-1].scan_id
    assert places_named(store, second) == [Place(there, 1), Place(there, 2)]
    assert places_named(store, f"scan.pdf #{'2' * 64}, page 2") == [Place(there, 2)]
    assert store.withdraw(places_named(store, f"{second}, page 2")) == (1, 1)
    assert withdrawn_titles(store) == [f"{second}, page 2"]
    assert store.withdraw(places_named(store, second)) == (1, 1)
    assert withdrawn_titles(store) == [second]
    assert titles(store)[-1] == f"{first}, page 2", "a name does not change because another scan was taken out"
    with pytest.raises(UsageError, match="no scan"):
        places_named(store, "rs/scan.pdf #33333333")
    assert places_named(store, "photos/a.jpg #aaaaaaaa") == places_named(store, "photos/a.jpg")


def test_a_file_whose_own_name_ends_like_a_tag_is_that_file(store: Store) -> None:
    add(store, "photos/a.jpg #aaaaaaaa", "f", [sheet("7F3K-09", source="photos/a.jpg #aaaaaaaa")])
    (there,) = places_named(store, "photos/a.jpg #aaaaaaaa")
    assert there.scan_id == queries.sheets(store)[-1].scan_id


def test_an_import_leaves_out_what_was_withdrawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    (photos / "blurred.jpg").write_text(json.dumps({"error": "too-blurred"}))
    (photos / "good.jpg").write_text(json.dumps({"serial": "7F3K-01"}))
    event = tmp_path / "event"
    with Store(event, create=True) as store, LocalCrew(1) as crew:

        def refused(made_by: str) -> int:
            work = Import(store, crew, Options(), made_by, reread="outdated", work=scripted)
            return work.run(find([str(photos)])).refused

        def ends_with(command: click.Command, *arguments: str) -> object:
            with pytest.raises(SystemExit) as ended:
                command.main([*arguments, "--event", str(event)])
            return ended.value.code

        assert refused("first") == 1
        assert ends_with(status) == 2
        assert "not read: " in capsys.readouterr().out
        assert ends_with(withdraw, "blurred.jpg") == 0
        assert capsys.readouterr().out == "blurred.jpg: withdrawn, 1 sheet\n"
        assert ends_with(withdraw, "blurred.jpg") == 0
        assert capsys.readouterr().out == "blurred.jpg: was withdrawn before\n"
        assert refused("second") == 0, "not read again, though its recipe is outdated"
        assert ends_with(status) == 0
        assert "withdrawn, counted nowhere: " in capsys.readouterr().out
        assert ends_with(export) == 0
        assert ends_with(withdraw, "blurred.jpg", "--back") == 0
        assert ends_with(status) == 2
        assert ends_with(withdraw) == 0
        assert capsys.readouterr().out.endswith("nothing is withdrawn\n")


def test_a_hint_can_be_given_to_a_shell_as_it_stands(tmp_path: Path) -> None:
    event = tmp_path / "Ana's event"
    with Store(event, create=True) as store:
        for name, content in (("a.jpg", "a"), ("b.jpg", "b")):
            add(store, name, content, [sheet("7F3K-01", DOUBTFUL, source=name)])
    run = CliRunner().invoke(status, ["--event", str(event)])
    hints = [shlex.split(line.partition(": ")[2]) for line in run.stdout.splitlines() if ": gigsheet " in line]
    assert hints == [["gigsheet", *words, "--event", str(event)] for words in (["withdraw", "NAME"], ["settle"])]


def test_the_report_and_the_json_name_what_was_withdrawn(store: Store, tmp_path: Path) -> None:
    store.withdraw(places_named(store, "photos/b.jpg"))
    write_export(store, tmp_path / "out")
    assert json.loads((tmp_path / "out/results.json").read_text())["withdrawn"] == ["photos/b.jpg"]
    report = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert report.count("photos/b.jpg") == 1
    assert "Withdrawn" in report
