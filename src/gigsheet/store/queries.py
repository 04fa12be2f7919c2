"""What the store is asked: counts, the next open entry, results, rows. Nothing here writes."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, distinct, func, or_, select

from gigsheet.errors import UsageError
from gigsheet.reading_json import from_dict
from gigsheet.records import Alternative, SheetReading
from gigsheet.store import tables as t
from gigsheet.store.corrected import Corrected, Entry, Spot
from gigsheet.store.derived import Answer, answers_at, state_of
from gigsheet.store.scans import ScanFile
from gigsheet.store.store import PageTurn, PrintedSheet, Store
from gigsheet.store.withdrawn import WHOLE_PAGE, called, shared_names, title, told_apart, withdrawn_pages


@dataclass(frozen=True, slots=True)
class Counts:
    """How far an event is. Sheets are sure (nothing open), flagged (something open) or refused (could not be read);
    `unread` counts the pages of scans that were taken in and not read yet, as an import that was stopped leaves them.
    What was withdrawn counts nowhere.
    """

    scans: int
    unread: int
    sure: int
    flagged: int
    refused: int
    open: int
    settled: int

    @property
    def sheets(self) -> int:
        return self.sure + self.flagged + self.refused


@dataclass(frozen=True, slots=True)
class SheetRef:
    """A current reading and where it comes from: of `pages` of the scan, of `sheets` on the page.

    `shared`: another scan came under the same name.
    """

    reading_id: int
    scan_id: int
    sha256: str
    source: str
    page: int
    pages: int
    sheet_index: int
    sheets: int
    serial: str | None
    template: str | None
    error: str | None = None
    message: str | None = None
    shared: bool = False

    @property
    def title(self) -> str:
        """As people find it again: the file and what distinguishes it there."""
        name = told_apart(self.source, self.sha256, shared=self.shared)
        return title(name, self.page, self.pages, self.sheet_index if self.sheets > 1 else WHOLE_PAGE)


@dataclass(frozen=True, slots=True)
class OpenEntry:
    """An entry that somebody should look at, and its sheet."""

    sheet: SheetRef
    entry: Entry


@dataclass(frozen=True, slots=True)
class GameResult:
    """How one game of a sheet ended, corrections applied. `winner`, `phase`, `turn`, `pending` as the checker has them;
    `result` and `also` are the marks in the result box; `open` counts what is still to look at."""

    sheet: SheetRef
    game: int
    first: str | None
    result: str | None
    also: tuple[str, ...]
    winner: str | None
    turn: int | None
    phase: str | None
    pending: str | None
    turns: int
    legal: bool
    transcript: str
    open: int

    @property
    def played(self) -> bool:
        return bool(self.transcript) or self.result is not None or self.turns > 0


_BESIDE = t.reading.alias()
_SHEET_COLUMNS = (
    t.reading.c.id.label("reading_id"),
    t.reading.c.scan_id,
    t.scan.c.sha256,
    t.reading.c.source,
    t.reading.c.page,
    t.scan.c.pages,
    t.reading.c.sheet_index,
    select(func.max(_BESIDE.c.sheet_index))
    .where(*(_BESIDE.c[name] == t.reading.c[name] for name in ("scan_id", "page", "revision")))
    .scalar_subquery()
    .label("sheets"),
    t.reading.c.serial,
    t.reading.c.template,
    t.reading.c.error,
    t.reading.c.message,
    t.reading.c.source.in_(shared_names()).label("shared"),
)
_ENTRY_COLUMNS = tuple(
    t.entry_row.c[name]
    for name in ("game", "field", "turn", "text", "confidence", "flags", "settled", "why", "alternatives")
)
_IN_ORDER = (t.reading.c.scan_id, t.reading.c.page, t.reading.c.sheet_index)


_OWN = len(_SHEET_COLUMNS)


def _sheet(row: Sequence[Any]) -> SheetRef:
    """From a row that begins with `_SHEET_COLUMNS`."""
    return SheetRef(*row[:_OWN])


def _from_current() -> Select[Any]:
    return select(*_SHEET_COLUMNS).join_from(t.reading, t.scan).where(t.reading.c.current)


def event_id(store: Store) -> str:
    """What tells the event from every other one, wherever its folder is moved or copied to."""
    with store.reading_from() as connection:
        return str(connection.execute(select(t.event.c.id)).scalar_one())


def counts(store: Store, scan_ids: Collection[int] | None = None) -> Counts:
    """How far the event is, or the part of it that these scans hold."""
    opened = select(distinct(t.entry_row.c.reading_id)).where(t.entry_row.c.open)
    refused = t.reading.c.error.is_not(None)
    flagged = t.reading.c.id.in_(opened)
    by_scan = (
        select(
            t.reading.c.scan_id,
            func.count().label("sheets"),
            func.sum(case((refused, 1), else_=0)).label("refused"),
            func.sum(case((flagged, 1), else_=0)).label("flagged"),
        )
        .where(t.reading.c.current)
        .group_by(t.reading.c.scan_id)
    )
    entries_by_scan = (
        select(
            t.reading.c.scan_id,
            func.sum(case((t.entry_row.c.open, 1), else_=0)).label("open"),
            func.sum(case((t.entry_row.c.settled, 1), else_=0)).label("settled"),
        )
        .join_from(t.entry_row, t.reading)
        .where(or_(t.entry_row.c.open, t.entry_row.c.settled))
        .group_by(t.reading.c.scan_id)
    )
    read = select(t.page_read.c.scan_id, t.page_read.c.page)
    with store.reading_from() as connection:
        pages = {row.id: row.pages for row in connection.execute(select(t.scan.c.id, t.scan.c.pages))}
        out = withdrawn_pages(connection)
        done: dict[int, set[int]] = {scan: set(gone) for scan, gone in out.items()}
        for scan, page in connection.execute(read):
            done.setdefault(scan, set()).add(page)
        of_sheets = connection.execute(by_scan).all()
        of_entries = connection.execute(entries_by_scan).all()
    mine = set(pages) if scan_ids is None else set(scan_ids)
    here = [row for row in of_sheets if row.scan_id in mine]
    bad, doubtful = sum(row.refused for row in here), sum(row.flagged for row in here)
    return Counts(
        scans=sum(len(out.get(scan, ())) < pages[scan] for scan in mine),
        unread=sum(pages[scan] - len(done.get(scan, ())) for scan in mine),
        sure=sum(row.sheets for row in here) - bad - doubtful,
        flagged=doubtful,
        refused=bad,
        open=sum(row.open for row in of_entries if row.scan_id in mine),
        settled=sum(row.settled for row in of_entries if row.scan_id in mine),
    )


def sheets(store: Store, *, refused: bool | None = None) -> list[SheetRef]:
    """All current readings in the order of delivery; `refused` picks those that could (not) be read."""
    query = _from_current().order_by(*_IN_ORDER)
    if refused is not None:
        query = query.where(t.reading.c.error.is_not(None) if refused else t.reading.c.error.is_(None))
    with store.reading_from() as connection:
        return [_sheet(row) for row in connection.execute(query)]


def sheet_at(store: Store, scan_id: int, page: int, sheet_index: int) -> SheetRef | None:
    """The current reading of a place; None if it is withdrawn, or if no sheet was found there the last time."""
    r = t.reading.c
    query = _from_current().where(r.scan_id == scan_id, r.page == page, r.sheet_index == sheet_index)
    with store.reading_from() as connection:
        row = connection.execute(query).first()
    return None if row is None else _sheet(row)


def pages_of(store: Store, scan_id: int) -> dict[int, tuple[int, str, bool]]:
    """Page -> (latest revision, its recipe, whether it was lost) of the pages of a scan that were read."""
    c = t.page_read.c
    query = select(c.page, c.revision, c.recipe, c.lost).where(c.scan_id == scan_id).order_by(c.revision)
    with store.reading_from() as connection:
        return {row.page: (row.revision, row.recipe, row.lost) for row in connection.execute(query)}


def pages_to_read(store: Store, scan_id: int, pages: int, recipe: str, reread: str) -> list[PageTurn]:
    """The pages of a scan that an import reads: none that is withdrawn.

    Args:
        recipe: what would read them now.
        reread: ``never`` (only what was not read yet), ``outdated`` (also what another recipe read), ``all``.
    """
    known = pages_of(store, scan_id)
    with store.reading_from() as connection:
        out = withdrawn_pages(connection, [scan_id]).get(scan_id, set())
    turns = []
    for page in sorted({*range(1, pages + 1)} - out):
        revision, by, lost = known.get(page, (0, "", True))
        if lost or reread == "all" or (reread == "outdated" and by != recipe):
            turns.append(PageTurn(page, revision))
    return turns


def scan_files(store: Store) -> list[ScanFile]:
    """Every scan in the order of delivery; none that is withdrawn as a whole."""
    query = select(*t.scan.c, called()).order_by(t.scan.c.id)
    with store.reading_from() as connection:
        out = withdrawn_pages(connection)
        rows = [row for row in connection.execute(query) if len(out.get(row.id, ())) < row.pages]
    return [ScanFile(r.sha256, r.suffix, r.size, r.name, store.scans.path(r.sha256, r.suffix)) for r in rows]


def scan_title(store: Store, scan: ScanFile) -> str:
    """As people find a whole scan again."""
    with store.reading_from() as connection:
        shared = connection.execute(shared_names().where(t.scan_name.c.name == scan.name)).first() is not None
    return told_apart(scan.name, scan.sha256, shared=shared)


def next_open(store: Store, after: tuple[SheetRef, Spot] | None = None, limit: int = 1) -> list[OpenEntry]:
    """The first open entries from the top of the stack, or those behind `after`."""
    e = t.entry_row.c
    query = _from_current().add_columns(*_ENTRY_COLUMNS)
    query = query.join(t.entry_row, e.reading_id == t.reading.c.id).where(e.open)
    if after is not None:
        query = query.where(_behind(*after))
    order = (*_IN_ORDER, e.game, e.rank)
    with store.reading_from() as connection:
        rows = connection.execute(query.order_by(*order).limit(limit)).all()
    return [OpenEntry(_sheet(row), _entry(row[_OWN:])) for row in rows]


def _entry(values: Sequence[Any]) -> Entry:
    """An entry from the columns `_ENTRY_COLUMNS`; there are tens of thousands, nearly all with nothing to say."""
    game, field, turn, text, confidence, flags, settled, why, alternatives = values
    return Entry(
        Spot(game, field, turn),
        text,
        confidence,
        tuple(flags.split()) if flags else (),
        settled,
        tuple(why.splitlines()) if why else (),
        tuple(Alternative(*pair) for pair in json.loads(alternatives)) if alternatives != "[]" else (),
    )


def _behind(sheet: SheetRef, spot: Spot) -> ColumnElement[bool]:
    """Comes later than an entry of a sheet; written out, since not every SQLite compares tuples."""
    columns = (*_IN_ORDER, t.entry_row.c.game, t.entry_row.c.rank)
    values = (sheet.scan_id, sheet.page, sheet.sheet_index, spot.game, spot.rank)
    later = []
    for k, (column, value) in enumerate(zip(columns, values, strict=True)):
        same = [earlier == v for earlier, v in zip(columns[:k], values[:k], strict=True)]
        later.append(and_(*same, column > value))
    return or_(*later)


def reading(store: Store, reading_id: int) -> SheetReading:
    """A reading as it was read, without corrections."""
    with store.reading_from() as connection:
        body = connection.execute(select(t.reading.c.body).where(t.reading.c.id == reading_id)).scalar()
    if body is None:
        raise UsageError(f"the store has no reading {reading_id}")
    return from_dict(json.loads(body))


def current_state(store: Store, reading_id: int) -> Corrected:
    """A reading with its corrections applied."""
    with store.reading_from() as connection:
        return state_of(connection, reading_id)


def entry_at(store: Store, sheet: SheetRef, spot: Spot) -> Entry:
    """What stands at a place of a sheet, corrections applied; nothing below the last row that was read."""
    entries = current_state(store, sheet.reading_id).entries
    return next((entry for entry in entries if entry.spot == spot), Entry(spot, None, 1.0))


def answers_now(store: Store, sheet: SheetRef) -> dict[Spot, Answer]:
    """What people settled on a sheet and still holds."""
    place = {"scan_id": sheet.scan_id, "page": sheet.page, "sheet_index": sheet.sheet_index}
    with store.reading_from() as connection:
        return answers_at(connection, place)


def results(store: Store) -> list[GameResult]:
    """Every game of every current reading, played or not, in the order of delivery."""
    g, e = t.game.c, t.entry_row.c
    still = (
        select(e.reading_id, e.game, func.count().label("open")).where(e.open).group_by(e.reading_id, e.game).subquery()
    )
    # As the fields of a GameResult lie.
    columns = (g.game, g.first, g.result, g.also, g.winner, g.turn, g.phase, g.pending, g.turns, g.legal, g.transcript)
    query = (
        _from_current()
        .add_columns(*columns, func.coalesce(still.c.open, 0).label("open"))
        .join(t.game, g.reading_id == t.reading.c.id)
        .outerjoin(still, and_(still.c.reading_id == g.reading_id, still.c.game == g.game))
        .order_by(*_IN_ORDER, g.game)
    )
    with store.reading_from() as connection:
        rows = connection.execute(query).all()
    return [_result(row) for row in rows]


def _result(row: Sequence[Any]) -> GameResult:
    game, first, result, also, *others = row[_OWN:]
    return GameResult(_sheet(row), game, first, result, tuple(also.split()), *others)


def flagged_entries(store: Store) -> dict[int, list[Entry]]:
    """Reading -> its entries that were flagged or settled, in the order of the page."""
    e = t.entry_row.c
    query = select(e.reading_id, *_ENTRY_COLUMNS).join(t.reading).where(t.reading.c.current)
    query = query.where(or_(e.flags != "", e.settled)).order_by(e.reading_id, e.game, e.rank)
    found: dict[int, list[Entry]] = {}
    with store.reading_from() as connection:
        for reading_id, *values in connection.execute(query).all():
            found.setdefault(reading_id, []).append(_entry(values))
    return found


def rows(store: Store) -> Sequence[Sequence[Any]]:
    """(Reading, game, turn, text, confidence, flags, settled) of every row in the order of delivery, plain since there
    are tens of thousands."""
    e = t.entry_row.c
    query = (
        select(e.reading_id, e.game, e.turn, e.text, e.confidence, e.flags, e.settled)
        .join(t.reading)
        .where(t.reading.c.current, e.field == "row")
        .order_by(*_IN_ORDER, e.game, e.turn)
    )
    with store.reading_from() as connection:
        return connection.execute(query).all()


def last_correction(store: Store, author: str) -> int | None:
    """The latest correction of an author that holds: what an undo takes back."""
    c, undo = t.correction.c, t.correction.alias()
    query = (
        select(func.max(c.id))
        .outerjoin_from(t.correction, undo, undo.c.undoes == c.id)
        .where(c.undoes.is_(None), undo.c.id.is_(None), c.author == author)
    )
    with store.reading_from() as connection:
        return connection.execute(query).scalar()


def history(store: Store) -> list[dict[str, Any]]:
    """Every correction ever made, in order, with the scan it belongs to."""
    query = (
        select(t.correction, t.scan.c.sha256)
        .join_from(t.correction, t.scan, t.correction.c.scan_id == t.scan.c.id)
        .order_by(t.correction.c.id)
    )
    with store.reading_from() as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def crop(store: Store, reading_id: int, game: int, turn: int) -> bytes | None:
    """The picture of a row (JPEG), if it was kept when the sheet was read."""
    c = t.crop.c
    query = select(c.image).where(c.reading_id == reading_id, c.game == game, c.turn == turn)
    with store.reading_from() as connection:
        return connection.execute(query).scalar()


def crops(store: Store) -> dict[tuple[int, int, int], bytes]:
    """(reading, game, turn) -> picture, for every current reading."""
    c = t.crop.c
    query = select(t.crop).join(t.reading, c.reading_id == t.reading.c.id).where(t.reading.c.current)
    with store.reading_from() as connection:
        return {(reading_id, game, turn): image for reading_id, game, turn, image in connection.execute(query).all()}


def printed_sheets(store: Store) -> list[PrintedSheet]:
    """The sheets that were printed for the event, in the order of their serials."""
    c = t.printed.c
    query = select(c.serial, c.event, c.round, c.table_name, c.we, c.they).order_by(c.serial)
    with store.reading_from() as connection:
        return [PrintedSheet(*row) for row in connection.execute(query)]
