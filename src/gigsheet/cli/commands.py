"""Which module holds which command: a command's start does not pay for the others'."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = {
    "blank": "sheet:blank",
    "read": "read:read",
    "check": "notation:check",
    "explain": "notation:explain",
    "trace": "notation:trace",
    "format": "notation_rewrite:format_",
    "flip": "notation_rewrite:flip",
    "diff": "notation_rewrite:diff",
    "simulate": "notation_rewrite:simulate",
    "import": "event:import_",
    "expect": "event:expect",
    "status": "event:status",
    "withdraw": "event:withdraw",
    "export": "event:export",
    "settle": "settle:settle",
}
"""In the order in which the help lists them. None of the modules imports anything heavy before its command runs."""

_SENTENCE = 200
"""Characters: the help's list of commands has the whole first sentence of each."""


class Commands(click.Group):
    """The commands of `COMMANDS`, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name].partition(":")
        found = getattr(import_module(f"gigsheet.cli.{module}"), attribute)
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = " or ".join(repr(other) for other in get_close_matches(name, COMMANDS))
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {near}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found = {name: self.get_command(ctx, name) for name in COMMANDS}
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(_SENTENCE)) for name, one in found.items() if one])
