"""`python -m gigsheet` and the console script."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress

from gigsheet.errors import InterruptedWorkError


def run() -> None:
    """`main`, and an end that leaves what was loaded to the operating system: a twelfth of a cold reading.

    Whoever wants to be called when the interpreter ends still is.
    """
    status: int | None = None

    def leave() -> None:
        if status is not None:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError):
                    stream.flush()
            os._exit(status)

    atexit.register(leave)  # the first to be registered is the last to be called
    try:
        from gigsheet.cli import main  # half of what a short command takes, and already to be interrupted

        main()
    except KeyboardInterrupt:
        status = InterruptedWorkError.exit_status
        sys.exit(status)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            status = end.code or 0
        raise


if __name__ == "__main__":
    run()
