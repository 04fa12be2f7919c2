"""The table of the README: every set read from photograph to transcript, with and without the rules.

    python benchmarks/measure.py SETS [--eval ../shared/eval] [--plot docs/risk-coverage.svg]

SETS is a folder made by ../shared/eval/standard.sh. What counts as right, silent and in doubt is decided by score.py,
which is imported from --eval and shares nothing with the project.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
from rich.progress import track

import corpus
from gigsheet.pipeline import Options, ReadPage, read_pages
from gigsheet.reading_json import to_dict
from gigsheet.recognise import get_engine

COLUMNS = {"clean, scan, photo": ("clean", "scan", "photo"), "hard, free, match": ("hard", "free", "match")}
TIMED = 15
"""Sheets a set on which time is taken, in turn with imread."""


@dataclass
class Measured:
    """What was counted over one set or several."""

    counts: Counter[str] = field(default_factory=Counter)
    plain: Counter[str] = field(default_factory=Counter)
    confidence: list[tuple[float, bool]] = field(default_factory=list)
    over_corrected: list[tuple[str, str, int, str, str]] = field(default_factory=list)
    misses: list[tuple[Any, ...]] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)

    def __add__(self, other: Measured) -> Measured:
        return Measured(
            self.counts + other.counts,
            self.plain + other.plain,
            self.confidence + other.confidence,
            self.over_corrected + other.over_corrected,
            self.misses + other.misses,
            self.ratios + other.ratios,
        )


def load_score(folder: Path) -> ModuleType:
    """The set makers' own score.py."""
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{folder} has no score.py: name the folder with --eval")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_set(folder: Path, options: Options) -> list[dict[str, Any]]:
    """All sheets of a set as `gigsheet read --format json` prints them."""
    images = [folder / truth["image"] for truth in corpus.truths(folder)]
    what = f"{folder.name} {'with' if options.rules else 'without'} rules"
    pages: Iterator[ReadPage] = (
        page for image in track(images, what, transient=True) for page in read_pages(image, options)
    )
    return [to_dict(reading) for page in pages for reading in page.readings]


def row_texts(readings: Sequence[dict[str, Any]], squash: Callable[[str], str]) -> dict[tuple[str, str, int], str]:
    return {
        (Path(reading["source"]).name, str(game["game"]), row["turn"]): squash(row["text"])
        for reading in readings
        for game in reading["games"]
        for row in game["rows"]
    }


def measure_set(folder: Path, options: Options, score: ModuleType) -> Measured:
    truths = {truth["image"]: truth for truth in corpus.truths(folder)}
    with_rules = read_set(folder, options)
    by_ink = read_set(folder, Options(options.engine, rules=False, risk=options.risk))
    counts, misses, lists = score.score(truths, with_rules)
    plain, _, _ = score.score(truths, by_ink)
    found = Measured(counts, plain, lists["confidence"], [], [(folder.name, *miss) for miss in misses])
    ink, ruled = row_texts(by_ink, score.squash), row_texts(with_rules, score.squash)
    for image, truth in truths.items():
        for number, game in truth["games"].items():
            for turn, entries in enumerate(game["rows"], 1):
                key = (image, number, turn)
                written = score.squash("".join(entries))
                if ink.get(key) == written != ruled.get(key, written):
                    found.over_corrected.append((f"{folder.name}/{image}", number, turn, written, ruled[key]))
    found.ratios = time_ratios([folder / image for image in list(truths)[:TIMED]], options)
    return found


def time_ratios(images: Sequence[Path], options: Options) -> list[float]:
    """Photograph to transcript as a multiple of imread in colour, timed in turn."""
    ratios = []
    for image in images:
        start = time.perf_counter()
        cv2.imread(str(image), cv2.IMREAD_COLOR)
        imread = time.perf_counter() - start
        start = time.perf_counter()
        list(read_pages(image, options))
        ratios.append((time.perf_counter() - start) / imread)
    return ratios


def rate(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} % ({part}/{whole})" if whole else "-"


def lines(found: Measured, score: ModuleType) -> dict[str, str]:
    """One column of the table."""
    c, rows = found.counts, found.counts["rows"]
    return {
        "sheets found": rate(c["sheets"] - c["sheets_not_found"], c["sheets"]),
        "rows right, grammar alone": rate(found.plain["rows_right"], found.plain["rows"]),
        "rows right, with rules": rate(c["rows_right"], rows),
        "silent wrong rows": rate(c["rows_silent"], rows),
        "rows flagged": rate(c["rows_flagged"], rows),
        "rows in doubt": rate(c["rows_doubted"], rows),
        "flagged though right": rate(c["rows_flagged_though_right"], rows),
        "right among the first five": rate(c["rows_right_in_five"], rows),
        "slips as written": f"{rate(c['slip_rows_as_written'], c['slip_rows'])}, silent {c['slip_rows_silent']}",
        "over-corrections": rate(len(found.over_corrected), rows),
        "`first:` right, silent": f"{rate(c['first_right'], c['first'])}, {c['first_silent']}",
        "result right, silent": f"{rate(c['result_right'], c['result'])}, {c['result_silent']}",
        "calibration error": f"{100 * score.calibration_error(found.confidence):.2f} %",
        "time, x imread": f"{statistics.median(found.ratios):.2f}" if found.ratios else "-",
    }


def table(columns: dict[str, Measured], score: ModuleType) -> str:
    filled = {name: lines(found, score) for name, found in columns.items()}
    heads = list(filled)
    out = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    labels = next(iter(filled.values()))
    out += [f"| {label} | " + " | ".join(filled[name][label] for name in heads) + " |" for label in labels]
    return "\n".join(out)


def risk_coverage(pairs: Sequence[tuple[float, bool]]) -> list[tuple[float, float]]:
    """(share of rows flagged, share of all rows wrong and not flagged) for every threshold, most flagged first."""
    ordered = sorted(pairs, reverse=True)
    points, wrong = [(1.0, 0.0)], 0
    for kept, (_, right) in enumerate(ordered, 1):
        wrong += not right
        points.append((1 - kept / len(ordered), wrong / len(ordered)))
    return points


def plot(curves: dict[str, list[tuple[float, float]]], most_flagged: float = 0.25, worst: float = 0.03) -> str:
    """Risk against flagged rows as an SVG."""
    width, height, left, top = 560, 360, 64, 24
    across, down = width - left - 20, height - top - 56

    def place(flagged: float, silent: float) -> str:
        return f"{left + across * flagged / most_flagged:.1f},{top + down * (1 - min(silent, worst) / worst):.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for k in range(6):
        x, y = left + across * k / 5, top + down * (1 - k / 5)
        parts += [
            f'<path d="M{x:.0f} {top}V{top + down}M{left} {y:.0f}H{left + across}" stroke="#ddd"/>',
            f'<text x="{x:.0f}" y="{top + down + 18}" text-anchor="middle">{100 * most_flagged * k / 5:.0f} %</text>',
            f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{100 * worst * k / 5:.1f} %</text>',
        ]
    for k, (name, points) in enumerate(curves.items()):
        colour = ("#1b6ca8", "#c8553d", "#5b8c5a", "#8e6c8a")[k % 4]
        inside = " ".join(place(*point) for point in points if point[0] <= most_flagged)
        parts += [
            f'<polyline points="{inside}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<text x="{left + across - 8}" y="{top + 18 + 16 * k}" text-anchor="end" fill="{colour}">{name}</text>',
        ]
    parts += [
        f'<text x="{left + across / 2:.0f}" y="{height - 16}" text-anchor="middle">rows flagged</text>',
        f'<text x="16" y="{top + down / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 16 {top + down / 2:.0f})">rows wrong and not flagged</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, help="the folder of the standard sets")
    parser.add_argument("--eval", type=Path, default=Path("../shared/eval"))
    parser.add_argument("--engine", default="ctc")
    parser.add_argument("--risk", type=float, default=0.001)
    parser.add_argument("--only", nargs="*", default=[], metavar="SET", help="these sets and no others")
    parser.add_argument("--plot", type=Path, help="write the risk-coverage curve here, as SVG")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="also print N wrong rows")
    options = parser.parse_args()
    wanted = [s for sets in COLUMNS.values() for s in sets if not options.only or s in options.only]
    present = [name for name in wanted if (options.sets / name).is_dir()]
    if not present:
        sys.exit(f"{options.sets} holds none of {', '.join(wanted)}: make them with standard.sh of {options.eval}")
    score = load_score(options.eval)
    reading = Options(engine=options.engine, risk=options.risk)
    get_engine(reading.engine)
    found = {name: measure_set(options.sets / name, reading, score) for name in present}
    pooled = {
        column: sum((found[name] for name in sets if name in found), Measured())
        for column, sets in COLUMNS.items()
        if any(name in found for name in sets)
    }
    print(table(found, score), table(pooled, score), sep="\n\n")
    curves = {column: risk_coverage(measured.confidence) for column, measured in pooled.items()}
    if options.plot:
        options.plot.write_text(plot(curves), encoding="utf-8")
    for measured in found.values():
        for case in measured.over_corrected:
            print("over-corrected:", *case)
    for miss in [miss for measured in found.values() for miss in measured.misses][: options.misses]:
        print("wrong:", *miss)


if __name__ == "__main__":
    main()
