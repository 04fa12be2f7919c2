"""The command line: arguments, progress, exit statuses; nothing else."""

from __future__ import annotations

from gigsheet.cli.app import main

__all__ = ["main"]
