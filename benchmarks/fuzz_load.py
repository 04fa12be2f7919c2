"""Damaged files through the whole reading: nothing may crash it, hang it, or fill the memory.

    python benchmarks/fuzz_load.py --count 10000
    python benchmarks/fuzz_load.py --seed 1234 --count 1 --keep /tmp   # one file again, and keep it

Each file is one of every format, with bits flipped, bytes overwritten, its end cut off, or the head of another on it
(tests/support/files.py), read in another process. One that kills it, takes more than 10 s of CPU time, grows it over
1 GB, or raises anything, is a finding. Exit status 1 with any finding.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.support is no installed package

from tests.support.files import damaged, seeds

CPU_SECONDS = 10
WALL_SECONDS = 120
"""For what waits without working; generous, since other work may be on the machine."""
MOST_BYTES = 1 << 30


@dataclass
class Report:
    """What became of the files: how many, how each ended, and the findings as (seed, what)."""

    files: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    findings: list[tuple[int, str]] = field(default_factory=list)
    peak_bytes: int = 0
    slowest: tuple[float, int] = (0.0, -1)


def read_all(seeds_in: Connection, stage: str) -> None:
    """In a worker: reads the damaged file of every seed that comes, answers how it ended."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # the timer's signal ends the process
    while (seed := seeds_in.recv()) is not None:
        _, data = damaged(seed)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        start = time.process_time()
        try:
            end, finding = _ends(data, stage), ""
        except BaseException as e:
            end, finding = "raised", f"{type(e).__name__}: {e}"
        seconds = time.process_time() - start
        signal.setitimer(signal.ITIMER_PROF, 0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        seeds_in.send((seed, end, finding, seconds, peak))


def _ends(data: bytes, stage: str) -> str:
    """How the reading ended: the codes of its pages, in a word."""
    if stage == "load":
        from gigsheet.vision.load import PageFailure, load

        codes = [i.error.code if isinstance(i, PageFailure) else "read" for i in load(data)]
    else:
        from gigsheet.pipeline import read

        codes = [r.error or "read" for r in read(data)]
    if not codes:
        raise AssertionError("neither a page nor an error came")
    return "read" if "read" in codes else codes[0]


class Worker:
    """One process that reads, and the seed that it is at."""

    def __init__(self, stage: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=read_all, args=(theirs, stage), daemon=True)
        self.process.start()
        theirs.close()
        self.seed, self.since = -1, 0.0

    def give(self, seed: int) -> None:
        self.seed, self.since = seed, time.monotonic()
        self.pipe.send(seed)

    def end(self) -> None:
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()


def fuzz(seed_range: range, stage: str = "read", jobs: int = 2, progress: bool = False) -> Report:
    """Reads the damaged files of these seeds, in `jobs` processes."""
    report, left = Report(), iter(seed_range)
    workers: dict[Connection, Worker] = {}

    def start() -> None:
        seed = next(left, None)
        if seed is not None:
            worker = Worker(stage)
            worker.give(seed)
            workers[worker.pipe] = worker

    for _ in range(jobs):
        start()
    while workers:
        ready = wait(list(workers), timeout=1)
        for pipe in ready:
            worker = workers[pipe]  # type: ignore[index]
            try:
                seed, end, finding, seconds, peak = worker.pipe.recv()
            except (EOFError, ConnectionError):
                _died(worker, report)
                del workers[worker.pipe]
                worker.end()
                start()
                continue
            _note(report, seed, end, finding, seconds, peak)
            following = next(left, None)
            if following is None or peak > MOST_BYTES:
                del workers[worker.pipe]
                worker.end()
                if following is not None:
                    replacement = Worker(stage)
                    replacement.give(following)
                    workers[replacement.pipe] = replacement
            else:
                worker.give(following)
        for worker in [w for w in workers.values() if time.monotonic() - w.since > WALL_SECONDS]:
            report.files += 1
            report.findings.append((worker.seed, f"waited for {WALL_SECONDS} s"))
            del workers[worker.pipe]
            worker.end()
            start()
        if progress and ready and report.files % 100 == 0:
            print(f"\r{report.files} of {len(seed_range)} files, {len(report.findings)} findings", end="", flush=True)
    return report


def _note(report: Report, seed: int, end: str, finding: str, seconds: float, peak: int) -> None:
    report.files += 1
    report.ends[end] += 1
    report.peak_bytes = max(report.peak_bytes, peak)
    report.slowest = max(report.slowest, (seconds, seed))
    if finding:
        report.findings.append((seed, finding))
    if peak > MOST_BYTES:
        report.findings.append((seed, f"memory grew to {peak >> 20} MB"))


def _died(worker: Worker, report: Report) -> None:
    worker.process.join(5)
    code = worker.process.exitcode
    hung = code == -signal.SIGPROF
    what = f"ran for more than {CPU_SECONDS} s" if hung else f"the process died (exit status {code})"
    report.files += 1
    report.ends["hung" if hung else "died"] += 1
    report.findings.append((worker.seed, what))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--stage", choices=["read", "load"], default="read", help="load: only the decoding of files")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a folder for the files of findings (of all, when there is one)")
    wish = parser.parse_args()
    start = time.monotonic()
    report = fuzz(range(wish.seed, wish.seed + wish.count), wish.stage, wish.jobs, progress=True)
    print(f"\n{report.files} files in {time.monotonic() - start:.0f} s, of {len(seeds())} kinds; how they ended:")
    for end, count in report.ends.most_common():
        print(f"  {count:6}  {end}")
    print(
        f"slowest {report.slowest[0]:.1f} s of CPU (seed {report.slowest[1]}), "
        f"memory {report.peak_bytes >> 20} MB at most"
    )
    keep = [wish.seed] if wish.count == 1 else [seed for seed, _ in report.findings]
    for seed in keep if wish.keep else []:
        name, data = damaged(seed)
        (wish.keep / f"{seed}-{name}").write_bytes(data)
    for seed, what in report.findings:
        print(f"  FINDING seed {seed} ({damaged(seed)[0]}): {what}")
    print("no finding" if not report.findings else f"{len(report.findings)} findings")
    return int(bool(report.findings))


if __name__ == "__main__":
    sys.exit(main())
