"""Time of the decoder, rules and check: a sheet as it is, and a sheet on which everything is in doubt.

    python benchmarks/bench_decode.py SETS --cache DIR

Each figure is a ratio to one imread in colour of the same photograph, timed in turn; medians. For the sheet full of
doubt the engine's logits are divided until nothing is sure; the limit there is a second, whatever the picture.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

import corpus
from gigsheet.decode import decode_game
from gigsheet.recognise import get_engine

FLATTENED = 4.0


def flattened(game: corpus.GameInk) -> corpus.GameInk:
    """The same game with the engine's certainty taken away."""
    rows = []
    for row in game.rows:
        glyphs = row.glyphs
        if glyphs is not None:
            scores = glyphs.log_probs / FLATTENED
            scores = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
            glyphs = replace(glyphs, log_probs=scores.astype(np.float32))
        rows.append(replace(row, glyphs=glyphs))
    return replace(game, rows=tuple(rows))


def seconds(games: Sequence[corpus.GameInk]) -> float:
    start = time.perf_counter()
    for game in games:
        decode_game(game.rows, game.marks, game=game.game)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, help="the folder of the standard sets")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--count", type=int, default=20, help="sheets a set")
    options = parser.parse_args()
    engine = get_engine("ctc")
    for name in ("photo", "hard", "match"):
        folder = options.sets / name
        if not folder.is_dir():
            continue
        sheets: dict[str, list[corpus.GameInk]] = defaultdict(list)
        for game in corpus.games(folder, options.cache, engine):
            sheets[game.image].append(game)
        ratios, times, worst = [], [], []
        for image, games in list(sheets.items())[: options.count]:
            seconds(games)
            start = time.perf_counter()
            cv2.imread(str(folder / image), cv2.IMREAD_COLOR)
            imread = time.perf_counter() - start
            times.append(seconds(games))
            ratios.append(times[-1] / imread)
            worst.append(max(seconds([flattened(game)]) for game in games))
        print(
            f"{name}: {1000 * statistics.median(times):.1f} ms a sheet, {statistics.median(ratios):.2f} x imread, "
            f"at most {max(ratios):.2f}; a game full of doubt {1000 * statistics.median(worst):.0f} ms, "
            f"at most {1000 * max(worst):.0f} ms ({len(ratios)} sheets)"
        )


if __name__ == "__main__":
    main()
