"""Which module holds which command: a command's start does not pay for the others'."""

from __future__ import annotations

from importlib import import_module

MODULES = {
    "blank": "sheet",
    "read": "read",
    "check": "notation",
    "explain": "notation",
    "trace": "notation",
    "format": "notation_rewrite",
    "flip": "notation_rewrite",
    "diff": "notation_rewrite",
    "simulate": "notation_rewrite",
    "import": "event",
    "expect": "event",
    "status": "event",
    "export": "event",
    "settle": "settle",
}
"""In the order in which the help lists them."""


def register(command: str | None = None) -> None:
    """Imports the module of a command, which registers it on the application; of all when there is none such.

    None of these modules imports anything heavy before its command runs.
    """
    wanted = [MODULES[command]] if command in MODULES else dict.fromkeys(MODULES.values())
    for module in wanted:
        import_module(f"gigsheet.cli.{module}")
