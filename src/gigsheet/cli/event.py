"""`gigsheet import`, `expect`, `status`, `withdraw`, `export`: a stack of sheets into an event, and out of it."""

from __future__ import annotations

import os
import sys
import time
from glob import has_magic
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal

import click
from click.exceptions import Exit

from gigsheet.cli.parameters import NAME, PATH, argument, command, event_options, reading_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gigsheet.batch.crew import Crew
    from gigsheet.batch.run import Import, Tally
    from gigsheet.pipeline import Options
    from gigsheet.store import Store
    from gigsheet.store.findings import Findings
    from gigsheet.store.queries import Counts

WATCH_SECONDS = 2.0
_LISTED = 8


@command("import")
@argument("paths", nargs=-1, type=NAME, metavar="[PATH]...", about="Files, folders, patterns, PDFs, ZIPs.")
@event_options
@click.option("--watch", is_flag=True, help="Go on taking in what arrives, until Ctrl-C.")
@click.option(
    "--reread",
    type=click.Choice(["never", "outdated", "all"]),
    default="never",
    help="Read again what another engine, version or option read (outdated), or everything (all).",
)
@click.option("--scheduler", metavar="tcp://HOST:PORT", help="Read on a Dask cluster instead.")
@click.option("--workers", type=click.IntRange(min=1), show_default="one a core", help="Processes on this machine.")
@reading_options
def import_(
    paths: tuple[str, ...],
    event: Path,
    database: str | None,
    watch: bool,
    reread: Literal["never", "outdated", "all"],
    scheduler: str | None,
    workers: int | None,
    options: Options,
) -> None:
    """Read a stack of sheets into an event, on every core.

    The same picture twice is one scan, and is read once: import a folder again whenever pictures were added. An import
    that was stopped, by whatever, goes on where it was when it is started again. What people settled is kept, also
    when a sheet is read again with --reread.

    \b
    gigsheet import round1.pdf --event night-city           a scanner's stack
    gigsheet import photos/ more.zip --event night-city     photos, in folders or ZIP archives
    gigsheet import photos/ --event night-city --watch      what phones drop there all day long
    gigsheet import --reread outdated --event night-city    all of it, after an upgrade

    Exit status: 0 all read and sure; 1 something to look at; 2 something could not be read.
    """
    from gigsheet.batch.run import Import, recipe
    from gigsheet.cli.progress import ProgressReport
    from gigsheet.errors import InterruptedWorkError, UsageError
    from gigsheet.recognise import get_engine
    from gigsheet.store import Store

    if not paths and reread == "never":
        raise UsageError("name files or folders to import, or --reread outdated for what is in the event already")
    if watch and not paths:
        raise UsageError("--watch takes in what arrives in a folder: name it, or leave --watch out")
    if scheduler and workers:
        raise UsageError("--workers is for this machine, and --scheduler has workers of its own: give one of them")
    if paths and not watch and not event.exists():
        _expect_something(paths)
    made_by = recipe(options, get_engine(options.engine).id)
    progress = ProgressReport()
    with _crew(scheduler, workers) as crew, Store(event, database, create=bool(paths)) as store:
        store.check_writable()
        work = Import(store, crew, options, made_by, reread=reread, tell=progress)
        try:
            with progress:
                _run(work, store, paths, watch)
        except KeyboardInterrupt:
            pages = _many(work.tally.pages, "page")
            raise InterruptedWorkError(f"stopped after {pages}; start it again to go on") from None
        raise Exit(_summary(store, work.tally, event))


def _expect_something(paths: tuple[str, ...]) -> None:
    """A new event is not made for names that stand for nothing."""
    from gigsheet.batch.intake import Missing, find
    from gigsheet.errors import UsageError

    told = []
    for item in find(paths):
        if not isinstance(item, Missing):
            return
        told.append(f"{item.name}: {item.message}")
    raise UsageError("; ".join(told))


def _crew(scheduler: str | None, workers: int | None) -> Crew:
    from gigsheet.batch.crew import ClusterCrew, LocalCrew

    return ClusterCrew(scheduler) if scheduler else LocalCrew(workers)


def _run(work: Import, store: Store, paths: tuple[str, ...], watch: bool) -> None:
    from gigsheet.batch.intake import find
    from gigsheet.batch.watch import Arrivals
    from gigsheet.store.queries import scan_files

    if not paths:
        work.run_again(scan_files(store))
    elif not watch:
        work.run(find(paths, store.own_folders))
    else:
        arrivals = Arrivals(paths, store.own_folders)
        print(f"watching {', '.join(paths)}; Ctrl-C ends it", file=sys.stderr)
        for path in paths:
            if not (has_magic(path) or os.path.lexists(path)):
                print(f"{path} is not there yet: what comes under that name will be taken in", file=sys.stderr)
        try:
            while True:
                work.run(arrivals.look())
                time.sleep(WATCH_SECONDS)
        except KeyboardInterrupt:
            print(file=sys.stderr)


def _summary(store: Store, tally: Tally, event: Path) -> int:
    """Prints what came of an import; returns the exit status."""
    from gigsheet.store.findings import find
    from gigsheet.store.queries import counts
    from gigsheet.store.withdrawn import withdrawn_titles

    mine = counts(store, tally.scans)
    seconds = time.monotonic() - tally.started
    read = tally.pages - tally.known
    print(f"{_many(mine.sheets, 'sheet')}: {_counted(mine)}")
    if read:
        print(f"{_many(read, 'page')} read in {_seconds(seconds)}, {read / max(seconds, 1e-6):.1f} a second")
    if tally.known:
        print(f"{_many(tally.known, 'page')} in the store already")
    found = find(store)
    for line in _findings(found, whole=False):
        print(line)
    for line in _withdrawn(withdrawn_titles(store, tally.scans)):
        print(line)
    if mine.open:
        print(f"settle them: gigsheet settle --event {quote(str(event))}")
    if mine.refused or tally.missing:
        return 2
    return 1 if mine.flagged or mine.unread or found.any else 0


@command()
@argument(
    "lists",
    nargs=-1,
    required=True,
    type=PATH,
    metavar="FILE...",
    about="Lists that `gigsheet blank --printed FILE` wrote.",
)
@event_options
def expect(lists: tuple[Path, ...], event: Path, database: str | None) -> None:
    """Tell an event which sheets were printed, so that it knows which are still to come.

    A list that was mended is recorded anew: of a sheet known already holds what is said last. What a list leaves empty,
    such as everything but the serials, stays as it was.

    \b
    gigsheet blank --pairings round1.csv --round 1 -o round1.pdf --printed round1-sheets.csv
    gigsheet expect round1-sheets.csv --event night-city
    gigsheet status --event night-city

    Exit status: 0 all recorded.
    """
    from gigsheet.store import Store
    from gigsheet.store.printed import read_printed

    sheets = [sheet for path in lists for sheet in read_printed(path)]
    with Store(event, database, create=True) as store:
        new, changed = store.record_printed(sheets)
    mended = f", {changed} changed" if changed else ""
    print(f"{_many(len(sheets), 'printed sheet')}, {new} of them new{mended}")


@command()
@event_options
def status(event: Path, database: str | None) -> None:
    """Say how far an event is: what was read, what is to settle, what is missing or came twice.

    \b
    gigsheet status --event night-city

    Exit status: 0 all read and sure; 1 something to look at; 2 a page could not be read.
    """
    from gigsheet.store import Store, queries
    from gigsheet.store.findings import find
    from gigsheet.store.withdrawn import withdrawn_titles

    with Store(event, database) as store, store.snapshot():
        counts = queries.counts(store)
        print(f"{_many(counts.sheets, 'sheet')} in {_many(counts.scans, 'scan')}: {_counted(counts)}")
        refused = queries.sheets(store, refused=True)
        for line in _shortened([f"not read: {sheet.title}: {sheet.message}" for sheet in refused]):
            print(line)
        found = find(store)
        for line in _findings(found, whole=True):
            print(line)
        for line in _withdrawn(withdrawn_titles(store)):
            print(line)
    if refused or found.duplicates or found.unknown:
        print(f"take out what does not belong there: gigsheet withdraw NAME --event {quote(str(event))}")
    if counts.open:
        print(f"settle them: gigsheet settle --event {quote(str(event))}")
    if refused:
        raise Exit(2)
    if counts.flagged or counts.unread or found.any:
        raise Exit(1)


@command()
@argument("names", nargs=-1, type=NAME, metavar="[NAME]...", about="Scans, pages or sheets, as `status` calls them.")
@event_options
@click.option("--back", is_flag=True, help="Take them back in.")
@click.option("--author", show_default="your user name", help="Who withdraws, for the record.")
def withdraw(names: tuple[str, ...], event: Path, database: str | None, back: bool, author: str | None) -> None:
    """Take scans, pages or sheets out of an event: a wrong picture, or one that was taken again.

    They count no more, and are not read again. Nothing is lost: the picture stays, and so does what was settled, and
    --back takes them in again. Without a name, what is withdrawn is listed.

    \b
    gigsheet withdraw blurred.jpg --event night-city
    gigsheet withdraw "round1.pdf, page 7" "table.jpg, sheet 2" --event night-city
    gigsheet withdraw "scan.pdf #cbdcea6b" --event night-city    one of several scan.pdf
    gigsheet withdraw blurred.jpg --back --event night-city

    Exit status: 0 they are out (or back in).
    """
    from gigsheet.batch.intake import shown
    from gigsheet.store import Store
    from gigsheet.store.withdrawn import places_named, withdrawn_titles

    with Store(event, database) as store:
        named = [(name, places_named(store, name)) for name in map(shown, names)]
        for name, places in named:
            changed = store.withdraw(places, back=back, author=author)
            if changed.places:
                done = f"{name}: {'back in the event' if back else 'withdrawn'}"
                print(f"{done}, {_many(changed.sheets, 'sheet')}" if changed.sheets else done)
            else:
                print(f"{name}: {'is not withdrawn' if back else 'was withdrawn before'}")
        scans = {place.scan_id for _, places in named for place in places}
        if back and (still := withdrawn_titles(store, scans)):
            print(f"still withdrawn: {_listed(still)}")
        if not names:
            print("\n".join(withdrawn_titles(store)) or "nothing is withdrawn")


@command()
@event_options
@click.option("-o", "--output", type=PATH, metavar="DIR", show_default="DIR/export", help="Where to.")
def export(event: Path, database: str | None, output: Path | None) -> None:
    """Write an event's results, rows, transcripts and report.

    results.csv has a line a game, rows.csv a line a row (both safe to open in a spreadsheet), results.json is for
    programs, transcripts/ has a text file a game, report.html is for people: every flagged row with its picture.

    \b
    gigsheet export --event night-city
    gigsheet export --event night-city -o /media/stick

    Exit status: 0 all sure or settled; 1 something is still open; 2 a page could not be read.
    """
    import gc

    gc.disable()  # looking for cycles among a million cells, of which there are none, takes a third of the time

    from gigsheet.report.export import export as write
    from gigsheet.store import Store

    with Store(event, database) as store:
        done = write(store, output or event / "export")
    print(f"{done.folder}: {_many(done.games, 'game')}, {_many(done.transcripts, 'transcript')}, report.html")
    if done.open or done.refused or done.unread:
        pages = f"{_many(done.refused, 'page')} could not be read" if done.refused else ""
        unread = _unread(done.unread) if done.unread else ""
        still = f"{_many(done.open, 'entry', 'entries')} still to settle" if done.open else ""
        print(f"gigsheet: {', '.join(part for part in (still, pages, unread) if part)}", file=sys.stderr)
        raise Exit(2 if done.refused else 1)


def _counted(counts: Counts) -> str:
    text = f"{counts.sure} sure, {counts.flagged} flagged, {counts.refused} refused"
    if counts.open:
        text += f"; {_many(counts.open, 'entry', 'entries')} to settle"
    if counts.settled:
        text += f", {counts.settled} settled"
    return text + (f"; {_unread(counts.unread)}" if counts.unread else "")


def _unread(pages: int) -> str:
    return f"{_many(pages, 'page')} not read yet: start the import again"


def _findings(found: Findings, *, whole: bool) -> Iterator[str]:
    """A line a finding; `whole` names every printed sheet that has not come, too."""
    from gigsheet.store.findings import place

    for same in found.duplicates:
        yield f"serial {same[0].serial} came {len(same)} times: {_listed([sheet.title for sheet in same])}"
    agreeing = len(found.same_games) - len(found.same_games_that_differ)
    if agreeing:
        yield f"{_many(agreeing, 'game')} on two sheets that agree"
    for pair in found.same_games_that_differ:
        a, b = (game.sheet.serial or game.sheet.title for game in (pair.a, pair.b))
        turns = ", ".join(str(turn.number_a or turn.number_b) for turn in pair.turns)
        where: list[str] = [mark.field for mark in pair.marks]
        if turns:
            where.append(f"turn {turns}")
        if pair.same_side:
            where.append("whose dice are WE's")
        yield f"one game on two sheets, {a} and {b}, which differ in {', '.join(where)}"
    for dispute in found.disputed:
        yield dispute.text
    for sheet in found.unfinished:
        yield f"{sheet.serial or sheet.title}: one game each and no third: a game or its page is missing"
    for table in found.incomplete:
        yield f"{place(table.round, table.table)}: {', '.join(table.came)} came, {', '.join(table.missing)} did not"
    yield from _shortened([f"{sheet.title}: serial {sheet.serial} was not printed for it" for sheet in found.unknown])
    if found.to_come:
        yield f"{_many(len(found.to_come), 'printed sheet')} still to come" + (":" if whole else "")
        yield from (f"  {line}" for line in _by_table(found) if whole)
    if found.gaps:
        yield f"serials skipped in the stack: {_listed(list(found.gaps))}"


def _withdrawn(titles: list[str]) -> Iterator[str]:
    if titles:
        yield f"withdrawn, counted nowhere: {_listed(titles)}"


def _by_table(found: Findings) -> Iterator[str]:
    from gigsheet.store.findings import place

    for sheet in found.to_come:
        where = place(sheet.round, sheet.table)
        who = f"{sheet.we} (against {sheet.they})" if sheet.we else ""
        yield ", ".join(part for part in (sheet.serial, where, who) if part)


def _shortened(lines: list[str]) -> Iterator[str]:
    yield from lines[:_LISTED]
    if len(lines) > _LISTED:
        yield f"... and {len(lines) - _LISTED} more of these (all of them are in the report)"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_LISTED])
    return f"{shown} and {len(names) - _LISTED} more" if len(names) > _LISTED else shown


def _many(count: int, one: str, more: str = "") -> str:
    return f"1 {one}" if count == 1 else f"{count} {more or one + 's'}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"
