"""What engines read on the very same crops: characters, entries and rows, by set, by symbol, by writer, by confusion.

    python benchmarks/measure_recogniser.py SETS... [--cache CACHE] [--engines ctc tesseract ppocr] [--sheets N]

A set is a folder of NAME.jpg and NAME.truth.json (shared/eval/make_set.py); a folder of sets stands for all of them.
Each engine is read greedily, without grammar and without rules: this scores the recogniser alone. Tesseract is held to
our alphabet by its whitelist; `ppocr` is PP-OCRv6 through rapidocr, held to our alphabet, in an environment that this
script makes under CACHE. Rows whose page was not found or that were taken for blank are not read and not counted; their
number is printed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from corpus import CutSheet, cut_sheets, engine_of, truths
from gigsheet.records import STRUCK, RowStrip
from gigsheet.training.figures import calibration_error, greedy, text_log_prob


@dataclass(frozen=True)
class Row:
    """One written row: its crop, its entries, its writer."""

    strip: RowStrip
    entries: list[str]
    writer: str


@dataclass(frozen=True)
class Reading:
    """What an engine read in one row; probabilities of the row and of each character where the engine has any."""

    text: str
    row_sure: float | None = None
    sure: tuple[float, ...] = ()


@dataclass
class Tally:
    """What one engine got right on one set."""

    rows: int = 0
    rows_right: int = 0
    entries: int = 0
    entries_right: int = 0
    characters: int = 0
    wrong: int = 0
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_writer: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    row_sure: list[tuple[float, bool]] = field(default_factory=list)
    sure: list[tuple[float, bool]] = field(default_factory=list)

    def add(self, entries: list[str], reading: Reading, writer: str) -> None:
        """Counts one row."""
        truth, text = "".join(entries), reading.text
        steps = align(truth, text)
        self.rows += 1
        self.rows_right += text == truth
        self.characters += len(truth)
        self.wrong += sum(a != b for a, b in steps)
        self.pairs.update(steps)
        self.by_writer[writer][0] += 1
        self.by_writer[writer][1] += text == truth
        if reading.row_sure is not None:
            self.row_sure.append((reading.row_sure, text == truth))
            right = [a == b for a, b in steps if b]
            self.sure += list(zip(reading.sure, right, strict=True))
        at = 0
        for entry in entries:
            self.entries += 1
            self.entries_right += self._clean(steps, at, at + len(entry))
            at += len(entry)

    @staticmethod
    def _clean(steps: list[tuple[str, str]], start: int, end: int) -> bool:
        """Whether the characters from start to end of the truth were read so, with nothing put between them."""
        at = 0
        for a, b in steps:
            inside = start <= at < end if a else start < at < end
            if inside and a != b:
                return False
            at += bool(a)
        return True

    def merge(self, other: Tally) -> None:
        """Adds another tally's counts."""
        for name in ("rows", "rows_right", "entries", "entries_right", "characters", "wrong"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.pairs.update(other.pairs)
        self.row_sure += other.row_sure
        self.sure += other.sure
        for writer, (rows, right) in other.by_writer.items():
            self.by_writer[writer][0] += rows
            self.by_writer[writer][1] += right

    def line(self) -> str:
        """The figures, counts beside them."""
        return (
            f"characters wrong {100 * self.wrong / max(1, self.characters):6.2f} % ({self.wrong}/{self.characters})   "
            f"entries right {100 * self.entries_right / max(1, self.entries):6.2f} % "
            f"({self.entries_right}/{self.entries})   "
            f"rows right {100 * self.rows_right / max(1, self.rows):6.2f} % ({self.rows_right}/{self.rows})"
        )


def align(truth: str, text: str) -> list[tuple[str, str]]:
    """Pairs (written, read) of a least-cost alignment; "" stands for nothing."""
    cost = np.zeros((len(truth) + 1, len(text) + 1), int)
    cost[:, 0], cost[0] = range(len(truth) + 1), range(len(text) + 1)
    for i, a in enumerate(truth, 1):
        for j, b in enumerate(text, 1):
            cost[i, j] = min(cost[i - 1, j] + 1, cost[i, j - 1] + 1, cost[i - 1, j - 1] + (a != b))
    steps = []
    i, j = len(truth), len(text)
    while i or j:
        if i and j and cost[i, j] == cost[i - 1, j - 1] + (truth[i - 1] != text[j - 1]):
            i, j = i - 1, j - 1
            steps.append((truth[i], text[j]))
        elif i and cost[i, j] == cost[i - 1, j] + 1:
            i -= 1
            steps.append((truth[i], ""))
        else:
            j -= 1
            steps.append(("", text[j]))
    return steps[::-1]


def rows_of(folder: Path, sheets: list[CutSheet], limit: int) -> tuple[list[Row], int]:
    """The written rows of a set's first sheets, and how many were lost before they could be read."""
    rows, lost = [], 0
    for truth, sheet in list(zip(truths(folder), sheets, strict=True))[:limit]:
        strips = {(s.game, s.turn): s for s in sheet.strips}
        for number, game in truth["games"].items():
            for turn, entries in enumerate(game["rows"], 1):
                strip = strips.get((int(number), turn))
                if strip is None or strip.blank:
                    lost += 1
                else:
                    rows.append(Row(strip, entries, truth["writer"]))
    return rows, lost


def read(name: str, rows: list[Row], cache: Path) -> list[Reading]:
    """What an engine reads in each row; an .onnx file is a net of ours."""
    if name == "ppocr":
        return [Reading(text) for text in read_ppocr(rows, cache)]
    engine = engine_of(name)
    readings = []
    for glyphs in engine.recognise([r.strip for r in rows]):
        text, sure = greedy(glyphs.log_probs)
        row_sure = float(np.exp(text_log_prob(glyphs.log_probs, text))) if name != "tesseract" else None
        kept = tuple(float(p) for c, p in zip(text, sure, strict=True) if c != STRUCK)
        readings.append(Reading(text.replace(STRUCK, ""), row_sure, kept))
    return readings


def read_ppocr(rows: list[Row], cache: Path) -> list[str]:
    """What PP-OCRv6 reads, in an environment of its own, made when it is missing."""
    home = cache / "ppocr"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        print("making an environment for rapidocr", file=sys.stderr)
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "rapidocr>=3.10", "onnxruntime"], check=True)
    crops, texts = cache / "crops.npz", cache / "texts.json"
    np.savez(crops, **{str(k): row.strip.pixels for k, row in enumerate(rows)})
    subprocess.run([python, Path(__file__).with_name("read_ppocr.py"), crops, texts], check=True)
    return json.loads(texts.read_text(encoding="utf-8"))


def calibration(pairs: list[tuple[float, bool]]) -> float:
    """Expected calibration error of (probability, right) pairs."""
    return calibration_error([p for p, _ in pairs], [right for _, right in pairs])


def sets_under(folders: list[Path]) -> list[Path]:
    """The folders that are sets, and those of a folder that is none."""
    found = []
    for folder in folders:
        inside = sorted(p for p in folder.iterdir() if any(p.glob("*.truth.json"))) if folder.is_dir() else []
        found += [folder] if any(folder.glob("*.truth.json")) else inside
    return found


def report(tally: Tally) -> None:
    """By symbol, by writer, and what was taken for what."""
    print("  by symbol (read right / written):")
    written, right = Counter[str](), Counter[str]()
    for (a, b), count in tally.pairs.items():
        written[a] += count
        right[a] += count * (a == b)
    shares = [f"{a} {100 * right[a] / written[a]:.1f} % of {written[a]}" for a in sorted(written) if a]
    for k in range(0, len(shares), 7):
        print("    " + "   ".join(shares[k : k + 7]))
    confused = [(pair, n) for pair, n in tally.pairs.most_common() if pair[0] != pair[1]][:24]
    print("  written > read: " + "  ".join(f"{a or 'nothing'} > {b or 'nothing'}: {n}" for (a, b), n in confused))
    worst = sorted(tally.by_writer.items(), key=lambda item: item[1][1] / item[1][0])[:10]
    if tally.row_sure:
        rows, characters = calibration(tally.row_sure), calibration(tally.sure)
        print(f"  calibration error: rows {100 * rows:.2f} %, characters {100 * characters:.2f} %")
    print("  worst writers: " + "  ".join(f"{w} {right}/{rows}" for w, (rows, right) in worst))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument(
        "--cache", type=Path, default=Path("runs/measure"), help="where cut strips and the other environment are kept"
    )
    parser.add_argument("--engines", nargs="+", default=["ctc", "tesseract", "ppocr"])
    parser.add_argument("--sheets", type=int, default=10**6, help="only so many sheets of each set")
    options = parser.parse_args()
    totals: dict[str, Tally] = {name: Tally() for name in options.engines}
    sets = sets_under(options.sets)
    if not sets:
        sys.exit("no set among these folders: a set holds NAME.jpg and NAME.truth.json (make sets)")
    for folder in sets:
        rows, lost = rows_of(folder, cut_sheets(folder, options.cache), options.sheets)
        print(f"{folder.name}: {len(rows)} rows read, {lost} lost before", flush=True)
        for name in options.engines:
            tally = Tally()
            for row, reading in zip(rows, read(name, rows, options.cache), strict=True):
                tally.add(row.entries, reading, row.writer)
            totals[name].merge(tally)
            print(f"  {name[-24:]:<24} {tally.line()}", flush=True)
    for name, tally in totals.items():
        print(f"all sets: {name}\n  {tally.line()}")
        report(tally)


if __name__ == "__main__":
    main()
