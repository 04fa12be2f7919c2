"""Writes games by hand onto blank sheets, with this project's own strokes.

A `Hand` is one person: how big, slanted, thick and unsteady they write. `filled_page` gives the paper that
`tests.support.capture` photographs or scans; everything follows from the seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt
import pypdfium2

from gigsheet.sheet.printing import Sheet, print_sheets
from gigsheet.sheet.template import Box, GameLayout, RowLayout, load_template
from tests.support.capture import Paper
from tests.support.glyphs import FORMS, Points, smooth

DPI = 300
PX_MM = DPI / 25.4
SERIAL = "7F3K-02"
DOTS_APART = 0.3
"""How much further the dots of a pass stand apart than letters do, in cap heights."""

MarkKind = Literal["circle", "cross", "tick", "fill"]
MARK_KINDS: tuple[MarkKind, ...] = ("circle", "cross", "tick", "fill")


@dataclass(frozen=True, slots=True)
class Hand:
    """How one person writes.

    Attributes:
        cap_mm: the height of capitals and digits.
        slant: how far a letter's top leans to the right, as a share of its height.
        width: of letters, 1 as in `tests.support.glyphs`.
        gap: between letters, in cap heights.
        pen_mm, ink, opacity: the pen: its width, its colour (blue, green, red), how dark it is.
        wobble: how far a stroke strays, in cap heights.
        forms: which form of each sign this person uses.
    """

    cap_mm: float
    slant: float
    width: float
    gap: float
    pen_mm: float
    ink: tuple[int, int, int]
    opacity: float
    wobble: float
    forms: Mapping[str, int]

    @classmethod
    def of(cls, rng: np.random.Generator) -> Hand:
        """A random person's hand."""
        ink = [(140, 55, 25), (40, 36, 34), (90, 88, 86)][rng.integers(3)]
        return cls(
            cap_mm=rng.uniform(4.2, 5.2),
            slant=rng.normal(0.06, 0.08),
            width=rng.uniform(0.9, 1.12),
            gap=rng.uniform(0.14, 0.26),
            pen_mm=rng.uniform(0.35, 0.65),
            ink=ink,
            opacity=rng.uniform(0.8, 0.95),
            wobble=rng.uniform(0.01, 0.025),
            forms={sign: int(rng.integers(len(forms))) for sign, forms in FORMS.items()},
        )


@dataclass(frozen=True, slots=True)
class Game:
    """What is written for one game.

    Attributes:
        rows: a line of entries a turn, as text; an empty line leaves its row blank.
        first, result: the printed choices that are marked: none, one or more.
        struck: by turn, an entry that is crossed out and stands before the row's own.
        notes: by turn, what stands in the notes column.
        by_boxes: an entry a box where the sheet has boxes; otherwise along the row, with no regard for boxes.
    """

    rows: Sequence[str] = ()
    first: Sequence[str] = ()
    result: Sequence[str] = ()
    struck: Mapping[int, str] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    by_boxes: bool = True


def filled_page(
    games: Mapping[int, Game],
    *,
    template: str = "single",
    paper: str = "a4",
    seed: int = 0,
    kinds: Sequence[MarkKind] = ("circle", "cross", "tick"),
    serial: str = SERIAL,
    hand: Hand | None = None,
) -> Paper:
    """The sheet with these games (by number) written on it, in one hand; no games: the sheet as printed."""
    rng = np.random.default_rng(seed)
    page = blank_page(template, paper, serial)
    desk = Desk(page.shape[:2], hand or Hand.of(rng), rng)
    layouts = {game.game: game for game in load_template(template, paper).games}
    for number, game in games.items():
        _write_game(desk, layouts[number], game, kinds)
    return Paper(desk.inked(page), np.ones(page.shape[:2], np.float32), PX_MM)


@cache
def blank_page(template: str, paper: str, serial: str) -> npt.NDArray[np.uint8]:
    """The printed sheet as BGR pixels [h, w, 3] at `DPI`."""
    pdf = print_sheets(load_template(template, paper), [Sheet(serial)])
    pixels = pypdfium2.PdfDocument(pdf)[0].render(scale=DPI / 72).to_numpy()
    pixels.setflags(write=False)
    return np.asarray(pixels, np.uint8)


class Desk:
    """The ink of one hand on one page; lengths in millimetres of the page."""

    def __init__(self, shape: tuple[int, int], hand: Hand, rng: np.random.Generator) -> None:
        self.hand = hand
        self.rng = rng
        self._ink = np.zeros(shape, np.uint8)

    def stroke(self, points_mm: Points, pen: float = 1.0) -> None:
        """One line of the pen, `pen` times as thick as usual."""
        px = np.round(points_mm * PX_MM * 16).astype(np.int32).reshape(-1, 1, 2)
        thick = max(2, round(self.hand.pen_mm * pen * PX_MM))
        cv2.polylines(self._ink, [px], False, 255, thick, cv2.LINE_AA, 4)

    def write(self, text: str, x: float, baseline: float, cap: float) -> float:
        """Writes `text` from `x` on; returns where it ends."""
        hand, rng = self.hand, self.rng
        for sign in text:
            if sign == " ":
                x += rng.uniform(0.75, 1.05) * cap
                continue
            size = cap * rng.normal(1, 0.03)
            lean, drop = hand.slant + rng.normal(0, 0.02), rng.normal(0, 0.02) * cap
            strokes = [_unsteady(s, hand.wobble, rng) for s in FORMS[sign][hand.forms[sign]]]
            for stroke in strokes:
                px = (stroke[:, 0] * hand.width + stroke[:, 1] * lean) * size + x
                self.stroke(np.column_stack([px, baseline + drop - stroke[:, 1] * size]))
            apart = hand.gap * rng.uniform(0.8, 1.2) + (DOTS_APART if sign == "." else 0)
            x += (max(s[:, 0].max() for s in strokes) * hand.width + apart) * size
        return x - hand.gap * cap

    def width(self, text: str, cap: float) -> float:
        """About how wide `text` will be."""
        widths = [
            0.9 if sign == " " else max(x for s in FORMS[sign][0] for x, _ in s) * self.hand.width + self.hand.gap * 1.1
            for sign in text
        ]
        return sum(widths) * cap

    def strike(self, x0: float, x1: float, baseline: float, cap: float) -> None:
        """A line or two through what stands between x0 and x1."""
        for _ in range(self.rng.integers(1, 3)):
            y = baseline - cap * self.rng.uniform(0.3, 0.65, 4)
            self.stroke(smooth(np.column_stack([np.linspace(x0 - 0.6, x1 + 0.6, 4), y])), 1.1)

    def mark(self, box: Box, kind: MarkKind) -> None:
        """A circle around, a cross through, a tick on, or a scribble over a printed choice."""
        x0, y0, x1, y1 = box
        middle, w, h = np.array([(x0 + x1) / 2, (y0 + y1) / 2]), x1 - x0, y1 - y0
        rng = self.rng
        if kind == "circle":
            turn = np.deg2rad(rng.uniform(0, 360) + np.linspace(0, rng.uniform(340, 395), 14))
            radii = np.array([w * 0.55, h * 0.56]) * rng.normal(1, 0.03, (14, 2))
            self.stroke(smooth(middle + radii * np.column_stack([np.cos(turn), np.sin(turn)])))
            return
        shape: list[tuple[float, float]] | list[list[tuple[float, float]]]
        if kind == "fill":
            across = np.linspace(-0.4, 0.4, 23)
            shape = [[(x * w / h, 0.36 if k % 2 else -0.36) for k, x in enumerate(across)]]
        elif kind == "cross":
            shape = [[(-0.42, -0.4), (0.44, 0.42)], [(0.42, -0.42), (-0.44, 0.4)]]
        else:
            shape = [[(-0.35, 0.0), (-0.08, 0.36), (-0.08, 0.36), (0.5, -0.48)]]
        for part in shape:
            self.stroke(smooth(middle + h * _unsteady(part, 0.02, rng, curved=False)), 1.6 if kind == "fill" else 1.0)

    def inked(self, page: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """The page with the ink on it, lighter where the pen pressed less."""
        h, w = self._ink.shape
        pressure = self.rng.uniform(0.85, 1, (20, 14)).astype(np.float32)
        cover = cv2.resize(pressure, (w, h), interpolation=cv2.INTER_CUBIC) * (self._ink / 255 * self.hand.opacity)
        cover = np.clip(cover, 0, 1).astype(np.float32)
        ink = np.full_like(page, 0)
        ink[:] = self.hand.ink
        return np.asarray(cv2.blendLinear(page, ink, 1 - cover, cover), np.uint8)


def _unsteady(
    stroke: Sequence[tuple[float, float]], wobble: float, rng: np.random.Generator, curved: bool = True
) -> Points:
    """A stroke as an unsteady hand draws it; a corner stays one."""
    points = np.array(stroke, np.float64)
    same = np.r_[False, np.all(np.diff(points, axis=0) == 0, axis=1)]
    points += rng.normal(0, wobble, points.shape)
    points[same] = points[np.nonzero(same)[0] - 1]
    return smooth(points) if curved else points


def _write_game(desk: Desk, layout: GameLayout, game: Game, kinds: Sequence[MarkKind]) -> None:
    for boxes, options in ((layout.first, game.first), (layout.result, game.result)):
        for option in options:
            desk.mark(boxes[option], kinds[desk.rng.integers(len(kinds))])
    for row, text in zip(layout.rows, game.rows, strict=False):
        _write_row(desk, row, text.split(), game)
    for turn, note in game.notes.items():
        if (area := layout.rows[turn - 1].note_area_mm) is not None:
            _fit(desk, note, area)


def _write_row(desk: Desk, row: RowLayout, entries: Sequence[str], game: Game) -> None:
    struck = game.struck.get(row.turn)
    written = [*([struck] if struck else []), *entries]
    if not written:
        return
    if game.by_boxes and row.boxes_mm and len(written) <= len(row.boxes_mm):
        for k, (box, entry) in enumerate(zip(row.boxes_mm, written, strict=False)):
            x0, x1, baseline, cap = _fit(desk, entry, box)
            if struck and k == 0:
                desk.strike(x0, x1, baseline, cap)
        return
    baseline, cap = _line(desk, row.entry_area_mm)
    room = row.entry_area_mm[2] - row.entry_area_mm[0] - 2
    cap *= min(1.0, room / desk.width(" ".join(written), cap))
    x = row.entry_area_mm[0] + 1
    for k, entry in enumerate(written):
        end = desk.write(entry, x, baseline, cap)
        if struck and k == 0:
            desk.strike(x, end, baseline, cap)
        x = end + cap * desk.rng.uniform(0.8, 1.0)


def _fit(desk: Desk, entry: str, box: Box) -> tuple[float, float, float, float]:
    """Writes into a box, smaller when it is long; returns where it begins and ends, its baseline and its height."""
    baseline, cap = _line(desk, box)
    room = box[2] - box[0] - 1.6
    cap *= min(1.0, room / desk.width(entry, cap))
    spare = box[2] - box[0] - desk.width(entry, cap)
    x0 = box[0] + max(0.8, spare * desk.rng.uniform(0.15, 0.45))
    return x0, desk.write(entry, x0, baseline, cap), baseline, cap


def _line(desk: Desk, box: Box) -> tuple[float, float]:
    """The baseline and the height of capitals in a box or a row."""
    height = box[3] - box[1]
    cap = min(desk.hand.cap_mm, height * 0.58)
    return box[3] - height * desk.rng.uniform(0.2, 0.27), cap


def rows_of(transcript: str) -> list[str]:
    """The rows of a canonical transcript, by its turn numbers; missing turns are empty lines."""
    rows: dict[int, str] = {}
    for line in transcript.splitlines():
        number, bar, entries = line.partition("|")
        if bar:
            rows[int(number)] = entries.strip()
    return [rows.get(turn, "") for turn in range(1, max(rows, default=0) + 1)]
