"""Imports every command module, so that each registers its commands on the application."""

from gigsheet.cli import sheet

__all__ = ["sheet"]
