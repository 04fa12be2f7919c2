"""Cells of a CSV file that is safe to open in a spreadsheet."""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_GUARD = "'"


def guarded(value: object) -> object:
    """A text that a spreadsheet would take for a formula, with the apostrophe before it that makes it a text again.

    ``=C4``, ``+B5`` and ``-B2`` are entries of this notation; ``@`` and line breaks are the other ways in. Numbers and
    None stay what they are.

    >>> guarded("=C4"), guarded("A4 =C4"), guarded(-2)
    ("'=C4", 'A4 =C4', -2)
    """
    return f"{_GUARD}{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def unguarded(cell: str) -> str:
    """The inverse of `guarded`.

    >>> unguarded("'=C4"), unguarded("'tis")
    ('=C4', "'tis")
    """
    return cell[1:] if cell.startswith(_GUARD) and cell[1:].startswith(_FORMULA) else cell
