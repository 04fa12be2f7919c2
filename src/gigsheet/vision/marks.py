"""Which of the printed choices a pen has marked: circled, crossed, ticked, filled."""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from gigsheet.records import Box, Mark
from gigsheet.sheet.template import Template
from gigsheet.vision.flatfield import flat_field
from gigsheet.vision.grid import sample
from gigsheet.vision.ink import Gray, Mask, ink_mask
from gigsheet.vision.mapping import Floats
from gigsheet.vision.page import Page

PX_PER_MM = 5.0
MARGIN_MM = 2.4
"""How far around a choice's box its mark is looked for, at most; less where other print is near."""
CLEAR_MM = 0.6
PRINT_MM = 0.35
BINS = 24
"""Directions, seen from the box's middle, in which ink is looked for."""
WORD_EM = (0.37, 0.36)
"""Half the width of a letter of a choice's word, at its widest, and half the height of a capital, by the font size."""

# A logistic regression, with little ridge, on 693 choices of random sheets of all templates: circles of many sizes,
# crosses, ticks, slashes, scribbles and fills by pens of 0.25 to 1 mm, and stray strokes, dots and words near a third
# of the others; photographed and scanned.
_WEIGHTS = np.array([0.96, 0.3, 4.99, 4.59, 6.0, 7.79])
_BIAS = -6.27

Choice = tuple[int, Literal["first", "result"], str, Box]


def read_marks(page: Page) -> tuple[Mark, ...]:
    """How likely each printed choice of each game was marked, in the template's order."""
    evidence = features(page)
    probabilities = 1 / (1 + np.exp(-(evidence @ _WEIGHTS + _BIAS)))
    return tuple(
        Mark(game, choice, option, float(p))
        for (game, choice, option, _), p in zip(_choices(page.template), probabilities, strict=True)
    )


def features(page: Page) -> Floats:
    """What speaks for a mark, float64 [choices, 6], in the template's order; each choice by its own ink alone.

    The features of one choice: the roots of the inked areas within its box and around it (mm); the shares of
    directions, seen from its middle, in which ink lies anywhere and within the box; how far the ink within the box
    stretches across and down, by the box's size. Printed words and frames are left out.
    """
    template = page.template
    gray = sample(page.picture.pixels, page.mapping, *_grid(template))
    clear, inside, direction = _regions(template)
    ink = ink_mask(_evenly(gray, len(template.games))) & clear
    within, around = ink & inside, ink & ~inside
    area = np.stack([within.sum(axis=(1, 2)), around.sum(axis=(1, 2))], axis=1) / PX_PER_MM**2
    wide = within.any(axis=1).sum(axis=1) / np.maximum(inside.any(axis=1).sum(axis=1), 1)
    high = within.any(axis=2).sum(axis=1) / np.maximum(inside.any(axis=2).sum(axis=1), 1)
    seen = np.stack([_directions(ink, direction), _directions(within, direction)], axis=1)
    return np.concatenate([np.sqrt(area), seen, np.stack([wide, high], axis=1)], axis=1).astype(np.float64)


def _directions(ink: Mask, direction: npt.NDArray[np.intp]) -> Floats:
    """The share of the directions in which there is ink, [n]."""
    hit = np.zeros((len(ink), BINS))
    which = np.broadcast_to(np.arange(len(ink))[:, None, None], ink.shape)
    hit[which[ink], direction[ink]] = 1
    return np.asarray(hit.mean(axis=1), np.float64)


def _evenly(gray: Gray, games: int) -> Gray:
    """Flat-fielded together, a game's choices in one strip: so that all of them have the darkest one's scale."""
    n, height, width = gray.shape
    each = n // games
    side_by_side = gray.reshape(games, each, height, width).transpose(0, 2, 1, 3).reshape(games, height, each * width)
    flat = flat_field(np.ascontiguousarray(side_by_side))
    return flat.reshape(games, height, each, width).transpose(0, 2, 1, 3).reshape(n, height, width)


@cache
def _choices(template: Template) -> tuple[Choice, ...]:
    found: list[Choice] = []
    for game in template.games:
        found += [(game.game, "first", option, box) for option, box in game.first.items()]
        found += [(game.game, "result", option, box) for option, box in game.result.items()]
    return tuple(found)


@cache
def _margins(template: Template) -> tuple[float, float]:
    """How far around the boxes ink is looked at, across and down, in mm: to the middle between two, clear of print."""
    boxes = [box for *_, box in _choices(template)]
    across = down = MARGIN_MM
    for x0, y0, x1, y1 in boxes:
        for u0, v0, u1, v1 in boxes:
            if v0 < y1 and v1 > y0 and u0 >= x1:
                across = min(across, (u0 - x1) / 2)
            if u0 < x1 and u1 > x0 and v0 >= y1:
                down = min(down, (v0 - y1) / 2)
        for text in template.texts:
            x, y = text.at_mm
            if text.align == "right" and y0 - 1 < y < y1 + 1 and x <= x0:
                across = min(across, x0 - x - CLEAR_MM)
    return across, down


@cache
def _grid(template: Template) -> tuple[Floats, Floats]:
    """Columns [n, width] and rows [n, height] of the choices' surroundings, in mm; all have the size of the largest."""
    boxes = np.array([box for *_, box in _choices(template)], np.float64)
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    reach = np.ptp(boxes.reshape(-1, 2, 2), axis=1).max(axis=0) / 2 + _margins(template)
    steps = [np.arange(-r + 0.5 / PX_PER_MM, r, 1 / PX_PER_MM) for r in reach]
    return middles[:, :1] + steps[0], middles[:, 1:] + steps[1]


@cache
def _regions(template: Template) -> tuple[Mask, Mask, npt.NDArray[np.intp]]:
    """Three of [n, height, width]: where nothing is printed, where the box is, in which of `BINS` directions it is."""
    along, down = _grid(template)
    shape = (*down.shape, along.shape[1])
    clear, inside, direction = np.ones(shape, np.bool_), np.zeros(shape, np.bool_), np.zeros(shape, np.intp)
    size = template.choice.size_mm
    for k, (_, _, option, (x0, y0, x1, y1)) in enumerate(_choices(template)):
        x, y = along[k][None, :] - (x0 + x1) / 2, down[k][:, None] - (y0 + y1) / 2
        wide, high = (x1 - x0) / 2, (y1 - y0) / 2
        word = (np.abs(x) < min(WORD_EM[0] * size * len(option) + 0.4, wide - 0.6)) & (
            np.abs(y) < WORD_EM[1] * size + 0.3
        )
        near_x = (np.abs(np.abs(x) - wide) < PRINT_MM) & (np.abs(y) < high + PRINT_MM)
        near_y = (np.abs(np.abs(y) - high) < PRINT_MM) & (np.abs(x) < wide + PRINT_MM)
        clear[k] = ~(word | near_x | near_y)
        inside[k] = (np.abs(x) < wide) & (np.abs(y) < high)
        turn = np.arctan2(y / high, x / wide) / (2 * np.pi) + 0.5
        direction[k] = (turn * BINS).astype(np.intp) % BINS
    return clear, inside, direction
