"""The import of a stack: files are kept, cut into parts, read by a crew, and each part is stored once it was read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import closing
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gigsheet.batch.crew import Crew
from gigsheet.batch.intake import Missing, ahead, files_in, keep_all
from gigsheet.batch.parts import Parts, parts_of
from gigsheet.batch.worker import Part, PartRead, read_part
from gigsheet.decode.calibration import fingerprint
from gigsheet.errors import GigsheetError
from gigsheet.records import SheetReading
from gigsheet.store import PageTurn, Store
from gigsheet.store.queries import pages_to_read, scan_title, sheet_at
from gigsheet.store.scans import ScanFile

if TYPE_CHECKING:
    from gigsheet.pipeline import Options

Reread = Literal["never", "outdated", "all"]
"""Which pages that were read before are read again."""
_AHEAD_OF_EACH_WORKER = 2
"""Parts in flight a worker: one that it reads and one that waits, so that memory does not grow with the stack."""
LOST = "worker-lost"


@dataclass(slots=True)
class Tally:
    """How far an import is: `pages` of `total` (which grows as files are opened), and the sheets on them.

    `known` pages were in the store already; their sheets are not counted. `scans` are the ids of all that was named.
    """

    total: int = 0
    pages: int = 0
    known: int = 0
    sure: int = 0
    flagged: int = 0
    refused: int = 0
    refusals: list[SheetReading] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    scans: set[int] = field(default_factory=set)
    started: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> float:
        """Pages read a second, those left out that were known."""
        return (self.pages - self.known) / max(time.monotonic() - self.started, 1e-6)

    @property
    def seconds_left(self) -> float | None:
        """None before the first page was read."""
        return (self.total - self.pages) / self.rate if self.pages > self.known else None

    def add(self, reading: SheetReading) -> None:
        if reading.error is not None:
            self.refused += 1
            self.refusals.append(reading)
        elif reading.flagged:
            self.flagged += 1
        else:
            self.sure += 1


@dataclass(frozen=True, slots=True)
class Job:
    """A part on its way, and where in the store its reading belongs."""

    scan_id: int
    turn: PageTurn
    part: Part


def recipe(options: Options, engine_id: str) -> str:
    """What reads a page: whatever changes what is read is in it."""
    rules = "rules" if options.rules else "no rules"
    by = f"gigsheet {version('gigsheet')}, {engine_id}, calibration {fingerprint()}"
    return f"{by}, {rules}, risk {options.risk:g}, {options.ruleset}"


Tell = Callable[[Tally, str | None], None]
"""Is told that something moved; with a line, what cannot be taken in or read and why."""


class Import:
    """One import into a store.

    Args:
        store: where to.
        crew: who reads.
        options: how to read.
        made_by: the recipe that goes with `options` (see `recipe`).
        reread: which pages that were read before are read again.
        tell: is told of progress.
        work: reads a part; a worker must be able to import it.
    """

    def __init__(
        self,
        store: Store,
        crew: Crew,
        options: Options,
        made_by: str,
        *,
        reread: Reread = "never",
        tell: Tell = lambda tally, refusal: None,
        work: Callable[[Part, Options], PartRead] = read_part,
    ) -> None:
        self._store = store
        self._crew = crew
        self._options = options
        self._recipe = made_by
        self._reread = reread
        self._tell = tell
        self._work = work
        self._in_flight: dict[Future[PartRead], Job] = {}
        self.tally = Tally()

    def run(self, files: Iterable[Path | Missing]) -> Tally:
        """Keeps and reads files, and returns the tally of this and all earlier runs of this import.

        Raises:
            GigsheetError: the workers can read nothing at all; what they were given stays unread.
        """
        waiting = list(files)
        self.tally.total += sum(files_in(path) for path in waiting)
        self._store.scans.sweep(time.time() - 3600)
        # What ends the reading early ends the thread that prepares the rest, too.
        with closing(ahead(keep_all(waiting, self._store.scans))) as items:
            return self._read(items)

    def run_again(self, scans: Iterable[ScanFile]) -> Tally:
        """Reads scans of the store anew, as far as `reread` asks for it.

        A copy that is gone or damaged keeps the readings that it had.
        """
        waiting = list(scans)
        self.tally.total += len(waiting)
        lost = "its scan in the event's folder is gone or damaged; import the picture again"
        return self._read(scan if scan.is_whole() else Missing(scan_title(self._store, scan), lost) for scan in waiting)

    def _read(self, items: Iterator[ScanFile | Missing]) -> Tally:
        try:
            for item in items:
                if isinstance(item, Missing):
                    self.tally.missing.append(item)
                    self.tally.total -= 1
                    self._tell(self.tally, f"{item.name}: {item.message}")
                    continue
                for job in self._jobs(item):
                    self._submit(job)
                    while len(self._in_flight) >= self._crew.workers * _AHEAD_OF_EACH_WORKER:
                        self._collect()
            while self._in_flight:
                self._collect()
            self.tally.total = self.tally.pages  # archives may hold less than they promised
        finally:
            for future in self._in_flight:
                future.cancel()
            self._in_flight.clear()
        return self.tally

    def _jobs(self, file: ScanFile) -> Iterator[Job]:
        parts = parts_of(file.path)
        pages = parts.count
        scan_id = self._store.add_scan(file, pages)
        turns = {turn.page: turn for turn in pages_to_read(self._store, scan_id, pages, self._recipe, self._reread)}
        if scan_id in self.tally.scans:  # the same picture twice in one stack
            self.tally.total -= 1
            return
        self.tally.scans.add(scan_id)
        self.tally.total += pages - 1
        self.tally.known += pages - len(turns)
        self.tally.pages += pages - len(turns)
        if not turns:
            self._tell(self.tally, None)
            return
        for number, content in self._cut(file, parts, turns):
            yield Job(scan_id, turns[number], Part(file.name, content, number if pages > 1 else None))

    def _cut(self, file: ScanFile, parts: Parts, wanted: Iterable[int]) -> Iterator[tuple[int, bytes | Path]]:
        """The parts as this crew takes them: only what must travel, or be cut to be read, is copied."""
        if parts.in_place and not self._crew.travels:
            yield from ((number, file.path) for number in wanted)
            return
        for number, content in parts.cut(wanted):
            if content is None:
                yield number, file.path.read_bytes() if self._crew.travels else file.path
            else:
                yield number, content

    def _submit(self, job: Job) -> None:
        self._in_flight[self._crew.submit(self._work, job.part, self._options)] = job

    def _collect(self) -> None:
        done, _ = wait(self._in_flight, return_when=FIRST_COMPLETED)
        broken = []
        for future in done:
            job = self._in_flight.pop(future)
            if isinstance(future.exception(), BrokenExecutor):
                broken.append(job)
            else:
                self._take(job, future)
        if broken:
            self._after_death(broken)

    def _after_death(self, broken: list[Job]) -> None:
        """A worker died, and with it its pool: everything in flight is read again, one part at a time.

        Nobody can say which part it was; alone, the one that kills a worker again is found, and refused.
        """
        wait(self._in_flight)  # a broken pool ends all of them
        suspects = broken
        for future, job in self._in_flight.items():
            if future.cancelled() or future.exception() is not None:
                suspects.append(job)
            else:
                self._keep(job, future.result())
        self._in_flight.clear()
        self._crew.renew()
        for job in suspects:
            future = self._crew.submit(self._work, job.part, self._options)
            if isinstance(future.exception(), BrokenExecutor):
                self._crew.renew()
            self._take(job, future)

    def _take(self, job: Job, future: Future[PartRead]) -> None:
        """Keeps what came of a part; one whose reading failed counts as lost."""
        error = future.exception()
        if isinstance(error, GigsheetError):  # a page's faults become readings: this is the reader's own
            raise error
        self._keep(job, future.result() if error is None else _refused(job, error), lost=error is not None)

    def _keep(self, job: Job, read: PartRead, *, lost: bool = False) -> None:
        self._store.save_page(job.scan_id, job.turn, self._recipe, read.readings, read.crops, lost=lost)
        self.tally.pages += 1
        for reading in read.readings:
            self.tally.add(reading)
            self._tell(self.tally, self._refusal(job, reading))

    def _refusal(self, job: Job, reading: SheetReading) -> str | None:
        """Called as `status` and `withdraw` call it; nothing of a page that was withdrawn while it was read."""
        if reading.error is None:
            return None
        sheet = sheet_at(self._store, job.scan_id, job.turn.page, reading.sheet_index)
        return None if sheet is None else f"{sheet.title}: {reading.message}"


def _refused(job: Job, error: BaseException) -> PartRead:
    reason = (str(error) or type(error).__name__).splitlines()[0]
    message = f"the process that read it failed ({reason}); import it again, or photograph the sheet anew"
    page = job.part.page or 1
    return PartRead((SheetReading(source=job.part.name, page=page, error=LOST, message=message),))
