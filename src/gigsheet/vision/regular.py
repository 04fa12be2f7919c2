"""Only files are read by their names: whoever opens a pipe that nobody writes to waits for ever."""

from __future__ import annotations

import stat
from pathlib import Path

from gigsheet.errors import UnreadableFileError

_OPEN_ALREADY = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""What the shell opened itself, as for ``gigsheet read <(...)``: somebody does write there."""


def refuse_irregular(path: Path) -> None:
    """Raises UnreadableFileError for a named pipe, a device or a socket, and OSError for what is not there."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or str(path).startswith(_OPEN_ALREADY)):
        raise UnreadableFileError(
            "this is no regular file but a pipe or a device; read from it with: gigsheet read - < NAME",
            code="no-regular-file",
        )
