"""The one place where the stages meet: a file becomes pages, a page sheets, a sheet strips, scores, readings."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from numbers import Real
from os import PathLike
from pathlib import Path
from threading import Thread
from weakref import WeakSet

from gigsheet.decode import GameInput, RowInput, decode_sheet
from gigsheet.errors import GigsheetError, UsageError
from gigsheet.notation.rules import RULESETS
from gigsheet.recognise import get_engine
from gigsheet.recognise.engine import Engine
from gigsheet.records import GameReading, PageFlag, RowStrip, SheetReading
from gigsheet.vision.load import PageFailure, Picture, load
from gigsheet.vision.marks import read_marks
from gigsheet.vision.page import Page, find_pages
from gigsheet.vision.rows import cut_rows

_PREPARED: WeakSet[Engine] = WeakSet()
"""Engines that have been told to prepare."""
_OPTION_TYPES = {
    "engine": (str, "a string"),
    "rules": (bool, "True or False"),
    "risk": (Real, "a number"),
    "ruleset": (str, "a string"),
}


@dataclass(frozen=True, slots=True)
class Options:
    """How to read.

    Attributes:
        engine: the recogniser: ``ctc`` (ours) or ``tesseract``.
        rules: weigh the ink against the rules of the game, or against the grammar alone.
        risk: flag so many rows that at most this share of all rows is wrong and not flagged (docs/risk.md).
        ruleset: ``cr``, ``alpha`` or ``quickref`` (SPEC 2).

    Raises:
        TypeError: one of them is of another type.
        UsageError: the risk is no share, or there is no such ruleset.
    """

    engine: str = "ctc"
    rules: bool = True
    risk: float = 0.001
    ruleset: str = "cr"

    def __post_init__(self) -> None:
        for name, (kind, words) in _OPTION_TYPES.items():
            given = getattr(self, name)
            # A truth value passes for a number wherever Python asks: it is one only where it is wanted.
            if not isinstance(given, kind) or isinstance(given, bool) != (kind is bool):
                raise TypeError(f"{name} must be {words}, not {given!r}")
        if not 0 <= self.risk <= 1:
            raise UsageError(f"a risk of {self.risk} is no share of rows; give one from 0 to 1, such as 0.001")
        if self.ruleset not in RULESETS:
            raise UsageError(f"there is no ruleset {self.ruleset!r}; name one of: {', '.join(RULESETS)}")


@dataclass(frozen=True, slots=True)
class ReadPage:
    """One page of a file: its picture (None when it could not be loaded) and what was read from it."""

    picture: Picture | None
    readings: tuple[SheetReading, ...]

    def overlay(self) -> bytes:
        """The picture with each row's outline and text drawn on it, as a JPEG file."""
        import cv2

        from gigsheet.overlay import draw

        if self.picture is None:
            raise ValueError("a page that could not be loaded has no picture to draw on")
        drawn = draw(self.picture.full().as_seen(), self.readings)
        return cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes()


def read(source: str | Path | bytes, **options: object) -> Iterator[SheetReading]:
    """Reads every sheet on every page of a file.

    Args:
        source: a path (JPEG, PNG, TIFF, PDF, HEIC, WebP, ZIP), ``-`` for standard input, or a file's bytes.
        options: the fields of `Options`: ``engine``, ``rules``, ``risk``, ``ruleset``.

    Returns:
        One reading a sheet, lazily, in the order of the pages. A page that cannot be read gives a reading with `error`
        and `message`; the pages after it still come.

    Raises:
        TypeError: this is no file, or an option is unknown or of another type.
        UsageError: the risk is no share, or there is no such ruleset or (with the first reading) engine.
        MissingExtraError: with the first reading: the engine is not installed.
    """
    _require_file(source)
    pages = read_pages(source, Options(**options))  # type: ignore[arg-type]
    return (reading for page in pages for reading in page.readings)


def _require_file(source: object) -> None:
    if not isinstance(source, (str, bytes, PathLike)):
        kind = type(source).__name__
        raise TypeError(f"read takes one file: its path or its bytes, not {kind}; call it once for each of several")


def read_pages(source: str | Path | bytes, options: Options | None = None) -> Iterator[ReadPage]:
    """`read`, page by page, together with the pictures."""
    options = options or Options()
    engine = get_engine(options.engine)
    if engine not in _PREPARED:
        # Decoding the first picture leaves the interpreter free: the weights load meanwhile.
        _PREPARED.add(engine)
        Thread(target=_prepare, args=(engine,)).start()
    started = time.perf_counter()
    for item in load(source):
        load_ms = _ms_since(started)
        if isinstance(item, PageFailure):
            yield ReadPage(None, (refusal(item.source, item.page, item.error),))
        else:
            yield ReadPage(item, read_picture(item, engine, options, load_ms=load_ms))
        started = time.perf_counter()


def read_stack(sources: Iterable[str | Path], options: Options | None = None) -> Iterator[ReadPage]:
    """`read_pages` of several files; a sheet whose serial was seen before among them is flagged `duplicate-serial`."""
    seen: set[str] = set()
    for source in sources:
        for page in read_pages(source, options):
            yield replace(page, readings=tuple([_flag_duplicate(reading, seen) for reading in page.readings]))


def read_picture(
    picture: Picture, engine: Engine, options: Options, *, load_ms: float = 0.0
) -> tuple[SheetReading, ...]:
    """All sheets of one picture in reading order, or the one reading that says why there are none."""
    started = time.perf_counter()
    try:
        pages = find_pages(picture)
    except GigsheetError as error:
        return (refusal(picture.source, picture.page, error),)
    page_ms = _ms_since(started)
    readings = []
    for index, page in enumerate(pages, 1):
        reading = read_sheet(page, engine, options)
        timings = {"load": load_ms, "page": page_ms / len(pages) + reading.timings_ms["page"]}
        rest = {stage: reading.timings_ms[stage] for stage in ("recognise", "decode")}
        total = sum(timings.values()) + sum(rest.values())
        readings.append(
            replace(
                reading,
                source=picture.source,
                page=picture.page,
                sheet_index=index,
                timings_ms={**timings, **rest, "total": total},
            )
        )
    return tuple(readings)


def read_sheet(page: Page, engine: Engine, options: Options) -> SheetReading:
    """Strips, scores and readings of one found sheet."""
    started = time.perf_counter()
    strips = cut_rows(page)
    marks = read_marks(page)
    cut_ms = _ms_since(started)

    started = time.perf_counter()
    written = [strip for strip in strips if not strip.blank]
    glyphs = {(s.game, s.turn): g for s, g in zip(written, engine.recognise(written), strict=True)}
    recognise_ms = _ms_since(started)

    started = time.perf_counter()
    ends_mm = {(g.game, row.turn): row.entry_area_mm[2] for g in page.template.games for row in g.rows}
    inputs = []
    for number, rows in groupby(strips, key=lambda strip: strip.game):
        given = [RowInput.of(s, glyphs.get((s.game, s.turn)), ends_mm[s.game, s.turn]) for s in rows]
        inputs.append(GameInput.of(given, [mark for mark in marks if mark.game == number], number))
    games = decode_sheet(inputs, rules=options.rules, ruleset=options.ruleset, risk=options.risk)
    return SheetReading(
        source="",
        sheet=page.id,
        games=tuple(games),
        flags=(*page.flags, *_sheet_flags(strips, games)),
        timings_ms={"page": cut_ms, "recognise": recognise_ms, "decode": _ms_since(started)},
    )


def _sheet_flags(strips: Iterable[RowStrip], games: Iterable[GameReading]) -> Iterator[PageFlag]:
    """Why a person should look at the sheet as a whole, whatever its rows say."""
    if _is_full(strips):
        yield "last-row"
    # Whoever handed a sheet in wrote on it: it is the wrong one, or too faint to be seen.
    if not any(game.rows or game.flagged for game in games):
        yield "nothing-written"


def _is_full(strips: Iterable[RowStrip]) -> bool:
    """Whether a game's last row is written on: what goes on below it or overleaf is not read."""
    return any(not list(rows)[-1].blank for _, rows in groupby(strips, key=lambda strip: strip.game))


def _flag_duplicate(reading: SheetReading, seen: set[str]) -> SheetReading:
    """The reading, flagged if its serial is among those seen, which it joins."""
    serial = reading.sheet.serial if reading.sheet else None
    if serial is None:
        return reading
    if serial in seen:
        return reading.with_flags("duplicate-serial")
    seen.add(serial)
    return reading


def _prepare(engine: Engine) -> None:
    with suppress(Exception):  # whatever is wrong is raised again, and told, when the engine is asked to recognise
        engine.prepare()


def refusal(source: str, page: int, error: GigsheetError) -> SheetReading:
    """The reading of a page that cannot be read."""
    return SheetReading(source=source, page=page, error=error.code, message=error.message)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
