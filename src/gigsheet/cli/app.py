"""The one click application, and the edge where failures become exit statuses."""

from __future__ import annotations

import codecs
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn

import click

from gigsheet.cli.commands import Commands
from gigsheet.errors import GigsheetError, InterruptedWorkError, UsageError, one_line


def _show_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"gigsheet {version('gigsheet')}")
        ctx.exit()


def _completion(ctx: click.Context, parameter: click.Parameter, shell: str | None) -> None:
    if shell is None or ctx.resilient_parsing:
        return
    from gigsheet.cli import completion

    if parameter.name == "show_completion":
        click.echo(completion.script(app, shell))
    else:
        click.echo(f"{completion.install(app, shell)}: written; open a new shell to use it")
    ctx.exit()


def _shell_option(name: str, about: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        name,
        metavar="[SHELL]",
        is_flag=False,
        flag_value="",
        is_eager=True,
        expose_value=False,
        callback=_completion,
        help=about,
    )


@click.group(
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True, "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@_shell_option("--install-completion", "Have your shell complete commands and options: bash, zsh or fish.")
@_shell_option("--show-completion", "Show the script that does it.")
def app() -> None:
    """Print, read and check paper scoresheets of the Cyberpunk Trading Card Game."""


PATIENCE_SECONDS = 1.0
"""A second Ctrl-C is another wish only after so long: a terminal, or `timeout`, may send the first one twice."""
_EXCERPT = 40
_STOPS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""What asks a process to stop: Ctrl-C, and whoever runs services; and what Python does with it of its own accord."""


def _heed_interrupts() -> None:
    """Ctrl-C, or SIGTERM, ends the work and lets it close what is open; a second one, some time later, ends the
    process at once."""
    heard = list[float]()

    def interrupted(number: int, _: object) -> None:
        heard.append(time.monotonic())
        if len(heard) == 1:
            raise KeyboardInterrupt
        if heard[-1] - heard[0] > PATIENCE_SECONDS:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    for number, default in _STOPS.items():
        if signal.getsignal(number) is default:  # else it is ignored, or another program's
            signal.signal(number, interrupted)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs: signs that the encoding lacks become JSON's escapes, so that JSON stays JSON."""
    import json

    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _write_any_sign() -> None:
    """No sign ends a command: names, and what is typed, may not be UTF-8, and the output's encoding may lack some."""
    codecs.register_error("gigsheet-json", _escaped)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="gigsheet-json")
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")


def main() -> None:
    """The console script: runs a command and ends the process with SPEC 4's exit statuses."""
    # Nothing that is imported is garbage; to look for cycles in it again and again takes a tenth of a short command.
    gc.set_threshold(50_000, 20, 20)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the shell: <&-, >&-, 2>&-
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - as long as the process
    _write_any_sign()
    _heed_interrupts()
    try:
        status = _run()
        sys.stdout.flush()
        sys.exit(status)
    except GigsheetError as error:
        _end(error.message, error.exit_status)
    except (KeyboardInterrupt, click.Abort):
        _end("interrupted; what was finished is kept", InterruptedWorkError.exit_status)
    except UnicodeEncodeError as error:  # names of files may be any bytes, but no database takes such an author, say
        _end(f"what was typed is not UTF-8 ({error.object[:_EXCERPT]!a}); type it in UTF-8", UsageError.exit_status)
    except BrokenPipeError:
        # Whoever read our output has had enough, such as `head`: no message, and none from the interpreter's exit.
        _give_up_output()
        sys.exit(1)
    except OSError as error:
        _give_up_output()
        place = error.filename or "the output"
        _end(f"{place}: {error.strerror or error}; make room, or name another place", 2)


def _run() -> int | None:
    """The command's exit status, None for 0; what click has to say of wrong arguments as our own error."""
    try:
        status: int | None = app.main(prog_name="gigsheet", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), flush=True)
        complain("name a command, as listed above")
        status = 2
    except click.UsageError as error:
        hint = f"; see {error.ctx.command_path} --help" if error.ctx is not None else ""
        raise UsageError(" ".join(error.format_message().split()).rstrip(".") + hint) from error
    return status


def complain(message: str) -> None:
    """Says on standard error what is wrong, in one line whatever a file's name holds; if that can be written to."""
    with suppress(OSError):
        print(f"gigsheet: {one_line(message)}", file=sys.stderr, flush=True)


def _give_up_output() -> None:
    """Nothing more can be written: what is still buffered must not fail again as the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(message: str, status: int) -> NoReturn:
    complain(message)
    sys.exit(status)
