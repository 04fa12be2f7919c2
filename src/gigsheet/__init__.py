"""Gigsheet: prints, reads and checks paper scoresheets.

>>> import gigsheet
>>> gigsheet.check("A4\\nA'3\\n").ok
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gigsheet.notation import Report, Ruleset, State, check, parse, parse_turn
    from gigsheet.pipeline import Options, read
    from gigsheet.records import GameReading, RowReading, SheetReading

__all__ = [
    "GameReading",
    "Options",
    "Report",
    "RowReading",
    "Ruleset",
    "SheetReading",
    "State",
    "check",
    "parse",
    "parse_turn",
    "read",
]

_HOME = {
    **dict.fromkeys(("Report", "Ruleset", "State", "check", "parse", "parse_turn"), "gigsheet.notation"),
    **dict.fromkeys(("Options", "read"), "gigsheet.pipeline"),
    **dict.fromkeys(("GameReading", "RowReading", "SheetReading"), "gigsheet.records"),
}
"""Where each public name lives: loaded when first asked for (PEP 562), so that `import gigsheet` stays light."""


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
