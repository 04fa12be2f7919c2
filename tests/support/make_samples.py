"""Draws the pictures of samples/: `python -m tests.support.make_samples [NAME...]`.

A sample is a folder with the transcript that stands on the sheet (expected.txt), how it is written and captured
(about.toml), and the picture that follows from the two.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.capture import Capture, Photo, Scan, photograph, scan
from tests.support.pen import Game, filled_page, rows_of

SAMPLES = Path(__file__).parents[2] / "samples"


def draw(sample: Path) -> Capture:
    """The picture of one sample, the same at every call."""
    about = tomllib.loads((sample / "about.toml").read_text(encoding="utf-8"))
    game = Game(
        rows=rows_of((sample / "expected.txt").read_text(encoding="utf-8")),
        first=about["first"],
        result=about["result"],
        struck=_by_turn(about.get("struck", {})),
        notes=_by_turn(about.get("notes", {})),
    )
    sheet = {key: about[key] for key in ("template", "paper", "serial", "seed")}
    paper = filled_page({1: game}, **sheet)
    rng = np.random.default_rng(about["seed"])
    if "scan" in about:
        return scan(paper, Scan(**about["scan"]), rng)
    return photograph(paper, Photo(**about["photo"]), rng)


def names() -> list[str]:
    """The samples there are."""
    return sorted(path.parent.name for path in SAMPLES.glob("*/about.toml"))


def picture_of(sample: Path) -> Path:
    """Where a sample's picture lies."""
    about = tomllib.loads((sample / "about.toml").read_text(encoding="utf-8"))
    return sample / about["picture"]


def _by_turn(table: dict[str, Any]) -> dict[int, str]:
    return {int(turn): text for turn, text in table.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Draws the pictures of samples/ from their about.toml and expected.txt."
    )
    parser.add_argument("name", nargs="*", help=f"which samples, of {', '.join(names())}; all when none is named")
    chosen = parser.parse_args().name or names()
    if unknown := set(chosen) - set(names()):
        parser.error(f"no sample {', '.join(sorted(unknown))}; there are {', '.join(names())}")
    for name in chosen:
        picture = picture_of(SAMPLES / name)
        picture.write_bytes(draw(picture.parent).jpeg())
        print(f"{picture.relative_to(SAMPLES.parent)}: {picture.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
