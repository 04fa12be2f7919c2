"""What the notation's commands share: transcripts from files or standard input, and diagnostics for the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gigsheet.cli.app import complain as say
from gigsheet.cli.parameters import NAME, argument
from gigsheet.errors import UnreadableFileError, UsageError

if TYPE_CHECKING:
    from gigsheet.notation import Diagnostic, Report, Ruleset, State

STDIN = "-"
MARK = "\ufeff"
"""The byte order mark that some editors put before UTF-8."""
LARGEST_MB = 64
MOST_SHOWN = 100
"""Nobody reads further; a file that is no transcript at all would flood the terminal."""
_EXCERPT = 100

RULESETS = ("cr", "alpha", "quickref")
FORMATS = ("text", "json")

files_argument = argument(
    "files", nargs=-1, required=True, type=NAME, metavar="FILE...", about="Transcripts; - is standard input."
)
ruleset_option = click.option(
    "--ruleset",
    default="cr",
    metavar="NAME",
    help="cr: Comprehensive Rules; alpha: Alpha Kit guide; quickref: older quick reference.",
    shell_complete=lambda ctx, parameter, typed: [name for name in RULESETS if name.startswith(typed)],
)
format_option = click.option(
    "--format",
    "format_",
    default="text",
    metavar="NAME",
    help="text, or json: one object a line.",
    shell_complete=lambda ctx, parameter, typed: [name for name in FORMATS if name.startswith(typed)],
)


def ruleset_named(name: str) -> Ruleset:
    """The ruleset, or a UsageError that lists them."""
    from gigsheet.notation import Ruleset

    try:
        return Ruleset.named(name.lower())
    except ValueError as error:
        raise UsageError(f"--ruleset: {error}") from None


def wants_json(name: str) -> bool:
    """Whether --format asks for JSON Lines; a UsageError for a format that there is not."""
    if name not in FORMATS:
        raise UsageError(f"--format {name} is not known; choose text or json")
    return name == "json"


def read_transcript(name: str, *, marked: bool = False) -> str:
    """The text of a file, or of standard input for ``-``; an UnreadableFileError says what is wrong with it.

    A byte order mark is left out, but where the text is wanted as the file holds it (`marked`).
    """
    try:
        data = sys.stdin.buffer.read() if name == STDIN else _read_file(Path(name))
    except FileNotFoundError:
        raise UnreadableFileError(
            f"{name}: there is no such file; check the path, or write - for standard input"
        ) from None
    except IsADirectoryError:
        raise UnreadableFileError(f"{name} is a folder; name the transcripts in it, as in {name}/*.txt") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise UnreadableFileError(f"{name}: cannot be read ({reason}); check the path and its permissions") from None
    if b"\0" in data:
        raise UnreadableFileError(
            f"{name} is no text file; a transcript is plain text in UTF-8 (photos: gigsheet read)"
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UnreadableFileError(
            f"{name} is not UTF-8 (byte {error.start + 1}); save it as UTF-8 text (photos: gigsheet read)"
        ) from None
    return text if marked else text.removeprefix(MARK)


def _read_file(path: Path) -> bytes:
    if path.stat().st_size > LARGEST_MB * 1_000_000:
        raise UnreadableFileError(f"{path} is larger than {LARGEST_MB} MB; a transcript is a page of text")
    return path.read_bytes()


def complain(error: UnreadableFileError) -> None:
    """One line on standard error; the command goes on with its other files."""
    say(error.message)


def show_diagnostics(report: Report, only: str | None = None) -> list[str]:
    """The report's diagnostics as a compiler shows them, all or of one code; beyond MOST_SHOWN only how many."""
    said = [diagnostic for diagnostic in report.diagnostics if only in (None, diagnostic.code)]
    before = {position.at: position.before for position in report.positions}
    rows = [_show(report, diagnostic, before.get(diagnostic.line)) for diagnostic in said[:MOST_SHOWN]]
    if len(said) > MOST_SHOWN:
        rows.append(f"{report.source}: {len(said) - MOST_SHOWN} more; gigsheet check --format json lists them all")
    return rows


def _show(report: Report, diagnostic: Diagnostic, before: State | None) -> str:
    """Where, what, the line with the characters underlined, and the board that a refused move's turn began with."""
    from gigsheet.notation.explain import explain_board

    start, end = diagnostic.span
    colour = "red" if diagnostic.severity == "error" else "yellow"
    where = click.style(f"{report.source}:{diagnostic.line}:{start + 1}:", bold=True)
    kind = click.style(f"{diagnostic.severity}[{diagnostic.code}]", fg=colour, bold=True)
    rule = "" if diagnostic.rule == "notation" else f" (rule {diagnostic.rule})"
    excerpt, offset = _excerpt(report.transcript.lines[diagnostic.line - 1].text, start, end)
    margin = len(str(diagnostic.line)) + 1
    carets = click.style("^" * max(1, min(end - start, len(excerpt) - offset)), fg=colour, bold=True)
    rows = [
        f"{where} {kind} {diagnostic.message}{rule}",
        f"{diagnostic.line:>{margin}} | {excerpt}",
        f"{'':>{margin}} | {' ' * offset}{carets}",
    ]
    if before is not None and diagnostic.entry is not None and diagnostic.severity == "error":
        rows.append(f"{'':>{margin}} = board before turn {diagnostic.turn}: {explain_board(before)}")
    return "\n".join(rows)


def _excerpt(line: str, start: int, end: int) -> tuple[str, int]:
    """As much of the line as fits a terminal, and where in it the span begins. Odd characters show as one column."""
    first = 0 if end <= _EXCERPT else max(0, start - _EXCERPT // 4)
    shown = "".join(c if c.isprintable() else " " for c in line[first : first + _EXCERPT])
    head, tail = "…" if first else "", "…" if len(line) > first + _EXCERPT else ""
    return head + shown + tail, start - first + len(head)
