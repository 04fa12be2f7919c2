"""The store's tables as they stand after the last migration (a test compares them with what the migrations make).

`event` has one row, which tells the event from others. `scan`, `scan_name`, `page_read`, `reading` and `crop` keep what
was delivered and how it was read; `correction` and `withdrawal` are only ever appended to; `printed` says which sheets
exist. `game` and `entry_row` are derived: what a current reading (the last one of a place that is not withdrawn) says
with its corrections applied, rewritten in the transaction that changes either, so that status and export need not open
a single reading.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()


def _place() -> tuple[Column[int], ...]:
    """The columns that say where a sheet is: new ones each time, since a table owns its columns."""
    return (
        Column("scan_id", Integer, ForeignKey("scan.id"), nullable=False),
        Column("page", Integer, nullable=False),
        Column("sheet_index", Integer, nullable=False),
    )


schema_migration = Table(
    "schema_migration",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("applied_at", String(32), nullable=False),
)

event = Table("event", metadata, Column("id", String(32), primary_key=True))

scan = Table(
    "scan",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sha256", String(64), nullable=False, unique=True),
    Column("suffix", String(16), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("added_at", String(32), nullable=False),
)

scan_name = Table(
    "scan_name",
    metadata,
    Column("scan_id", Integer, ForeignKey("scan.id"), primary_key=True),
    Column("name", Text, primary_key=True),
)

page_read = Table(
    "page_read",
    metadata,
    Column("scan_id", Integer, ForeignKey("scan.id"), primary_key=True),
    Column("page", Integer, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("lost", Boolean, nullable=False),
    Column("read_at", String(32), nullable=False),
)

reading = Table(
    "reading",
    metadata,
    Column("id", Integer, primary_key=True),
    *_place(),
    Column("revision", Integer, nullable=False),
    Column("current", Boolean, nullable=False),
    Column("source", Text, nullable=False),
    Column("template", Text),
    Column("template_version", Integer),
    Column("paper", Text),
    Column("serial", Text),
    Column("flags", Text, nullable=False),
    Column("error", Text),
    Column("message", Text),
    Column("body", Text, nullable=False),
    UniqueConstraint("scan_id", "page", "sheet_index", "revision", name="reading_once"),
    Index("reading_serial", "serial"),
)

crop = Table(
    "crop",
    metadata,
    Column("reading_id", Integer, ForeignKey("reading.id"), primary_key=True),
    Column("game", Integer, primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("image", LargeBinary, nullable=False),
)

correction = Table(
    "correction",
    metadata,
    Column("id", Integer, primary_key=True),
    *_place(),
    Column("game", Integer, nullable=False),
    Column("field", String(8), nullable=False),
    Column("turn", Integer, nullable=False),
    Column("was", Text),
    Column("text", Text),
    Column("undoes", Integer, ForeignKey("correction.id"), unique=True),
    Column("author", Text, nullable=False),
    Column("made_at", String(32), nullable=False),
    Index("correction_place", "scan_id", "page", "sheet_index"),
)

withdrawal = Table(
    "withdrawal",
    metadata,
    Column("id", Integer, primary_key=True),
    *_place(),
    Column("withdrawn", Boolean, nullable=False),
    Column("author", Text, nullable=False),
    Column("made_at", String(32), nullable=False),
    Index("withdrawal_place", "scan_id", "page", "sheet_index"),
)

game = Table(
    "game",
    metadata,
    Column("reading_id", Integer, ForeignKey("reading.id"), primary_key=True),
    Column("game", Integer, primary_key=True),
    Column("first", Text),
    Column("result", Text),
    Column("also", Text, nullable=False),
    Column("winner", Text),
    Column("turn", Integer),
    Column("phase", Text),
    Column("pending", Text),
    Column("turns", Integer, nullable=False),
    Column("legal", Boolean, nullable=False),
    Column("transcript", Text, nullable=False),
)

entry_row = Table(
    "entry_row",
    metadata,
    Column("reading_id", Integer, ForeignKey("reading.id"), primary_key=True),
    Column("game", Integer, primary_key=True),
    Column("field", String(8), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("rank", Integer, nullable=False),
    Column("text", Text),
    Column("confidence", Float, nullable=False),
    Column("flags", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("alternatives", Text, nullable=False),
    Column("settled", Boolean, nullable=False),
    Column("open", Boolean, nullable=False),
    Index("entry_row_open", "open"),
)

printed = Table(
    "printed",
    metadata,
    Column("serial", Text, primary_key=True),
    Column("event", Text, nullable=False),
    Column("round", Text, nullable=False),
    Column("table_name", Text, nullable=False),
    Column("we", Text, nullable=False),
    Column("they", Text, nullable=False),
    Column("recorded_at", String(32), nullable=False),
)
