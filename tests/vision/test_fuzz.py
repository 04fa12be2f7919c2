"""A short run of `make fuzz`: damaged files of every kind end in readings or in errors, in bounded time and memory."""

from __future__ import annotations

from benchmarks.fuzz_load import fuzz

from tests.support.files import damaged, seeds


def test_damaged_files_never_crash_hang_or_fill_the_memory() -> None:
    report = fuzz(range(3 * len(seeds())), stage="load", jobs=1)
    assert report.findings == []
    assert report.files == 3 * len(seeds())
    assert len(report.ends) > 1


def test_a_seed_always_gives_the_same_file() -> None:
    assert damaged(5) == damaged(5)
