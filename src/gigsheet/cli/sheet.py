"""`gigsheet blank`: prints blank sheets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gigsheet.cli.app import app


@app.command()
def blank(
    output: Annotated[Path, typer.Option("--output", "-o", help="The PDF to write.")],
    template: Annotated[str, typer.Option(help="single or match")] = "single",
    paper: Annotated[str, typer.Option(help="a4 or letter")] = "a4",
    layout: Annotated[Path | None, typer.Option(help="Write the layout as JSON too.")] = None,
    copies: Annotated[int, typer.Option(min=1)] = 1,
    serial_start: Annotated[str | None, typer.Option()] = None,
) -> None:
    """Print blank sheets."""
    from gigsheet.sheet import printing, serial
    from gigsheet.sheet import template as sheet_template

    loaded = sheet_template.load_template(template, paper)
    output.write_bytes(printing.print_sheets(loaded, [printing.Sheet(s) for s in serial.serials(copies, serial_start)]))
    if layout:
        layout.write_text(json.dumps(sheet_template.layout(loaded), indent=1) + "\n", encoding="utf-8")
