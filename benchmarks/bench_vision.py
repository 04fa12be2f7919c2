"""What finding and cropping cost, by one colour `cv2.imread` of the same file: `bench_vision.py PHOTO...`

Timed in turn in one process, each photo several times, medians of all. Two clocks: wall time, with all threads, which
is what a user waits and what other load on the machine spoils; and CPU time with one thread, which it spoils little.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import cv2

from gigsheet.vision.load import load
from gigsheet.vision.marks import read_marks
from gigsheet.vision.page import find_pages
from gigsheet.vision.picture import Picture
from gigsheet.vision.rows import cut_rows

STEPS = ("imread", "load", "find pages", "cut rows", "read marks")


def lap(clock: Callable[[], float], path: Path) -> list[float]:
    """Milliseconds of each of `STEPS` on one photo."""
    marks = [clock()]
    cv2.imread(str(path))
    marks.append(clock())
    picture = next(p for p in load(path) if isinstance(p, Picture))
    marks.append(clock())
    page = find_pages(picture)[0]
    marks.append(clock())
    cut_rows(page)
    marks.append(clock())
    read_marks(page)
    marks.append(clock())
    return [1e3 * (b - a) for a, b in pairwise(marks)]


def bench(paths: list[Path], rounds: int, clock: Callable[[], float], name: str) -> None:
    lap(clock, paths[0])
    laps = [lap(clock, path) for _ in range(rounds) for path in paths]
    medians = [statistics.median(step) for step in zip(*laps, strict=True)]
    print(f"{name}, {len(laps)} laps, medians")
    for step, ms in zip(STEPS, medians, strict=True):
        print(f"  {step:12s}{ms:8.1f} ms  {ms / medians[0]:5.2f} x imread")
    own = sum(medians[2:])
    total = own + medians[1]
    print(f"  own{own:17.1f} ms  {own / medians[0]:5.2f} x imread; with loading {total / medians[0]:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    bench(args.photos, args.rounds, time.perf_counter, f"wall time, {cv2.getNumThreads()} threads")
    cv2.setNumThreads(1)
    bench(args.photos, args.rounds, time.thread_time, "CPU time, 1 thread")


if __name__ == "__main__":
    main()
