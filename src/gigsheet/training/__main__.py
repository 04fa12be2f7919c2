"""From a folder of handwriting to shipped weights: ``python -m gigsheet.training DATA``."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

from gigsheet.errors import GigsheetError, MissingExtraError
from gigsheet.training.samples import Fold

EXAMPLES = """
The folder DATA holds strokes.jsonl.gz (one character a line: label, writer, ref_h, strokes) and perhaps digits28.npz.
A tenth of its writers is kept out of the training: on them the training is watched and the temperature set. Nets that
keep out one third each judge all writers as strangers; the net that is shipped may then learn from all.

examples:
  python -m gigsheet.training handwriting/train
  python -m gigsheet.training handwriting/train --fonts fonts --steps 9000
  python -m gigsheet.training handwriting/train --keep-out 2/3    the second of three nets that cross-fit
  python -m gigsheet.training handwriting/train --keep-out none --temperature 1.2
  python -m gigsheet.training handwriting/train --start recogniser.onnx --rate 1.5e-3 --steps 8000 --name second
  python -m gigsheet.training handwriting/train --export-only     what the run's checkpoint is worth now

A stop (Ctrl-C) saves; the same command goes on where it stopped.
"""


def main() -> None:
    """Reads the arguments, trains, exports; failures become one line and exit status 2."""
    parser = argparse.ArgumentParser(
        prog="python -m gigsheet.training",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, help="the folder of handwriting")
    parser.add_argument(
        "--run", type=Path, default=Path("runs/recogniser"), help="the folder of checkpoints and progress"
    )
    parser.add_argument("--out", type=Path, default=None, help="where weights and card go (default: into the package)")
    parser.add_argument(
        "--name", choices=("recogniser", "second"), default="recogniser", help="which of the two nets it is to be"
    )
    parser.add_argument("--fonts", type=Path, default=None, help="a folder of handwriting fonts to learn from too")
    parser.add_argument(
        "--measure", type=Path, default=None, help="a folder of other writers, measured and never learned from"
    )
    parser.add_argument(
        "--keep-out",
        type=_fold,
        default=Fold(1, 10),
        metavar="K/N",
        help="which of N shares of the writers is kept out (default: 1/10), or none",
    )
    parser.add_argument(
        "--start", type=Path, default=None, metavar="WEIGHTS", help="go on from exported weights instead of chance ones"
    )
    parser.add_argument("--rate", type=float, default=2e-3, help="the steady learning rate (default: %(default)s)")
    parser.add_argument("--decay", type=float, default=0.3, help="the share of steps over which it falls to nothing")
    parser.add_argument("--steps", type=int, default=9000, help="steps of training (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=20261130, help="of everything random (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="cores for the net (default: %(default)s)")
    parser.add_argument("--watch-every", type=int, default=500, metavar="STEPS", help="how often to save and measure")
    parser.add_argument(
        "--temperature", type=float, default=None, help="set it, instead of finding it on composed rows"
    )
    parser.add_argument("--export-only", action="store_true", help="do not train: export the run's checkpoint")
    arguments = parser.parse_args()
    try:
        for module in ("torch", "onnx", "fontTools"):
            if importlib.util.find_spec(module) is None:
                raise MissingExtraError("training", "train")
        _make(arguments)
    except GigsheetError as error:
        print(f"gigsheet.training: {error.message}", file=sys.stderr)
        sys.exit(error.exit_status)


def _fold(text: str) -> Fold | None:
    """`2/3` as a fold, `none` as no fold."""
    if text == "none":
        return None
    try:
        number, of = map(int, text.split("/"))
    except ValueError:
        number, of = 0, 0
    if not 1 <= number <= of or of < 2:
        raise argparse.ArgumentTypeError(f"{text!r} is no share such as 1/3, nor none")
    return Fold(number, of)


def _make(arguments: argparse.Namespace) -> None:
    from gigsheet.training.recipe import Recipe
    from gigsheet.training.train import Plan

    plan = replace(
        Plan(),
        steps=arguments.steps,
        seed=arguments.seed,
        rate=arguments.rate,
        decay=arguments.decay,
        threads=arguments.threads,
        watch_every=arguments.watch_every,
    )
    recipe = Recipe(
        arguments.data, arguments.run, plan, arguments.keep_out, arguments.fonts, arguments.measure, arguments.start
    )
    if not arguments.export_only and not recipe.train():
        return
    command = " ".join(["python -m gigsheet.training", *sys.argv[1:]])
    recipe.export(arguments.out, command, arguments.temperature, arguments.name)


if __name__ == "__main__":
    main()
