"""Scores finding and cropping alone, without a recogniser, on sets that shared/eval/make_set.py made.

    python benchmarks/measure_vision.py SET... [--worst N]

A set is a folder of NAME.jpg and NAME.truth.json. Printed: sheets found; row boxes off by (median, 99 %, worst, in mm);
first and result marks right, and wrong with one option likely; written rows taken for blank, blank ones for written.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from pathlib import Path

from gigsheet.errors import PageError
from gigsheet.records import Mark, RowStrip
from gigsheet.vision.load import load
from gigsheet.vision.marks import read_marks
from gigsheet.vision.page import Page, find_pages
from gigsheet.vision.picture import Picture
from gigsheet.vision.rows import cut_rows


def pictures(path: Path) -> list[Picture]:
    return [picture for picture in load(path) if isinstance(picture, Picture)]


def box_error_mm(strip: RowStrip, want: list[list[float]], row_height_mm: float) -> float:
    """As shared/eval/score.py has it: the worst corner, by the scale of the row's left edge."""
    px_per_mm = math.dist(want[0], want[3]) / row_height_mm
    return max(math.dist(p, q) for p, q in zip(strip.quad, want, strict=True)) / px_per_mm


def score_rows(
    strips: tuple[RowStrip, ...], truth: dict, count: Counter, errors: list[float], notes: list[str]
) -> None:
    for strip in strips:
        game = truth["games"].get(str(strip.game))
        written = game is not None and strip.turn <= len(game["rows"])
        if written:
            want = truth["rows_px"][str(strip.game)][str(strip.turn)]
            errors.append(box_error_mm(strip, want, truth["row_height_mm"]))
        count["written"] += written
        count["empty"] += not written
        if written == strip.blank:
            count["lost" if written else "invented"] += 1
            text = " ".join(game["rows"][strip.turn - 1]) if written else ""
            notes.append(
                f"{truth['image']} game {strip.game} turn {strip.turn} {'LOST ' + text if written else 'INVENTED'}"
            )


def score_marks(marks: tuple[Mark, ...], truth: dict, count: Counter, notes: list[str]) -> None:
    for number, game in truth["games"].items():
        for choice in ("first", "result"):
            options = {m.option: m.probability for m in marks if m.game == int(number) and m.choice == choice}
            likely = [o for o, p in options.items() if p > 0.5]
            count[choice] += 1
            if likely == [game[choice]]:
                count[choice + "_right"] += 1
                continue
            count[choice + "_silent"] += len(likely) == 1
            shown = ", ".join(f"{o} {p:.3f}" for o, p in options.items())
            notes.append(f"{truth['image']} game {number} {choice}: {game[choice]} was marked, seen {shown}")


def measure(folder: Path, worst: int) -> None:
    count: Counter = Counter()
    errors: list[float] = []
    notes: list[str] = []
    bad: list[tuple[float, str]] = []
    for file in sorted(folder.glob("*.truth.json")):
        truth = json.loads(file.read_text())
        path = folder / truth["image"]
        count["sheets"] += 1
        try:
            pages: list[Page] = find_pages(pictures(path)[0])
        except PageError as error:
            notes.append(f"{truth['image']} {error.code}")
            continue
        count["found"] += 1
        count["flagged"] += bool(pages[0].flags)
        before = len(errors)
        score_rows(cut_rows(pages[0]), truth, count, errors, notes)
        here = max(errors[before:], default=0.0)
        bad.append((here, f"{truth['image']} {here:.2f} mm, residual {pages[0].residual_mm:.2f}, {pages[0].flags}"))
        count["wrong_unflagged"] += here > 1.5 and not pages[0].flags
        count["serial"] += pages[0].serial is not None
        score_marks(read_marks(pages[0]), truth, count, notes)
    errors.sort()
    off = [errors[min(len(errors) - 1, int(q * len(errors)))] for q in (0.5, 0.99, 1.0)] if errors else [math.nan] * 3
    print(
        f"{folder.name}: found {count['found']}/{count['sheets']}, serial read {count['serial']}, "
        f"flagged {count['flagged']}"
    )
    print(f"  row boxes off by {off[0]:.2f} mm, 99 % {off[1]:.2f}, worst {off[2]:.2f} of {len(errors)}", end="; ")
    print(f"sheets over 1.5 mm and not flagged {count['wrong_unflagged']}")
    for choice in ("first", "result"):
        print(
            f"  {choice}: right {count[choice + '_right']}/{count[choice]}, silent wrong {count[choice + '_silent']}",
            end=";",
        )
    print(f" rows lost {count['lost']}/{count['written']}, invented {count['invented']}/{count['empty']}")
    for line in [text for _, text in sorted(bad, reverse=True)[:worst]] + notes[: worst * 4]:
        print("   ", line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="also name the N worst sheets, and misses")
    args = parser.parse_args()
    for folder in args.sets:
        measure(folder, args.worst)


if __name__ == "__main__":
    main()
