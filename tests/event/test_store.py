from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from gigsheet.errors import UsageError
from gigsheet.store import PageTurn, PrintedSheet, Store, queries, tables
from gigsheet.store.corrected import Spot
from gigsheet.store.database import connect, database_url
from gigsheet.store.migrations import MIGRATIONS, Migration, migrate
from gigsheet.store.printed import read_printed
from gigsheet.store.scans import ScanFile
from tests.event.stack import REFERENCE, game_of, sheet

DOUBTFUL = game_of(REFERENCE, doubt={3: "B4 -B1"})
ROW_3 = Spot(1, "row", 3)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "event", create=True) as opened:
        yield opened


def scan(store: Store, name: str = "photo.jpg", content: str = "a") -> int:
    return store.add_scan(ScanFile(content * 64, ".jpg", 3, name, Path(name)), 1)


def add(store: Store, name: str, content: str, *games: object, serial: str = "7F3K-01") -> int:
    scan_id = scan(store, name, content)
    assert store.save_page(scan_id, PageTurn(1), "first", [sheet(serial, *games, source=name)])  # type: ignore[arg-type]
    return next(s.reading_id for s in queries.sheets(store) if s.scan_id == scan_id)


def test_a_folder_without_a_store_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no event"):
        Store(tmp_path)


@pytest.mark.parametrize("content", [b"", b"another program's"])
def test_a_database_that_is_no_event_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "gigsheet.db"
    path.touch()
    if content:
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE recipe (name)")
    with pytest.raises(UsageError, match="holds no event"):
        Store(tmp_path)
    with sqlite3.connect(path) as other:
        assert "scan" not in [name for (name,) in other.execute("SELECT name FROM sqlite_master")]
    Store(tmp_path, create=True).close()
    Store(tmp_path).close()


def test_a_damaged_store_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "gigsheet.db").write_bytes(b"no database at all, " * 100)
    with pytest.raises(UsageError, match=r"gigsheet\.db cannot be used"):
        Store(tmp_path)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "url",
    [
        "mysql://host/x",
        "nonsense",
        "postgresql+nodriver://host/x",
        "sqlite+aiosqlite:///x.db",
        "postgresql://u:secret@host:port/x",
        "sqlite://host/x.db",
        "sqlite:///x.db?timeout=abc",
        "sqlite:///x.db?detect_types=abc",
        "sqlite:///x.db?foo=bar",
        "sqlite:///x.db?mode=ro&uri=false",
        "sqlite:///x.db?uri=maybe",
    ],
)
def test_a_database_of_another_kind_is_refused_in_words(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError, match="write postgresql://user@host/name, or leave --database out") as refused:
        Store(tmp_path, url, create=True)
    assert "secret" not in refused.value.message


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///file::memory:?uri=true",
        "sqlite:///file:x?mode=memory&uri=true",
    ],
)
def test_a_store_that_nothing_is_kept_in_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError, match="keeps nothing once the command ends: write sqlite:///FILE, or leave"):
        Store(tmp_path / "event", url, create=True)
    assert not (tmp_path / "event").exists()


def test_a_mistyped_file_of_a_database_holds_no_event_and_is_not_made(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "folder"):
        file = folder / "typo.db"
        with pytest.raises(UsageError, match=r"typo\.db holds no event: check --database, or import first"):
            Store(tmp_path / "event", f"sqlite:///{file}")
        assert not file.exists()
    assert not (tmp_path / "event").exists()
    file = tmp_path / "right.db"
    Store(tmp_path / "event", f"sqlite:///{file}", create=True).close()
    Store(tmp_path / "event", f"sqlite:///{file}").close()


def test_the_migrations_make_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    migrated = sa.create_engine(f"sqlite:///{tmp_path / 'a.db'}")
    migrate(connect(database_url(tmp_path, f"sqlite:///{tmp_path / 'a.db'}")))
    declared = sa.create_engine(f"sqlite:///{tmp_path / 'b.db'}")
    tables.metadata.create_all(declared)

    def shape(engine: sa.Engine) -> dict[str, object]:
        inspector = sa.inspect(engine)
        return {
            name: (
                [(c["name"], str(c["type"]), c["nullable"], c["primary_key"]) for c in inspector.get_columns(name)],
                sorted(i["name"] or "" for i in inspector.get_indexes(name)),
                sorted(str(u["column_names"]) for u in inspector.get_unique_constraints(name)),
                sorted(str((k["constrained_columns"], k["referred_table"])) for k in inspector.get_foreign_keys(name)),
            )
            for name in inspector.get_table_names()
        }

    assert shape(migrated) == shape(declared)


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def broken(connection: sa.Connection) -> None:
        connection.execute(sa.text("CREATE TABLE half (id INTEGER)"))
        raise RuntimeError("power cut")

    engine = connect(database_url(tmp_path, None))
    number = MIGRATIONS[-1].number
    with pytest.raises(RuntimeError):
        migrate(engine, (*MIGRATIONS, Migration(number + 1, "broken", broken)))
    assert "half" not in sa.inspect(engine).get_table_names()
    assert migrate(engine) == number


def test_a_store_of_a_newer_gigsheet_is_refused_in_words(tmp_path: Path) -> None:
    Store(tmp_path, create=True).close()
    with sqlite3.connect(tmp_path / "gigsheet.db") as database:
        database.execute("INSERT INTO schema_migration VALUES (99, 'from the future', '2030-01-01T00:00:00Z')")
    with pytest.raises(UsageError, match="upgrade"):
        Store(tmp_path)


def test_sqlite_runs_with_a_write_ahead_log_and_synced_commits(store: Store) -> None:
    with store.reading_from() as connection:
        assert connection.execute(sa.text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(sa.text("PRAGMA synchronous")).scalar() == 2


def test_a_page_is_kept_once_whoever_is_quicker(store: Store) -> None:
    scan_id = scan(store)
    assert store.save_page(scan_id, PageTurn(1), "first", [sheet("7F3K-01")])
    assert not store.save_page(scan_id, PageTurn(1), "second", [sheet("7F3K-99")])
    assert [s.serial for s in queries.sheets(store)] == ["7F3K-01"]


def test_the_same_content_under_two_names_is_one_scan(store: Store) -> None:
    assert scan(store, "a.jpg") == scan(store, "b.jpg")
    assert queries.counts(store).scans == 1


def test_counts_open_rows_and_the_next_of_them(store: Store) -> None:
    add(store, "a.jpg", "a", serial="7F3K-01")
    add(store, "b.jpg", "b", DOUBTFUL, serial="7F3K-02")
    counts = queries.counts(store)
    assert (counts.sure, counts.flagged, counts.refused, counts.open, counts.settled) == (1, 1, 0, 1, 0)
    (entry,) = queries.next_open(store, limit=9)
    assert (entry.sheet.source, entry.entry.spot, entry.entry.text) == ("b.jpg", ROW_3, "B4 -B2")
    assert queries.next_open(store, after=(entry.sheet, entry.entry.spot)) == []


def test_a_correction_is_checked_and_changes_no_other_row(store: Store) -> None:
    reading_id = add(store, "a.jpg", "a", DOUBTFUL)
    before = queries.current_state(store, reading_id).reading.games[0]
    store.correct(reading_id, ROW_3, "B4 -B1", author="Ana")
    after = queries.current_state(store, reading_id).reading.games[0]
    assert after.rows[2].text == "B4 -B1"
    assert [r.text for r in after.rows if r.turn != 3] == [r.text for r in before.rows if r.turn != 3]
    (result,) = queries.results(store)
    # B1 was lowered to 1 in turn 3, so the rival's -B1 of turn 5 no longer lowers it.
    assert not result.legal
    assert [(e.entry.spot.turn, e.entry.flags) for e in queries.next_open(store, limit=9)] == [(5, ("illegal",))]
    assert queries.reading(store, reading_id).games[0].rows[2].text == "B4 -B2"


def test_confirming_a_slip_settles_it_though_the_checker_refuses_it(store: Store) -> None:
    texts = ["A9", *REFERENCE[1:]]
    reading_id = add(store, "a.jpg", "a", game_of(texts))
    first = queries.next_open(store)[0]
    assert first.entry.flags == ("illegal",)
    store.correct(reading_id, first.entry.spot, "A9")
    assert first.entry.spot not in [e.entry.spot for e in queries.next_open(store, limit=9)]
    assert queries.current_state(store, reading_id).reading.games[0].rows[0].flags == ("illegal",)


def test_corrections_are_appended_and_undone_never_overwritten(store: Store) -> None:
    reading_id = add(store, "a.jpg", "a", DOUBTFUL)
    store.correct(reading_id, ROW_3, "B4 -B1", author="Ana")
    second = store.correct(reading_id, ROW_3, "B4 -B3", author="Bo")
    assert queries.last_correction(store, "Bo") == second
    assert store.undo(second)
    assert not store.undo(second)
    assert queries.current_state(store, reading_id).reading.games[0].rows[2].text == "B4 -B1"
    assert queries.last_correction(store, "Bo") is None
    last = queries.last_correction(store, "Ana")
    assert last is not None
    store.undo(last)
    assert queries.last_correction(store, "Ana") is None
    assert queries.counts(store).open == 1
    assert [c["text"] for c in queries.history(store)] == ["B4 -B1", "B4 -B3", "B4 -B1", "B4 -B2"]


def test_a_new_reading_keeps_the_corrections_and_the_old_reading(store: Store) -> None:
    reading_id = add(store, "a.jpg", "a", DOUBTFUL)
    scan_id = queries.sheets(store)[0].scan_id
    store.correct(reading_id, ROW_3, "B4 -B3")
    other = game_of(["A3", *REFERENCE[1:]], doubt={3: "B4 -B3"})
    assert store.save_page(scan_id, PageTurn(1, replaces=1), "better", [sheet("7F3K-01", other)])
    (now,) = queries.sheets(store)
    game = queries.current_state(store, now.reading_id).reading.games[0]
    assert (game.rows[0].text, game.rows[2].text) == ("A3", "B4 -B3")
    assert queries.reading(store, reading_id).games[0].rows[0].text == "A4 -A1"
    with pytest.raises(UsageError, match="read again"):
        store.correct(reading_id, ROW_3, "B4")


def test_the_result_box_and_the_page_can_be_settled_too(store: Store) -> None:
    game = game_of(REFERENCE, result="WE")
    reading_id = add(store, "a.jpg", "a", game)
    store.correct(reading_id, Spot(1, "result"), "THEY, time")
    (result,) = queries.results(store)
    assert (result.result, result.also, result.open) == ("THEY", ("time",), 0)


def test_a_correction_against_the_marked_result_asks_about_the_result(store: Store) -> None:
    texts = [*REFERENCE[:8], "E12 xC' =A3"]
    reading_id = add(store, "a.jpg", "a", game_of(texts, result="THEY", doubt={9: "E12 xC' xD'"}))
    store.correct(reading_id, Spot(1, "row", 9), "E12 xC' xD'")
    store.correct(reading_id, Spot(1, "row", 10), "E'12")
    opened = queries.next_open(store, limit=9)
    assert [(e.entry.spot.field, e.entry.flags) for e in opened] == [("result", ("result-mismatch",))]


def test_printed_sheets_are_recorded_once(store: Store) -> None:
    sheets = [PrintedSheet("7F3K-02", "Open", "1", "4", "Ana", "Bo"), PrintedSheet("7F3K-01")]
    assert store.record_printed(sheets) == (2, 0)
    assert store.record_printed(sheets) == (0, 0)
    assert [s.serial for s in queries.printed_sheets(store)] == ["7F3K-01", "7F3K-02"]
    mended = replace(sheets[0], they="Bob")
    assert store.record_printed([mended, sheets[1]]) == (0, 1)
    assert queries.printed_sheets(store)[1] == mended


@pytest.mark.parametrize("rows", ["serial\n7F3K-02\n", "serial,event,round,table,we,they\n7F3K-02,,,,,\n"])
def test_a_list_of_serials_alone_keeps_the_pairings_that_are_known(store: Store, tmp_path: Path, rows: str) -> None:
    known = PrintedSheet("7F3K-02", "Open", "1", "4", "Ana", "Bo")
    store.record_printed([known])
    (tmp_path / "serials.csv").write_text(rows)
    assert store.record_printed(read_printed(tmp_path / "serials.csv")) == (0, 0)
    (tmp_path / "moved.csv").write_text("serial,table\n7F3K-02,5\n")
    assert store.record_printed(read_printed(tmp_path / "moved.csv")) == (0, 1)
    assert queries.printed_sheets(store) == [replace(known, table="5")]


def test_ctrl_c_while_a_connection_is_given_back_prints_nothing(tmp_path: Path) -> None:
    Store(tmp_path, create=True).close()
    program = (
        "import sys; from pathlib import Path; from sqlalchemy import event\n"
        "from gigsheet.store.database import connect, database_url\n"
        "def interrupted(*_): raise KeyboardInterrupt\n"
        "engine = connect(database_url(Path(sys.argv[1]), None))\n"
        "event.listen(engine, 'reset', interrupted)\n"
        "try:\n"
        "    engine.connect().close()\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    run = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("interrupted\n", "")


def test_a_new_store_waits_for_whoever_is_making_it(tmp_path: Path) -> None:
    """Turning a file to WAL while another writes fails at once, whatever SQLite's timeout."""
    other = sqlite3.connect(tmp_path / "gigsheet.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE elsewhere (x)")
    release = threading.Timer(0.3, other.execute, ["COMMIT"])
    release.start()
    with Store(tmp_path, create=True) as store:
        assert queries.counts(store).sheets == 0
    release.join()
    other.close()
