"""`gigsheet format`, `flip`, `diff`, `simulate`: transcripts rewritten, compared and made up."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gigsheet.cli.app import app
from gigsheet.cli.notation_files import (
    STDIN,
    FormatOption,
    RulesetOption,
    complain,
    read_transcript,
    ruleset_named,
    show_diagnostics,
    wants_json,
)
from gigsheet.errors import UnreadableFileError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gigsheet.notation.compare import Comparison
    from gigsheet.notation.simulate import SimulatedGame

PROGRESS_FROM = 2000
"""So many games take more than a second or two to write as files."""


@app.command("format")
def format_(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Transcripts; - is standard input.")],
    check: Annotated[bool, typer.Option("--check", help="Change nothing; say which files are not canonical.")] = False,
    write: Annotated[bool, typer.Option("--write", "-w", help="Rewrite the files in place.")] = False,
) -> None:
    """Write transcripts in their canonical form: a header, numbered turns, plain signs; comments are kept.

    Errors of the game are kept as written; only text that is no entry is refused.
    Status: 0; 1 when text does not parse (or, with --check, a file is not canonical); 2 when a file cannot be read.

    \b
    gigsheet format game.txt
    gigsheet format --write games/*.txt
    gigsheet format --check games/*.txt
    """
    from gigsheet.notation.rewrite import format_text

    if check and write:
        raise UsageError("--check changes nothing and --write does; give one of them")
    if len(files) > 1 and not (check or write):
        raise UsageError("several files are formatted in place: add --write, or --check to change nothing")
    status = 0
    for name in files:
        try:
            text = read_transcript(name)
            canonical = _rewritten(name, text, format_text)
        except UnreadableFileError as error:
            status = 2
            complain(error)
            continue
        if canonical is None:
            status = max(status, 1)
        elif check:
            if canonical != text:
                status = max(status, 1)
                typer.echo(f"{name}: not in canonical form")
        elif not write or name == STDIN:
            typer.echo(canonical, nl=False)
        elif canonical != text:
            _write(Path(name), canonical)
    raise typer.Exit(status)


@app.command()
def flip(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A transcript; - is standard input.")],
) -> None:
    """Write the same game as the rival's sheet has it: primes flipped, the header set. Flipping twice changes nothing.

    Status: 0; 1 when text does not parse; 2 when the file cannot be read.

    \b
    gigsheet flip game.txt > rival.txt
    """
    from gigsheet.notation.rewrite import flip as flip_text

    flipped = _rewritten(file, read_transcript(file), flip_text)
    if flipped is None:
        raise typer.Exit(1)
    typer.echo(flipped, nl=False)


def _rewritten(name: str, text: str, rewrite: Callable[[str], str]) -> str | None:
    """The text rewritten; None, with the reasons on standard error, where it does not parse."""
    from gigsheet.notation import check as check_text
    from gigsheet.notation.rewrite import UnparsedError

    try:
        return rewrite(text)
    except UnparsedError as error:
        for shown in show_diagnostics(check_text(text, source=name), only="syntax"):
            typer.echo(shown, err=True)
        typer.echo(f"gigsheet: {name}: {error}; mend that first (gigsheet explain says how)", err=True)
        return None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); check its permissions") from None


@app.command()
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A transcript; - is standard input.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another of the same game, from either side of the table.")],
    format_: FormatOption = "text",
) -> None:
    """Compare two transcripts of one game, turn by turn; the rival's sheet is flipped when that fits better.

    A steal with and without its value, and a swap in either order, are the same.
    Status: 0 when they agree, 1 when they differ, 2 when a file cannot be read.

    \b
    gigsheet diff anna.txt bela.txt
    gigsheet diff mine.txt theirs.txt --format json
    """
    from gigsheet.notation.compare import compare

    as_json = wants_json(format_)
    if a == b == STDIN:
        raise UsageError("only one of the two can be standard input; name a file for the other")
    found = compare(read_transcript(a), read_transcript(b))
    if as_json:
        turns = [turn._asdict() for turn in found.turns]
        first = {"a": found.first_a, "b": found.first_b}
        shown = {"schema": "gigsheet.diff/1", "a": a, "b": b, "flipped": found.flipped, "same": found.same}
        typer.echo(json.dumps({**shown, "first": first, "turns": turns}, ensure_ascii=False))
    else:
        _show_comparison(found, a, b)
    raise typer.Exit(0 if found.same else 1)


def _show_comparison(found: Comparison, a: str, b: str) -> None:
    if found.flipped:
        typer.echo(f"{b} is the rival's sheet: it is shown flipped")
    if found.first_a != found.first_b:
        typer.echo(f"first\n  - {found.first_a}\n  + {found.first_b}")
    for turn in found.turns:
        number = turn.number_a if turn.number_a is not None else turn.number_b
        only = f", only in {b}" if turn.number_a is None else f", only in {a}" if turn.number_b is None else ""
        typer.echo(typer.style(f"turn {number}{only}", bold=True))
        if turn.number_a is not None:
            typer.echo(typer.style(f"  - {turn.text_a}", fg=typer.colors.RED))
        if turn.number_b is not None:
            typer.echo(typer.style(f"  + {turn.text_b}", fg=typer.colors.GREEN))
    many = "1 turn differs" if len(found.turns) == 1 else f"{len(found.turns)} turns differ"
    typer.echo("the two agree" if found.same else f"{many} (- {a}, + {b})")


@app.command()
def simulate(
    count: Annotated[int, typer.Option(help="How many games.", min=1)] = 1,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same games.", show_default=False)] = None,
    slips: Annotated[
        float, typer.Option(help="The share of games, 0 to 1, with one entry miswritten.", min=0, max=1)
    ] = 0.0,
    ruleset: RulesetOption = "cr",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A folder for one file a game, game-0001.txt and on.", show_default=False),
    ] = None,
    format_: FormatOption = "text",
) -> None:
    """Make up random whole games that look played.

    A game follows the rules, but for its slip; JSON says where that is and what was meant.

    \b
    gigsheet simulate --seed 7
    gigsheet simulate --count 1000 --slips 0.5 --format json > games.jsonl
    gigsheet simulate --count 200 -o games/ && gigsheet check games/*.txt
    """
    import random

    rules, as_json = ruleset_named(ruleset), wants_json(format_)
    if seed is None:
        seed = random.SystemRandom().randrange(10**6)
        typer.echo(f"gigsheet: seed {seed}", err=True)
    from gigsheet.notation.simulate import simulate_game, write_game

    def game(index: int) -> SimulatedGame:
        # A game of its own seed is the same whatever the count.
        return simulate_game(random.Random(f"{seed}/{index}"), ruleset=rules, slips=slips)

    def shown(index: int) -> str:
        made = game(index)
        if as_json:
            return json.dumps({"seed": seed, "index": index, "ruleset": rules.name, **write_game(made)}) + "\n"
        return made.text

    if output is not None:
        _write_games(output, count, shown, "json" if as_json else "txt")
        return
    for index in range(1, count + 1):
        if count > 1 and not as_json:
            typer.echo(f"; game {index} of {count}, seed {seed}")
        typer.echo(shown(index) + ("\n" if count > index and not as_json else ""), nl=False)


def _write_games(folder: Path, count: int, shown: Callable[[int], str], suffix: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for index in _with_progress(count):
            (folder / f"game-{index:04}.{suffix}").write_text(shown(index), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror}); choose another folder with -o") from None
    typer.echo(f"{folder}: {count} {'game' if count == 1 else 'games'} written")


def _with_progress(count: int) -> Iterator[int]:
    if count < PROGRESS_FROM or not sys.stderr.isatty():
        yield from range(1, count + 1)
        return
    with typer.progressbar(range(1, count + 1), label="games", file=sys.stderr) as indices:
        yield from indices
