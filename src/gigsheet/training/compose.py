"""Composes strips: entries along a row, frames and rules, seen by a camera, cut out as the reader cuts them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.records import STRUCK
from gigsheet.training.capture import Camera, Gray
from gigsheet.training.hand import Hand, HandStyle, Placed
from gigsheet.training.samples import Points, Pool
from gigsheet.training.texts import strip_text
from gigsheet.vision.flatfield import flat_field

STRIP_HEIGHT = 40
COLUMNS_PER_MM = 5.5
DRAW_PX_PER_MM = 11.0
"""Strips are drawn at about the scale of a 12 MP photo of a page, then made smaller as a crop is."""
BLEED_MM = 0.3
"""How much of the paper above and below the entry area a strip holds."""
SHIFT = 4
"""Fractional bits of OpenCV's drawing coordinates."""


FREE = HandStyle()


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """A composed strip: pixels uint8 [STRIP_HEIGHT, width] as the reader cuts them, what it says, and who wrote it."""

    pixels: Gray
    text: str
    writer: str


@dataclass(slots=True)
class Line:
    """What is written on one row, in mm: x from the strip's left edge, y down from the strip's upper edge."""

    glyphs: list[Placed] = field(default_factory=list)
    strikes: list[Points] = field(default_factory=list)
    frames: list[tuple[float, float]] = field(default_factory=list)
    text: str = ""
    end: float = 0.0


class Composer:
    """Composes strips of many hands.

    Args:
        pens: strokes by label and writer.
        pictures: letters of fonts and scanned digits; may be empty.
        seed: all randomness.
        style: how far hands are varied.
        real: the share of strips that hold rows of the game; the rest hold random strings.
    """

    def __init__(self, pens: Pool, pictures: Pool, seed: str, style: HandStyle = FREE, real: float = 0.5) -> None:
        self.pens, self.pictures, self.style, self.real = pens, pictures, style, real
        self.rng = random.Random(seed)
        self.camera = Camera(np.random.default_rng(self.rng.randrange(2**32)))

    def strip(self, room: float | None = None) -> Strip:
        """One strip; `room` is the most it may be long, in mm."""
        rng = self.rng
        area = rng.choice([10.0, 10.0, 9.0, rng.uniform(7.5, 12.0)])
        hand = Hand(self.pens, self.pictures, rng, self.style)
        room = room or rng.uniform(16.0, 72.0)
        line = self._write(hand, area, room)
        while not line.text:
            line = self._write(hand, area, room)
        self._intrude(line, hand, area)
        # One strip in five goes on over bare paper, the others stop where their writing does.
        bare = rng.uniform(4.0, 12.0) if rng.random() < 0.2 else rng.uniform(1.0, 3.0)
        width = max(24, round((line.end + bare) * COLUMNS_PER_MM))
        height_mm = area + 2 * BLEED_MM
        canvas = np.zeros((round(height_mm * DRAW_PX_PER_MM), round(width / COLUMNS_PER_MM * DRAW_PX_PER_MM)), np.uint8)
        draw(canvas, line, rng.uniform(0.26, 0.78), rng)
        print_mask = np.zeros_like(canvas)
        draw_print(print_mask, line, area, rng)
        gray = self.camera.capture(canvas, print_mask, (STRIP_HEIGHT, width), height_mm)
        return Strip(flat_field(gray[None])[0], line.text, hand.writer)

    def _intrude(self, line: Line, hand: Hand, area: float) -> None:
        """Lets the rows above and below reach into the strip, as tall letters on tight rows do."""
        rng = self.rng
        for side in (-1, 1):
            if rng.random() >= self.style.intrude:
                continue
            cap = area * rng.uniform(0.45, 0.65)
            base = BLEED_MM + area * (1 - rng.uniform(0.12, 0.32)) + side * (area - rng.uniform(-1.0, 1.4))
            text = "".join(entry for entry, _ in strip_text(rng, 0.9))[:6]
            glyphs, _ = hand.write(text, cap, rng.uniform(-6.0, max(0.0, line.end - 4.0)))
            line.glyphs += [g.moved(0, base) for g in glyphs]

    def _write(self, hand: Hand, area: float, room: float) -> Line:
        """Entries written until the room (mm) is used up."""
        rng, line = self.rng, Line()
        boxes = rng.random() < 0.6
        box = rng.uniform(17.0, 27.0)
        tall = min(rng.uniform(4.2, 5.6), area * rng.uniform(0.48, 0.64)) * (
            1.0 if rng.random() < 0.8 else rng.uniform(0.55, 1.0)
        )
        base = BLEED_MM + area * (1 - rng.uniform(0.12, 0.32))
        x = rng.uniform(0.8, 3.0)
        for text, crossed in strip_text(rng, self.real):
            cap = tall
            if boxes:
                rough = sum(0.5 if c in "'.1" else 0.95 for c in text) + 0.3
                cap = min(tall, box * rng.uniform(0.82, 1.0) / rough)
            cap = max(cap, 2.2)
            glyphs, end = hand.write(text, cap, x)
            ink_end = max(g.extent()[1] for g in glyphs)  # type: ignore[index]
            if ink_end > room - 0.8:
                break
            line.glyphs += [g.moved(0, base + rng.gauss(0, 0.12)) for g in glyphs]
            if crossed:
                line.strikes += strike(rng, x, ink_end, base, cap)
            line.frames.append(
                (x - rng.uniform(0.2, 4.0), max(ink_end, x + box * rng.uniform(0.6, 1.0)) if boxes else ink_end)
            )
            line.text += STRUCK if crossed else text
            line.end = ink_end
            x = end + (rng.uniform(1.2, 3.2) if boxes else cap * max(0.05, rng.gauss(0.75, 0.35)))
        return line


def strike(rng: random.Random, x0: float, x1: float, base: float, cap: float) -> list[Points]:
    """The lines by which a player crosses out what stands from x0 to x1 (mm)."""
    kind = rng.choices(["lines", "cross", "scribble"], [78, 8, 14])[0]
    x0, x1 = x0 - rng.uniform(-0.4, 0.9), x1 + rng.uniform(-0.4, 0.9)

    def height() -> float:
        return base - cap * rng.uniform(0.15, 0.85)

    def wavy(a: tuple[float, float], b: tuple[float, float]) -> Points:
        along = np.linspace(0, 1, 7, dtype=np.float32)
        wave = np.array([rng.gauss(0, 0.04 * cap) for _ in along], np.float32)
        return np.stack([a[0] + (b[0] - a[0]) * along, a[1] + (b[1] - a[1]) * along + wave], axis=1).astype(np.float32)

    if kind == "lines":
        return [
            wavy((x0 + rng.gauss(0, 0.4), height()), (x1 + rng.gauss(0, 0.4), height()))
            for _ in range(rng.choice([1, 1, 2, 2, 3]))
        ]
    top, low = base - cap * rng.uniform(0.8, 1.1), base + cap * rng.uniform(-0.2, 0.1)
    if kind == "cross":
        return [wavy((x0, top), (x1, low)), wavy((x0, low), (x1, top))]
    turns = max(4, int((x1 - x0) / rng.uniform(0.5, 1.4)))
    xs = np.linspace(x0, x1, turns) + np.array([rng.gauss(0, 0.3) for _ in range(turns)])
    ys = [(top if k % 2 else low) + rng.gauss(0, 0.1 * cap) for k in range(turns)]
    return [np.stack([xs, ys], axis=1).astype(np.float32)]


def draw(canvas: Gray, line: Line, pen_mm: float, rng: random.Random) -> None:
    """Draws the ink of a row, 255 where the pen pressed full."""
    scale = DRAW_PX_PER_MM
    for glyph in line.glyphs:
        if glyph.picture is not None:
            _draw_picture(canvas, glyph, scale, pen_mm)
    thick = max(1, round(pen_mm * scale))
    dots = round(pen_mm * scale * 8)
    pens: dict[int, list[npt.NDArray[np.int32]]] = {}
    for glyph in line.glyphs:
        if glyph.picture is not None:
            continue
        width = max(1, thick + rng.choice([-1, 0, 0, 0, 0, 1]))
        for stroke in glyph.strokes():
            points = (stroke * (scale * 2**SHIFT)).astype(np.int32).reshape(-1, 1, 2)
            if len(points) == 1:
                cv2.circle(canvas, points[0, 0].tolist(), max(8, dots), 255, -1, cv2.LINE_AA, SHIFT)
            else:
                pens.setdefault(width, []).append(points)
    for stroke in line.strikes:
        points = (stroke * (scale * 2**SHIFT)).astype(np.int32).reshape(-1, 1, 2)
        pens.setdefault(max(1, round(thick * rng.uniform(0.9, 1.4))), []).append(points)
    for width, lines in pens.items():
        cv2.polylines(canvas, lines, False, 255, width, cv2.LINE_AA, SHIFT)


def _draw_picture(canvas: Gray, glyph: Placed, scale: float, pen_mm: float) -> None:
    """Draws a scanned or printed character where its corners say."""
    assert glyph.picture is not None
    corners = glyph.corners() * np.float32(scale)
    left, top = np.floor(corners.min(axis=0)).astype(int) - 2
    right, low = np.ceil(corners.max(axis=0)).astype(int) + 3
    x0, y0, x1, y1 = max(left, 0), max(top, 0), min(right, canvas.shape[1]), min(low, canvas.shape[0])
    if x1 <= x0 or y1 <= y0:
        return
    h, w = glyph.picture.shape
    source = np.array([[0, 0], [w, 0], [0, h]], np.float32)
    place = cv2.getAffineTransform(source, corners[[0, 1, 3]] - np.array([x0, y0], np.float32))
    part = cv2.warpAffine(glyph.picture, place, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR)
    # Stroke width follows the pen a little, and an enlarged scan gets a pen's edges back.
    part = cv2.GaussianBlur(part, (0, 0), 1.0)
    edge = 255 * (0.5 - 0.5 * min(pen_mm, 0.8))
    part = np.clip((part.astype(np.float32) - edge) * 3.0, 0, 255).astype(np.uint8)
    np.maximum(canvas[y0:y1, x0:x1], part, out=canvas[y0:y1, x0:x1])


def draw_print(canvas: Gray, line: Line, area: float, rng: random.Random) -> None:
    """What the form itself left in the crop: frames of boxes, solid, dashed or dotted, a rule, or nothing."""
    kind = rng.choices(["boxes", "rule", "none"], [55, 25, 20])[0]
    if kind == "none":
        return
    scale = DRAW_PX_PER_MM
    thick = rng.choice([1, 1, 2, 2, 3, 4])
    dash, gap = rng.choice([(0.0, 0.0), (0.3, 0.6), (0.5, 0.5), (0.8, 0.8), (1.5, 1.0), (0.2, 0.9)])
    phase = rng.uniform(0, 2)
    top, low = BLEED_MM + rng.gauss(0, 0.15), BLEED_MM + area + rng.gauss(0, 0.15)
    width_mm = canvas.shape[1] / scale
    if kind == "rule":
        y = low - rng.choice([0.0, 0.0, rng.uniform(0, 2.2)])
        _rule(canvas, (-1, y), (width_mm + 1, y + rng.gauss(0, 0.2)), thick, (dash, gap, phase))
        return
    tilt = rng.gauss(0, 0.12)
    for x0, x1 in line.frames:
        for a, b in (
            ((x0, top), (x1, top + tilt)),
            ((x0, low), (x1, low + tilt)),
            ((x0, top), (x0, low)),
            ((x1, top), (x1, low)),
        ):
            _rule(canvas, a, b, thick, (dash, gap, phase))


def _rule(
    canvas: Gray, a: tuple[float, float], b: tuple[float, float], thick: int, dashes: tuple[float, float, float]
) -> None:
    """One printed line from a to b (mm)."""
    scale = DRAW_PX_PER_MM * 2**SHIFT
    dash, gap, phase = dashes
    start, end = np.array(a, np.float32), np.array(b, np.float32)
    length = float(np.linalg.norm(end - start))
    if dash == 0 or length == 0:
        pieces: Points = np.stack([start, end])[None]
    else:
        at = np.arange(-phase, length, dash + gap, dtype=np.float32)
        along = np.stack([np.clip(at, 0, length), np.clip(at + dash, 0, length)], axis=1) / length
        pieces = np.asarray(start + (end - start) * along[..., None], np.float32)
    cv2.polylines(canvas, list((pieces * scale).astype(np.int32)), False, 255, thick, cv2.LINE_AA, SHIFT)
