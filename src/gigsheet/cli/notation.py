"""`gigsheet check`, `explain`, `trace`: what a transcript says, and whether the rules allow it."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from gigsheet.cli.notation_files import (
    STDIN,
    complain,
    files_argument,
    format_option,
    read_transcript,
    ruleset_named,
    ruleset_option,
    show_diagnostics,
    wants_json,
)
from gigsheet.cli.parameters import PATH, TEXT_OR_NAME, argument, command
from gigsheet.errors import GigsheetError, UnreadableFileError

if TYPE_CHECKING:
    from gigsheet.notation import Report, Ruleset


@command()
@files_argument
@ruleset_option
@click.option("--strict", is_flag=True, help="Also report typographic variants, such as × for x.")
@format_option
def check(files: tuple[str, ...], ruleset: str, strict: bool, format_: str) -> None:
    """Check transcripts against the notation and the rules.

    Says who has won, and of every slip where it is, what the board held, and which rule says otherwise.
    Status: 0 without errors, 1 with, 2 when a file cannot be read (the others are still checked).

    \b
    gigsheet check game.txt
    gigsheet check games/*.txt --format json > reports.jsonl
    echo "A4 -A1" | gigsheet check -
    """
    from gigsheet.notation import check as check_text

    rules, as_json = ruleset_named(ruleset), wants_json(format_)
    status = 0
    for name in files:
        try:
            report = check_text(read_transcript(name), ruleset=rules, strict=strict, source=name)
        except UnreadableFileError as error:
            status = 2
            complain(error)
            if as_json:
                click.echo(_error_object(name, error))
            continue
        click.echo(json.dumps(report.to_dict(), ensure_ascii=False) if as_json else _summary(report))
        if not report.ok:
            status = max(status, 1)
    raise Exit(status)


def _error_object(name: str, error: GigsheetError) -> str:
    from gigsheet.notation.check import SCHEMA

    failed = {"schema": SCHEMA, "source": name, "error": error.code, "message": error.message}
    return json.dumps(failed, ensure_ascii=False)


def _summary(report: Report) -> str:
    from gigsheet.notation.explain import explain_outcome

    rows = show_diagnostics(report)
    errors = sum(d.severity == "error" for d in report.diagnostics)
    warnings = len(report.diagnostics) - errors
    counts = "no errors" if not errors else "1 error" if errors == 1 else f"{errors} errors"
    if warnings:
        counts += ", 1 warning" if warnings == 1 else f", {warnings} warnings"
    turns = "1 turn" if report.turns == 1 else f"{report.turns} turns"
    verdict = click.style(counts, fg="red" if errors else "green")
    return "\n".join([*rows, f"{report.source}: {turns}, {verdict}; {explain_outcome(report)}"])


@command(context_settings={"ignore_unknown_options": True})
@argument(
    "what",
    nargs=-1,
    required=True,
    type=TEXT_OR_NAME,
    metavar="ENTRIES|FILE...",
    about='Entries such as "xB\'3", or transcripts; - is stdin.',
)
@ruleset_option
def explain(what: tuple[str, ...], ruleset: str) -> None:
    """Say in plain English what entries mean; in a transcript, with the board.

    Status: 0 when all is well, 1 when something is wrong (it is explained too), 2 when a file cannot be read.

    \b
    gigsheet explain "xB'3"
    gigsheet explain "A4 -A1 (+B'3)"
    gigsheet explain game.txt
    """
    rules = ruleset_named(ruleset)
    status = 0
    for name in what:
        try:
            explained = _explain_game(name, rules) if _is_file(name) else _explain_entries(name, rules)
            status = max(status, explained)
        except UnreadableFileError as error:
            status = 2
            complain(error)
    raise Exit(status)


def _is_file(name: str) -> bool:
    """Whether a transcript is meant rather than entries: it is there, or is no turn and looks like a file's name."""
    from gigsheet.notation import parse_turn

    with suppress(OSError, ValueError):  # too long for a name, or with signs that none has
        if name.strip(".") != "" and Path(name).exists():
            return True
    looks_so = "/" in name or os.sep in name or re.search(r"\.[A-Za-z]\w*$", name) is not None
    return name == STDIN or (looks_so and parse_turn(name).faulty)


def _explain_entries(text: str, rules: Ruleset) -> int:
    from gigsheet.notation import parse_turn
    from gigsheet.notation.explain import explain_text

    moves, wrong = explain_text(text, ruleset=rules)
    passed = parse_turn(text, swaps=rules.swaps).passed
    for move in moves:
        click.echo(f"{move.text}: {move.sentence}")
    if passed:
        click.echo("..: a pass: the player has nothing to roll, and nothing happens to the dice")
    said = [*wrong, *(d for move in moves for d in move.diagnostics)]
    for diagnostic in said:
        rule = "" if diagnostic.rule == "notation" else f" (rule {diagnostic.rule})"
        click.echo(f"{click.style(diagnostic.code, fg='red')}: {diagnostic.message}{rule}")
    if not moves and not said and not passed:
        click.echo("nothing is written here: an entry is such as A4, xB', +C'7, -A1, =D5, ~E9, A<>B' or (-A2)")
        return 1
    return 1 if said else 0


def _explain_game(name: str, rules: Ruleset) -> int:
    from gigsheet.notation import check as check_text
    from gigsheet.notation.explain import explain_board, explain_outcome, explain_report

    report = check_text(read_transcript(name), ruleset=rules, source=name)
    headers = [d for d in report.diagnostics if d.turn is None and d.code != "blank-line"]
    for diagnostic in headers:
        click.echo(f"  {diagnostic.code}: {diagnostic.message}")
    for turn in explain_report(report):
        click.echo(click.style(f"Turn {turn.position.turn}, {turn.actor}", bold=True))
        for move in turn.moves:
            click.echo(f"  {move.text}: {move.sentence}")
        if turn.line.turn is not None and turn.line.turn.passed:
            click.echo("  ..: a pass")
        for diagnostic in [*turn.diagnostics, *(d for move in turn.moves for d in move.diagnostics)]:
            click.echo(f"  {click.style(diagnostic.code, fg='red')}: {diagnostic.message}")
        click.echo(f"  {explain_board(turn.position.after)}")
    click.echo(f"{name}: {explain_outcome(report)}")
    return 0 if report.ok else 1


@command()
@files_argument
@click.option(
    "--html",
    type=PATH,
    metavar="PAGE",
    help="Write one self-contained page that steps through the game; works offline.",
)
@ruleset_option
def trace(files: tuple[str, ...], html: Path | None, ruleset: str) -> None:
    """Show the board turn by turn: both Fixers, both Gigs with values, Street Cred, and errors in place.

    Status: 0 without errors, 1 with, 2 when a file cannot be read.

    \b
    gigsheet trace game.txt
    gigsheet trace game.txt --html game.html
    """
    from gigsheet.errors import UsageError
    from gigsheet.notation import check as check_text
    from gigsheet.notation.trace import trace_html, trace_text

    rules = ruleset_named(ruleset)
    if html is not None and len(files) > 1:
        raise UsageError("--html writes the page of one game; name one transcript")
    if html is not None and str(html) != STDIN and os.path.realpath(html) == os.path.realpath(files[0]):
        raise UsageError(f"--html would write over {html}; name another file")
    status = 0
    for name in files:
        try:
            report = check_text(read_transcript(name), ruleset=rules, source=name)
        except UnreadableFileError as error:
            status = 2
            complain(error)
            continue
        if html is None:
            click.echo(trace_text(report))
        else:
            _write_page(html, trace_html(report))
        if not report.ok:
            status = max(status, 1)
    raise Exit(status)


def _write_page(path: Path, page: str) -> None:
    from gigsheet.errors import UsageError

    if str(path) == STDIN:
        click.echo(page, nl=False)
        return
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); choose another place with --html") from None
    click.echo(f"{path}: written; open it in a browser")
