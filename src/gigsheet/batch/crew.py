"""Who does the reading: processes on this machine, or an existing Dask cluster; both through `concurrent.futures`."""

from __future__ import annotations

import multiprocessing
import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Protocol, Self, TypeVar

from gigsheet.batch.worker import load_reader, start_worker
from gigsheet.errors import MissingExtraError, UsageError

T = TypeVar("T")
_CONNECT_SECONDS = 15


class Crew(Protocol):
    """An executor that can be made anew after one of its workers died.

    Attributes:
        workers: how many parts are read at a time.
        travels: a part must carry its bytes, since the workers may not see this machine's disk.
    """

    workers: int
    travels: bool

    def submit(self, work: Callable[..., T], *args: Any) -> Future[T]: ...

    def renew(self) -> None:
        """Replaces workers that died; what they were reading has failed with `BrokenExecutor`."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Closing(ABC):
    """A crew that is closed as its `with` ends."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None: ...


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Keeps Ctrl-C back, from this process until the end of the `with`, from those that it starts there for good.

    A terminal sends it to all of them, even while they load, and it is the parent who says when to stop.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class LocalCrew(_Closing):
    """A process a core. Processes are spawned, not forked, so that it is the same on every system and with threads."""

    travels = False

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or cores()
        self._pool = self._start()

    def _start(self) -> Executor:
        pool = ProcessPoolExecutor(self.workers, multiprocessing.get_context("spawn"), start_worker)
        # A process starts when it is first needed: here, while the first scan is kept.
        with _deaf_to_interrupts():
            for _ in range(self.workers):
                pool.submit(load_reader)
        return pool

    def submit(self, work: Callable[..., T], *args: Any) -> Future[T]:
        try:
            return self._pool.submit(work, *args)
        except BrokenExecutor:
            self.renew()
            return self._pool.submit(work, *args)

    def renew(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._start()

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class ClusterCrew(_Closing):
    """The workers of a Dask cluster. The scheduler keeps each part until it was read, so a lost worker loses nothing.

    Raises:
        MissingExtraError: `distributed` is not installed.
        UsageError: no scheduler answers there, it has no workers, or they have another Gigsheet.
    """

    travels = True

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise MissingExtraError("--scheduler", "cluster") from None
        try:
            self._client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError, TypeError):
            raise UsageError(
                f"no Dask scheduler answers at {address}: check the address (tcp://host:8786) and that it runs"
            ) from None
        self.workers = sum(
            worker["nthreads"] for worker in self._client.scheduler_info(n_workers=-1)["workers"].values()
        )
        self._check_workers(address)
        self._pool: Executor = self._client.get_executor(pure=False, retries=2)

    def _check_workers(self, address: str) -> None:
        if not self.workers:
            raise UsageError(f"the scheduler at {address} has no workers: start some with `dask worker {address}`")
        ours = version("gigsheet")
        for worker, theirs in self._client.run(version, "gigsheet", on_error="return").items():
            if theirs != ours:
                have = f"has Gigsheet {theirs}" if isinstance(theirs, str) else "has no Gigsheet"
                raise UsageError(f"the worker {worker} {have}, needed is {ours}: install it there with pip")

    def submit(self, work: Callable[..., T], *args: Any) -> Future[T]:
        future: Future[T] = self._pool.submit(work, *args)
        return future

    def renew(self) -> None:
        """Nothing to do: the scheduler gives a lost worker's parts to the others."""

    def close(self) -> None:
        self._pool.shutdown(wait=False)
        self._client.close()
