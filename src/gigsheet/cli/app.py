"""The one Typer application, and the edge where failures become exit statuses."""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from gigsheet.errors import GigsheetError, InterruptedWorkError

app = typer.Typer(
    name="gigsheet",
    help="Print, read and check paper scoresheets of the Cyberpunk Trading Card Game.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"gigsheet {version('gigsheet')}")
        raise typer.Exit


@app.callback()
def _commands(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Print, read and check paper scoresheets of the Cyberpunk Trading Card Game."""


def main() -> None:
    """The console script: runs a command and ends the process with SPEC 4's exit statuses."""
    from gigsheet.cli.commands import register

    try:
        register(sys.argv[1] if len(sys.argv) > 1 else None)
        status = app(standalone_mode=False)
        sys.stdout.flush()
        if status == InterruptedWorkError.exit_status:  # newer releases of Typer give this instead of raising
            raise KeyboardInterrupt
        sys.exit(status)
    except GigsheetError as error:
        _end(error.message, error.exit_status)
    except (KeyboardInterrupt, typer.Abort):
        _end("interrupted; what was finished is kept", InterruptedWorkError.exit_status)
    except BrokenPipeError:
        # Whoever read our output has had enough, such as `head`: no message, and none from the interpreter's exit.
        _give_up_output()
        sys.exit(1)
    except OSError as error:
        _give_up_output()
        place = error.filename or "the output"
        _end(f"{place}: {error.strerror or error}; make room, or name another place", 2)
    except Exception as error:
        # What Typer has to say of wrong arguments, under whatever class: its releases differ in where they keep it.
        say = getattr(error, "format_message", None)
        if say is None:
            raise
        context = getattr(error, "ctx", None)
        hint = f"; see {context.command_path} --help" if context is not None else ""
        if type(error).__name__ == "NoArgsIsHelpError":
            print(say(), end="")
            sys.exit(2)
        _end(" ".join(say().split()).rstrip(".") + hint, 2)


def complain(message: str) -> None:
    """Says on standard error what is wrong, in one line whatever a file's name holds."""
    line = "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in message)
    print(f"gigsheet: {line}", file=sys.stderr, flush=True)


def _give_up_output() -> None:
    """Nothing more can be written: what is still buffered must not fail again as the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(message: str, status: int) -> NoReturn:
    complain(message)
    sys.exit(status)
