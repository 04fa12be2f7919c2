"""What a judge settles by its name, also where nothing is flagged: silent wrong rows that somebody complains about."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gigsheet.cli.app import app
from gigsheet.errors import UsageError
from gigsheet.records import SheetReading
from gigsheet.report.export import export
from gigsheet.store import PageTurn, Store, queries
from gigsheet.store.corrected import Spot
from gigsheet.store.named import entries_named
from gigsheet.store.scans import ScanFile
from gigsheet.store.withdrawn import places_named
from tests.event.stack import REFERENCE, game_of, sheet

SAMPLE = Path(__file__).parents[2] / "samples" / "angle" / "photo.jpg"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A PDF of two sure sheets, a match of which two games were played, a page without a sheet, two with one serial."""
    with Store(tmp_path / "event", create=True) as opened:
        pages = [sheet(f"7F3K-0{page}", source="round1.pdf", page=page) for page in (1, 2)]
        add(opened, "a", *pages)
        games = [game_of(REFERENCE), game_of(REFERENCE[:4], result="THEY", number=2)]
        blank = replace(game_of([], result=None, number=3), first=replace(games[0].first, value=None))
        match = sheet("7F3K-10", *games, blank, source="match.jpg")
        assert match.sheet is not None
        add(opened, "b", replace(match, sheet=replace(match.sheet, template="match")))
        add(opened, "c", SheetReading("blurred.jpg", error="too-blurred", message="too blurred; take it again"))
        for content in "de":
            add(opened, content, sheet("7F3K-20", source=f"{content}.jpg"))
        yield opened


def add(store: Store, content: str, *pages: SheetReading) -> None:
    name = pages[0].source
    scan_id = store.add_scan(ScanFile(content * 64, Path(name).suffix, 3, name, Path(name)), len(pages))
    for number, page in enumerate(pages, 1):
        assert store.save_page(scan_id, PageTurn(number), "first", [page])


def settle(store: Store, *arguments: str, typed: str) -> Result:
    return CliRunner().invoke(app, ["settle", *arguments, "--event", str(store.folder), "--author", "Ana"], input=typed)


def made(store: Store) -> list[tuple[str, int, str, int, str]]:
    return [(c["sha256"][0], c["game"], c["field"], c["turn"], c["text"]) for c in queries.history(store)]


@pytest.mark.parametrize(
    ("name", "scan", "spot"),
    [
        ("7F3K-01, turn 5", "a", Spot(1, "row", 5)),
        ("7f3k-02, first", "a", Spot(1, "first")),
        ("round1.pdf, page 2, result", "a", Spot(1, "result")),
        ("7F3K-01, game 1, turn 5", "a", Spot(1, "row", 5)),
        ("match.jpg, game 2, turn 4", "b", Spot(2, "row", 4)),
        ("7F3K-10, game 3, first", "b", Spot(3, "first")),
        ("d.jpg, turn 1", "d", Spot(1, "row", 1)),
        ("7F3K-01, turn 11", "a", Spot(1, "row", 11)),
    ],
)
def test_an_entry_is_named_by_its_sheet_and_turn_or_mark(store: Store, name: str, scan: str, spot: Spot) -> None:
    ((named, where),) = entries_named(store, name)
    assert (named.sha256[0], where) == (scan, spot)


def test_a_sheet_s_name_is_everything_on_it_that_was_played(store: Store) -> None:
    titles = [spot.title for _, spot in entries_named(store, "7F3K-02")]
    assert titles == ["first", *(f"turn {turn}" for turn in range(1, 11)), "result"]
    games = [spot.game for _, spot in entries_named(store, "match.jpg")]
    assert games == [1] * 12 + [2] * 6
    assert {spot.game for _, spot in entries_named(store, "match.jpg, game 2")} == {2}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "7F3K-99, turn 5",
            "the event has no sheet 7F3K-99: name its serial, or its picture as `gigsheet status` does",
        ),
        ("7F3K-20, turn 1", "7F3K-20 may be d.jpg, e.jpg: say which"),
        ("round1.pdf, turn 1", "round1.pdf may be round1.pdf, page 1, round1.pdf, page 2: say which"),
        ("7F3K-01, turn 99", "there is no turn 99 on round1.pdf, page 1: it has room for 1 to 18"),
        ("7F3K-01, turn 0", "there is no turn 0"),
        ("7F3K-01, game 2, turn 1", "there is no game 2 on round1.pdf, page 1"),
        ("7F3K-10, turn 1", "match.jpg has several games: say which, as in 'match.jpg, game 1, turn 1'"),
        ("blurred.jpg, turn 1", "blurred.jpg could not be read: too blurred; take it again"),
    ],
)
def test_a_name_that_is_no_entry_s_is_refused_in_words(store: Store, name: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        entries_named(store, name)
    assert str(refused.value).startswith(said)
    run = settle(store, "7F3K-01, turn 1", name, typed="A3\n")
    assert isinstance(run.exception, UsageError)
    assert not made(store), "all names are looked up before anything is asked"


def test_what_is_withdrawn_is_not_settled(store: Store) -> None:
    store.withdraw(places_named(store, "d.jpg"))
    with pytest.raises(UsageError, match=r"d\.jpg is withdrawn, .* `gigsheet withdraw NAME --back`"):
        entries_named(store, "d.jpg, turn 1")
    ((sheet, _),) = entries_named(store, "7F3K-20, turn 1")
    assert sheet.title == "e.jpg"


def test_a_row_that_nobody_doubted_is_corrected_and_seen_everywhere(store: Store, tmp_path: Path) -> None:
    run = settle(store, "7F3K-01, turn 3", typed="B4 -B1\n")
    assert "\n7F3K-01  round1.pdf, page 1, turn 3\n" in run.stdout
    assert "\n>  3| B4 -B2\n" in run.stdout
    assert "\n  1  B4 -B2" in run.stdout
    assert "kept. WE win" in run.stdout
    assert "1 settled, 1 still open" in run.stdout, "turn 5 does not lower B any more"
    assert run.exit_code == 1
    assert made(store) == [("a", 1, "row", 3, "B4 -B1")]
    assert queries.counts(store).settled == 1
    export(store, tmp_path / "out")
    assert "3| B4 -B1\n" in (tmp_path / "out" / "transcripts" / "7F3K-01.txt").read_text()
    assert "7F3K-01,1,3,3| B4 -B1,1.0,,yes," in (tmp_path / "out" / "rows.csv").read_text(encoding="utf-8-sig")
    assert 'class="entry settled"' in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_what_was_settled_is_looked_at_again_with_who_did_and_what_was_read(store: Store) -> None:
    settle(store, "7F3K-01, turn 3", typed="B4 -B1\n")
    run = settle(store, "7F3K-01, turn 3", typed="2\n")
    assert "  Ana settled it as B4 -B1.\n" in run.stdout
    choices = [line.split() for line in run.stdout.splitlines() if line.startswith(("  1  ", "  2  "))]
    assert choices == [["1", "B4", "-B1"], ["2", "B4", "-B2", "99", "%"]]
    assert [text for *_, text in made(store)] == ["B4 -B1", "B4 -B2"]


def test_undo_asks_what_was_undone_again(store: Store) -> None:
    run = settle(store, "7F3K-01, turn 3", "7F3K-01, result", typed="B4 -B1\nu\n\nTHEY\n")
    assert "undone: 7F3K-01  round1.pdf, page 1, turn 3 is B4 -B2 again, as it was read" in run.stdout
    assert "2 settled, 0 still open" in run.stdout
    holding = {spot.title: answer.text for spot, answer in queries.answers_now(store, queries.sheets(store)[0]).items()}
    assert holding == {"turn 3": "B4 -B2", "result": "THEY"}


def test_skip_and_quit_keep_nothing(store: Store) -> None:
    run = settle(store, "7F3K-01", typed="s\ns\nq\n")
    assert "7F3K-01  round1.pdf, page 1, turn 2\n" in run.stdout
    assert "0 settled, 0 still open" in run.stdout
    assert (run.exit_code, made(store)) == (0, [])


def test_a_name_given_twice_is_asked_once(store: Store) -> None:
    assert "1 settled" in settle(store, "7F3K-01, turn 3", "round1.pdf, page 1, turn 3", typed="\n\n").stdout


def test_a_turn_below_the_last_one_read_is_added(store: Store) -> None:
    run = settle(store, "7F3K-10, game 2, turn 5", typed="C8\n")
    assert "  1  nothing" in run.stdout
    assert made(store) == [("b", 2, "row", 5, "C8")]
    (second,) = [result for result in queries.results(store) if (result.sheet.serial, result.game) == ("7F3K-10", 2)]
    assert second.turns == 5


def test_blank_rows_above_one_that_is_added_are_looked_at(store: Store) -> None:
    settle(store, "7F3K-10, game 2, turn 7", typed="A4\ny\n")
    (match,) = [ref for ref in queries.sheets(store) if ref.serial == "7F3K-10"]
    rows = queries.current_state(store, match.reading_id).reading.games[1].rows
    assert [(row.turn, row.flags) for row in rows[4:6]] == [(5, ("blank-row",)), (6, ("blank-row",))]


def test_a_result_settled_with_an_ending_still_offers_what_was_read(store: Store) -> None:
    settle(store, "7F3K-01, result", typed="draw time\n")
    run = settle(store, "7F3K-01, result", typed="s\n")
    assert {"WE", "THEY"} <= {line[5:].strip() for line in run.stdout.splitlines() if line.startswith("  ")}


def test_what_the_rules_said_of_a_row_goes_when_another_row_is_corrected(store: Store) -> None:
    why = ("The ink may say “E2” or “F2”.", "“F2” would be refused: the d20 is rolled last (rule 8.6.5.1.1)")
    game = game_of(REFERENCE, doubt={6: "E2"})
    doubted = replace(game, rows=tuple([replace(row, why=why) if row.turn == 6 else row for row in game.rows]))
    add(store, "f", sheet("7F3K-30", doubted, source="f.jpg"))
    (ref,) = [ref for ref in queries.sheets(store) if ref.serial == "7F3K-30"]
    for written, left in ((REFERENCE[2], why), ("B4 -B1", why[:1])):
        settle(store, "7F3K-30, turn 3", typed=f"{written}\n")
        assert queries.current_state(store, ref.reading_id).reading.games[0].rows[5].why == left


def test_a_row_that_was_never_flagged_is_shown_from_the_scan(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / "photo.jpg")
    event = tmp_path / "event"
    run = CliRunner().invoke(app, ["import", str(tmp_path / "photo.jpg"), "--event", str(event), "--workers", "1"])
    assert "settle them: gigsheet settle --event " in run.stdout, run.output
    arguments = ["settle", "7F3K-02, turn 1", "--event", str(event)]
    run = CliRunner().invoke(app, arguments, input="A2\nn\nA'2\n")
    assert "a die is rolled only by its owner. Is it written so? [y/N]" in run.stdout
    (picture,) = [line.partition(": ")[2] for line in run.stdout.splitlines() if line.startswith("  picture: ")]
    assert Path(picture).read_bytes().startswith(b"\xff\xd8")
    with Store(event) as store:
        assert queries.history(store)[-1]["text"] == "A'2"
