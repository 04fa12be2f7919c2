"""Serials: what tells one printed page from every other."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator

from gigsheet.errors import UsageError

ALPHABET = "34679ACDEFHJKMNPQRTWXY"
"""No two of these look alike by hand or in a poor photocopy (no 0 O, 1 I L, 2 Z, 5 S, 8 B, U V, G)."""
BATCH_LENGTH = 4
DEFAULT_BATCH = "AAAA"
"""The batch of a `start` that is a bare number."""

_SERIAL = re.compile(rf"(?:([{ALPHABET}]{{{BATCH_LENGTH}}})-)?([0-9]{{1,5}})")

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_LETTERS = (
    *("Alfa", "Charlie", "Delta", "Echo", "Foxtrot", "Hotel", "Juliett", "Kilo", "Mike", "November", "Papa"),
    *("Quebec", "Romeo", "Tango", "Whiskey", "X-ray", "Yankee"),
)
_SPOKEN = {str(k): word for k, word in enumerate(_DIGITS)} | {word[0]: word for word in _LETTERS}


def serials(count: int, start: str | None = None) -> Iterator[str]:
    """`count` serials ``BATCH-NN``, counting up.

    Args:
        count: how many.
        start: the first one (``7F3K-02``), or a bare number, which counts in batch ``AAAA``; without it a batch is
            drawn at random (234,256 of them) and counted from 1.

    Raises:
        UsageError: `start` is no serial, or the counter would pass 99999.
    """
    batch, first = "".join(secrets.choice(ALPHABET) for _ in range(BATCH_LENGTH)), 1
    if start is not None:
        found = _SERIAL.fullmatch(start.strip().upper())
        if found is None:
            raise UsageError(
                f"--serial-start {start!r} is no serial: write a number, or {BATCH_LENGTH} of {ALPHABET}, "
                "a dash and a number, such as 7F3K-02"
            )
        batch, first = found[1] or DEFAULT_BATCH, int(found[2])
    last = first + count - 1
    if last > 99_999:
        raise UsageError(f"the serials would run to {batch}-{last}: start lower or print fewer, they end at 99999")
    digits = max(2, len(str(last)))
    return (f"{batch}-{number:0{digits}}" for number in range(first, last + 1))


def spoken(serial: str) -> str:
    """A serial in words, to be read out over a table or a telephone: ``seven Foxtrot three Kilo, zero two``."""
    return ", ".join(" ".join(_SPOKEN[c] for c in part) for part in serial.split("-"))


def qr_text(name: str, version: int, paper: str, serial: str) -> str:
    """What the QR code of a page says: format, template, version, paper, serial.

    Upper case throughout: so the symbol's alphanumeric mode holds it at error level Q in 25 x 25 modules.
    """
    return f"GS1:{name}:{version}:{paper}:{serial}".upper()
