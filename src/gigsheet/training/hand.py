"""One writer's hand on one strip: whose letters, and the habits that stay the same along the row."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gigsheet.training.samples import FONT, SCAN, ImageSample, PenSample, Points, Pool, Sample, blended
from gigsheet.training.turning import Turning, turned

PLACE: dict[str, tuple[float, float]] = {
    # label: (usual height, how high its middle stands above the baseline), in capital heights
    "+": (0.60, 0.48),
    "-": (0.10, 0.47),
    "=": (0.30, 0.48),
    "~": (0.28, 0.48),
    "<": (0.62, 0.48),
    ">": (0.62, 0.48),
    "'": (0.36, 0.90),
    "(": (1.25, 0.47),
    ")": (1.25, 0.47),
    ".": (0.12, 0.05),
    "x": (0.70, 0.36),
}
CAUTIOUS = "-=~()<>x+"
"""Little else than their curvature makes these what they are: a hand turns them only `CAUTION` as much."""
CAUTION = 0.3
BAND = 0.55
"""Above this height over the baseline (in capital heights) a prime and its neighbours get in each other's way."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A character ready to be drawn: coordinates in mm, x right from the pen's position, y down from the baseline.

    Attributes:
        points: float32 [n, 2]: the points of all strokes; for a picture its corners top left, top right, bottom left.
        starts: where in `points` each stroke after the first begins.
        picture: the picture that the corners place, or None.
        advance: how far the pen moves on before the gap, mm.
    """

    points: Points
    starts: tuple[int, ...]
    picture: npt.NDArray[np.uint8] | None
    advance: float

    def moved(self, dx: float, dy: float) -> Placed:
        """The same, shifted by millimetres."""
        return Placed(self.points + np.array([dx, dy], np.float32), self.starts, self.picture, self.advance)

    def extent(self, above: float | None = None) -> tuple[float, float] | None:
        """Least and greatest x of the ink, of that above a y only when given; None without any."""
        points = self.points if self.picture is None else self.corners()
        xs = points[:, 0] if above is None else points[points[:, 1] < above, 0]
        return (float(xs.min()), float(xs.max())) if len(xs) else None

    def strokes(self) -> list[Points]:
        """The pen strokes apart."""
        return np.split(self.points, self.starts) if self.starts else [self.points]

    def corners(self) -> Points:
        """The four corners of a picture."""
        top_left, top_right, bottom_left = self.points
        return np.stack([top_left, top_right, top_right + bottom_left - top_left, bottom_left])


class Warp:
    """A smooth bending of the unit square, the same for all letters of a hand or new for each."""

    def __init__(self, rng: random.Random, strength: float, terms: int = 3) -> None:
        # Sine waves along x or y, each pushing both ways: [term, (along x, along y, phase, push x, push y)].
        waves = np.array(
            [
                [
                    rng.uniform(1.5, 5),
                    rng.random() < 0.5,
                    rng.uniform(0, 6.3),
                    rng.gauss(0, strength),
                    rng.gauss(0, strength),
                ]
                for _ in range(terms)
            ],
            np.float32,
        )
        self.rates = np.stack([waves[:, 0] * waves[:, 1], waves[:, 0] * (1 - waves[:, 1])])
        self.phases = waves[:, 2]
        self.pushes = waves[:, 3:]

    def __call__(self, unit: Points) -> Points:
        bent: Points = unit + np.sin(unit @ self.rates + self.phases) @ self.pushes
        return bent


@dataclass(frozen=True, slots=True)
class HandStyle:
    """How far hands are varied when composing."""

    mix: float = 0.6
    """The share of hands in which every label may come from another writer."""
    pictures: float = 0.18
    """The share of hands whose letters may come from fonts, and of those whose digits may come from scans."""
    blend: float = 0.2
    """The share of hands whose letters lie between two writers', or beyond one of them."""
    turning: float = 0.7
    """The share of hands that draw their strokes with another turn of the wrist than their samples."""
    most_turning: float = 0.85
    """How strongly they do so at most; 1 leaves characters just what they are."""
    intrude: float = 0.15
    """How often the row above, and as often the row below, is written and may reach into the strip."""
    plain: bool = False
    """One writer, lenders for missing labels only, no distortion: for measuring."""


class Hand:
    """Draws characters as one writer would.

    Args:
        pens: strokes by label and writer.
        pictures: fonts and scans by label and writer; may be empty.
        rng: all randomness.
        style: how far the hand is varied.
        writer: whose hand; None draws one.
    """

    def __init__(
        self, pens: Pool, pictures: Pool, rng: random.Random, style: HandStyle, writer: str | None = None
    ) -> None:
        self.pens, self.pictures, self.rng = pens, pictures, rng
        self.writer = writer or rng.choice(pens.hands)
        self.slant = rng.gauss(0.05, 0.12) if rng.random() < 0.85 or style.plain else rng.gauss(0.2, 0.25)
        self.aspect = rng.uniform(0.78, 1.22)
        self.gap = rng.uniform(0.06, 0.34) if rng.random() < 0.9 else rng.uniform(0.3, 0.7)
        self.drift = rng.gauss(0, 0.025)
        self.wobble = rng.uniform(0.01, 0.06)
        self.size_wobble = rng.uniform(0.02, 0.11)
        self.prime_height = rng.gauss(0, 0.12)
        self.prime_gap = rng.uniform(0.02, 0.35)
        self.primes_touch = rng.random() < 0.08
        self.proportion = rng.uniform(0.6, 1.0)
        self.plain = style.plain
        self.warp = Warp(rng, 0.0 if style.plain else rng.uniform(0.0, 0.05))
        self.warp_each = 0.0 if style.plain else rng.uniform(0.0, 0.03)
        self.loose = 0.0 if style.plain or rng.random() < 0.3 else rng.uniform(0.0, 0.07)
        self.turn = 0.0 if style.plain else rng.uniform(0.0, 0.09)
        self.lend = rng.uniform(0.2, 1.0) if not style.plain and rng.random() < style.mix else 0.0
        self.fonts = [] if style.plain else [w for w in pictures.writers if w.startswith(FONT)]
        self.from_fonts = rng.choice(self.fonts) if self.fonts and rng.random() < style.pictures / 2 else None
        self.from_scans = not style.plain and rng.random() < style.pictures
        self.blends = not style.plain and rng.random() < style.blend
        self.turning = rng.uniform(0.0, style.most_turning) if not style.plain and rng.random() < style.turning else 0.0
        self.turnings: dict[tuple[str, int], Turning] = {}
        self.donors: dict[str, list[Sample]] = {}
        # For each label another writer's samples of it, and how far towards them this hand's letters are.
        self.models: dict[str, tuple[list[Sample], float]] = {}
        # How this hand makes a character against how its lender does: (width, height, slant, height over the baseline).
        self.quirks: dict[str, tuple[float, float, float, float]] = {}
        self.quirky = 0.0 if style.plain else rng.uniform(0.0, 0.16)

    def sample(self, label: str) -> Sample:
        """One of this hand's samples of a label; the lender of a label stays the same along the row."""
        if label not in self.donors:
            self.donors[label] = self._donor(label)
        sample = self.rng.choice(self.donors[label])
        if not isinstance(sample, PenSample):
            return sample
        if self.blends:
            sample = self._blended(label, sample)
        return self._turned(label, sample) if self.turning and label not in ".'" else sample

    def _turned(self, label: str, sample: PenSample) -> PenSample:
        """The sample as this hand turns its pen: a habit of each stroke, kept along the row, and a little chance."""
        strength = self.turning * (CAUTION if label in CAUTIOUS else 1.0)
        turnings = []
        for stroke in range(len(sample.starts) + 1):
            if (label, stroke) not in self.turnings:
                self.turnings[label, stroke] = Turning.of_a_hand(self.rng, strength)
            turnings.append(self.turnings[label, stroke].varied(self.rng, 0.3 * strength))
        return turned(sample, turnings)

    def _blended(self, label: str, sample: PenSample) -> PenSample:
        rng = self.rng
        if label not in self.models:
            self.models[label] = self.pens.samples[label][rng.choice(self.pens.lenders[label])], rng.uniform(-0.5, 0.7)
        samples, share = self.models[label]
        model = rng.choice(samples)
        return blended(sample, model, share) if isinstance(model, PenSample) else sample

    def _donor(self, label: str) -> list[Sample]:
        rng, pictures = self.rng, self.pictures.samples.get(label, {})
        if pictures and self.from_fonts in pictures and rng.random() < 0.7:
            return pictures[self.from_fonts]
        scans = [w for w in pictures if w.startswith(SCAN)] if self.from_scans else []
        if scans and rng.random() < 0.7:
            return pictures[rng.choice(scans)]
        by_writer = self.pens.samples[label]
        if self.writer in by_writer and rng.random() >= self.lend:
            return by_writer[self.writer]
        if self.lend and self.fonts and rng.random() < 0.1:
            font = rng.choice(self.fonts)
            if font in pictures:
                return pictures[font]
        return by_writer[rng.choice(self.pens.lenders[label])]

    def character(self, label: str, cap: float) -> Placed:
        """One character for a capital height of `cap` mm, its ink beginning at x = 0 on the baseline."""
        sample, rng = self.sample(label), self.rng
        size = max(0.5, 1 + rng.gauss(0, self.size_wobble))
        width, height = self._size(label, sample, size)
        wide, tall, lean, rise = self._quirk(label)
        width, height = width * wide, height * tall
        bottom = self._bottom(label, sample, height) + rise
        skew = self.slant + lean + rng.gauss(0, 0.03)
        angle = rng.gauss(0, self.turn)
        starts: tuple[int, ...] = ()
        if isinstance(sample, ImageSample):
            unit, starts, picture = np.array([[0, 0], [1, 0], [0, 1]], np.float32), (), sample.ink
            if sample.bottom is not None and label not in "0123456789":
                skew, angle = skew * 0.5, angle * 0.5
        else:
            unit, starts, picture = sample.points, sample.starts, None
            if not self.plain:
                unit = self.warp(self._loosened(unit, starts))
                if label not in ".'-":
                    unit = Warp(rng, self.warp_each, 2)(unit)
        # Turned about its middle, leaning about half the capital height, in one matrix: unit square -> mm.
        cos, sin = math.cos(angle), math.sin(angle)
        turn = np.array([[cos * width, -sin * width], [sin * height, cos * height]])
        shear = np.array([[1, 0], [-skew, 1]])
        matrix = (turn @ shear) * cap
        middle = np.array([width / 2, -bottom - height / 2]) @ shear * cap
        shift = middle - np.array([0.5, 0.5]) @ matrix + np.array([-0.5 * skew, rng.gauss(0, self.wobble)]) * cap
        points = (unit @ matrix.astype(np.float32) + shift.astype(np.float32)).astype(np.float32)
        return Placed(points, starts, picture, width * cap)

    def _quirk(self, label: str) -> tuple[float, float, float, float]:
        """What this hand does to a character all along the row."""
        if label not in self.quirks:
            rng, q = self.rng, self.quirky
            self.quirks[label] = (
                math.exp(rng.gauss(0, 1.3 * q)),
                math.exp(rng.gauss(0, 0.6 * q)),
                rng.gauss(0, 0.6 * q),
                rng.gauss(0, 0.3 * q),
            )
        return self.quirks[label]

    def _loosened(self, unit: Points, starts: tuple[int, ...]) -> Points:
        """The strokes of a character moved and stretched one against the other: bars too long, bows that miss stems."""
        if not starts or not self.loose:
            return unit
        rng, ends = self.rng, (*starts, len(unit))
        pieces = []
        for start, end in zip((0, *starts), ends, strict=True):
            stroke = unit[start:end]
            middle = stroke.mean(axis=0)
            grown = np.array([1 + rng.gauss(0, 2 * self.loose), 1 + rng.gauss(0, 2 * self.loose)], np.float32)
            shift = np.array([rng.gauss(0, self.loose), rng.gauss(0, self.loose)], np.float32)
            pieces.append((stroke - middle) * grown + middle + shift)
        return np.concatenate(pieces)

    def _size(self, label: str, sample: Sample, size: float) -> tuple[float, float]:
        """Width and height in capital heights: the writer's own proportions, within what a reader would accept."""
        usual = PLACE.get(label, (1.0, 0.5))[0]
        rng = self.rng
        if label == ".":
            dot = usual * rng.uniform(0.4, 1.6)
            return dot * rng.uniform(0.7, 1.4), dot
        width, height = sample.width, sample.height
        if label == "-":
            height = min(height, 0.25)
        else:
            own = min(max(height, 0.5 * usual), 1.75 * usual)
            wanted = own**self.proportion * usual ** (1 - self.proportion)
            width *= wanted / max(height, 1e-3) if isinstance(sample, ImageSample) else 1.0
            height = wanted
        width = min(width, 1.5) * self.aspect * size
        if label in "-=~":
            width = max(width, 0.28)
        return width, height * size

    def _bottom(self, label: str, sample: Sample, height: float) -> float:
        """How high the character's lower edge stands above the baseline, in capital heights."""
        if label == "'":
            return PLACE[label][1] + self.prime_height + self.rng.gauss(0, 0.04) - height / 2
        if isinstance(sample, ImageSample) and sample.bottom is not None and label not in PLACE:
            return sample.bottom
        if label in PLACE:
            return PLACE[label][1] - height / 2 + (self.rng.gauss(0, 0.04) if label != "." else 0.0)
        return 0.0

    def write(self, text: str, cap: float, x: float) -> tuple[list[Placed], float]:
        """Writes text from x (mm) on the baseline y = 0; returns the characters and where the pen ends."""
        start, rng, placed = x, self.rng, list[Placed]()
        for k, label in enumerate(text):
            glyph = self.character(label, cap).moved(x, self.drift * (start - x))
            beside_prime = k > 0 and "'" in (label, text[k - 1])
            if beside_prime and not self.primes_touch:
                shift = self._clearance(placed[-1], glyph, cap)
                glyph, x = glyph.moved(shift, 0), x + shift
            placed.append(glyph)
            x += glyph.advance
            if label == "." and text[k + 1 : k + 2] == ".":
                x += cap * rng.uniform(0.2, 0.6)
            else:
                tight = 0.45 if label == "<" or text[k + 1 : k + 2] == "'" else 1.0
                x += cap * self.gap * tight * rng.uniform(0.4, 1.6)
        return placed, x

    def _clearance(self, left: Placed, right: Placed, cap: float) -> float:
        """How far to move the right one so that a prime stays clear of its neighbour."""
        a, b = left.extent(-BAND * cap), right.extent(-BAND * cap)
        if a is None or b is None:
            return 0.0
        return max(0.0, a[1] + cap * self.prime_gap * self.rng.uniform(0.5, 1.5) - b[0])
