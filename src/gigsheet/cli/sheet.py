"""`gigsheet blank`: prints blank sheets."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from gigsheet.cli.parameters import PATH, command
from gigsheet.errors import UsageError

if TYPE_CHECKING:
    from gigsheet.sheet.pairings import Seat
    from gigsheet.sheet.printing import Sheet

SHOW_PROGRESS_FROM = 300
"""So many sheets take more than a second or two."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to print and which files to write: a field an option of `gigsheet blank`."""

    template: str
    paper: str
    output: Path
    layout: Path | None
    copies: int
    serial_start: str | None
    event: str
    round: str
    pairings: Path | None
    printed: Path | None


@command()
@click.option("--template", default="single", help="single: one game, an entry a box; match: a best of three.")
@click.option("--paper", default="a4", help="a4 or letter.")
@click.option("-o", "--output", type=PATH, default="blank.pdf", metavar="FILE", help="The PDF to write.")
@click.option("--layout", type=PATH, metavar="FILE", help="Also write where everything is, in millimetres, as JSON.")
@click.option("--copies", type=int, default=1, help="Sheets to print; with --pairings, sheets for each player.")
@click.option("--serial-start", metavar="SERIAL", help="First serial, such as 7F3K-02; by default a fresh batch.")
@click.option("--event", default="", show_default=False, help="Fills in the event's name.")
@click.option("--round", default="", show_default=False, help="Fills in the round.")
@click.option(
    "--pairings",
    type=PATH,
    metavar="FILE",
    help="CSV with columns table, we, they: a sheet for each player, filled in.",
)
@click.option(
    "--printed",
    type=PATH,
    metavar="FILE",
    help="Also write whose sheet has which serial, as CSV for `gigsheet expect`.",
)
def blank(**options: Any) -> None:
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

    Exit status: 0 all written; 1 a name has signs that cannot be printed.
    """
    from gigsheet.sheet.pairings import read_pairings
    from gigsheet.sheet.printing import print_sheets
    from gigsheet.sheet.serial import serials
    from gigsheet.sheet.template import layout as layout_of
    from gigsheet.sheet.template import load_template

    order = Order(**options)
    if order.copies < 1:
        raise UsageError(f"--copies {order.copies} prints nothing; write 1 or more")
    _must_differ(order)
    chosen = load_template(order.template.lower(), order.paper.lower())
    seats: list[Seat] | list[None] = read_pairings(order.pairings) if order.pairings else [None]
    numbers = list(serials(order.copies * len(seats), order.serial_start))
    common = {"event": " ".join(order.event.split()), "round": " ".join(order.round.split())}
    asked, unprintable = _filled_in(seats, order.copies, common, numbers)
    _write(order.output, print_sheets(chosen, _with_progress(asked)))
    if order.layout is not None:
        _write(order.layout, (json.dumps(layout_of(chosen), indent=1) + "\n").encode())
    if order.printed is not None:
        _write(order.printed, _list_of(seats, order.copies, common, numbers))
    for warning in unprintable:
        click.echo(f"gigsheet: {warning}", err=True)
    span = numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    many = "1 sheet" if len(numbers) == 1 else f"{len(numbers)} sheets"
    click.echo(f"{order.output}: {many}, {chosen.name} on {chosen.paper}, serial {span}")
    if unprintable:
        raise Exit(1)


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


def _must_differ(order: Order) -> None:
    """Refuses a file that would be written over another one of the same command."""
    named = {"-o": order.output, "--layout": order.layout, "--printed": order.printed, "--pairings": order.pairings}
    seen: dict[str, str] = {}
    for option, path in named.items():
        if path is None:
            continue
        if path.name == "-":
            raise UsageError(f"{option} - is no file; name one, such as {option} sheets.pdf")
        other = seen.setdefault(os.path.realpath(path), option)
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
    return write_printed(sheets).encode("utf-8-sig", "backslashreplace")  # what was typed may not be UTF-8


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
