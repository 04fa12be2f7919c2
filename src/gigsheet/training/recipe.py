"""The whole making of a recogniser, step by step: data, training, temperature, export, card."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gigsheet.errors import UsageError
from gigsheet.recognise.ctc import MODEL, CtcEngine
from gigsheet.training import export, figures
from gigsheet.training.compose import Composer, Strip
from gigsheet.training.fonts import load_fonts
from gigsheet.training.forms import load_forms
from gigsheet.training.hand import HandStyle
from gigsheet.training.net import Shape
from gigsheet.training.samples import Fold, Pool, load_digits, load_pen_pools, write_kept_out
from gigsheet.training.train import CHECKPOINT, EARLIER, Plan, Training

WATCHED = 250
"""Rows of held-out writers on which the training is watched."""
JUDGED = 1200
"""Rows of held-out writers on which the temperature is set and the figures of the card are taken."""
EXAMPLES = 200
"""Strips from which the ranges for int8 are taken."""
PLAIN = HandStyle(plain=True)


class Recipe:
    """Everything that is needed to make and to judge one recogniser.

    Args:
        data: the folder of handwriting to learn from.
        run: the folder of this training's checkpoint and progress.
        plan: how to train.
        fold: whose writers are kept out, or None to learn from all.
        fonts: a folder of fonts, or None.
        measure: a folder of other writers, who are measured and nothing else, or None.
        start: exported weights to go on from, or None to begin by chance.
    """

    def __init__(
        self,
        data: Path,
        run: Path,
        plan: Plan,
        fold: Fold | None,
        fonts: Path | None = None,
        measure: Path | None = None,
        start: Path | None = None,
    ) -> None:
        self.data, self.run, self.plan, self.fold = data, run, plan, fold
        self.fonts, self.measure, self.start = fonts, measure, start

    @cached_property
    def pools(self) -> tuple[Pool, Pool]:
        """Pens to learn from, with our own forms, and pens kept out."""
        learn, held = load_pen_pools(self.data, self.fold)
        learn.update(load_forms())
        return learn, held

    @cached_property
    def pictures(self) -> Pool:
        """Scanned digits and fonts."""
        pool = load_digits(self.data)
        if self.fonts is not None:
            pool.update(load_fonts(self.fonts))
        return pool

    def composer(self, seed: str) -> Composer:
        """What the net learns from."""
        return Composer(self.pools[0], self.pictures, seed)

    def rows(self, pool: Pool, seed: str, count: int) -> list[Strip]:
        """Rows of the game in plain hands, for measuring."""
        composer = Composer(pool, Pool(), seed, PLAIN, real=1.0)
        return [composer.strip(75.0) for _ in range(count)]

    def train(self) -> bool:
        """Trains, from the checkpoint on if there is one; False when it was stopped on the way."""
        self.run.mkdir(parents=True, exist_ok=True)
        held = self.pools[1]
        if self.fold is not None:
            write_kept_out(self.data, self.fold, self.run / "kept-out")
        training = Training(self.run, Shape(), self.plan)
        if training.resume():
            print(f"going on from step {training.step}", flush=True)
        elif self.start is not None:
            training.begin_with(self.start, [self.composer("restore").strip() for _ in range(EXAMPLES)])
        return training.run(self.composer, {"held out": self.rows(held, "watch", WATCHED)} if held.writers else {})

    def export(
        self, out: Path | None, command: str, temperature: float | None = None, name: str = "recogniser"
    ) -> None:
        """Writes weights and card, and prints the figures.

        Args:
            out: the folder of weights and card; None is the package's own.
            command: what was typed, for the card.
            temperature: instead of the one found on composed rows of the kept-out writers.
            name: of the weights and the card, without their suffixes.

        Raises:
            UsageError: there is no checkpoint yet, or no temperature and nobody to find it on.
        """
        checkpoint = self.run / CHECKPOINT
        if not checkpoint.exists():
            raise UsageError(f"no checkpoint in {self.run}; train first (the same command without --export-only)")
        out = out or MODEL
        out.mkdir(parents=True, exist_ok=True)
        model = out / f"{name}.onnx"
        net, facts = export.load_average(checkpoint, self.run / EARLIER)
        learn, held = self.pools
        judged = self.rows(held, "judge", JUDGED) if held.writers else []
        plain = self.run / "float32.onnx"
        if temperature is None:
            if not judged:
                raise UsageError("no writers are kept out: give --temperature, as found by nets that kept some out")
            export.to_onnx(net, plain, 1.0)
            temperature = figures.best_temperature(*figures.scores(CtcEngine([plain]), judged))
            print(f"temperature on composed rows of kept-out writers: {temperature}", flush=True)
        export.to_onnx(net, plain, temperature)
        composer = self.composer("int8")
        export.quantise(plain, model, [composer.strip() for _ in range(EXAMPLES)])
        measured = {}
        if judged:
            measured["held out, float32"] = figures.measure(CtcEngine([plain]), judged)
            measured["held out"] = figures.measure(CtcEngine([model]), judged)
        if self.measure is not None:
            others, _ = load_pen_pools(self.measure, None)
            measured["measured only"] = figures.measure(CtcEngine([model]), self.rows(others, "measure", JUDGED))
        card: dict[str, Any] = {
            "command": command,
            "seed": self.plan.seed,
            "parameters": int(sum(np.prod(p.shape) for p in net.parameters())),
            "training": {key: facts[key] for key in ("step", "seconds", "shape", "plan")},
            "temperature": round(temperature, 4),
            "data": {
                "handwriting": self.data.name,
                "writers": len([w for w in learn.writers if not w.startswith("form-")]),
                "samples": learn.size(),
                "pictures": self.pictures.size(),
                "fonts": sorted(w for w in self.pictures.writers if w.startswith("font-")),
                "held_out_writers": held.writers,
            },
            "figures": {name: asdict(f) for name, f in measured.items()},
        }
        export.write_card(model, card)
        for name, f in measured.items():
            print(f"{name}: {f}")
