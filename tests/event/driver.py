"""Runs an import with the scripted reader as a program of its own, for tests that kill it: ``EVENT PHOTOS [WORKERS]``.

Without workers it reads in its own process, which starts faster.
"""

from __future__ import annotations

import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gigsheet.batch.crew import LocalCrew
from gigsheet.batch.intake import find
from gigsheet.batch.run import Import
from gigsheet.store import Store
from tests.event.stack import scripted

NO_OPTIONS: Any = None
"""The scripted reader looks at none, and the real ones would have the whole reader loaded."""


class Threads:
    """A crew of threads."""

    workers = 2
    travels = False

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(self.workers)

    def submit(self, *args: Any) -> Future[Any]:
        return self._pool.submit(*args)

    def renew(self) -> None: ...

    def close(self) -> None:
        self._pool.shutdown()

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def main(event: str, photos: str, workers: str = "0") -> None:
    crew = LocalCrew(int(workers)) if int(workers) else Threads()
    with Store(Path(event), create=True) as store, crew:
        print("started", flush=True)
        Import(store, crew, NO_OPTIONS, "first", work=scripted).run(find([photos]))
    print("finished", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
