"""A watched folder: which files have arrived, and are whole."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gigsheet.batch.intake import Missing, find

Stamp = tuple[int, int]
"""Size and time of the last change."""


class Arrivals:
    """Looks at files, folders and patterns again and again. By looking, not by asking the system to be told, since a
    folder that a phone or a scanner writes to is often a network's."""

    def __init__(self, paths: Iterable[str], leave_out: Iterable[Path] = ()) -> None:
        self._paths = list(paths)
        self._leave_out = tuple(leave_out)
        self._looked_at: dict[Path, Stamp] = {}
        self._delivered: dict[Path, Stamp] = {}

    def look(self) -> list[Path]:
        """The new or changed files that stayed the same since the last look: nobody writes to them any more."""
        paths = find(self._paths, self._leave_out)
        found = {path: stamp for path in paths if not isinstance(path, Missing) and (stamp := _stamp(path))}
        whole = [path for path, stamp in found.items() if self._looked_at.get(path) == stamp and stamp[0] > 0]
        new = [path for path in whole if self._delivered.get(path) != found[path]]
        self._delivered.update((path, found[path]) for path in new)
        self._looked_at = found
        return new


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:  # moved away between being listed and being looked at
        return None
    return status.st_size, status.st_mtime_ns
