"""What a worker does: it reads one part of a scan and hands back plain records. It knows no store and no progress."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING

from gigsheet.records import SheetReading

# The process that hands out the parts imports this module too, and need not load the whole reader to do so.
if TYPE_CHECKING:
    from gigsheet.pipeline import Options
    from gigsheet.recognise.engine import Engine
    from gigsheet.vision.picture import PageFailure, Picture

_PDFIUM = threading.Lock()


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of work that can travel: the bytes of a file, or the path of one on this machine.

    `page` is the page that it is in its scan: bytes hold this page alone, a path the whole scan. None when the part
    is the whole scan, whose pages then count themselves.
    """

    name: str
    content: bytes | Path
    page: int | None = None


@dataclass(frozen=True, slots=True)
class PartRead:
    """What was read: sheets in reading order; pictures of flagged rows by (place in `readings`, game, turn)."""

    readings: tuple[SheetReading, ...]
    crops: dict[tuple[int, int, int], bytes] = field(default_factory=dict)


def read_part(part: Part, options: Options) -> PartRead:
    """Reads all sheets of a part. A page that cannot be read is a reading with an error, never an exception.

    Raises:
        GigsheetError: nothing can be read here, whatever the page; the recogniser's weights are damaged, say.
    """
    from gigsheet.batch.crops import cut_row, flagged_rows

    readings: list[SheetReading] = []
    crops: dict[tuple[int, int, int], bytes] = {}
    for picture, reading in _readings(part, options):
        if picture is not None:
            for game, turn, quad in flagged_rows(reading):
                crops[len(readings), game, turn] = cut_row(picture, quad)
        # A part is one page, whatever its file turns out to hold: its sheets are counted on.
        readings.append(replace(reading, page=part.page or reading.page, sheet_index=len(readings) + 1))
    return PartRead(tuple(readings), crops)


def _readings(part: Part, options: Options) -> Iterator[tuple[Picture | None, SheetReading]]:
    from gigsheet.pipeline import read_picture, refusal
    from gigsheet.vision.picture import PageFailure

    engine = _engine(options.engine)
    for item in _pages(part):
        if isinstance(item, PageFailure):
            yield None, refusal(item.source, item.page, item.error)
            continue
        for reading in read_picture(item, engine, options):
            yield item, reading


@cache
def _engine(name: str) -> Engine:
    """An engine that can recognise: one that cannot is told of before anything is made of a page.

    One thread for each worker, since there are as many workers as cores.
    """
    if name == "ctc":
        from gigsheet.recognise.ctc import CtcEngine

        engine: Engine = CtcEngine(threads=1)
    else:
        from gigsheet.recognise import get_engine

        engine = get_engine(name)
    engine.prepare()
    return engine


def _pages(part: Part) -> Iterator[Picture | PageFailure]:
    from gigsheet.vision.formats import sniff
    from gigsheet.vision.load import load

    if isinstance(part.content, bytes) and sniff(part.content[:1024]) == "PDF":
        # A cluster's worker may have several threads, and PDFium only bears one.
        with _PDFIUM:
            yield from list(load(part.content, name=part.name))
    else:
        alone = isinstance(part.content, bytes)
        yield from load(part.content, name=part.name, page=None if alone else part.page)


def load_reader() -> None:
    """Loads what reading a page needs."""
    import gigsheet.pipeline
    import gigsheet.recognise.ctc  # noqa: F401


def start_worker() -> None:
    """Prepares a process of the local pool: one thread for each, since there are as many processes as cores; and an end
    with the parent, since a pool's process would outlive a parent that was killed."""
    import cv2

    cv2.setNumThreads(1)
    os.environ["OMP_THREAD_LIMIT"] = "1"  # what Tesseract heeds
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and says when to stop
    parent = parent_process()
    if parent is not None:

        def follow() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=follow, daemon=True).start()
