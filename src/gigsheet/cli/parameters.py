"""Commands, arguments and options as every command declares them, on click."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

Declared = TypeVar("Declared", bound=Callable[..., Any])


class _Untested(click.Path):
    """A path as it was typed, completed by the shell; what is wrong with it is found out, and told, when it is used."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self.coerce_path_result(value)


class _Named(_Untested):
    """The same, but not the empty name, which a variable that is not set leaves: it would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the name is empty; name a file or a folder", param, ctx)
        return super().convert(value, param, ctx)


TEXT_OR_NAME = _Untested()
NAME = _Named()
"""A file's name, - among them."""
PATH = _Named(path_type=Path)


class Argument(click.Argument):
    """A positional parameter with an explanation, which click itself has only since 8.5."""

    def __init__(self, declarations: list[str], about: str = "", **attributes: Any) -> None:
        super().__init__(declarations, **attributes)
        self.about = about


class Command(click.Command):
    """A command whose help explains its arguments, too."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        parameters = self.get_params(ctx)
        arguments = [(p.make_metavar(ctx), p.about) for p in parameters if isinstance(p, Argument)]
        records = [p.get_help_record(ctx) for p in parameters if isinstance(p, click.Option)]
        for title, lines in (("Arguments", arguments), ("Options", [record for record in records if record])):
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)


def command(name: str | None = None, **attributes: Any) -> Callable[[Callable[..., Any]], Command]:
    """Makes a function a command; without a name, of the function's own."""
    return click.command(name, cls=Command, **attributes)


def argument(name: str, *, metavar: str, about: str, **attributes: Any) -> Callable[[Declared], Declared]:
    """A positional parameter; `about` stands beside it in the help."""
    return click.argument(name, cls=Argument, metavar=metavar, about=about, **attributes)


def event_options(declare: Declared) -> Declared:
    """The options of every command that works on an event's store: ``event`` and ``database``."""
    event = click.option("--event", type=PATH, required=True, metavar="DIR", help="The event's folder.")
    database = click.option(
        "--database",
        metavar="URL",
        envvar="GIGSHEET_DATABASE",
        show_envvar=True,
        help="Keep the store there instead of in the folder: postgresql://user@host/name.",
    )
    return event(database(declare))


def reading_options(declare: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that reads pictures, which it is given as one `gigsheet.pipeline.Options`."""

    @click.option(
        "--engine", type=click.Choice(["ctc", "tesseract"]), default="ctc", help="Which recogniser reads the rows."
    )
    @click.option("--rules/--no-rules", default=True, help="Weigh the ink against the rules of the game, or not.")
    @click.option(
        "--risk",
        type=click.FloatRange(0, 1),
        default=0.001,
        help="Flag so that at most this share of rows is wrong and not flagged.",
    )
    @click.option(
        "--ruleset",
        type=click.Choice(["cr", "alpha", "quickref"], case_sensitive=False),
        default="cr",
        help="The ruleset of the games.",
    )
    @wraps(declare)
    def declared(*, engine: str, rules: bool, risk: float, ruleset: str, **others: Any) -> Any:
        from gigsheet.pipeline import Options

        return declare(options=Options(engine=engine, rules=rules, risk=risk, ruleset=ruleset), **others)

    return declared
