"""`gigsheet blank`: prints blank sheets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gigsheet.cli.app import app
from gigsheet.errors import UsageError

if TYPE_CHECKING:
    from gigsheet.sheet.pairings import Seat
    from gigsheet.sheet.printing import Sheet

SHOW_PROGRESS_FROM = 300
"""So many sheets take more than a second or two."""


@app.command()
def blank(
    template: Annotated[str, typer.Option(help="single: one game, an entry a box; match: a best of three.")] = "single",
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "a4",
    output: Annotated[Path, typer.Option("--output", "-o", help="The PDF to write.")] = Path("blank.pdf"),
    layout: Annotated[
        Path | None, typer.Option(help="Also write where everything is, in millimetres, as JSON.", show_default=False)
    ] = None,
    copies: Annotated[int, typer.Option(help="Sheets to print; with --pairings, sheets for each player.")] = 1,
    serial_start: Annotated[
        str | None,
        typer.Option(help="First serial, such as 7F3K-02; by default a fresh batch.", show_default=False),
    ] = None,
    event: Annotated[str, typer.Option(help="Fills in the event's name.", show_default=False)] = "",
    round_: Annotated[str, typer.Option("--round", help="Fills in the round.", show_default=False)] = "",
    pairings: Annotated[
        Path | None,
        typer.Option(help="CSV with columns table, we, they: a sheet for each player, filled in.", show_default=False),
    ] = None,
    printed: Annotated[
        Path | None,
        typer.Option(help="Also write whose sheet has which serial, as CSV for `gigsheet expect`.", show_default=False),
    ] = None,
) -> None:
    """Print blank sheets, every one with its own serial.

    Print them at 100 % ("actual size"); on plain paper, in black.

    \b
    gigsheet blank --copies 40 -o sheets.pdf
    gigsheet blank --template match --paper letter -o match.pdf
    gigsheet blank --round 3 --pairings round3.csv -o round3.pdf --printed round3-sheets.csv

    A pairings file has a line a table, and gives two sheets a line, one for each player:

    \b
    table,we,they
    1,Anna Nowak,Béla Kovács
    """
    from gigsheet.sheet.pairings import read_pairings
    from gigsheet.sheet.printing import print_sheets
    from gigsheet.sheet.serial import serials
    from gigsheet.sheet.template import layout as layout_of
    from gigsheet.sheet.template import load_template

    if copies < 1:
        raise UsageError(f"--copies {copies} prints nothing; write 1 or more")
    _must_differ(output, layout, printed, pairings)
    chosen = load_template(template.lower(), paper.lower())
    seats: list[Seat] | list[None] = read_pairings(pairings) if pairings else [None]
    numbers = list(serials(copies * len(seats), serial_start))
    common = {"event": " ".join(event.split()), "round": " ".join(round_.split())}
    asked, unprintable = _filled_in(seats, copies, common, numbers)
    _write(output, print_sheets(chosen, _with_progress(asked)))
    if layout is not None:
        _write(layout, (json.dumps(layout_of(chosen), indent=1) + "\n").encode())
    if printed is not None:
        _write(printed, _list_of(seats, copies, common, numbers))
    for warning in unprintable:
        typer.echo(f"gigsheet: {warning}", err=True)
    span = numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    many = "1 sheet" if len(numbers) == 1 else f"{len(numbers)} sheets"
    typer.echo(f"{output}: {many}, {chosen.name} on {chosen.paper}, serial {span}")
    if unprintable:
        raise typer.Exit(1)


def _filled_in(
    seats: list[Seat] | list[None], copies: int, common: dict[str, str], serials: list[str]
) -> tuple[list[Sheet], list[str]]:
    """The sheets, and a warning for each value that the font cannot print and that is left for the pen."""
    from gigsheet.sheet.fonts import missing
    from gigsheet.sheet.printing import Sheet

    sheets, warnings = [], {}
    remaining = iter(serials)
    for seat in seats:
        own = {"table": seat.table, "we": seat.we, "they": seat.they} if seat else {}
        filled = {}
        for key, value in (common | own).items():
            if lacking := missing(value):
                warnings[value] = (
                    f"the sheet's font has no {' '.join(map(_shown, lacking))} (it has Latin, Greek and Cyrillic): "
                    f"{key} is left empty where it is {value!r}, write it by hand"
                )
            elif value:
                filled[key] = value
        sheets += [Sheet(next(remaining), filled) for _ in range(copies)]
    return sheets, list(warnings.values())


def _shown(sign: str) -> str:
    return sign if sign.isprintable() else f"U+{ord(sign):04X}"


def _must_differ(output: Path, layout: Path | None, printed: Path | None, pairings: Path | None) -> None:
    """Refuses a file that would be written over another one of the same command."""
    named = {"-o": output, "--layout": layout, "--printed": printed, "--pairings": pairings}
    seen: dict[Path, str] = {}
    for option, path in named.items():
        if path is None:
            continue
        if path.name == "-":
            raise UsageError(f"{option} - is no file; name one, such as {option} sheets.pdf")
        other = seen.setdefault(path.resolve(), option)
        if other != option:
            raise UsageError(f"{other} and {option} both name {path}; give each a file of its own")


def _list_of(seats: list[Seat] | list[None], copies: int, common: dict[str, str], serials: list[str]) -> bytes:
    from gigsheet.store.printed import write_printed
    from gigsheet.store.store import PrintedSheet

    owners = [seat for seat in seats for _ in range(copies)]
    sheets = [
        PrintedSheet(serial, **common, **({"table": seat.table, "we": seat.we, "they": seat.they} if seat else {}))
        for serial, seat in zip(serials, owners, strict=True)
    ]
    return write_printed(sheets).encode("utf-8-sig")


def _with_progress(sheets: list[Sheet]) -> Iterator[Sheet]:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    quiet = len(sheets) < SHOW_PROGRESS_FROM or not console.is_terminal
    yield from track(sheets, "drawing", console=console, transient=True, disable=quiet)


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be written ({error.strerror}); name a file in a folder that is yours"
        ) from error
