"""Time of the recogniser: all rows of a sheet, by one colour cv2.imread of the sheet's own photo.

    python benchmarks/bench_recogniser.py SET --cache CACHE [--sheets N] [--repeat N]

Both are timed in turn in one process and the medians over all sheets compared, so that other load on the machine falls
on both alike. Also: preparing the engine, the weights' size.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

import cv2

from corpus import cut_sheets
from gigsheet.recognise.ctc import WEIGHTS, CtcEngine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--sheets", type=int, default=15, help="the N sheets with the most rows")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    engine = CtcEngine(threads=options.threads)
    sheets = [s for s in cut_sheets(options.set, options.cache) if s.strips]
    sheets = sorted(sheets, key=lambda s: -sum(not strip.blank for strip in s.strips))[: options.sheets]
    engine.recognise([s for s in sheets[0].strips if not s.blank])
    reading, recognising, columns = [], [], []
    for sheet in sheets:
        strips = [s for s in sheet.strips if not s.blank]
        columns.append(sum(s.pixels.shape[1] for s in strips))
        for _ in range(options.repeat):
            start = time.perf_counter()
            cv2.imread(str(options.set / sheet.image))
            read = time.perf_counter()
            engine.recognise(strips)
            recognised = time.perf_counter()
            reading.append(read - start)
            recognising.append(recognised - read)
    imread, recognise = statistics.median(reading), statistics.median(recognising)
    print(f"{len(sheets)} sheets of {statistics.mean(columns):.0f} columns, medians, {options.threads} threads")
    print(f"imread {1000 * imread:.1f} ms")
    print(f"recognise {1000 * recognise:.1f} ms = {recognise / imread:.3f} x imread")
    program = (
        "import time; import numpy, gigsheet.recognise.ctc as c; t = time.perf_counter(); c.CtcEngine().prepare(); "
        "print(time.perf_counter() - t)"
    )
    cold = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    print(f"import onnxruntime and load the weights {1000 * float(cold.stdout):.0f} ms")
    print(f"weights {sum(path.stat().st_size for path in WEIGHTS) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
