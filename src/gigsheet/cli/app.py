"""The one Typer application, and the edge where failures become exit statuses."""

from __future__ import annotations

import sys

import typer

from gigsheet.errors import GigsheetError

app = typer.Typer(
    name="gigsheet",
    help="Print, read and check paper scoresheets of the Cyberpunk Trading Card Game.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _commands() -> None:
    """Print, read and check paper scoresheets of the Cyberpunk Trading Card Game."""


def main() -> None:
    """The console script: runs a command and ends the process with SPEC 4's exit statuses."""
    # Each module registers its commands on `app`; none of them imports anything heavy before its command runs.
    from gigsheet.cli import commands  # noqa: F401

    try:
        app()
    except GigsheetError as error:
        print(f"gigsheet: {error.message}", file=sys.stderr)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print("gigsheet: interrupted", file=sys.stderr)
        sys.exit(130)
