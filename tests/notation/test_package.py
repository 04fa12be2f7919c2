"""The package as others meet it: its doctests, and what importing it loads."""

from __future__ import annotations

import doctest
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import gigsheet
from gigsheet import notation
from gigsheet.notation.rewrite import flip, format_text

MODULES = [
    "gigsheet",
    "gigsheet.notation",
    *(f"gigsheet.notation.{m.name}" for m in pkgutil.iter_modules(notation.__path__)),
]


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.parametrize(
    "statement", ["import gigsheet", "import gigsheet.notation", "import gigsheet; gigsheet.check"]
)
def test_import_is_light(statement: str) -> None:
    heavy = "import sys; print([m for m in sys.modules if m.split('.')[0] in ('numpy', 'cv2', 'click', 'onnxruntime')])"
    done = subprocess.run([sys.executable, "-c", f"{statement}; {heavy}"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_examples_of_the_page_run() -> None:
    page = Path(__file__).parents[2] / "docs" / "notation.md"
    failed, attempted = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert attempted > 10


def test_public_names() -> None:
    assert gigsheet.check is notation.check
    assert set(gigsheet.__all__) <= set(dir(gigsheet))
    assert all(hasattr(notation, name) for name in notation.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gigsheet.nothing  # noqa: B018


@pytest.mark.parametrize("given", [None, b"A4", 4, Path("game.txt")])
def test_what_is_no_text_is_named_at_the_door(given: Any) -> None:
    for taken in (gigsheet.check, gigsheet.parse, gigsheet.parse_turn, flip, format_text):
        with pytest.raises(TypeError, match=f"must be a string, not {type(given).__name__}: decode bytes"):
            taken(given)


@pytest.mark.parametrize("given", [None, ["cr"], "CR"])
def test_a_ruleset_that_there_is_not_is_named_at_the_door(given: Any) -> None:
    with pytest.raises(ValueError, match=r"there is no ruleset .*; choose one of cr, alpha, quickref"):
        gigsheet.check("A4", ruleset=given)
