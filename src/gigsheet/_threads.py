"""Work on two cores at once, where it leaves the interpreter free: OpenCV's, ONNX Runtime's, numpy's on large arrays.

`concurrent.futures` does the same, and takes 15 ms to load, which every cold reading would pay.
"""

from __future__ import annotations

import _thread
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Beside(Generic[R]):
    """`work` done in a thread of its own from now on; done at once, before anything else, if there is but one."""

    def __init__(self, work: Callable[[], R], threads: int = 2) -> None:
        self._work = work
        self._results: list[R] = []
        self._error: BaseException | None = None
        self._busy = _thread.allocate_lock()
        self._busy.acquire()
        if threads < 2:
            self._run()
        else:
            # `threading.Thread` takes 0.1 ms to start, because it waits until the thread runs; this takes a quarter.
            _thread.start_new_thread(self._run, ())

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:  # it belongs to whoever asks for the result
            self._error = error
        finally:
            self._busy.release()

    def result(self) -> R:
        """What the work returned, waited for; raises what the work raised."""
        with self._busy:
            if self._error is not None:
                raise self._error
            return self._results[0]


def spread(work: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """`work` of each item, in the items' order, done by so many threads, the caller's among them.

    Each takes the next item when it has done with one. If any raises, the first error of the caller's own or of the
    others' is raised once all have stopped.
    """
    if threads < 2 or len(items) < 2:
        return [work(item) for item in items]
    waiting = deque(enumerate(items))
    results: dict[int, R] = {}

    def take() -> None:
        while True:
            try:
                index, item = waiting.popleft()
            except IndexError:
                return
            results[index] = work(item)

    others = [Beside(take) for _ in range(min(threads, len(items)) - 1)]
    try:
        take()
    finally:
        waiting.clear()
        for other in others:
            other.result()
    return [results[index] for index in range(len(items))]
