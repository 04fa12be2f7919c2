"""Time of the recogniser: all rows of a sheet, by one colour cv2.imread of the sheet's own photo.

    python benchmarks/bench_recogniser.py SET --cache CACHE [--sheets N] [--repeat N]

Both are timed in turn in one process and the medians over all sheets compared, so that other load on the machine falls
on both alike. Also: adapting to the writer when one row in three brings news, preparing the engine, the weights' size.
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
from gigsheet.recognise.adapt import adapted
from gigsheet.recognise.ctc import WEIGHTS, CtcEngine
from gigsheet.training.figures import greedy


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
    reading, recognising, adapting, columns = [], [], [], []
    for sheet in sheets:
        strips = [s for s in sheet.strips if not s.blank]
        columns.append(sum(s.pixels.shape[1] for s in strips))
        for _ in range(options.repeat):
            start = time.perf_counter()
            cv2.imread(str(options.set / sheet.image))
            read = time.perf_counter()
            glyphs = engine.recognise(strips)
            recognised = time.perf_counter()
            # Every third row is said to end otherwise than it was read.
            texts = [greedy(g.log_probs)[0] for g in glyphs]
            texts = [t[:-1] + "8" if k % 3 == 0 and t else t for k, t in enumerate(texts)]
            prepared = time.perf_counter()
            adapted(glyphs, texts)
            adapting.append(time.perf_counter() - prepared)
            reading.append(read - start)
            recognising.append(recognised - read)
    imread, recognise, adapt = (statistics.median(t) for t in (reading, recognising, adapting))
    print(f"{len(sheets)} sheets of {statistics.mean(columns):.0f} columns, medians, {options.threads} threads")
    print(f"imread {1000 * imread:.1f} ms")
    print(f"recognise {1000 * recognise:.1f} ms = {recognise / imread:.3f} x imread")
    print(f"adapt to the writer {1000 * adapt:.1f} ms = {adapt / imread:.3f} x imread")
    program = (
        "import time; import numpy, gigsheet.recognise.ctc as c; t = time.perf_counter(); c.CtcEngine().prepare(); "
        "print(time.perf_counter() - t)"
    )
    cold = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    print(f"import onnxruntime and load the weights {1000 * float(cold.stdout):.0f} ms")
    print(f"weights {WEIGHTS.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
