"""From any text to lines, and from any line to the plain characters of the notation (SPEC 1); never raises.

Folding keeps every character's place, so that a span in the folded line is a span in the line as it was written.
The ellipsis ``…`` is the one sign that stands for two; it stays, and the grammar reads it as a pass.
"""

from __future__ import annotations

ELLIPSIS = "…"
COMMENT = ";"
_PRIMES = "’‘′ʹ`´"
_MINUSES = "−–—"
_FOLD = str.maketrans(
    {
        **dict.fromkeys(_PRIMES, "'"),
        **dict.fromkeys(_MINUSES, "-"),
        **dict.fromkeys("×X", "x"),
        "∼": "~",
        **dict(zip("abcdef", "ABCDEF", strict=True)),
    }
)


def require_text(text: object) -> None:
    """Raises TypeError for what is no text: the functions that take one never raise on any."""
    if not isinstance(text, str):
        kind = type(text).__name__
        raise TypeError(f"a transcript must be a string, not {kind}: decode bytes, and of a file give its text")


def split_lines(text: str) -> list[str]:
    r"""The lines of a text, whatever its line ends; a byte order mark at its start counts as white space.

    >>> split_lines("A4\r\nA'4\n")
    ['A4', "A'4", '']
    """
    require_text(text)
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def fold(line: str) -> str:
    """The line with typographic and capital variants made plain, character for character.

    >>> fold("X b’ −a2")
    "x B' -A2"
    """
    return line.translate(_FOLD)


def variants(line: str, start: int, end: int) -> list[int]:
    """Where between `start` and `end` the line has a tolerated sign instead of the plain one.

    >>> variants("a4 −A2 …", 0, 8)
    [0, 3, 7]
    """
    folded = fold(line[start:end])
    return [start + i for i, sign in enumerate(folded) if sign == ELLIPSIS or sign != line[start + i]]
