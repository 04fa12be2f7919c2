"""The training loop: resumable at any moment, watched on writers that are held out."""

from __future__ import annotations

import json
import math
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from gigsheet.records import ALPHABET
from gigsheet.training.batches import Batch, Feed, make_batch, padded_width
from gigsheet.training.compose import Composer, Strip
from gigsheet.training.net import STRIDE, Recogniser, Shape
from gigsheet.training.restore import restore
from gigsheet.training.texts import edit_distance

CHECKPOINT = "checkpoint.pt"
EARLIER = "earlier.pt"
EARLIER_AT = 0.81
"""The share of the steps after which a checkpoint is kept, to be averaged with the last one."""
LOG = "progress.jsonl"


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train: warm up, a steady rate, then a decay over the last part of the steps."""

    steps: int = 30_000
    seed: int = 20261130
    rate: float = 2e-3
    warm_up: int = 400
    decay: float = 0.3
    weight_decay: float = 0.02
    columns: int = 6_000
    """Columns of strips to one step."""
    reuse: int = 3
    threads: int = 2
    workers: int = 1
    watch_every: int = 1000

    def rate_at(self, step: int) -> float:
        """The learning rate of a step."""
        start = self.steps * (1 - self.decay)
        if step < self.warm_up:
            return self.rate * (step + 1) / self.warm_up
        if step < start:
            return self.rate
        return self.rate * (
            0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1.0, (step - start) / (self.steps - start))))
        )


@dataclass(frozen=True, slots=True)
class Watch:
    """What a net gets wrong, greedily read: shares of characters and of strips."""

    characters_wrong: float
    strips_wrong: float


def to_input(pixels: np.ndarray) -> Tensor:
    """uint8 [n, h, w], paper 255, to the net's float [n, 1, h, w], ink 1 on paper 0."""
    return (1 - torch.from_numpy(pixels).float() / 255).unsqueeze(1).contiguous(memory_format=torch.channels_last)


def loss_of(net: nn.Module, batch: Batch) -> Tensor:
    """The mean CTC loss of a batch, per strip."""
    with torch.autocast("cpu", torch.bfloat16):
        logits = net(to_input(batch.pixels))
    log_probs = logits.float().log_softmax(-1).transpose(0, 1)
    times = torch.from_numpy(np.minimum(batch.widths // STRIDE + 1, log_probs.shape[0]))
    return nn.functional.ctc_loss(
        log_probs,
        torch.from_numpy(batch.targets),
        times,
        torch.from_numpy(batch.lengths),
        reduction="sum",
        zero_infinity=True,
    ) / len(batch.widths)


def greedy(classes: np.ndarray) -> str:
    """The text of the best class of each time step: repeats merged, blanks out."""
    kept = classes[np.r_[True, classes[1:] != classes[:-1]]]
    return "".join(ALPHABET[k - 1] for k in kept if k)


@torch.no_grad()
def read(net: nn.Module, strips: list[Strip]) -> list[str]:
    """What the net reads greedily, a text a strip."""
    texts = []
    for strip in strips:
        height, width = strip.pixels.shape
        padded = np.full((height, -(-width // STRIDE) * STRIDE), 255, np.uint8)
        padded[:, :width] = strip.pixels
        texts.append(greedy(net(to_input(padded[None]))[0].argmax(-1).numpy()))
    return texts


def watch(net: nn.Module, strips: list[Strip]) -> Watch:
    """Measures a net on strips of writers that it did not learn from."""
    net.eval()
    texts = read(net, strips)
    wrong = sum(edit_distance(s.text, t) for s, t in zip(strips, texts, strict=True))
    rows = sum(s.text != t for s, t in zip(strips, texts, strict=True))
    return Watch(wrong / sum(len(s.text) for s in strips), rows / len(strips))


class Training:
    """A net on its way: its running average, its optimiser, the step it has come to."""

    def __init__(self, folder: Path, shape: Shape, plan: Plan) -> None:
        torch.manual_seed(plan.seed)
        torch.set_num_threads(plan.threads)
        self.folder, self.shape, self.plan = folder, shape, plan
        self.net = Recogniser(shape).to(memory_format=torch.channels_last)
        self.average = Recogniser(shape)
        self.average.load_state_dict(self.net.state_dict())
        decayed = [p for p in self.net.parameters() if p.ndim > 1]
        others = [p for p in self.net.parameters() if p.ndim <= 1]
        groups = [{"params": decayed, "weight_decay": plan.weight_decay}, {"params": others, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=plan.rate)
        self.step, self.seconds = 0, 0.0

    def resume(self) -> bool:
        """Takes up the checkpoint of the folder, if there is one."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            return False
        state = torch.load(path, weights_only=True)
        self.net.load_state_dict(state["net"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.seconds = state["step"], state["seconds"]
        return True

    def begin_with(self, weights: Path, strips: list[Strip]) -> None:
        """Takes exported weights instead of chance ones; `strips` are like those that it will learn from."""
        width = max(padded_width(strip) or 0 for strip in strips)
        batch = make_batch([strip for strip in strips if strip.pixels.shape[1] <= width], width)
        restore(self.net, weights, to_input(batch.pixels))
        self.average.load_state_dict(self.net.state_dict())

    def save(self) -> None:
        """Writes the checkpoint; a stop in the middle leaves the old one."""
        state = {
            "net": self.net.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
            "seconds": self.seconds,
            "shape": self.shape.as_dict(),
            "plan": asdict(self.plan),
        }
        part = self.folder / (CHECKPOINT + ".part")
        torch.save(state, part)
        part.replace(self.folder / CHECKPOINT)

    def learn(self, batch: Batch) -> float:
        """One step; returns the loss."""
        self.net.train()
        for group in self.optimiser.param_groups:
            group["lr"] = self.plan.rate_at(self.step)
        loss = loss_of(self.net, batch)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        self.step += 1
        self._follow(min(0.9985, (1 + self.step) / (20 + self.step)))
        return loss.item()

    @torch.no_grad()
    def _follow(self, keep: float) -> None:
        """Moves the running average towards the net."""
        for mean, new in zip(self.average.state_dict().values(), self.net.state_dict().values(), strict=True):
            if mean.dtype.is_floating_point:
                mean.lerp_(new, 1 - keep)
            else:
                mean.copy_(new)

    def run(self, make: Callable[[str], Composer], watched: dict[str, list[Strip]]) -> bool:
        """Trains to the last step of the plan, saving and reporting on the way.

        Args:
            make: builds a composer from a seed.
            watched: strips to measure on, by name.

        Returns:
            Whether it got there; False when a signal stopped it.
        """
        plan = self.plan
        feed = Feed(make, f"{plan.seed}/{self.step}", plan.columns, plan.workers, plan.reuse)
        began, losses, shown = time.monotonic(), list[float](), self.step
        stop = list[int]()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda got, _: stop.append(got))
        try:
            for batch in feed:
                losses.append(self.learn(batch))
                if stop:
                    self.seconds += time.monotonic() - began
                    self.save()
                    print(f"stopped at step {self.step}; the same command goes on from there", flush=True)
                    return False
                if self.step % plan.watch_every == 0 or self.step >= plan.steps:
                    self.seconds += time.monotonic() - began
                    pace = (self.step - shown) / max(1e-9, time.monotonic() - began)
                    self._report(watched, sum(losses) / len(losses), pace)
                    began, losses, shown = time.monotonic(), [], self.step
                if self.step >= plan.steps:
                    break
        finally:
            feed.close()
        return True

    def _report(self, watched: dict[str, list[Strip]], loss: float, pace: float) -> None:
        """Saves, measures, and says how far the training is."""
        self.save()
        if self.step >= EARLIER_AT * self.plan.steps and not (self.folder / EARLIER).exists():
            shutil.copyfile(self.folder / CHECKPOINT, self.folder / EARLIER)
        figures = {name: asdict(watch(self.average, strips)) for name, strips in watched.items()}
        line = {"step": self.step, "minutes": round(self.seconds / 60, 1), "loss": round(loss, 4), **figures}
        with (self.folder / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
        left = (self.plan.steps - self.step) / max(pace, 1e-9) / 60
        told = ", ".join(
            f"{n}: characters wrong {100 * f['characters_wrong']:.2f} %, strips {100 * f['strips_wrong']:.1f} %"
            for n, f in figures.items()
        )
        print(
            f"step {self.step} of {self.plan.steps}, {pace:.1f} steps/s, {left:.0f} min left, loss {loss:.3f}; {told}",
            flush=True,
        )
