"""The store of an event: every write goes through this class, each in one transaction."""

from __future__ import annotations

import getpass
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, delete, false, func, or_, select, update
from sqlalchemy.exc import DBAPIError

from gigsheet.errors import UsageError
from gigsheet.reading_json import to_dict
from gigsheet.records import SheetReading
from gigsheet.store import tables as t
from gigsheet.store.clock import now
from gigsheet.store.corrected import Spot, corrected
from gigsheet.store.database import connect, database_url, explain, insert_new, sqlite_file, writing
from gigsheet.store.derived import (
    Answer,
    answers_at,
    corrections_of,
    derive,
    forget_derived,
    insert_derived,
    state_of,
)
from gigsheet.store.migrations import migrate
from gigsheet.store.scans import ScanFile, ScanFolder
from gigsheet.store.withdrawn import WHOLE_PAGE, Place, withdrawn_places


@dataclass(frozen=True, slots=True)
class PageTurn:
    """A page that is to be read, and the revision of its reading that the new one replaces (0: none yet)."""

    page: int
    replaces: int = 0


@dataclass(frozen=True, slots=True)
class PrintedSheet:
    """A sheet that was printed for a player of a pairing, and is to come back filled in."""

    serial: str
    event: str = ""
    round: str = ""
    table: str = ""
    we: str = ""
    they: str = ""


class Withdrawn(NamedTuple):
    """How many of the places that were named are out (or in) now and were not before, and how many sheets with them."""

    places: int
    sheets: int


class Recorded(NamedTuple):
    """How many printed sheets were new, and of how many known ones something else is said now."""

    new: int
    changed: int


class SettledMeanwhileError(UsageError):
    """Somebody else settled an entry differently while one was asked about it."""

    def __init__(self, spot: Spot, other: Answer) -> None:
        settled = f"{other.author} settled {spot.title} as {other.text or 'nothing'} meanwhile"
        super().__init__(f"{settled}: answer once more to overrule that, or skip")


class NotThereError(UsageError):
    """A reading is none of the event's current ones: its sheet was read again or withdrawn."""

    def __init__(self) -> None:
        super().__init__("this sheet was read again or withdrawn meanwhile: start `gigsheet settle` anew")


class Store:
    """An event's scans, readings, corrections and results.

    Args:
        folder: the event's folder; scans lie in its ``scans``.
        database: a database URL; None is the SQLite file in the folder.
        create: make folder and database when they are missing.

    Raises:
        UsageError: there is no store there (and `create` is off), or it cannot be used; the message has the remedy.
        MissingExtraError: the driver of a PostgreSQL URL is not installed.
    """

    def __init__(self, folder: Path, database: str | None = None, *, create: bool = False) -> None:
        self.folder = folder
        self._url = database_url(folder, database)
        self._in_folder = database is None
        file = sqlite_file(self._url)
        if create:
            self._make_folder()
        elif file is not None and not file.is_file():  # SQLite would make it
            raise self._no_event()
        self._engine: Engine = connect(self._url)
        self.scans = ScanFolder(folder / "scans")
        self.crops_folder = folder / "crops"
        self._snapshot: Connection | None = None
        with self._explained():
            if migrate(self._engine, create=create) == 0:
                self.close()
                raise self._no_event()
        self._make_folder()  # where the database lies elsewhere, pictures of rows are all that comes into it

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Where the event itself keeps pictures; none of those there is to be imported."""
        return self.folder / "scans", self.crops_folder

    def _no_event(self) -> UsageError:
        if self._in_folder:
            place, remedy = str(self.folder), "name the folder that `gigsheet import --event` filled"
        else:
            file = sqlite_file(self._url)
            place, remedy = str(file or self._url.render_as_string(hide_password=True)), "check --database"
        return UsageError(f"{place} holds no event: {remedy}, or import first")

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"the folder {self.folder} cannot be made ({error.strerror}): name another with --event"
            ) from None

    def close(self) -> None:
        """Ends all connections; the store must not be used after."""
        self._engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise explain(error, self._url) from error

    @contextmanager
    def reading_from(self) -> Iterator[Connection]:
        """A connection whose queries all see the same state of the store: within a `snapshot`, that of it."""
        if self._snapshot is not None:
            yield self._snapshot
            return
        with self._explained(), self._engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Whatever is asked within sees one state of the store, though an import may be running."""
        with self.reading_from() as self._snapshot:
            try:
                yield
            finally:
                self._snapshot = None

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._explained(), writing(self._engine) as connection:
            yield connection

    def check_writable(self) -> None:
        """For whoever is about to ask a person for what is to be kept.

        Raises:
            UsageError: nothing can be kept in this store.
        """
        with self._writing() as connection:  # SQLite lets a transaction begin that may write nothing
            connection.execute(update(t.scan).where(false()).values(pages=0))

    # -- what is delivered -------------------------------------------------------------------------------------------

    def add_scan(self, file: ScanFile, pages: int) -> int:
        """Records a kept file and the name it came under; returns the scan's id. The same content is one scan."""
        with self._writing() as connection:
            new = {"sha256": file.sha256, "suffix": file.suffix, "size": file.size, "pages": pages, "added_at": now()}
            insert_new(connection, t.scan, new)
            scan_id: int = connection.execute(select(t.scan.c.id).where(t.scan.c.sha256 == file.sha256)).scalar_one()
            insert_new(connection, t.scan_name, {"scan_id": scan_id, "name": file.name})
        return scan_id

    def save_page(
        self,
        scan_id: int,
        turn: PageTurn,
        recipe: str,
        readings: Sequence[SheetReading],
        crops: Mapping[tuple[int, int, int], bytes] | None = None,
        *,
        lost: bool = False,
    ) -> bool:
        """Keeps what was read on a page in place of the revision that `turn` names; False if another was quicker.

        Args:
            recipe: what read it (engine, version, options).
            crops: pictures of rows, by (place in `readings`, game, turn).
            lost: the page was not really read (its worker died); the next import tries again.
        """
        with self._writing() as connection:
            # Whoever changes anything of a scan holds its row: a correction and a new reading never pass each other.
            connection.execute(select(t.scan.c.id).where(t.scan.c.id == scan_id).with_for_update())
            if _latest_revision(connection, scan_id, turn.page) != turn.replaces:
                return False
            key = {"scan_id": scan_id, "page": turn.page, "revision": turn.replaces + 1}
            connection.execute(t.page_read.insert().values(**key, recipe=recipe, lost=lost, read_at=now()))
            if turn.replaces:
                _retire(connection, key)
            out = withdrawn_places(connection, [scan_id])
            for index, reading in enumerate(readings):
                place = key | {"sheet_index": reading.sheet_index}
                current = not _is_out(place, out)
                reading_id = _insert_reading(connection, key, reading, current=current)
                if current:
                    held = corrections_of(connection, place) if turn.replaces else {}
                    insert_derived(connection, reading_id, corrected(reading, held))
                pictures = [
                    {"reading_id": reading_id, "game": game, "turn": row, "image": image}
                    for (of, game, row), image in (crops or {}).items()
                    if of == index
                ]
                if pictures:
                    connection.execute(t.crop.insert(), pictures)
        return True

    def withdraw(self, places: Iterable[Place], *, back: bool = False, author: str | None = None) -> Withdrawn:
        """Takes places out of the event, or `back` in.

        Nothing is lost: scans, readings and corrections stay, and what is taken back in is as if it had never been
        away. Sheets that were taken out one by one stay out when their page comes back; of a page that is in itself
        they are what its name takes back.

        Raises:
            UsageError: a sheet cannot be taken back while its whole page is out.
        """
        done, sheets = 0, 0
        with self._writing() as connection:
            for scan_id, here in groupby(sorted(places), key=lambda place: place.scan_id):
                connection.execute(select(t.scan.c.id).where(t.scan.c.id == scan_id).with_for_update())
                out, named = withdrawn_places(connection, [scan_id]), set(here)
                if back:
                    if any(place.sheet_index and Place(scan_id, place.page) in out - named for place in named):
                        raise UsageError("its whole page is withdrawn: take that back, and its other sheets out again")
                    named |= {place for place in out if Place(scan_id, place.page) in named - out}
                new = sorted(named & out if back else named - out)
                common = {"withdrawn": not back, "author": author or user_name(), "made_at": now()}
                if new:
                    connection.execute(t.withdrawal.insert(), [asdict(place) | common for place in new])
                    sheets += _show_what_is_in(connection, scan_id, {place.page for place in new})
                done += len(new)
        return Withdrawn(done, sheets)

    def record_printed(self, sheets: Iterable[PrintedSheet]) -> Recorded:
        """Records printed sheets; of one known already holds what is said last, and what is left empty says nothing."""
        new = changed = 0
        with self._writing() as connection:
            for sheet in sheets:
                said = {
                    "event": sheet.event,
                    "round": sheet.round,
                    "table_name": sheet.table,
                    "we": sheet.we,
                    "they": sheet.they,
                }
                if insert_new(connection, t.printed, {"serial": sheet.serial, **said, "recorded_at": now()}):
                    new += 1
                elif mended := {name: value for name, value in said.items() if value}:
                    differs = or_(*[t.printed.c[name] != value for name, value in mended.items()])
                    known = update(t.printed).where(t.printed.c.serial == sheet.serial, differs)
                    changed += connection.execute(known.values(**mended)).rowcount
        return Recorded(new, changed)

    # -- what people settle ------------------------------------------------------------------------------------------

    def correct(
        self, reading_id: int, spot: Spot, text: str | None, author: str | None = None, *, over: int | None = None
    ) -> int:
        """Appends a correction (the same text as read confirms it), checks the game anew, returns the correction's id.

        Args:
            over: the answer to the entry that its author knew of, 0 for none; None overrules whatever holds.

        Raises:
            SettledMeanwhileError: another answer than `over` holds there, and says something else.
            NotThereError: the sheet was read again, or withdrawn, meanwhile.
        """
        with self._writing() as connection:
            place = _place(connection, reading_id)
            other = answers_at(connection, place).get(spot) if over is not None else None
            if other is not None and other.id != over and (other.text or "") != (text or ""):
                raise SettledMeanwhileError(spot, other)
            was = next((e.text for e in state_of(connection, reading_id).entries if e.spot == spot), None)
            values = place | {
                "game": spot.game,
                "field": spot.field,
                "turn": spot.turn,
                "was": was,
                "text": text,
                "author": author or user_name(),
                "made_at": now(),
            }
            made = connection.execute(t.correction.insert().values(**values))
            derive(connection, reading_id)
            assert made.inserted_primary_key is not None
            return int(made.inserted_primary_key[0])

    def undo(self, correction_id: int, author: str | None = None) -> bool:
        """Appends that a correction no longer holds, so that the one before it does; False if it was undone before."""
        columns = ("scan_id", "page", "sheet_index", "game", "field", "turn")
        with self._writing() as connection:
            row = connection.execute(select(t.correction).where(t.correction.c.id == correction_id)).mappings().first()
            if row is None or row["undoes"] is not None:
                raise UsageError(f"there is no correction {correction_id} to undo")
            place = {name: row[name] for name in columns}
            connection.execute(select(t.scan.c.id).where(t.scan.c.id == row["scan_id"]).with_for_update())
            undone = place | {"was": row["text"], "text": row["was"], "undoes": correction_id}
            if not insert_new(connection, t.correction, undone | {"author": author or user_name(), "made_at": now()}):
                return False
            r = t.reading.c
            there = [r[name] == row[name] for name in ("scan_id", "page", "sheet_index")]
            for reading_id in connection.execute(select(r.id).where(*there, r.current)).scalars().all():
                derive(connection, reading_id)
        return True


def user_name() -> str:
    """Who is at the keyboard, for the record."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "unknown"


def _latest_revision(connection: Connection, scan_id: int, page: int) -> int:
    where = (t.page_read.c.scan_id == scan_id) & (t.page_read.c.page == page)
    return connection.execute(select(func.max(t.page_read.c.revision)).where(where)).scalar() or 0


def _is_out(place: Mapping[str, Any], out: set[Place]) -> bool:
    """The place (`scan_id`, `page`, `sheet_index`) of a sheet is withdrawn, or its whole page is."""
    scan_id, page = place["scan_id"], place["page"]
    return not out.isdisjoint((Place(scan_id, page, place["sheet_index"]), Place(scan_id, page, WHOLE_PAGE)))


def _show_what_is_in(connection: Connection, scan_id: int, pages: Collection[int]) -> int:
    """The last readings of pages are current unless they are withdrawn, and only then is anything derived of them.

    Returns how many became so, or no longer are.
    """
    changed = 0
    out = withdrawn_places(connection, [scan_id])
    p, r = t.page_read.c, t.reading.c
    last = (
        select(p.page, func.max(p.revision).label("revision")).where(p.scan_id == scan_id).group_by(p.page).subquery()
    )
    query = (
        select(r.id, r.scan_id, r.page, r.sheet_index, r.current)
        .join(last, (last.c.page == r.page) & (last.c.revision == r.revision))
        .where(r.scan_id == scan_id, r.page.in_(pages))
    )
    for row in connection.execute(query).mappings().all():
        current = not _is_out(dict(row), out)
        if current == row["current"]:
            continue
        connection.execute(update(t.reading).where(r.id == row["id"]).values(current=current))
        if current:
            derive(connection, row["id"])
        else:
            forget_derived(connection, [row["id"]])
        changed += 1
    return changed


def _retire(connection: Connection, key: Mapping[str, int]) -> None:
    """What was read before stays as history; what is derived from it goes, and so do its pictures."""
    c = t.reading.c
    before = (c.scan_id == key["scan_id"]) & (c.page == key["page"]) & (c.revision < key["revision"])
    old = list(connection.execute(select(c.id).where(before)).scalars())
    forget_derived(connection, old)
    connection.execute(delete(t.crop).where(t.crop.c.reading_id.in_(old)))
    connection.execute(update(t.reading).where(c.id.in_(old)).values(current=False))


def _insert_reading(connection: Connection, key: dict[str, int], reading: SheetReading, *, current: bool) -> int:
    sheet = reading.sheet
    made = connection.execute(
        t.reading.insert().values(
            **key,
            sheet_index=reading.sheet_index,
            current=current,
            source=reading.source,
            template=sheet.template if sheet else None,
            template_version=sheet.version if sheet else None,
            paper=sheet.paper if sheet else None,
            serial=sheet.serial if sheet else None,
            flags=" ".join(reading.flags),
            error=reading.error,
            message=reading.message,
            body=json.dumps(to_dict(reading), ensure_ascii=False, separators=(",", ":")),
        )
    )
    assert made.inserted_primary_key is not None
    return int(made.inserted_primary_key[0])


def _place(connection: Connection, reading_id: int) -> dict[str, int]:
    columns = (t.reading.c.scan_id, t.reading.c.page, t.reading.c.sheet_index)
    row = connection.execute(select(*columns).where(t.reading.c.id == reading_id)).mappings().first()
    if row is not None:
        connection.execute(select(t.scan.c.id).where(t.scan.c.id == row["scan_id"]).with_for_update())
        current = select(t.reading.c.current).where(t.reading.c.id == reading_id)
        if connection.execute(current).scalar_one():
            return dict(row)
    raise NotThereError
