"""The store in a real PostgreSQL: everything that is different there from SQLite."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from gigsheet.batch.crew import LocalCrew
from gigsheet.batch.intake import find
from gigsheet.batch.run import Import
from gigsheet.errors import UsageError
from gigsheet.pipeline import Options
from gigsheet.report.export import export
from gigsheet.settle import Session
from gigsheet.store import PrintedSheet, Store, queries, tables
from gigsheet.store.database import connect, database_url
from gigsheet.store.migrations import MIGRATIONS, Migration, migrate
from gigsheet.store.withdrawn import places_named, withdrawn_titles
from tests.event.stack import scripted, write_stack
from tests.event.state import state_of


def read(event: Path, photos: Path, database: str | None) -> None:
    with Store(event, database, create=True) as store, LocalCrew(1) as crew:
        Import(store, crew, Options(), "first", work=scripted).run(find([str(photos)]))


def test_the_same_stack_gives_the_same_store_as_in_sqlite(tmp_path: Path, database: str) -> None:
    write_stack(tmp_path / "photos", 9)
    read(tmp_path / "here", tmp_path / "photos", None)
    read(tmp_path / "there", tmp_path / "photos", database)
    assert state_of(tmp_path / "there", database) == state_of(tmp_path / "here")
    read(tmp_path / "there", tmp_path / "photos", database)
    assert state_of(tmp_path / "there", database) == state_of(tmp_path / "here")


def test_what_was_withdrawn_comes_back_as_it_was(tmp_path: Path, database: str) -> None:
    write_stack(tmp_path / "photos", 6)
    read(tmp_path / "there", tmp_path / "photos", database)
    before = state_of(tmp_path / "there", database)
    with Store(tmp_path / "there", database) as store:
        places = [place for name in ("sheet2.jpg", "sheet3.jpg") for place in places_named(store, name)]
        assert store.withdraw(places) == (2, 2)
        assert queries.counts(store).sheets == 4
        assert len(withdrawn_titles(store)) == 2
        assert [file.name.rpartition("sheet")[2] for file in queries.scan_files(store)] == [
            f"{k}.jpg" for k in (1, 4, 5, 6)
        ]
        assert store.withdraw(places, back=True) == (2, 2)
    assert state_of(tmp_path / "there", database) == before


def test_two_imports_at_once(tmp_path: Path, database: str) -> None:
    write_stack(tmp_path / "photos", 12, sleep=0.02)
    threads = [threading.Thread(target=read, args=(tmp_path / "there", tmp_path / "photos", database)) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    read(tmp_path / "here", tmp_path / "photos", None)
    assert state_of(tmp_path / "there", database) == state_of(tmp_path / "here")


def test_many_migrate_at_once(database: str, tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def one() -> None:
        try:
            migrate(connect(database_url(tmp_path, database)))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    with connect(database_url(tmp_path, database)).connect() as connection:
        numbers = connection.execute(sa.select(tables.schema_migration.c.number)).scalars().all()
    assert sorted(numbers) == [m.number for m in MIGRATIONS]


def test_a_migration_that_fails_leaves_nothing_behind(database: str, tmp_path: Path) -> None:
    def broken(connection: sa.Connection) -> None:
        connection.execute(sa.text("CREATE TABLE half (id INTEGER)"))
        raise RuntimeError("power cut")

    engine = connect(database_url(tmp_path, database))
    number = MIGRATIONS[-1].number
    with pytest.raises(RuntimeError):
        migrate(engine, (*MIGRATIONS, Migration(number + 1, "broken", broken)))
    assert "half" not in sa.inspect(engine).get_table_names()
    assert migrate(engine) == number


def test_settling_undoing_and_exporting(tmp_path: Path, database: str) -> None:
    write_stack(tmp_path / "photos", 6)
    read(tmp_path / "event", tmp_path / "photos", database)
    with Store(tmp_path / "event", database) as store:
        session = Session(store, "Ana")
        question = session.next()
        assert question is not None
        session.answer(question, "B4 -B2")
        assert (queries.counts(store).open, queries.counts(store).settled) == (1, 1)
        assert session.undo() is not None
        assert session.undo() is None
        assert queries.counts(store).open == 2
        assert store.record_printed([PrintedSheet("7F3K-001"), PrintedSheet("7F3K-099")]) == (2, 0)
        done = export(store, tmp_path / "out")
    assert (done.games, done.open) == (6, 2)


@pytest.mark.parametrize(
    ("option", "said"),
    [("foo=bar", 'invalid connection option "foo"'), ("connect_timeout=abc", "bad value for connect_timeout: 'abc'")],
)
def test_an_option_that_the_driver_does_not_take_is_named(tmp_path: Path, option: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        Store(tmp_path, f"postgresql://ana@127.0.0.1:1/none?{option}", create=True)
    assert refused.value.message.endswith(f"cannot be used: {said}; mend that in the URL, or take it out")


def test_a_database_without_an_event_is_refused_and_no_folder_made(tmp_path: Path, database: str) -> None:
    with pytest.raises(UsageError, match="holds no event: check --database, or import first"):
        Store(tmp_path / "event", database)
    assert not (tmp_path / "event").exists()


def test_a_server_that_is_not_there_is_one_line_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be used") as caught:
        Store(tmp_path, "postgresql://ana:secret@127.0.0.1:1/none", create=True)
    assert "secret" not in caught.value.message
    assert "\n" not in caught.value.message
