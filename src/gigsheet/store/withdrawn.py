"""Places of scans that were taken out of an event (one photographed twice, say), and how people name them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, Select, func, select

from gigsheet.errors import UsageError
from gigsheet.store import tables as t

if TYPE_CHECKING:
    from gigsheet.store.store import Store

WHOLE_PAGE = 0
_TAGGED = re.compile(r"(?P<name>.*) #(?P<content>[0-9a-f]{8,64})", re.DOTALL)
_TITLE = re.compile(r"(?P<name>.*?)(?:, page (?P<page>\d{1,9}))?(?:, sheet (?P<sheet>\d{1,9}))?", re.DOTALL)


class NoScanError(UsageError):
    """Nothing in the event is called so."""

    def __init__(self, named: str) -> None:
        super().__init__(f"the event has no scan {named}: name it as `gigsheet status` or the report does")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A page of a scan, or one sheet on it: pages and sheets count from 1, sheet 0 is the whole page."""

    scan_id: int
    page: int
    sheet_index: int = WHOLE_PAGE


def tag(sha256: str) -> str:
    """A scan's content in short: tells scans apart that came under one name, as a scanner's constant ``scan.pdf``."""
    return f"#{sha256[:8]}"


def told_apart(name: str, sha256: str, *, shared: bool) -> str:
    """A scan's name, with its `tag` where the name is one of the `shared_names`."""
    return f"{name} {tag(sha256)}" if shared else name


def shared_names() -> Select[tuple[str]]:
    """The names that several scans came under; whether one of them is withdrawn changes nothing about that."""
    n = t.scan_name.c
    return select(n.name).group_by(n.name).having(func.count() > 1)


def title(name: str, page: int, pages: int, sheet_index: int) -> str:
    """How a place is called wherever people see it: its file, and what distinguishes it there.

    Args:
        name: the file's (see `told_apart`).
        page: which page, of `pages`.
        sheet_index: which sheet on it; `WHOLE_PAGE` also for the only one.
    """
    called = f"{name}, page {page}" if pages > 1 else name
    return called if sheet_index == WHOLE_PAGE else f"{called}, sheet {sheet_index}"


def withdrawn_places(connection: Connection, scan_ids: Collection[int] | None = None) -> set[Place]:
    """What is withdrawn now: of each place the last word counts."""
    w = t.withdrawal.c
    query = select(w.scan_id, w.page, w.sheet_index, w.withdrawn).order_by(w.id)
    if scan_ids is not None:
        query = query.where(w.scan_id.in_(scan_ids))
    last = {Place(*place): out for *place, out in connection.execute(query)}
    return {place for place, out in last.items() if out}


def withdrawn_pages(connection: Connection, scan_ids: Collection[int] | None = None) -> dict[int, set[int]]:
    """Scan -> its pages that are withdrawn as a whole."""
    found: dict[int, set[int]] = {}
    for place in withdrawn_places(connection, scan_ids):
        if place.sheet_index == WHOLE_PAGE:
            found.setdefault(place.scan_id, set()).add(place.page)
    return found


def withdrawn_titles(store: Store, scan_ids: Collection[int] | None = None) -> list[str]:
    """What is withdrawn, in the order of delivery; a scan that is so as a whole is named once."""
    with store.reading_from() as connection:
        places = sorted(withdrawn_places(connection, scan_ids))
        of_scan = {place.scan_id for place in places}
        query = select(t.scan.c.id, t.scan.c.pages, t.scan.c.sha256, called()).where(t.scan.c.id.in_(of_scan))
        shared = set(connection.execute(shared_names()).scalars())
        scans = {
            scan_id: (pages, told_apart(name, sha256, shared=name in shared))
            for scan_id, pages, sha256, name in connection.execute(query)
        }
    titles = []
    for scan_id in sorted(of_scan):
        pages, name = scans[scan_id]
        mine = [place for place in places if place.scan_id == scan_id]
        whole = {place.page for place in mine if place.sheet_index == WHOLE_PAGE}
        if len(whole) == pages:
            titles.append(name)
            continue
        titles += [
            title(name, place.page, pages, place.sheet_index)
            for place in mine
            if place.sheet_index == WHOLE_PAGE or place.page not in whole
        ]
    return titles


def called() -> ColumnElement[str]:
    """What people see a scan called, beside `scan`: as its last reading has it, else by any of its names."""
    r, n = t.reading.c, t.scan_name.c
    read = select(r.source).where(r.scan_id == t.scan.c.id).order_by(r.id.desc()).limit(1).scalar_subquery()
    named = select(func.min(n.name)).where(n.scan_id == t.scan.c.id).scalar_subquery()
    return func.coalesce(read, named).label("name")


def places_named(store: Store, named: str) -> list[Place]:
    """The places that a name stands for: a file (all of its pages), or a page or sheet as `title` calls it.

    A file's own name will do, without its folders, where only one file is called so. Behind it may stand its `tag`.

    Raises:
        NoScanError: nothing in the event is called so.
        UsageError: several scans are, or it has no such page or sheet.
    """
    with store.reading_from() as connection:
        for name, page, sheet in _meant(named):
            found = _scan(connection, name)
            if found is None and (tagged := _TAGGED.fullmatch(name)):
                found = _scan(connection, tagged["name"], tagged["content"])
            if found is not None:
                scan_id, pages = found
                return _places(connection, name, scan_id, pages, page, sheet)
    raise NoScanError(named)


def _meant(named: str) -> Iterable[tuple[str, int | None, int | None]]:
    """(File, page, sheet) that a name may mean; a file may have a comma in its own."""
    yield named, None, None
    if parts := _TITLE.fullmatch(named):
        yield parts["name"], _number(parts["page"]), _number(parts["sheet"])


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _scan(connection: Connection, name: str, content: str = "") -> tuple[int, int] | None:
    """(Id, pages) of the scan that came under this name, or under a path that ends with it.

    Args:
        content: how its SHA-256 begins.
    """
    n = t.scan_name.c
    query = select(n.scan_id, n.name, t.scan.c.pages, t.scan.c.sha256).join_from(t.scan_name, t.scan)
    query = query.where(t.scan.c.sha256.startswith(content, autoescape=True)).order_by(n.name, n.scan_id)
    same, ends = {}, {}
    for scan_id, known, pages, sha256 in connection.execute(query):
        if known == name:
            same[scan_id, pages] = known, sha256
        elif name and known.replace("\\", "/").endswith(f"/{name}"):
            ends[scan_id, pages] = known, sha256
    found = same or ends
    if len(found) > 1:
        times = Counter(known for known, _ in found.values())
        called_so = [f"{known} {tag(sha256)}" if times[known] > 1 else known for known, sha256 in found.values()]
        # To a shell a # begins a comment, and what is left is the name that says too little.
        quotes = ", with quotes around it" if len(times) < len(found) else ""
        raise UsageError(f"{name} may be {', '.join(called_so)}: say which{quotes}")
    return next(iter(found), None)


def _places(
    connection: Connection, name: str, scan_id: int, pages: int, page: int | None, sheet: int | None
) -> list[Place]:
    if page is None and sheet is not None:
        page = 1  # a picture has no other, and its title does not say so
    if page is None:
        return [Place(scan_id, number) for number in range(1, pages + 1)]
    if not 1 <= page <= pages:
        raise UsageError(f"{name} has {pages} page{'s' * (pages > 1)}: there is no page {page}")
    if sheet is None:
        return [Place(scan_id, page)]
    known = select(t.reading.c.id).where(
        t.reading.c.scan_id == scan_id, t.reading.c.page == page, t.reading.c.sheet_index == sheet
    )
    if connection.execute(known.limit(1)).first() is None:
        raise UsageError(f"there is no sheet {sheet} on {title(name, page, pages, WHOLE_PAGE)}")
    return [Place(scan_id, page, sheet)]
