"""Work shared out over threads: nothing is lost, nothing changes places, an error reaches whoever asked."""

from __future__ import annotations

import threading
import time

import pytest

from gigsheet._threads import Beside, spread


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_results_keep_the_order_of_the_items(threads: int, count: int) -> None:
    assert spread(lambda n: n * n, range(count), threads) == [n * n for n in range(count)]


def test_as_many_threads_as_asked_for_work_at_once() -> None:
    together = threading.Barrier(3, timeout=30)
    assert len(spread(lambda _: together.wait(), range(3), 3)) == 3


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("bad", [0, 1, 9])
def test_an_error_is_raised_once_all_have_stopped(threads: int, bad: int) -> None:
    working = set()

    def work(n: int) -> None:
        working.add(n)
        try:
            time.sleep(0.01)
            if n == bad:
                raise KeyError(n)
        finally:
            working.remove(n)

    with pytest.raises(KeyError):
        spread(work, range(10), threads)
    assert not working


def test_what_is_done_beside_gives_its_result_or_raises_its_error() -> None:
    assert Beside(lambda: 3).result() == 3
    failed = Beside(lambda: [][0])
    with pytest.raises(IndexError):
        failed.result()
