"""Handwriting to learn from: single characters, by label and by writer, in units of the writer's capital height."""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.errors import UnreadableFileError
from gigsheet.records import ALPHABET, STRUCK

Points = npt.NDArray[np.float32]

STROKES = "strokes.jsonl.gz"
DIGITS = "digits28.npz"
FONT, SCAN = "font-", "digits-"
"""How the writers' names of pictures begin."""
LABELS = ALPHABET.replace(STRUCK, "")
"""What is written by hand; a crossed-out entry is composed, not sampled."""


@dataclass(frozen=True, slots=True)
class PenSample:
    """One character as pen strokes.

    Attributes:
        points: float32 [n, 2], the points of all strokes, x right and y down, in shares of the ink's width and height.
        starts: where in `points` each stroke after the first begins.
        width, height: the ink's extent in capital heights.
    """

    points: Points
    starts: tuple[int, ...]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class ImageSample:
    """One character as a picture: a scanned digit or a letter of a handwriting font.

    Attributes:
        ink: uint8 [h, w], ink bright, cropped to the ink.
        width, height: the ink's extent in capital heights.
        bottom: how far its lower edge stands above the baseline, in capital heights; None where it is not known.
    """

    ink: npt.NDArray[np.uint8]
    width: float
    height: float
    bottom: float | None = None


Sample = PenSample | ImageSample


class Pool:
    """Samples by label and writer.

    Attributes:
        samples: label -> writer -> samples.
    """

    def __init__(self) -> None:
        self.samples: dict[str, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))

    def add(self, label: str, writer: str, sample: Sample) -> None:
        """Adds one sample."""
        self.samples[label][writer].append(sample)

    def update(self, other: Pool) -> None:
        """Adds all samples of another pool."""
        for label, by_writer in other.samples.items():
            for writer, samples in by_writer.items():
                self.samples[label][writer].extend(samples)

    @cached_property
    def lenders(self) -> dict[str, list[str]]:
        """Who wrote each label; asked for only when the pool is complete."""
        return {label: sorted(by_writer) for label, by_writer in self.samples.items()}

    @cached_property
    def writers(self) -> list[str]:
        """All writers by name; asked for only when the pool is complete."""
        return sorted({writer for by_writer in self.samples.values() for writer in by_writer})

    @cached_property
    def hands(self) -> list[str]:
        """The writers of several labels: those who have a hand to show."""
        return [w for w in self.writers if sum(w in by_writer for by_writer in self.samples.values()) >= 3]

    def size(self) -> int:
        """How many samples there are."""
        return sum(len(s) for by_writer in self.samples.values() for s in by_writer.values())


def smoothed(line: Points, rounds: int = 2) -> Points:
    """A stroke with its corners cut (Chaikin): a pen does not step from grid point to grid point as a tablet does."""
    for _ in range(rounds):
        if len(line) < 3:
            return line
        a, b = line[:-1], line[1:]
        cut = np.stack([0.75 * a + 0.25 * b, 0.25 * a + 0.75 * b], axis=1).reshape(-1, 2)
        line = np.concatenate([line[:1], cut[1:-1], line[-1:]]).astype(np.float32)
    return line


def pen_sample(strokes: Iterable[Points], unit: float) -> PenSample | None:
    """A sample of raw strokes, `unit` being the capital height in their unit; None when there is no ink."""
    lines = [np.asarray(s, np.float32).reshape(-1, 2) / np.float32(unit) for s in strokes]
    lines = [line for line in lines if len(line)]
    if not lines:
        return None
    every = np.concatenate(lines)
    low, span = every.min(axis=0), np.ptp(every, axis=0)
    # Points that tell less than a hundredth of a capital's height only cost time.
    kept = [
        cv2.approxPolyDP(smoothed(line - low).reshape(-1, 1, 2), 0.008, False).reshape(-1, 2).astype(np.float32)
        for line in lines
    ]
    starts = np.cumsum([len(line) for line in kept])[:-1]
    unit = np.concatenate(kept) / np.maximum(span, 1e-3)
    return PenSample(np.asarray(unit, np.float32), tuple(starts.tolist()), float(span[0]), float(span[1]))


def read_records(folder: Path) -> Iterator[dict[str, object]]:
    """The samples of a folder's ``strokes.jsonl.gz`` as they stand there.

    Raises:
        UnreadableFileError: the file is missing or is not what it should be.
    """
    path = folder / STROKES
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, EOFError, ValueError) as error:
        raise UnreadableFileError(
            f"{path} cannot be read ({error}); give a folder that holds {STROKES}, one sample a line"
        ) from error


def held_out_writers(writers: Iterable[str], seed: int, share: float = 0.1) -> list[str]:
    """The writers the net must not learn from: a share of all, drawn by the seed."""
    names = sorted(set(writers))
    return sorted(random.Random(seed).sample(names, round(len(names) * share)))


def load_pen_pools(folder: Path, seed: int) -> tuple[Pool, Pool]:
    """The pens of a folder: (to learn from, held out)."""
    records = list(read_records(folder))
    held = set(held_out_writers((str(r["writer"]) for r in records), seed))
    learn, hold = Pool(), Pool()
    for record in records:
        label = "x" if record["label"] == "X" else str(record["label"])
        if label not in LABELS:
            continue
        sample = pen_sample(record["strokes"], float(record["ref_h"]))  # type: ignore[arg-type]
        if sample is not None:
            writer = str(record["writer"])
            (hold if writer in held else learn).add(label, writer, sample)
    return learn, hold


def crop(ink: npt.NDArray[np.uint8], level: int = 40) -> npt.NDArray[np.uint8] | None:
    """The part of a picture that holds ink (bright), or None."""
    rows, columns = np.nonzero((ink > level).any(axis=1))[0], np.nonzero((ink > level).any(axis=0))[0]
    if len(rows) == 0:
        return None
    return np.ascontiguousarray(ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


def load_digits(folder: Path) -> Pool:
    """Scanned digits as `ImageSample`; writers are unknown, so every 50 of a label are called one."""
    pool = Pool()
    path = folder / DIGITS
    if not path.exists():
        return pool
    with np.load(path, allow_pickle=False) as file:
        images, labels = file["images"], file["labels"]
    counts: dict[str, int] = defaultdict(int)
    for image, label in zip(images, labels, strict=True):
        ink = crop(image)
        if ink is None:
            continue
        name = str(label)
        height, width = ink.shape
        pool.add(name, f"{SCAN}{counts[name] // 50}", ImageSample(ink, width / height, 1.0, 0.0))
        counts[name] += 1
    return pool
