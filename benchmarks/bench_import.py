"""What an import costs: time beside merely decoding the pictures, memory, and a large store's answers.

    python -m benchmarks.bench_import PHOTOS [--count 400] [--pages 2000] [--only photos|pdf|store]

The photos of a folder are repeated under different bytes until there are enough. The yardstick is two processes (one a
core) that share the same files and do nothing but `cv2.imread` them; yardstick and import are run in turn.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import cv2
from tests.event.stack import game_of, sheet

from gigsheet.batch.crew import cores
from gigsheet.notation.simulate import simulate_game
from gigsheet.store import PageTurn, Store
from gigsheet.store.scans import ScanFile

COMMENT = b"\xff\xfe"


def repeated(photos: Path, count: int, folder: Path) -> Path:
    """`count` JPEG files of different content: a comment behind the file's first marker changes no pixel."""
    originals = sorted(photos.glob("*.jpg"))
    folder.mkdir()
    for k in range(count):
        data = originals[k % len(originals)].read_bytes()
        note = f"copy {k}".encode()
        marked = data[:2] + COMMENT + (len(note) + 2).to_bytes(2, "big") + note + data[2:]
        (folder / f"photo{k + 1}.jpg").write_bytes(marked)
    return folder


class Cost(NamedTuple):
    """Seconds by the clock, and seconds of all cores together, which other load on the machine lengthens less."""

    clock: float
    cpu: float


def decode(paths: list[Path]) -> float:
    """Decodes pictures and drops them; returns the CPU seconds."""
    cv2.setNumThreads(1)
    started = time.process_time()
    for path in paths:
        if cv2.imread(str(path)) is None:
            raise ValueError(f"{path} could not be decoded")
    return time.process_time() - started


def yardstick(folder: Path) -> Cost:
    """What it costs a process a core to `cv2.imread` everything in a folder."""
    paths = sorted(folder.iterdir())
    with multiprocessing.get_context("spawn").Pool(cores()) as pool:
        pool.map(decode, [[] for _ in range(cores())])
        started = time.monotonic()
        cpu = sum(pool.imap_unordered(decode, [[path] for path in paths], chunksize=4))
        return Cost(time.monotonic() - started, cpu)


class Memory(threading.Thread):
    """Watches the memory of a process and all below it (proportional set size, so that shared pages count once)."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.samples: list[float] = []
        self._stop_asked = threading.Event()

    def run(self) -> None:
        while not self._stop_asked.wait(0.5):
            total = sum(_pss(pid) for pid in _family(self.pid))
            if total:
                self.samples.append(total / 1e6)

    def stop(self) -> None:
        self._stop_asked.set()
        self.join()

    def said(self) -> str:
        if len(self.samples) < 8:
            return "too short to say"
        quarter = len(self.samples) // 4
        early, late = statistics.median(self.samples[quarter : 2 * quarter]), statistics.median(self.samples[-quarter:])
        return f"at most {max(self.samples):.0f} MB, second quarter {early:.0f} MB, last quarter {late:.0f} MB"


def _pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def _family(pid: int) -> list[int]:
    found = [pid]
    for member in found:
        for task in Path(f"/proc/{member}/task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split()]
            except OSError:
                continue
    return found


def timed(*arguments: str) -> tuple[Cost, Memory]:
    """Cost and memory of a `gigsheet` command, its workers included; it must not end with 2."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [sys.executable, "-m", "gigsheet", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    memory = Memory(process.pid)
    started = time.monotonic()
    memory.start()
    status = process.wait()
    seconds = time.monotonic() - started
    memory.stop()
    if status not in (0, 1):
        sys.exit(f"gigsheet {' '.join(arguments)} ended with status {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), memory


def said(cost: Cost, imreads: list[Cost]) -> str:
    """An import beside the yardsticks measured around it."""
    clock = statistics.mean(imread.clock for imread in imreads)
    cpu = statistics.mean(imread.cpu for imread in imreads)
    around = ", ".join(f"{imread.clock:.1f} s ({imread.cpu:.1f} s of CPU)" for imread in imreads)
    return (
        f"  merely cv2.imread: {around}\n"
        f"  import / imread: {cost.clock / clock:.2f} by the clock, {cost.cpu / cpu:.2f} by CPU time, wanted 1.5"
    )


def bench_photos(photos: Path, count: int, pages: int, folder: Path) -> None:
    stack = repeated(photos, count, folder / "stack")
    os.sync()  # what this benchmark wrote is on the disk before the import begins
    before = yardstick(stack)
    cost, memory = timed("import", str(stack), "--event", str(folder / "event"))
    after = yardstick(stack)
    print(f"{count} photos on {cores()} cores: {cost.clock:.1f} s ({cost.cpu:.1f} s of CPU), memory {memory.said()}")
    print(said(cost, [before, after]), flush=True)
    cost, _ = timed("import", str(stack), "--event", str(folder / "event"))
    print(f"  the same again, all known: {cost.clock:.1f} s ({cost.cpu:.1f} s of CPU)", flush=True)
    if pages:
        more = repeated(photos, pages, folder / "more")
        cost, memory = timed("import", str(more), "--event", str(folder / "large"))
        print(f"{pages} photos: {cost.clock:.1f} s ({cost.cpu:.1f} s of CPU), memory {memory.said()}", flush=True)


def bench_pdf(photos: Path, count: int, folder: Path) -> None:
    stack = repeated(photos, count, folder / "pages")
    pdf = folder / "stack.pdf"
    _pdf_of(sorted(stack.iterdir()), pdf)
    os.sync()
    before = yardstick(stack)
    cost, memory = timed("import", str(pdf), "--event", str(folder / "pdf-event"))
    after = yardstick(stack)
    print(f"one PDF of {count} pages: {cost.clock:.1f} s ({cost.cpu:.1f} s of CPU), memory {memory.said()}")
    print(said(cost, [before, after]), flush=True)


def _pdf_of(photos: list[Path], pdf: Path) -> None:
    """A scanner's PDF: each page holds one JPEG, as it is."""
    import pypdfium2 as pdfium

    document = pdfium.PdfDocument.new()
    for photo in photos:
        image = pdfium.PdfImage.new(document)
        image.load_jpeg(photo, inline=True)
        width, height = image.get_px_size()
        page = document.new_page(width * 0.24, height * 0.24)
        image.set_matrix(pdfium.PdfMatrix().scale(width * 0.24, height * 0.24))
        page.insert_obj(image)
        page.gen_content()
        page.close()
    document.save(pdf)


def large_store(event: Path, sheets: int) -> None:
    """A store of simulated games, a tenth of their rows in doubt, without pictures being read."""
    rng = random.Random(1)
    crop = os.urandom(7000)
    with Store(event, create=True) as store:
        for k in range(sheets):
            texts = [line.partition("|")[2].strip() for line in simulate_game(rng).text.splitlines() if "|" in line]
            doubt = {turn: "A1" for turn in range(1, len(texts) + 1) if rng.random() < 0.1}
            reading = sheet(f"7F3K-{k:04}", game_of(texts, doubt=doubt), source=f"photo{k}.jpg")
            scan_id = store.add_scan(ScanFile(f"{k:064x}", ".jpg", 1, reading.source, Path("x")), 1)
            crops = {(0, 1, turn): crop for turn in doubt}
            store.save_page(scan_id, PageTurn(1), "simulated", [reading], crops)


def bench_store(sheets: int, folder: Path) -> None:
    event = folder / "store"
    large_store(event, sheets)
    python = [sys.executable, "-m", "gigsheet"]

    def run(*arguments: str, text: str = "") -> Callable[[], None]:
        return lambda: void(subprocess.run([*python, *arguments], input=text, capture_output=True, text=True))

    def void(_: object) -> None:
        return None

    commands = {
        "bare start (gigsheet --help)": run("--help"),
        "status": run("status", "--event", str(event)),
        "export": run("export", "--event", str(event)),
        "next flagged row (settle, then quit)": run("settle", "--event", str(event), text="q\n"),
    }
    print(f"a store of {sheets} sheets, median of 5 whole commands:")
    for name, command in commands.items():
        times = []
        for _ in range(5):
            started = time.perf_counter()
            command()
            times.append(time.perf_counter() - started)
        print(f"  {name}: {statistics.median(times):.2f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path, help="a folder of JPEG photos of filled sheets")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--pages", type=int, default=2000, help="0 leaves the long stack out")
    parser.add_argument("--only", choices=("photos", "pdf", "store"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.only in (None, "photos"):
            bench_photos(options.photos, options.count, options.pages, folder)
        if options.only in (None, "pdf"):
            bench_pdf(options.photos, options.count, folder)
        if options.only in (None, "store"):
            bench_store(2000, folder)


if __name__ == "__main__":
    main()
