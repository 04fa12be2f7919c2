"""`gigsheet format`, `flip`, `diff`, `simulate`: transcripts rewritten, compared and made up."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from gigsheet.cli.notation_files import (
    MARK,
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
from gigsheet.cli.parameters import NAME, PATH, argument, command
from gigsheet.errors import UnreadableFileError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gigsheet.notation.compare import Comparison
    from gigsheet.notation.simulate import SimulatedGame

PROGRESS_FROM = 2000
"""So many games take more than a second or two to write as files."""


@command("format")
@files_argument
@click.option("--check", is_flag=True, help="Change nothing; say which files are not canonical.")
@click.option("-w", "--write", is_flag=True, help="Rewrite the files in place.")
def format_(files: tuple[str, ...], check: bool, write: bool) -> None:
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
            text = read_transcript(name, marked=True)
            canonical = _rewritten(name, text.removeprefix(MARK), format_text)
        except UnreadableFileError as error:
            status = 2
            complain(error)
            continue
        if canonical is None:
            status = max(status, 1)
        elif check:
            if canonical != text:
                status = max(status, 1)
                click.echo(f"{name}: not in canonical form")
        elif not write or name == STDIN:
            click.echo(canonical, nl=False)
        elif canonical != text:
            _write(Path(name), canonical)
    raise Exit(status)


@command()
@argument("file", type=NAME, metavar="FILE", about="A transcript; - is standard input.")
def flip(file: str) -> None:
    """Write the same game as the rival's sheet has it: primes flipped, the header set. Flipping twice changes nothing.

    Status: 0; 1 when text does not parse; 2 when the file cannot be read.

    \b
    gigsheet flip game.txt > rival.txt
    """
    from gigsheet.notation.rewrite import flip as flip_text

    flipped = _rewritten(file, read_transcript(file), flip_text)
    if flipped is None:
        raise Exit(1)
    click.echo(flipped, nl=False)


def _rewritten(name: str, text: str, rewrite: Callable[[str], str]) -> str | None:
    """The text rewritten; None, with the reasons on standard error, where it does not parse."""
    from gigsheet.notation import check as check_text
    from gigsheet.notation.rewrite import UnparsedError

    try:
        return rewrite(text)
    except UnparsedError as error:
        for shown in show_diagnostics(check_text(text, source=name), only="syntax"):
            click.echo(shown, err=True)
        click.echo(f"gigsheet: {name}: {error}; mend that first (gigsheet explain says how)", err=True)
        return None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); check its permissions") from None


@command()
@argument("a", type=NAME, metavar="A", about="A transcript; - is standard input.")
@argument("b", type=NAME, metavar="B", about="Another of the same game, from either side of the table.")
@format_option
def diff(a: str, b: str, format_: str) -> None:
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
        click.echo(json.dumps({**shown, "first": first, "turns": turns}, ensure_ascii=False))
    else:
        _show_comparison(found, a, b)
    raise Exit(0 if found.same else 1)


def _show_comparison(found: Comparison, a: str, b: str) -> None:
    if found.flipped:
        click.echo(f"{b} is the rival's sheet: it is shown flipped")
    if found.first_a != found.first_b:
        click.echo(f"first\n  - {found.first_a}\n  + {found.first_b}")
    for turn in found.turns:
        number = turn.number_a if turn.number_a is not None else turn.number_b
        only = f", only in {b}" if turn.number_a is None else f", only in {a}" if turn.number_b is None else ""
        other = f", turn {turn.number_b} in {b}" if turn.number_b not in (None, number) else ""
        click.echo(click.style(f"turn {number}{only}{other}", bold=True))
        if turn.number_a is not None:
            click.echo(click.style(f"  - {turn.text_a}", fg="red"))
        if turn.number_b is not None:
            click.echo(click.style(f"  + {turn.text_b}", fg="green"))
    many = "1 turn differs" if len(found.turns) == 1 else f"{len(found.turns)} turns differ"
    click.echo("the two agree" if found.same else f"{many} (- {a}, + {b})")


@command()
@click.option("--count", type=click.IntRange(min=1), default=1, help="How many games.")
@click.option("--seed", type=int, help="The same seed gives the same games.")
@click.option("--slips", type=click.FloatRange(0, 1), default=0.0, help="The share of games with one entry miswritten.")
@ruleset_option
@click.option("-o", "--output", type=PATH, metavar="DIR", help="A folder for one file a game, game-0001.txt and on.")
@format_option
def simulate(count: int, seed: int | None, slips: float, ruleset: str, output: Path | None, format_: str) -> None:
    """Make up random whole games that look played.

    A game follows the rules, but for its slip; JSON says where that is and what was meant.

    \b
    gigsheet simulate --seed 7
    gigsheet simulate --count 1000 --slips 0.5 --format json > games.jsonl
    gigsheet simulate --count 200 -o games/ && gigsheet check games/*.txt

    Exit status: 0 all written.
    """
    import random

    rules, as_json = ruleset_named(ruleset), wants_json(format_)
    if seed is None:
        seed = random.SystemRandom().randrange(10**6)
        click.echo(f"gigsheet: seed {seed}", err=True)
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
            click.echo(f"; game {index} of {count}, seed {seed}")
        click.echo(shown(index) + ("\n" if count > index and not as_json else ""), nl=False)


def _write_games(folder: Path, count: int, shown: Callable[[int], str], suffix: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for index in _with_progress(count):
            (folder / f"game-{index:04}.{suffix}").write_text(shown(index), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror}); choose another folder with -o") from None
    click.echo(f"{folder}: {count} {'game' if count == 1 else 'games'} written")


def _with_progress(count: int) -> Iterator[int]:
    if count < PROGRESS_FROM or not sys.stderr.isatty():
        yield from range(1, count + 1)
        return
    with click.progressbar(range(1, count + 1), label="games", file=sys.stderr) as indices:
        yield from indices
