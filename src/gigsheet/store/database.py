"""Opens the database, SQLite in the event's folder or PostgreSQL by URL, with the transactions that the store needs."""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, ProgrammingError
from sqlalchemy.util import asbool

from gigsheet.errors import GigsheetError, MissingExtraError, UsageError

FILE_NAME = "gigsheet.db"
_BUSY_SECONDS = 60
_RETRY_SECONDS = 0.01
_DRIVERS = {
    "sqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
"""What a URL may begin with, and the driver that it stands for."""
_SQLITE_OPTIONS = {"cached_statements", "check_same_thread", "detect_types", "isolation_level", "timeout", "uri"}
"""What may stand behind the ? of a SQLite URL; behind uri=true also whatever SQLite itself takes."""
_IN_FOLDER = "leave --database out to keep the store in the event's folder"
_REMEDY = f"write postgresql://user@host/name, or {_IN_FOLDER}"
MAY_NOT_WRITE = "you may not write there: ask for the right to, or use a copy of the folder"


# Ctrl-C may come while a connection is given back: SQLAlchemy logs that, with a traceback where nobody set up logging.
logging.getLogger("sqlalchemy.pool").addHandler(logging.NullHandler())


def database_url(folder: Path, database: str | None) -> URL:
    """The database of an event: `database` when it is given, else the SQLite file in `folder`."""
    if database is None:
        return URL.create("sqlite", database=str(folder / FILE_NAME))
    try:
        url = make_url(database)
        any_option = asbool(url.query.get("uri"))
    except (ArgumentError, ValueError):  # the latter where the port is no number, or uri neither true nor false
        without_password = re.sub("//.*@", "//***@", database)
        raise UsageError(f"{without_password!r} is no database URL: {_REMEDY}") from None
    if url.drivername not in _DRIVERS:
        raise UsageError(f"a store is kept in SQLite or PostgreSQL, not in {url.drivername}: {_REMEDY}")
    unknown = sorted(set(url.query) - _SQLITE_OPTIONS)
    # SQLAlchemy leaves them out, some versions with a warning: whoever wrote mode=ro would have a store that is not.
    if url.drivername == "sqlite" and unknown and not any_option:
        raise UsageError(f"a SQLite URL has no option {', '.join(unknown)}: take it out, or {_REMEDY}")
    if url.drivername == "sqlite" and _in_memory(url):
        raise UsageError(f"{database} keeps nothing once the command ends: write sqlite:///FILE, or {_IN_FOLDER}")
    return url.set(drivername=_DRIVERS[url.drivername])


def _in_memory(url: URL) -> bool:
    name = (url.database or "").removeprefix("file:")
    return name in ("", ":memory:") or url.query.get("mode") == "memory"


def sqlite_file(url: URL) -> Path | None:
    """The file of a SQLite store; None of another one, and where SQLite itself is to make out what is meant."""
    plain = url.get_backend_name() == "sqlite" and "uri" not in url.query
    return Path(url.database) if plain and url.database else None


def connect(url: URL) -> Engine:
    """An engine whose writing transactions (see `writing`) wait for one another instead of failing.

    Raises:
        MissingExtraError: the driver of a PostgreSQL URL is not installed.
        UsageError: the driver does not take what the URL says.
    """
    try:
        if (file := _only_to_read(url)) is not None:
            options = {"uri": "true", "mode": "ro", "immutable": "1"}
            engine = create_engine(url.set(database=file.as_uri()).update_query_dict(options))
            event.listen(engine, "connect", _leave_transactions_to_us)
            event.listen(engine, "begin", _begin_sqlite)
            event.listen(engine, "commit", _unless_changed(file))
        elif url.get_backend_name() == "sqlite":
            engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS})
            event.listen(engine, "connect", _prepare_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
        else:
            engine = create_engine(url, pool_pre_ping=True)
    except ModuleNotFoundError:
        raise MissingExtraError("a PostgreSQL store", "postgres") from None
    except (ArgumentError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        shown = url.render_as_string(hide_password=True)
        raise UsageError(f"{shown} is no database URL ({reason}): {_REMEDY}") from None
    return engine


def _only_to_read(url: URL) -> Path | None:
    """The file of a SQLite store that this process may read and not write to, and that no other has open.

    SQLite writes beside a file with a write-ahead log even to read it, unless it is told that the file never changes.
    A log that lies there already it can use as it is.
    """
    if url.get_backend_name() != "sqlite":
        return None
    file = Path(url.database or "").absolute()
    if not os.access(file, os.R_OK) or not file.is_file() or Path(f"{file}-wal").exists():
        return None
    return None if _may_write(file) else file


def _may_write(file: Path) -> bool:
    return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


def _unless_changed(file: Path) -> Callable[[Connection], None]:
    """What refuses the end of a reading if another wrote to the file meanwhile: nothing held that one back."""

    def stamp() -> tuple[int, int]:
        status = file.stat()
        return status.st_size, status.st_mtime_ns

    opened = stamp()

    def check(_: Connection) -> None:
        if stamp() != opened:
            raise UsageError(f"the store {file} was written to while it was read: start the command again")

    return check


def _leave_transactions_to_us(connection: sqlite3.Connection, _record: Any) -> None:
    # The driver's own transactions end at any DDL; with None they are ours, so a migration is one transaction.
    connection.isolation_level = None


def _prepare_sqlite(connection: sqlite3.Connection, record: Any) -> None:
    _leave_transactions_to_us(connection, record)
    _turn_to_wal(connection)
    # A correction that was acknowledged must outlive a power cut, so every commit is synced.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _turn_to_wal(connection: sqlite3.Connection) -> None:
    """Whoever opens a new file first turns it; while others use it SQLite fails at once, whatever its timeout."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    # A reader that turns writer may find the file locked by another; one that says so first only waits its turn.
    write = connection.get_execution_options().get("gigsheet_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction that may write: all of it or nothing."""
    with engine.connect().execution_options(gigsheet_write=True) as connection, connection.begin():
        yield connection


def insert_new(connection: Connection, table: Table, values: dict[str, Any]) -> bool:
    """Inserts a row unless its key is there already; says whether it was new."""
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")  # each has an insert of its own
    insert = dialect.insert(table).values(**values).on_conflict_do_nothing()
    # An insert's count of rows is dropped unless it is asked for.
    result = connection.execute(insert, execution_options={"preserve_rowcount": True})
    return result.rowcount == 1


def explain(error: DBAPIError, url: URL) -> GigsheetError:
    """The database's failure as one line with its remedy; the password is left out."""
    where = url.render_as_string(hide_password=True)
    reason = str(error.orig).strip().splitlines()[0] if error.orig else type(error).__name__
    if isinstance(error.orig, sqlite3.DatabaseError):
        file = Path(url.database or "").absolute()
        remedy = "check the disk and who may write there"
        if file.is_file() and not _may_write(file):
            remedy = MAY_NOT_WRITE
        return UsageError(f"the store {url.database} cannot be used: {reason}; {remedy}")
    if isinstance(error, OperationalError):
        remedy = "check that the server runs and the URL is right"
    elif isinstance(error, ProgrammingError) and getattr(error.orig, "sqlstate", None) is None:
        # No server said that: it is what the driver has to say of the URL's options.
        remedy = "mend that in the URL, or take it out"
    else:
        remedy = "see its log"
    return UsageError(f"the store at {where} cannot be used: {reason}; {remedy}")
