"""The time that records carry."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """The moment in UTC, ISO 8601 to the second, such as ``2026-11-30T02:26:00Z``."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
