"""How long printing takes: `python benchmarks/bench_blank.py`.

400 filled-in sheets of every template, CPU seconds of one core, the median of three rounds; the issue allows 10 s.
"""

from __future__ import annotations

import statistics
import time

from gigsheet.sheet.printing import Sheet, print_sheets
from gigsheet.sheet.serial import serials
from gigsheet.sheet.template import load_template, templates

COUNT = 400
ROUNDS = 3


def main() -> None:
    filled = {"we": "Anna Nowak", "they": "Béla Kovács", "event": "Night City Open", "round": "3", "table": "12"}
    sheets = [Sheet(serial, filled) for serial in serials(COUNT, "7F3K-1")]
    for name, paper in templates():
        times, size = [], 0
        for _ in range(ROUNDS):
            start = time.process_time()
            size = len(print_sheets(load_template(name, paper), sheets))
            times.append(time.process_time() - start)
        print(f"{name} on {paper}: {COUNT} sheets in {statistics.median(times):.2f} s, {size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
