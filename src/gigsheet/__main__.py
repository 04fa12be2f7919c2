"""`python -m gigsheet` and the console script."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress

from gigsheet.cli import main

_ended: list[int] = []


def run() -> None:
    """`main`, and an end that leaves what was loaded to the operating system: a twelfth of a cold reading.

    Whoever wants to be called when the interpreter ends still is.
    """
    atexit.register(_leave)  # the first to be registered is the last to be called
    try:
        main()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            _ended.append(end.code or 0)
        raise


def _leave() -> None:
    if _ended:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        os._exit(_ended[0])


if __name__ == "__main__":
    run()
