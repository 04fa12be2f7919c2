"""Completion for the shell: its script, shown or installed."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from gigsheet.errors import UsageError

SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_GIGSHEET_COMPLETE"
_START_ZSH = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n"
"""A shell of which nothing was ever set up has no completion to add to."""


def script(group: click.Group, shell: str) -> str:
    """The script that makes a shell complete our commands.

    Raises:
        UsageError: the shell is none of `SHELLS`.
    """
    shell = shell or Path(os.environ.get("SHELL", "")).name
    known = get_completion_class(shell) if shell in SHELLS else None
    if known is None:
        raise UsageError(f"there is no completion for {shell or 'an unknown shell'}; name one of: {', '.join(SHELLS)}")
    return (_START_ZSH if shell == "zsh" else "") + known(group, {}, "gigsheet", _VARIABLE).source()


def install(group: click.Group, shell: str) -> Path:
    """Puts the script where the shell finds it; installed twice, it is there once.

    Returns:
        The script's file.
    """
    shell = shell or Path(os.environ.get("SHELL", "")).name
    text = script(group, shell)
    home = Path.home()
    if shell == "fish":  # reads every file in this folder by itself
        path = home / ".config" / "fish" / "completions" / "gigsheet.fish"
        startup = None
    else:
        path = home / ".local" / "share" / "gigsheet" / f"completion.{shell}"
        startup = home / f".{shell}rc"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if startup is not None:
        line = f"source '{path}'\n"
        before = startup.read_text(encoding="utf-8") if startup.exists() else ""
        if line not in before:
            startup.write_text(before + ("" if before.endswith("\n") or not before else "\n") + line, encoding="utf-8")
    return path
