"""An import that is killed at any moment and started again ends with the same store as one that was left alone."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.event.stack import write_stack
from tests.event.state import state_of

KILLS = 4


def start(event: Path, photos: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.event.driver", str(event), str(photos), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])


def finish(event: Path, photos: Path) -> None:
    assert start(event, photos).communicate(timeout=60)[0].endswith("finished\n")


def test_killed_at_any_moment_nothing_is_lost_and_nothing_is_twice(tmp_path: Path) -> None:
    write_stack(tmp_path / "photos", 24, sleep=0.03)
    finish(tmp_path / "whole", tmp_path / "photos")
    rng = random.Random(7)
    for _ in range(KILLS):
        process = start(tmp_path / "event", tmp_path / "photos")
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(rng.uniform(0, 0.25))
        process.kill()
        process.wait()
    finish(tmp_path / "event", tmp_path / "photos")
    assert state_of(tmp_path / "event") == state_of(tmp_path / "whole")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_workers_end_with_a_killed_import(tmp_path: Path) -> None:
    write_stack(tmp_path / "photos", 40, sleep=0.2)
    process = start(tmp_path / "event", tmp_path / "photos", "1")
    deadline = time.monotonic() + 20
    while not (workers := children(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1.5)
    workers = children(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    while any(alive(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert workers
    assert not [pid for pid in workers if alive(pid)]


def children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(status.parent.name))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
