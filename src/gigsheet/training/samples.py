"""Handwriting to learn from: single characters, by label and by writer, in units of the writer's capital height."""

from __future__ import annotations

import gzip
import json
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

    @property
    def strokes(self) -> list[Points]:
        """The pen strokes apart."""
        return np.split(self.points, self.starts)


EVEN = 32
"""Points a stroke where two samples are blended."""
ALIKE = 0.3
"""Samples whose strokes lie further apart on average (shares of their extent) are different forms, not variants."""


def evenly(line: Points, count: int) -> Points:
    """A line, [n, 2], with `count` points at equal distances along it."""
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    at = np.linspace(0.0, along[-1], count)
    return np.stack([np.interp(at, along, line[:, 0]), np.interp(at, along, line[:, 1])], axis=1).astype(np.float32)


def even_strokes(sample: PenSample) -> Points:
    """The strokes of a sample with `EVEN` points each at equal distances, float32 [strokes, EVEN, 2]."""
    return np.stack([evenly(stroke, EVEN) for stroke in sample.strokes])


def blended(one: PenSample, other: PenSample, share: float) -> PenSample:
    """A character on the way from one sample to another, or beyond (share outside 0..1): a hand that nobody has.

    Strokes are paired in the order in which they were drawn, whichever way round. Samples of other forms (other
    strokes, or strokes elsewhere) do not blend: `one` comes back as it is.
    """
    if len(one.starts) != len(other.starts):
        return one
    here, there = even_strokes(one), even_strokes(other)
    straight = np.abs(there - here).mean(axis=(1, 2))
    turned = np.abs(there[:, ::-1] - here).mean(axis=(1, 2))
    if float(np.minimum(straight, turned).mean()) > ALIKE / 2:
        return one
    there = np.where((turned < straight)[:, None, None], there[:, ::-1], there)
    points = np.asarray(here + np.float32(share) * (there - here), np.float32).reshape(-1, 2)
    starts = tuple(range(EVEN, len(points), EVEN))
    width = max(0.3 * one.width, one.width + share * (other.width - one.width))
    height = max(0.3 * one.height, one.height + share * (other.height - one.height))
    return PenSample(points, starts, width, height)


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


@dataclass(frozen=True, slots=True)
class Fold:
    """Which writers a net must not learn from: every `of`-th by name, from the `number`-th (1..of) on.

    Names begin with the site that they were gathered at, so every fold has writers of every larger site.
    """

    number: int
    of: int

    def writers(self, names: Iterable[str]) -> list[str]:
        """Those of the names that are kept out."""
        return sorted(set(names))[self.number - 1 :: self.of]


def load_pen_pools(folder: Path, fold: Fold | None) -> tuple[Pool, Pool]:
    """The pens of a folder: (to learn from, kept out); without a fold all are to learn from."""
    records = list(read_records(folder))
    kept = set(fold.writers(str(r["writer"]) for r in records)) if fold else set[str]()
    learn, keep = Pool(), Pool()
    for record in records:
        label = "x" if record["label"] == "X" else str(record["label"])
        if label not in LABELS:
            continue
        sample = pen_sample(record["strokes"], float(record["ref_h"]))  # type: ignore[arg-type]
        if sample is not None:
            writer = str(record["writer"])
            (keep if writer in kept else learn).add(label, writer, sample)
    return learn, keep


def write_kept_out(folder: Path, fold: Fold, out: Path) -> None:
    """Writes the samples of the writers kept out to their own folder: sets by their hands calibrate the decoder."""
    records = list(read_records(folder))
    kept = set(fold.writers(str(r["writer"]) for r in records))
    out.mkdir(parents=True, exist_ok=True)
    with gzip.open(out / STROKES, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record) + "\n" for record in records if str(record["writer"]) in kept)


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
