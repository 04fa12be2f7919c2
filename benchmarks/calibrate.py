"""Learns what the decoder cannot know: what slips cost, how sure is sure, and which threshold meets a stated risk.

    python benchmarks/calibrate.py --kept-out NET SET... [--kept-out NET SET...] --cache DIR --eval ../shared/eval

Only sheets count that a hand wrote which the net did not learn from (its card, beside it, names the writers it kept
out), and no hand may be one of the dev sets'. Several nets of the shipped one's make, each trained without a part of
the writers, let many more writers judge than one net can keep out (cross-fitting); the shipped net may then learn from
all. Two nets together (a.onnx+b.onnx) judge the writers that both kept out. Everything is written to
src/gigsheet/decode/calibration.json together with how it came about:

- prices, by counting errors in simulated games of which half have a slip;
- the scales of prices and ink, by the likelihood of what was written, over a small grid;
- the logistic models of "this text is right", with and without rules, apart for texts that the checker refuses;
- the curve from risk to threshold: Clopper and Pearson's upper bound of the silent error rate, for thresholds in order,
  with each row judged by a model that was fitted without its writer.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import corpus
from corpus import GameInk
from gigsheet.decode.calibration import Evidence
from gigsheet.decode.candidates import Candidate, GameInput, candidates
from gigsheet.decode.decipher import Deciphered, decipher
from gigsheet.decode.evidence import gather
from gigsheet.decode.prices import Prices
from gigsheet.decode.reading import is_shown
from gigsheet.decode.shapes import Shapes, learn_shapes
from gigsheet.notation.check import play_turn
from gigsheet.notation.rules import State
from gigsheet.notation.syntax import parse_turn

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

SIMULATED = 20_000
SLIPPED = 0.5
"""The share of games with a slip, as in the sets."""
CONFIDENCE = 0.9
"""Of the upper bound on the silent error rate."""
FOLDS = 10
RIDGE = 0.05
SCALES = (0.6, 0.8, 1.0)
INKS = (0.7, 0.9)
UNSEEN_NATS = 12.0
"""What a text is taken to cost that the decoder did not consider at all."""
SHIPPED = Path("src/gigsheet/decode/calibration.json")


def count_errors(eval_folder: Path, seed: int = 7) -> Prices:
    """Prices from simulated games: how often a row has which error first, before and after an earlier error."""
    sys.path.insert(0, str(eval_folder))
    import games as simulator

    rng = random.Random(seed)
    counts = {False: Counter[str](), True: Counter[str]()}
    rows_seen = Counter[bool]()
    further = errors = 0
    for _ in range(SIMULATED):
        first, rows = simulator.random_game(rng)
        if rng.random() < SLIPPED:
            rows, _ = simulator.slip(rng, rows)
        state, seen = State.start(first), False
        for entries in rows:
            state, codes = play_turn(state, parse_turn(" ".join(entries)))
            rows_seen[seen] += 1
            if codes:
                counts[seen][codes[0]] += 1
                errors += 1
                further += len(codes) > 1
                seen = True

    def nats(slipped: bool) -> dict[str, float]:
        return {code: round(-math.log(n / rows_seen[slipped]), 2) for code, n in counts[slipped].most_common()}

    unknown = -math.log(0.5 / rows_seen[False])
    return Prices(nats(False), nats(True), round(-math.log(further / errors), 2), round(unknown, 2))


@dataclass(frozen=True)
class Row:
    """One row of the calibration.

    Attributes:
        evidence: for the text chosen; None for a row without any.
        right: the text is what was written.
        shown: the row is flagged however sure it is: refused by the checker, cut off, continued or crossed out.
        nats: minus the log-probability that the decoder gave to what was written.
        writer: whose hand it is.
        place: where it stands.
        texts: what was written and what was read.
    """

    evidence: Evidence | None
    right: bool
    shown: bool
    nats: float
    writer: str
    place: str
    texts: tuple[str, str]


@dataclass(frozen=True)
class Listed:
    """The games of one sheet that somebody played, what each row may say by its ink, and the shapes of its net."""

    games: list[GameInk]
    inputs: list[GameInput]
    candidates: list[list[list[Candidate]]]
    shapes: Shapes


def shapes_of(games: Iterable[GameInk]) -> Shapes:
    """What the features of a net are like on these games."""
    return learn_shapes([[row.glyphs for row in game.rows] for game in games])


def list_candidates(games: Sequence[GameInk]) -> list[Listed]:
    """The sheets of these games, all read by one net; the candidates depend on no price, so they are made once."""
    found = []
    shapes = shapes_of(games)
    for _, sheet in groupby(games, key=lambda game: (game.set_name, game.image)):
        played = [game for game in sheet if game.truth is not None]
        inputs = [GameInput.of(game.rows, game.marks, game.game) for game in played]
        found.append(Listed(played, inputs, [candidates(game.rows) for game in inputs], shapes))
    return found


def kept_out(net: str) -> frozenset[str] | None:
    """The writers that none of these nets learned from, by their cards; None for an engine that is not ours."""
    if not net.endswith(".onnx"):
        return None
    cards = [json.loads(Path(part).with_suffix(".json").read_text(encoding="utf-8")) for part in net.split("+")]
    return frozenset.intersection(*(frozenset(card["data"]["held_out_writers"]) for card in cards))


def by_strangers(games: Iterable[GameInk], strangers: frozenset[str] | None) -> list[GameInk]:
    """The games of these writers; `None` is everybody."""
    return [game for game in games if strangers is None or game.writer.rsplit("/")[-1] in strangers]


def read_rows(sheets: Iterable[Listed], prices: Prices, seen: Mapping[str, str], *, rules: bool) -> list[Row]:
    """Every row of the sheets as the decoder reads it; `seen` says what people read where the label is in doubt."""
    rows = []
    for listed in sheets:
        solved = [
            (game, decipher(game.rows, rows_listed, game.marks, prices, rules=rules))
            for game, rows_listed in zip(listed.inputs, listed.candidates, strict=True)
        ]
        for game, (_, found), known in zip(listed.games, solved, gather(solved, listed.shapes), strict=True):
            rows += [_row(game, k, evidence, found, seen) for k, evidence in enumerate(known)]
    return rows


def _row(game: GameInk, place: int, evidence: Evidence | None, found: Deciphered, seen: Mapping[str, str]) -> Row:
    name = f"{game.set_name}/{game.image} game {game.game} row {place + 1}"
    written = seen.get(name, game.written(place))
    squashed = ["".join(candidate.text.split()) for candidate in found.listed[place]]
    p = found.choices[place].probabilities[squashed.index(written)] if written in squashed else 0.0
    return Row(
        evidence,
        right="".join((found.texts[place] or "").split()) == written,
        shown=is_shown(game.rows[place], found, place),
        nats=-math.log(max(p, math.exp(-UNSEEN_NATS))),
        writer=game.writer,
        place=name,
        texts=(written, found.texts[place] or ""),
    )


def fit(features: Floats, right: Floats) -> Floats:
    """The weights of a logistic model, the bias first, by Newton's method with a small ridge."""
    x = np.column_stack([np.ones(len(features)), features])
    weights = np.zeros(x.shape[1])
    ridge = np.full(x.shape[1], RIDGE * 10)
    ridge[0] = 1e-6
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (right - p) - ridge * weights
        curvature = (x * (p * (1 - p))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        weights += step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def judge(features: Floats, weights: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(weights[0] + features @ weights[1:], -30, 30)))


def out_of_fold(features: Floats, right: Floats, illegal: Flags, writers: Sequence[str]) -> Floats:
    """Each row's confidence by models that have seen no row of the same fold of writers."""
    names = sorted(set(writers))
    random.Random(3).shuffle(names)
    fold_of = {name: k % FOLDS for k, name in enumerate(names)}
    folds = np.array([fold_of[name] for name in writers])
    confidence = np.zeros(len(right))
    for fold in range(FOLDS):
        for kind in (illegal, ~illegal):
            held, others = (folds == fold) & kind, (folds != fold) & kind
            if held.any():
                confidence[held] = judge(features[held], fit(features[others], right[others]))
    return confidence


def upper_bound(errors: int, rows: int, confidence: float = CONFIDENCE) -> float:
    """Clopper and Pearson's upper bound of a rate of which `errors` in `rows` were seen."""
    seen = np.arange(errors + 1)
    ways = [math.lgamma(rows + 1) - math.lgamma(k + 1) - math.lgamma(rows - k + 1) for k in range(errors + 1)]

    def at_most(rate: float) -> float:
        """The probability of no more than `errors`: in logarithms, since hardly any term of it is a float."""
        terms = np.array(ways) + seen * math.log(rate) + (rows - seen) * math.log1p(-rate)
        most = float(terms.max())
        return math.exp(most) * float(np.exp(terms - most).sum())

    low, high = max(errors / rows, 1e-12), 1.0 - 1e-12
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(middle) > 1 - confidence else (low, middle)
    return high


def risk_curve(confidence: Floats, right: Floats, shown: Floats, lost: int = 0) -> list[tuple[float, float]]:
    """(risk, threshold) from small to large risk: of all rows, those above the threshold and not shown can be silent.

    Only thresholds at which one more error becomes silent matter; each is just above that error's confidence. `lost`
    rows more were written and not seen at all, which no threshold helps.
    """
    rows = len(right) + lost
    wrong = np.sort(confidence[(right == 0) & (shown == 0)])[::-1]
    curve = []
    for errors, limit in enumerate([*wrong.tolist(), 0.0], lost):
        curve.append((round(upper_bound(errors, rows), 6), float(np.nextafter(limit, 1)) if limit else 0.0))
        if curve[-1][0] > 0.5:
            break
    return curve


def expected_calibration_error(confidence: Floats, right: Floats, bins: int = 15) -> float:
    order = np.argsort(confidence, kind="stable")
    parts = np.array_split(order, bins)
    return float(sum(abs(confidence[p].sum() - right[p].sum()) for p in parts) / len(right))


def rows_lost(sheets: Iterable[Listed]) -> int:
    """How many rows were written below the last one that was seen to hold ink."""
    return sum(
        max(0, len(game.truth["rows"]) - len(given.rows))
        for listed in sheets
        for game, given in zip(listed.games, listed.inputs, strict=True)
        if game.truth
    )


def confidence_model(rows: Sequence[Row], lost: int, say: Callable[[str], None]) -> dict[str, Any]:
    """The logistic models and their curve, for calibration.json."""
    usable = [row for row in rows if row.evidence is not None]
    table = [row.evidence.features() for row in usable if row.evidence is not None]
    names = list(table[0])
    features = np.array([[entry[name] for name in names] for entry in table])
    right = np.array([float(row.right) for row in usable])
    shown = np.array([float(row.shown) for row in usable])
    illegal = np.array([row.evidence.illegal for row in usable if row.evidence is not None])
    writers = [row.writer for row in usable]
    judged = out_of_fold(features, right, illegal, writers)

    def model(of: Flags) -> dict[str, Any]:
        bias, *weights = fit(features[of], right[of]).round(5).tolist()
        return {"bias": bias, "weights": dict(zip(names, weights, strict=True))}

    curve = risk_curve(judged, right, shown, lost)
    wrong = int((right == 0).sum())
    say(f"  {len(right)} rows, {wrong} wrong, calibration error {expected_calibration_error(judged, right):.4f}")
    for risk in (0.001, 0.002, 0.005, 0.01):
        limit = min([t for bound, t in curve if bound <= risk], default=1.0)
        flagged, silent = (judged < limit).mean(), int(((judged >= limit) & (right == 0) & (shown == 0)).sum())
        say(f"  risk {risk}: threshold {limit:.5f} flags {100 * flagged:.2f} % of rows, {silent} wrong and silent")
    return {
        "legal": model(~illegal),
        "illegal": model(illegal),
        "curve": curve,
        "rows": len(right),
        "wrong": wrong,
        "writers": len(set(writers)),
    }


def read_adjudicated(path: Path | None) -> dict[str, str]:
    """Place to text: rows that were read by eye because the sample under them may be mislabelled."""
    if path is None:
        return {}
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {place.strip(): text.strip() for place, text in (line.split(":", 1) for line in lines)}


def choose_scales(
    games: Sequence[Listed], prices: Prices, seen: Mapping[str, str], say: Callable[[str], None]
) -> Prices:
    """The scales of prices and ink under which what was written is likeliest."""
    best = (math.inf, prices)
    for scale in SCALES:
        for ink in INKS:
            tried = replace(prices, scale=scale, ink=ink)
            rows = read_rows(games, tried, seen, rules=True)
            nats = sum(row.nats for row in rows) / len(rows)
            right = sum(row.right for row in rows)
            say(f"  prices x {scale}, ink x {ink}: {nats:.5f} nats a row, {right} of {len(rows)} right")
            best = min(best, (nats, tried), key=lambda found: found[0])
    return best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--kept-out",
        nargs="+",
        action="append",
        required=True,
        metavar=("NET", "SET"),
        help="an ONNX file of our recogniser (or an engine's name), and sets by hands that it did not learn from",
    )
    parser.add_argument("--cache", type=Path, required=True, help="where strips and scores are kept")
    parser.add_argument("--eval", type=Path, default=Path("../shared/eval"), help="the folder with games.py")
    parser.add_argument("--engine", default="ctc", help="what is shipped: an engine's name, or an ONNX file of our own")
    parser.add_argument("--scales", type=float, nargs=2, metavar=("PRICES", "INK"), help="take these, try no others")
    parser.add_argument("--adjudicated", type=Path, help="a file with what people read in rows whose label is in doubt")
    parser.add_argument("-o", "--output", type=Path, default=SHIPPED)
    options = parser.parse_args()
    engine = corpus.engine_of(options.engine)
    seen = read_adjudicated(options.adjudicated)
    start = time.perf_counter()
    prices = count_errors(options.eval)
    print(f"prices from {SIMULATED} games: {prices}")
    sheets: list[Listed] = []
    for net, *folders in options.kept_out:
        judge_net = corpus.engine_of(net)
        games = [game for folder in folders for game in corpus.games(Path(folder), options.cache, judge_net)]
        found = list_candidates(by_strangers(games, kept_out(net)))
        if not found:
            parser.error(f"{net} learned from every writer of its sets: give sets by writers that its card names")
        sheets += found
    folders = sorted({Path(folder) for _, *folders in options.kept_out for folder in folders})
    print(f"{len(sheets)} sheets of {len(folders)} sets, {time.perf_counter() - start:.0f} s")
    shapes = shapes_of(g for folder in folders for g in corpus.games(folder, options.cache, engine))
    if options.scales:
        prices = replace(prices, scale=options.scales[0], ink=options.scales[1])
    else:
        prices = choose_scales(sheets, prices, seen, print)
    made: dict[str, Any] = {"engine": engine.id, "prices": {name: getattr(prices, name) for name in prices.__slots__}}
    lost = rows_lost(sheets)
    print(f"{lost} rows below the last one with ink")
    made["shapes"] = {"mean": shapes.mean.round(3).tolist(), "typical": shapes.typical.round(3).tolist()}
    for name, rules in (("with_rules", True), ("without_rules", False)):
        print(name.replace("_", " "))
        made[name] = confidence_model(read_rows(sheets, prices, seen, rules=rules), lost, print)
    made["made"] = {
        "by": "benchmarks/calibrate.py",
        "sets": [f"{folder.parent.name}/{folder.name}" for folder in folders],
        "adjudicated": len(seen),
        "bound": f"Clopper-Pearson, one-sided, {CONFIDENCE:.0%}",
    }
    options.output.write_text(json.dumps(made) + "\n", encoding="utf-8")
    print(f"{options.output} written, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
