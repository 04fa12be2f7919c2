"""Printed pages with ink on them, as paper for `capture`: the sheet as Gigsheet prints it, and what players add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium

from gigsheet.sheet.printing import Sheet, print_sheets
from gigsheet.sheet.template import Template, load_template
from tests.support.capture import Floats, Paper, Pixels

DPI = 200.0
PX_PER_MM = DPI / 25.4
AROUND_MM = 12.0
"""How much table is kept around a page, for what sticks out over its edge."""
_FINE = 4
INK = (90, 40, 30)


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """One sheet of paper before it is captured.

    Attributes:
        picture: uint8 BGR [h, w, 3] at `PX_PER_MM`, `AROUND_MM` of table on every side included.
        cover: float32 [h, w], 0 where there is no paper.
        template, serial: what is printed on it.
        written: the turns that have ink, by game.
        scale, origin_mm: how the print lies on the paper: a print millimetre is `scale` paper millimetres.
    """

    picture: Pixels
    cover: npt.NDArray[np.float32]
    template: Template
    serial: str
    written: dict[int, int]
    scale: float = 1.0
    origin_mm: tuple[float, float] = (0.0, 0.0)

    def at(self, points_mm: npt.ArrayLike) -> Floats:
        """Where print millimetres [n, 2] lie in `picture`, in pixels."""
        paper = np.asarray(points_mm, np.float64).reshape(-1, 2) * self.scale + self.origin_mm
        return (paper + AROUND_MM) * PX_PER_MM - 0.5

    def paper(self) -> Paper:
        return Paper(self.picture, self.cover, PX_PER_MM)

    def rows(self) -> dict[tuple[int, int], Floats]:
        """The entry areas of the written rows in `picture`, [4, 2] each, by game and turn."""
        found = {}
        for game in self.template.games:
            for row in game.rows[: self.written.get(game.game, 0)]:
                found[game.game, row.turn] = self.at(corners(row.entry_area_mm))
        return found


def corners(box: Sequence[float]) -> list[tuple[float, float]]:
    """Top left, top right, bottom right, bottom left."""
    x0, y0, x1, y1 = box
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def blank_page(template: Template, serial: str = "7F3K-02") -> Page:
    """A page as it comes from the printer."""
    return page_of(_printed(template, serial), template, serial)


def page_of(print_picture: Pixels, template: Template, serial: str) -> Page:
    """A page with this print on it, edge to edge."""
    pad = round(AROUND_MM * PX_PER_MM)
    picture = cv2.copyMakeBorder(print_picture, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    cover = np.zeros(picture.shape[:2], np.float32)
    cover[pad:-pad, pad:-pad] = 1
    # the pad is a whole number of pixels, so the print's own origin moves by what rounding took or gave
    rest = pad / PX_PER_MM - AROUND_MM
    return Page(np.asarray(picture, np.uint8), cover, template, serial, {}, 1.0, (rest, rest))


def random_template(rng: np.random.Generator) -> Template:
    """Mostly the sheet for one game on A4, sometimes another."""
    name = str(rng.choice(["single", "single", "single", "match"]))
    return load_template(name, str(rng.choice(["a4", "a4", "letter"])))


def random_serial(rng: np.random.Generator) -> str:
    return "".join(rng.choice(list("34679ACDEF"), 4)) + f"-{rng.integers(1, 99):02d}"


def written_page(rng: np.random.Generator, template: Template | None = None, overrun: float = 0.0) -> Page:
    """A page with strokes like writing in its first rows and a mark at `first:`.

    `overrun` is the share of entries that run over their frames.
    """
    page = blank_page(template or random_template(rng), random_serial(rng))
    written = {}
    for game in page.template.games:
        written[game.game] = int(rng.integers(6, len(game.rows) + 1))
        for row in game.rows[: written[game.game]]:
            boxes = row.boxes_mm or _equal_parts(row.entry_area_mm, 4)
            for box in boxes[: rng.integers(1, 5)]:
                _scribble_entry(page, box, rng, 1.8 if rng.random() < overrun else 0.8)
        first = list(game.first.values())[rng.integers(2)]
        _circle(page, first, rng)
    return replace(page, written=written)


def stroke(page: Page, points_mm: npt.ArrayLike, width_mm: float = 0.5, colour: Sequence[int] = INK) -> None:
    """One pen stroke through points in print millimetres."""
    points = np.round(page.at(points_mm) * 2**_FINE).astype(np.int32)
    width = max(1, round(width_mm * PX_PER_MM))
    cv2.polylines(page.picture, [points], False, tuple(colour), width, cv2.LINE_AA, _FINE)


def smooth_stroke(rng: np.random.Generator, box: Sequence[float], points: int = 4) -> Floats:
    """A random curve within a box, as a hand would draw one."""
    x0, y0, x1, y1 = box
    knots = rng.uniform((x0, y0), (x1, y1), (points, 2))
    t = np.linspace(0, points - 1, 24)
    whole = np.minimum(t.astype(int), points - 2)
    part = ((1 - np.cos(np.pi * (t - whole))) / 2)[:, None]
    return np.asarray(knots[whole] * (1 - part) + knots[whole + 1] * part)


def _scribble_entry(page: Page, box: Sequence[float], rng: np.random.Generator, reach: float) -> None:
    x0, y0, x1, y1 = box
    middle, half = (y0 + y1) / 2, (y1 - y0) / 2 * reach
    x = x0 + 1.0
    for _ in range(rng.integers(2, 4)):
        width = rng.uniform(2.0, 3.6)
        if x + width > x1:
            break
        for _ in range(rng.integers(1, 3)):
            stroke(page, smooth_stroke(rng, (x, middle - half, x + width, middle + half)), rng.uniform(0.3, 0.7))
        x += width + rng.uniform(0.6, 1.4)


def _circle(page: Page, box: Sequence[float], rng: np.random.Generator) -> None:
    x0, y0, x1, y1 = box
    t = np.linspace(rng.uniform(0, 1), 2 * np.pi + rng.uniform(0, 1), 40)
    wide, high = (x1 - x0) / 2 * rng.uniform(0.7, 1), (y1 - y0) / 2 * rng.uniform(0.7, 1)
    stroke(page, np.column_stack([(x0 + x1) / 2 + wide * np.cos(t), (y0 + y1) / 2 + high * np.sin(t)]))


def _equal_parts(area: Sequence[float], count: int) -> list[tuple[float, float, float, float]]:
    x0, y0, x1, y1 = area
    edges = np.linspace(x0, x1, count + 1)
    return [(float(a), y0, float(b), y1) for a, b in pairwise(edges)]


def _printed(template: Template, serial: str) -> Pixels:
    return _rendered(print_sheets(template, [Sheet(serial)])).copy()


@lru_cache(maxsize=16)
def _rendered(pdf: bytes) -> Pixels:
    with pdfium.PdfDocument(pdf) as document:
        bitmap = document[0].render(scale=DPI / 72).to_numpy()
    return np.ascontiguousarray(bitmap[..., :3])
