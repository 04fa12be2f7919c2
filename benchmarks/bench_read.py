"""Photo to transcript, everything, against `cv2.imread` (colour) of the same photo: in turn, in one process, 2 threads.

    python benchmarks/bench_read.py PHOTO... [--rounds 15]

Prints medians: milliseconds of imread, multiples of it for the reading and for each stage, peak memory, and how long
a cold `gigsheet read` takes beside a bare `python -c "import cv2, onnxruntime"`.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import cv2

from gigsheet.pipeline import Options, read_pages

STAGES = ("load", "page", "recognise", "decode")


def timed(action: object) -> float:
    started = time.perf_counter()
    action()  # type: ignore[operator]
    return (time.perf_counter() - started) * 1000


def measure(photo: Path, rounds: int, options: Options) -> dict[str, float]:
    """Medians of `rounds` rounds for one photo, imread and reading in turn."""
    samples: dict[str, list[float]] = {name: [] for name in ("imread", "read", "ratio", *STAGES)}
    rows = 0
    for _ in range(rounds + 1):
        imread = timed(lambda: cv2.imread(str(photo)))
        started = time.perf_counter()
        (page,) = read_pages(photo, options)
        total = (time.perf_counter() - started) * 1000
        (reading,) = page.readings
        rows = sum(len(game.rows) for game in reading.games)
        for name, value in (("imread", imread), ("read", total), ("ratio", total / imread)):
            samples[name].append(value)
        for stage in STAGES:
            samples[stage].append(reading.timings_ms.get(stage, 0.0) / imread)
    return {name: statistics.median(values[1:]) for name, values in samples.items()} | {"rows": rows}


def cold(photo: Path, rounds: int) -> tuple[float, float]:
    """Median seconds of a cold reading and of the bare imports, in turn."""
    commands = (
        [sys.executable, "-m", "gigsheet", "read", str(photo)],
        [sys.executable, "-c", "import cv2, onnxruntime"],
    )
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for command, seen in zip(commands, times, strict=True):
            seen.append(timed(lambda command=command: subprocess.run(command, capture_output=True)))
    return statistics.median(times[0][1:]) / 1000, statistics.median(times[1][1:]) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    cv2.setNumThreads(2)
    print(f"{'photo':<16} rows imread ms    read x " + "".join(f"{stage:>11}" for stage in STAGES))
    ratios = []
    for photo in arguments.photos:
        figures = measure(photo, arguments.rounds, Options())
        ratios.append(figures["ratio"])
        stages = "".join(f"{figures[stage]:>11.2f}" for stage in STAGES)
        print(f"{photo.name:<16} {figures['rows']:>4} {figures['imread']:>9.1f} {figures['ratio']:>9.2f} {stages}")
    print(f"median of {len(ratios)} photos: {statistics.median(ratios):.2f} x imread, worst {max(ratios):.2f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    ours, bare = cold(arguments.photos[0], 5)
    print(f"cold: gigsheet read {ours:.2f} s, bare imports {bare:.2f} s, ratio {ours / bare:.2f}")


if __name__ == "__main__":
    main()
