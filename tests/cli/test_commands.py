"""The commands as a whole: each found, each documented, each registered by the module that is named for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from gigsheet.cli.app import app
from gigsheet.cli.commands import MODULES, register

ROOT = Path(__file__).parents[2]


def test_the_registry_names_every_command() -> None:
    register()
    assert set(get_command(app).commands) == set(MODULES)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", MODULES)
def test_every_command_has_help_with_its_exit_and_stands_in_the_readme(command: str) -> None:
    run = subprocess.run([sys.executable, "-m", "gigsheet", command, "--help"], capture_output=True, text=True)
    assert run.returncode == 0
    assert f"gigsheet {command}" in run.stdout
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert any(f"gigsheet {command}" in page.read_text(encoding="utf-8") for page in pages), "undocumented"


def test_help_lists_them_all() -> None:
    run = subprocess.run([sys.executable, "-m", "gigsheet", "--help"], capture_output=True, text=True)
    assert run.returncode == 0
    assert all(f" {command} " in run.stdout for command in MODULES)


def test_shell_completion_is_offered() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "gigsheet", "--show-completion", "bash"], capture_output=True, text=True
    )
    assert run.returncode == 0
    assert "gigsheet" in run.stdout
