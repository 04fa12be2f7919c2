"""Strips in, scores over one alphabet out."""

from __future__ import annotations

from functools import cache

from gigsheet.errors import UsageError
from gigsheet.recognise.engine import Engine

ENGINES = ("ctc", "tesseract")
"""The engines that can be asked for by name; `scripted.ScriptedEngine` is made by whoever tests with it."""


@cache
def get_engine(name: str = "ctc") -> Engine:
    """The engine of that name; asked for twice, the same one, so that its weights are loaded once.

    Raises:
        UsageError: there is no such engine, or what it needs is not installed.
    """
    if name == "ctc":
        from gigsheet.recognise.ctc import CtcEngine

        return CtcEngine()
    if name == "tesseract":
        from gigsheet.recognise.tesseract import TesseractEngine

        return TesseractEngine()
    raise UsageError(f"there is no engine {name!r}; name one of: {', '.join(ENGINES)}")
