"""Sets of ../shared/eval made ready for experiments with the decoder: strips cut once, scores made once a recogniser.

A set's strips are kept in CACHE/strips/SET.pickle, its scores in CACHE/ENGINE/SET.pickle. Both are made when they are
missing: strips take the time of finding and cutting the pages, scores that of the recogniser alone.
"""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from gigsheet.decode import RowInput
from gigsheet.errors import GigsheetError
from gigsheet.recognise import get_engine
from gigsheet.recognise.engine import Engine
from gigsheet.records import Glyphs, Mark, RowStrip


@dataclass(frozen=True)
class CutSheet:
    """One sheet's strips, marks and where each row's entry area ends (mm); all empty when the page was refused."""

    image: str
    strips: tuple[RowStrip, ...] = ()
    marks: tuple[Mark, ...] = ()
    ends_mm: dict[tuple[int, int], float] = field(default_factory=dict)


@dataclass(frozen=True)
class GameInk:
    """One game as the decoder gets it, and what was written: `truth` is None for a game not played."""

    set_name: str
    image: str
    game: int
    rows: tuple[RowInput, ...]
    marks: tuple[Mark, ...]
    truth: dict[str, Any] | None
    struck: frozenset[int]
    writer: str

    def written(self, row: int) -> str:
        """What was written in a row (from 0), without spaces; "" for a row that nobody wrote in."""
        rows = self.truth["rows"] if self.truth else []
        return "".join("".join(rows[row]).split()) if row < len(rows) else ""


def engine_of(name: str) -> Engine:
    """The engine of that name, or our own recogniser with the nets in these ONNX files: a.onnx or a.onnx+b.onnx."""
    if name.endswith(".onnx"):
        from gigsheet.recognise.ctc import CtcEngine

        return CtcEngine([Path(part) for part in name.split("+")])
    return get_engine(name)


def truths(folder: Path) -> list[dict[str, Any]]:
    """The truth of each sheet of a set, in order."""
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.truth.json"))]


def cut_sheets(folder: Path, cache: Path) -> list[CutSheet]:
    """The strips of a set, from the cache or cut now."""
    kept = cache / "strips" / f"{folder.parent.name}-{folder.name}.pickle"
    if kept.exists():
        return pickle.loads(kept.read_bytes())
    from gigsheet.vision.load import PageFailure, load
    from gigsheet.vision.marks import read_marks
    from gigsheet.vision.page import find_pages
    from gigsheet.vision.rows import cut_rows

    sheets = []
    for truth in truths(folder):
        sheet = CutSheet(truth["image"])
        try:
            for item in load(folder / truth["image"]):
                if isinstance(item, PageFailure):
                    continue
                page = find_pages(item)[0]
                ends = {(g.game, row.turn): row.entry_area_mm[2] for g in page.template.games for row in g.rows}
                sheet = CutSheet(truth["image"], tuple(cut_rows(page)), tuple(read_marks(page)), ends)
        except GigsheetError as error:
            print(f"{folder.name}/{truth['image']}: {error.message}")
        sheets.append(sheet)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(sheets))
    return sheets


def scores(folder: Path, cache: Path, engine: Engine) -> list[list[Glyphs]]:
    """The scores of a set's written rows, sheet by sheet, from the cache or made now."""
    kept = cache / engine.id / f"{folder.parent.name}-{folder.name}.pickle"
    if kept.exists():
        return pickle.loads(kept.read_bytes())
    found = [engine.recognise([s for s in sheet.strips if not s.blank]) for sheet in cut_sheets(folder, cache)]
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(found))
    return found


def games(folder: Path, cache: Path, engine: Engine) -> Iterator[GameInk]:
    """Every game of a set that was found on its page."""
    parts = zip(truths(folder), cut_sheets(folder, cache), scores(folder, cache, engine), strict=True)
    for truth, sheet, glyphs in parts:
        written = [s for s in sheet.strips if not s.blank]
        by_row = {(s.game, s.turn): g for s, g in zip(written, glyphs, strict=True)}
        for number, strips in groupby(sheet.strips, key=lambda s: s.game):
            rows = tuple(RowInput.of(s, by_row.get((s.game, s.turn)), sheet.ends_mm[s.game, s.turn]) for s in strips)
            yield GameInk(
                set_name=f"{folder.parent.name}-{folder.name}",
                image=truth["image"],
                game=number,
                rows=rows,
                marks=tuple(m for m in sheet.marks if m.game == number),
                truth=truth["games"].get(str(number)),
                struck=frozenset(turn for n, turn, _ in truth["struck"] if n == number),
                writer=truth["writer"],
            )


def main(arguments: Sequence[str] | None = None) -> None:
    import argparse

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, help="folders with *.jpg and *.truth.json")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--engine", default="ctc", help="an engine's name, or an ONNX file of our own recogniser")
    options = parser.parse_args(arguments)
    engine = engine_of(options.engine)
    for folder in options.sets:
        start = time.perf_counter()
        found = list(games(folder, options.cache, engine))
        rows = sum(len(game.truth["rows"]) for game in found if game.truth)
        print(f"{folder}: {len(found)} games, {rows} rows, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    import corpus  # what is pickled names its classes by this module, not by the script

    corpus.main()
