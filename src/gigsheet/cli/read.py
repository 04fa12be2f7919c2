"""`gigsheet read`: pictures of filled sheets to transcripts, for people or as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from gigsheet.cli.app import complain
from gigsheet.cli.parameters import NAME, PATH, argument, command, reading_options
from gigsheet.filenames import FileNames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gigsheet.pipeline import Options, ReadPage
    from gigsheet.records import GameReading, SheetReading

_HELP = """Read photographs or scans of filled sheets.

Every row that is not surely right is flagged: look at it before you rely on it. What a player miswrote is \
transcribed as it stands, and flagged because the checker refuses it.

\b
Examples:
  gigsheet read photo.jpg                what was read, how sure, the outcome
  gigsheet read scans.pdf -o readings/   also transcripts, JSON and overlays
  gigsheet read --format json *.jpg      one JSON object a line a sheet
  cat photo.jpg | gigsheet read -        from standard input

Exit status: 0 all read and sure; 1 something is flagged; 2 something could not be read.
"""


@command(help=_HELP)
@argument(
    "files",
    nargs=-1,
    required=True,
    type=NAME,
    metavar="FILE...",
    about="JPEG, PNG, TIFF, PDF, HEIC, WebP or ZIP files; - is standard input.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    help="For people, or one JSON object a line a sheet.",
)
@click.option("-o", "--output", type=PATH, metavar="DIR", help="Also write transcript, reading and overlay here.")
@reading_options
def read(files: tuple[str, ...], output_format: str, output: Path | None, options: Options) -> None:
    from gigsheet.pipeline import read_stack

    failed = flagged = False
    names = FileNames()
    for page in _with_progress(read_stack(files, options), output_format):
        for reading in page.readings:
            _show(reading, output_format)
            failed |= reading.error is not None
            flagged |= reading.flagged
        if output is not None:
            _write(page, output, names)
    if failed:
        raise Exit(2)
    if flagged:
        raise Exit(1)


def _with_progress(pages: Iterator[ReadPage], output_format: str) -> Iterator[ReadPage]:
    """On a terminal that does not show the readings themselves, says how many pages are done."""
    quiet = output_format == "text" or sys.stdout.isatty() or not sys.stderr.isatty()
    for count, page in enumerate(pages, 1):
        if not quiet:
            print(f"\rread {count} pages ", end="", file=sys.stderr, flush=True)
        yield page
    if not quiet:
        print(file=sys.stderr)


def _show(reading: SheetReading, output_format: str) -> None:
    if output_format == "json":
        from gigsheet.reading_json import to_dict

        print(json.dumps(to_dict(reading), ensure_ascii=False), flush=True)
    if reading.error is not None:
        where = reading.source if reading.page == 1 else f"{reading.source}, page {reading.page}"
        complain(f"{where}: {reading.message}")
    elif output_format == "text":
        from gigsheet.listing import listing

        print(listing(reading), end="\n\n", flush=True)


def _stems(page: ReadPage, names: FileNames) -> Iterator[tuple[SheetReading, str]]:
    """A file name of its own for each sheet read, whatever folders the sources come from."""
    for reading in page.readings:
        stem = "stdin" if reading.source == "-" else Path(reading.source).stem
        if reading.page > 1:
            stem += f"-page{reading.page}"
        if reading.sheet_index > 1:
            stem += f"-sheet{reading.sheet_index}"
        yield reading, names.take(stem, ("", *_games(reading)))


def _games(reading: SheetReading) -> dict[str, GameReading]:
    """The games that were played, by what is behind the sheet's stem in their transcript's name."""
    several = len(reading.games) > 1
    return {f"-game{game.game}" if several else "": game for game in reading.games if game.rows}


def _write(page: ReadPage, folder: Path, names: FileNames) -> None:
    from gigsheet.errors import UsageError
    from gigsheet.reading_json import to_dict

    stems = [(reading, stem) for reading, stem in _stems(page, names) if reading.error is None]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for reading, stem in stems:
            # A name that is not UTF-8 is written with JSON's own escapes.
            (folder / f"{stem}.json").write_text(
                json.dumps(to_dict(reading), ensure_ascii=False, indent=1) + "\n",
                encoding="utf-8",
                errors="backslashreplace",
            )
            for tail, game in _games(reading).items():
                (folder / f"{stem}{tail}.txt").write_text(game.transcript, encoding="utf-8")
        if stems:
            picture = page.overlay()
            (folder / f"{stems[0][1]}.overlay.jpg").write_bytes(picture)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written to ({error.strerror}): name another folder with -o") from None
