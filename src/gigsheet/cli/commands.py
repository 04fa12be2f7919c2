"""Imports every command module, so that each registers its commands on the application."""

from gigsheet.cli import notation, notation_rewrite, read, sheet

__all__ = ["notation", "notation_rewrite", "read", "sheet"]
