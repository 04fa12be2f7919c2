"""Names for the files that a command writes for many sheets: each its own, and short enough for any file system."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST_BYTES = 200
"""Most file systems take 255; endings and a number in parentheses come behind."""


class FileNames:
    """Gives out stems that are not taken yet; names in capitals are the same, since not every file system differs."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, stem: str, tails: Iterable[str] = ("",)) -> str:
        """A stem of which all names, with each of `tails` behind it, are free: `stem`, or with a number behind it.

        >>> names = FileNames()
        >>> names.take("photo"), names.take("Photo"), names.take("photo", ["-game1"])
        ('photo', 'Photo(2)', 'photo')
        """
        stem = shortened(stem)
        unique, count = stem, 1
        while not self._taken.isdisjoint(wanted := {f"{unique}{tail}".lower() for tail in tails}):
            count += 1
            unique = f"{stem}({count})"
        self._taken |= wanted
        return unique


def shortened(stem: str) -> str:
    """The beginning of a stem as far as a file's name may go, whole characters of it."""
    if len(stem) * 4 <= LONGEST_BYTES:
        return stem
    return stem.encode("utf-8", "surrogateescape")[:LONGEST_BYTES].decode("utf-8", "ignore")
