"""The store of an event: scans by content, readings, corrections that are appended and never overwritten, results."""

from __future__ import annotations

from gigsheet.store.store import PageTurn, PrintedSheet, Store, user_name

__all__ = ["PageTurn", "PrintedSheet", "Store", "user_name"]
