"""Kills real imports at random moments, starts them again, and compares the stores: ``make kill-import``.

Each trial imports a folder of pictures with `gigsheet import`, kills it (SIGKILL) once to three times at moments drawn
evenly from the time that a whole import takes, then lets it finish. Lost is what the store then lacks, twice what it
has too often.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.event.state import state_of

from gigsheet.errors import UsageError


def start(photos: Path, event: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "gigsheet", "import", str(photos), "--event", str(event)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def whole(photos: Path, event: Path) -> float:
    """Imports without being disturbed; returns the seconds that it took."""
    started = time.monotonic()
    status = start(photos, event).wait()
    if status not in (0, 1):
        sys.exit(f"the import itself ended with status {status}")
    return time.monotonic() - started


def trial(photos: Path, event: Path, seconds: float, rng: random.Random) -> tuple[int, int]:
    """(kills that met a running import, pages that were in the store when the last of them came)."""
    kills = 0
    for _ in range(rng.randint(1, 3)):
        process = start(photos, event)
        time.sleep(rng.uniform(0, seconds))
        kills += process.poll() is None
        process.kill()
        process.wait()
    try:
        stored = len(state_of(event)["pages"])
    except UsageError:  # killed before there was a store, or while it was being made
        stored = 0
    whole(photos, event)
    return kills, stored


def compare(state: dict[str, Any], expected: dict[str, Any]) -> tuple[int, int]:
    """(Things lost, things there twice or too many) over everything that a store holds."""
    lost = twice = 0
    for kind, items in expected.items():
        have = list(map(str, state[kind]))
        want = list(map(str, items))
        lost += sum(max(0, want.count(item) - have.count(item)) for item in set(want))
        twice += sum(max(0, have.count(item) - want.count(item)) for item in set(have))
    return lost, twice


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path, help="a folder of pictures")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds = whole(options.photos, folder / "whole")
        expected = state_of(folder / "whole")
        print(f"{len(expected['pages'])} pages, {seconds:.1f} s undisturbed", flush=True)
        kills = lost = twice = halfway = 0
        for k in range(1, options.times + 1):
            event = folder / "event"
            met, stored = trial(options.photos, event, seconds, rng)
            a, b = compare(state_of(event), expected)
            kills, lost, twice = kills + met, lost + a, twice + b
            halfway += 0 < stored < len(expected["pages"])
            print(f"trial {k}: {met} killed, {stored} pages stored by then, {a} lost, {b} twice", flush=True)
            shutil.rmtree(event)
    print(f"{options.times} trials, {kills} kills, {halfway} trials stopped half way: {lost} lost, {twice} twice")
    sys.exit(1 if lost or twice else 0)


if __name__ == "__main__":
    main()
