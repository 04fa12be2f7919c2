"""Over random pictures of every situation: which sheets are found, which are found wrongly, which are refused and how.

    python benchmarks/measure_capture.py --count 40                    # all situations
    python benchmarks/measure_capture.py bent folded --count 40 -v     # two of them, each miss with its seed

A sheet counts as found when its template is right and its row boxes lie where the rows are; as found wrongly when a
row box is off by more than 1.5 mm and the page is not flagged. Where nobody could read anything a refusal is right.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import zlib
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.support is no installed package

from tests.support.pages import corners
from tests.support.shots import Shot, Truth
from tests.support.situations import SITUATIONS

from gigsheet.errors import GigsheetError
from gigsheet.vision.load import PageFailure, load
from gigsheet.vision.page import Page, find_pages

WRONG_MM = 1.5


@dataclass
class Outcome:
    """What became of one picture: sheets wanted and found, wrongly found ones, a refusal, and row box errors in mm."""

    situation: str
    seed: int
    wanted: int = 0
    found: int = 0
    flagged: int = 0
    wrong: int = 0
    extra: int = 0
    serials: int = 0
    refused: str = ""
    refused_rightly: bool = False
    errors_mm: list[float] = field(default_factory=list)
    milliseconds: float = 0.0

    @property
    def missed(self) -> bool:
        """Whether anything is to be looked at."""
        return bool(self.found < self.wanted or self.wrong or self.extra or (self.refused and not self.refused_rightly))


def shot_of(situation: str, seed: int, megapixels: float) -> Shot:
    """The picture of a situation with this seed; always the same one."""
    return SITUATIONS[situation](np.random.default_rng([zlib.crc32(situation.encode()), seed]), megapixels)


def judge(situation: str, seed: int, megapixels: float) -> Outcome:
    """Makes one picture and lets the reader find its sheets."""
    shot = shot_of(situation, seed, megapixels)
    outcome = Outcome(situation, seed, wanted=len(shot.sheets))
    start = time.perf_counter()
    pages: list[Page] = []
    try:
        for item in load(shot.data):
            if isinstance(item, PageFailure):
                raise item.error
            pages += find_pages(item)
    except GigsheetError as e:
        outcome.refused, outcome.refused_rightly = e.code, e.code in shot.expects
    outcome.milliseconds = 1000 * (time.perf_counter() - start)
    left = list(pages)
    for truth in shot.sheets:
        page = min(left, key=lambda p: max(_errors(p, truth)), default=None)
        if page is None:
            continue
        left.remove(page)
        errors = _errors(page, truth)
        outcome.errors_mm += errors
        outcome.flagged += bool(page.flags)
        outcome.serials += page.serial == truth.serial
        outcome.wrong += max(errors) > WRONG_MM and not page.flags
        outcome.found += max(errors) <= WRONG_MM or bool(page.flags)
    outcome.extra = len(left)
    return outcome


def _errors(page: Page, truth: Truth) -> list[float]:
    """By how many mm each written row's box is off, at its worst corner."""
    if (page.template.name, page.template.paper) != (truth.template.name, truth.template.paper):
        return [1000.0]
    errors = []
    for game in truth.template.games:
        for row in game.rows:
            want = truth.rows.get((game.game, row.turn))
            if want is None:
                continue
            box = row.entry_area_mm
            px_per_mm = np.linalg.norm(want[0] - want[3]) / (box[3] - box[1])
            off = np.linalg.norm(page.seen(corners(box)) - want, axis=1).max()
            errors.append(float(off / px_per_mm))
    return errors or [0.0]


def summary(outcomes: list[Outcome]) -> dict[str, object]:
    """The figures of one situation."""
    wanted = sum(o.wanted for o in outcomes)
    boxes = np.array([e for o in outcomes for e in o.errors_mm] or [np.nan])
    refusals = Counter(o.refused for o in outcomes if o.refused)
    return {
        "pictures": len(outcomes),
        "sheets": wanted,
        "found": sum(o.found for o in outcomes),
        "wrong": sum(o.wrong + o.extra for o in outcomes),
        "flagged": sum(o.flagged for o in outcomes),
        "serials": sum(o.serials for o in outcomes),
        "refused": dict(refusals),
        "refused_rightly": sum(o.refused_rightly for o in outcomes),
        "box_mm": {q: round(float(np.quantile(boxes, float(q))), 3) for q in ("0.5", "0.9", "0.99", "1")},
        "ms": round(float(np.median([o.milliseconds for o in outcomes]))),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("situations", nargs="*", help="which ones; without it all: " + ", ".join(SITUATIONS))
    parser.add_argument("--count", type=int, default=40, help="pictures of each")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--megapixels", type=float, default=8.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("-v", "--verbose", action="store_true", help="name every miss with its seed")
    wish = parser.parse_args()
    unknown = set(wish.situations) - set(SITUATIONS)
    if unknown:
        parser.error(f"no such situation: {', '.join(sorted(unknown))}")
    figures = {}
    print(f"{'situation':20}     found wrong flag serial   box error mm: 50 / 90 / 99 / 100 %      ms  refused")
    cv2.setNumThreads(1)
    with ProcessPoolExecutor(wish.jobs) as pool:
        for name in wish.situations or SITUATIONS:
            seeds = range(wish.seed, wish.seed + wish.count)
            outcomes = list(pool.map(judge, [name] * wish.count, seeds, [wish.megapixels] * wish.count))
            figures[name] = s = summary(outcomes)
            boxes = " / ".join(f"{v:5.2f}" for v in s["box_mm"].values())  # type: ignore[attr-defined]
            print(
                f"{name:20} {s['found']:4}/{s['sheets']:4} {s['wrong']:5} {s['flagged']:4} {s['serials']:6}   {boxes}  "
                f"{s['ms']:6}  {s['refused'] or ''}",
                flush=True,
            )
            for o in outcomes:
                if wish.verbose and o.missed:
                    worst = max(o.errors_mm, default=0)
                    print(
                        f"    seed {o.seed}: found {o.found} of {o.wanted}, wrong {o.wrong}, extra {o.extra}, "
                        f"worst box {worst:.2f} mm {o.refused}",
                        flush=True,
                    )
    if wish.json:
        wish.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
