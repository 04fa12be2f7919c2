"""Numbered migrations: each runs in one transaction together with the record that it ran.

A migration keeps its own picture of the tables that it makes, so that later changes of `tables` do not change history.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy import Column, Connection, Engine, Integer, MetaData, String, Table, Text

from gigsheet.errors import UsageError
from gigsheet.store.clock import now
from gigsheet.store.database import MAY_NOT_WRITE, writing

_LOCK = 0x6716_5EE7
"""Any number will do: PostgreSQL lets one process at a time hold it, so that two do not migrate at once."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema, from `number` - 1 to `number`."""

    number: int
    name: str
    apply: Callable[[Connection], None]


def _key(name: str, target: str, *, primary: bool = False) -> Column[int]:
    return Column(name, Integer, sa.ForeignKey(target), primary_key=primary, nullable=False)


def _scans_and_readings(connection: Connection) -> None:
    metadata = MetaData()
    Table(
        "scan",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("sha256", String(64), nullable=False, unique=True),
        Column("suffix", String(16), nullable=False),
        Column("size", sa.BigInteger, nullable=False),
        Column("pages", Integer, nullable=False),
        Column("added_at", String(32), nullable=False),
    )
    Table(
        "scan_name",
        metadata,
        _key("scan_id", "scan.id", primary=True),
        Column("name", Text, primary_key=True),
    )
    Table(
        "page_read",
        metadata,
        _key("scan_id", "scan.id", primary=True),
        Column("page", Integer, primary_key=True),
        Column("revision", Integer, primary_key=True),
        Column("recipe", Text, nullable=False),
        Column("lost", sa.Boolean, nullable=False),
        Column("read_at", String(32), nullable=False),
    )
    Table(
        "reading",
        metadata,
        Column("id", Integer, primary_key=True),
        _key("scan_id", "scan.id"),
        *(Column(name, Integer, nullable=False) for name in ("page", "sheet_index", "revision")),
        Column("current", sa.Boolean, nullable=False),
        Column("source", Text, nullable=False),
        Column("template", Text),
        Column("template_version", Integer),
        Column("paper", Text),
        Column("serial", Text),
        Column("flags", Text, nullable=False),
        Column("error", Text),
        Column("message", Text),
        Column("body", Text, nullable=False),
        sa.UniqueConstraint("scan_id", "page", "sheet_index", "revision", name="reading_once"),
        sa.Index("reading_serial", "serial"),
    )
    Table(
        "crop",
        metadata,
        _key("reading_id", "reading.id", primary=True),
        Column("game", Integer, primary_key=True),
        Column("turn", Integer, primary_key=True),
        Column("image", sa.LargeBinary, nullable=False),
    )
    metadata.create_all(connection, checkfirst=False)


def _results_and_corrections(connection: Connection) -> None:
    metadata = MetaData()
    for name in ("scan", "reading"):
        Table(name, metadata, Column("id", Integer, primary_key=True))
    made = [
        Table(
            "correction",
            metadata,
            Column("id", Integer, primary_key=True),
            _key("scan_id", "scan.id"),
            *(Column(name, Integer, nullable=False) for name in ("page", "sheet_index", "game")),
            Column("field", String(8), nullable=False),
            Column("turn", Integer, nullable=False),
            Column("was", Text),
            Column("text", Text),
            Column("undoes", Integer, sa.ForeignKey("correction.id"), unique=True),
            Column("author", Text, nullable=False),
            Column("made_at", String(32), nullable=False),
            sa.Index("correction_place", "scan_id", "page", "sheet_index"),
        ),
        Table(
            "game",
            metadata,
            _key("reading_id", "reading.id", primary=True),
            Column("game", Integer, primary_key=True),
            Column("first", Text),
            Column("result", Text),
            Column("also", Text, nullable=False),
            Column("winner", Text),
            Column("turn", Integer),
            Column("phase", Text),
            Column("pending", Text),
            Column("turns", Integer, nullable=False),
            Column("legal", sa.Boolean, nullable=False),
            Column("transcript", Text, nullable=False),
        ),
        Table(
            "entry_row",
            metadata,
            _key("reading_id", "reading.id", primary=True),
            Column("game", Integer, primary_key=True),
            Column("field", String(8), primary_key=True),
            Column("turn", Integer, primary_key=True),
            Column("rank", Integer, nullable=False),
            Column("text", Text),
            Column("confidence", sa.Float, nullable=False),
            *(Column(name, Text, nullable=False) for name in ("flags", "why", "alternatives")),
            Column("settled", sa.Boolean, nullable=False),
            Column("open", sa.Boolean, nullable=False),
            sa.Index("entry_row_open", "open"),
        ),
    ]
    metadata.create_all(connection, tables=made, checkfirst=False)


def _printed_sheets(connection: Connection) -> None:
    metadata = MetaData()
    Table(
        "printed",
        metadata,
        Column("serial", Text, primary_key=True),
        *(Column(name, Text, nullable=False) for name in ("event", "round", "table_name", "we", "they")),
        Column("recorded_at", String(32), nullable=False),
    )
    metadata.create_all(connection, checkfirst=False)


def _withdrawals(connection: Connection) -> None:
    metadata = MetaData()
    Table("scan", metadata, Column("id", Integer, primary_key=True))
    made = Table(
        "withdrawal",
        metadata,
        Column("id", Integer, primary_key=True),
        _key("scan_id", "scan.id"),
        *(Column(name, Integer, nullable=False) for name in ("page", "sheet_index")),
        Column("withdrawn", sa.Boolean, nullable=False),
        Column("author", Text, nullable=False),
        Column("made_at", String(32), nullable=False),
        sa.Index("withdrawal_place", "scan_id", "page", "sheet_index"),
    )
    metadata.create_all(connection, tables=[made], checkfirst=False)


def _identity(connection: Connection) -> None:
    metadata = MetaData()
    made = Table("event", metadata, Column("id", String(32), primary_key=True))
    metadata.create_all(connection, checkfirst=False)
    connection.execute(made.insert().values(id=uuid4().hex))


MIGRATIONS = (
    Migration(1, "scans and readings", _scans_and_readings),
    Migration(2, "results and corrections", _results_and_corrections),
    Migration(3, "printed sheets", _printed_sheets),
    Migration(4, "withdrawals", _withdrawals),
    Migration(5, "the event's identity", _identity),
)


def migrate(engine: Engine, migrations: tuple[Migration, ...] = MIGRATIONS, *, create: bool = True) -> int:
    """Brings the schema up to date and returns its number; two processes may do so at once.

    With `create` off a database that holds no store is left alone, and the number is 0.

    Raises:
        UsageError: the store was made by a newer Gigsheet, or by an earlier one and may not be written to.
    """
    try:
        return _migrate(engine, create, migrations)
    except sa.exc.OperationalError as error:
        if "readonly" not in str(error.orig):
            raise
        outdated = "an earlier Gigsheet made this event, and it must be brought up to date once before it is read"
        raise UsageError(f"{outdated}; {MAY_NOT_WRITE}") from error


def _migrate(engine: Engine, create: bool, migrations: tuple[Migration, ...]) -> int:
    latest = migrations[-1].number
    # The common case, a store that is up to date, must neither write nor wait for one who does.
    with engine.connect() as connection:
        number = _number(connection)
    if number == 0 and not create:
        return 0
    while number < latest:
        with writing(engine) as connection:
            _alone(connection)
            number = _number(connection)
            if number < latest:
                step = next(m for m in migrations if m.number == number + 1)
                _apply(connection, step)
                number = step.number
    if number > latest:
        raise UsageError(
            f"the store has schema {number}, this Gigsheet knows up to {latest}: upgrade with pip install -U gigsheet"
        )
    return number


def _alone(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def _number(connection: Connection) -> int:
    if not sa.inspect(connection).has_table("schema_migration"):
        return 0
    return connection.execute(sa.text("SELECT max(number) FROM schema_migration")).scalar() or 0


def _apply(connection: Connection, step: Migration) -> None:
    record = Table(
        "schema_migration",
        MetaData(),
        Column("number", Integer, primary_key=True, autoincrement=False),
        Column("name", Text, nullable=False),
        Column("applied_at", String(32), nullable=False),
    )
    record.create(connection, checkfirst=True)
    step.apply(connection)
    connection.execute(record.insert().values(number=step.number, name=step.name, applied_at=now()))
