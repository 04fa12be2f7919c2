"""Imports every command module, so that each registers its commands on the application."""

from gigsheet.cli import event, notation, notation_rewrite, read, settle, sheet

__all__ = ["event", "notation", "notation_rewrite", "read", "settle", "sheet"]
