"""Batches of strips, composed by processes beside the training and padded as little as possible."""

from __future__ import annotations

import multiprocessing as mp
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.records import CLASS_OF
from gigsheet.training.compose import STRIP_HEIGHT, Composer, Strip

CHUNK = 384
"""Strips composed before they are sorted by width into batches."""
WIDTHS = (96, 128, 176, 240, 320, 432)
"""Strips are padded to one of these widths: few shapes, for which the kernels are built once."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Strips of like widths.

    Attributes:
        pixels: uint8 [n, STRIP_HEIGHT, width], padded on the right with paper.
        widths: int64 [n]; each strip's own width.
        targets: int64 [sum of lengths]; the classes of all texts, one after the other.
        lengths: int64 [n].
    """

    pixels: npt.NDArray[np.uint8]
    widths: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]


def make_batch(strips: Sequence[Strip], width: int, lift: Callable[[], int] = lambda: 0) -> Batch:
    """Pads strips to `width` columns; `lift` says by how many pixels to move each up or down."""
    widths = np.array([s.pixels.shape[1] for s in strips], np.int64)
    pixels = np.full((len(strips), STRIP_HEIGHT, width), 255, np.uint8)
    for k, strip in enumerate(strips):
        up = lift()
        source = strip.pixels[max(0, up) : STRIP_HEIGHT + min(0, up)]
        pixels[k, max(0, -up) : max(0, -up) + len(source), : widths[k]] = source
    targets = np.array([CLASS_OF[c] for s in strips for c in s.text], np.int64)
    return Batch(pixels, widths, targets, np.array([len(s.text) for s in strips], np.int64))


def padded_width(strip: Strip) -> int | None:
    """The least width of `WIDTHS` that holds a strip; None for a longer one."""
    width = strip.pixels.shape[1]
    return next((w for w in WIDTHS if w >= width), None)


class Feed:
    """An endless stream of batches from composers in their own processes; each strip is shown `reuse` times."""

    def __init__(self, make: Callable[[str], Composer], seed: str, columns: int, workers: int, reuse: int) -> None:
        # A forked child cannot use OpenCV's thread pool of its parent; one thread each is what is wanted anyway.
        cv2.setNumThreads(1)
        context = mp.get_context("fork")
        self.queue: mp.Queue[list[Strip]] = context.Queue(4)
        self.rng, self.columns, self.reuse = random.Random(seed), columns, reuse
        self.workers = [
            context.Process(target=_work, args=(make, f"{seed}/{k}", self.queue), daemon=True) for k in range(workers)
        ]
        for worker in self.workers:
            worker.start()

    def __iter__(self) -> Iterator[Batch]:
        waiting: dict[int, list[Strip]] = {width: [] for width in WIDTHS}
        old: list[Strip] = []
        while True:
            new = self.queue.get()
            shown = new + old * (self.reuse - 1)
            old = new
            for strip in shown:
                width = padded_width(strip)
                if width is not None:
                    waiting[width].append(strip)
            yield from self._ready(waiting)

    def _ready(self, waiting: dict[int, list[Strip]]) -> Iterator[Batch]:
        """The batches that are full, in random order; what is over waits."""
        full = list[tuple[int, list[Strip]]]()
        for width, strips in waiting.items():
            self.rng.shuffle(strips)
            count = self.columns // width
            while len(strips) >= count:
                full.append((width, strips[:count]))
                del strips[:count]
        self.rng.shuffle(full)
        for width, strips in full:
            yield make_batch(strips, width, lambda: self.rng.choice([-1, 0, 0, 1]))

    def close(self) -> None:
        """Ends the composers."""
        for worker in self.workers:
            worker.terminate()


def _work(make: Callable[[str], Composer], seed: str, queue: mp.Queue[list[Strip]]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    composer = make(seed)
    while True:
        queue.put([composer.strip() for _ in range(CHUNK)])
