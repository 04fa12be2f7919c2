"""From a found page to one strip a row: cut, lit evenly, blanks known, the empty stretches left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.records import Box, Quad, RowStrip
from gigsheet.sheet.template import GameLayout, RowLayout, Template
from gigsheet.vision.beyond import goes_on
from gigsheet.vision.creases import GoesOn, Spot, is_creased, without_creases
from gigsheet.vision.flatfield import flat_field
from gigsheet.vision.grid import sample
from gigsheet.vision.ink import LEAST_INK, count, ink_mask, pale_between, unlikely_ink
from gigsheet.vision.mapping import Floats as Places
from gigsheet.vision.page import Page
from gigsheet.vision.strokes import struck_along, struck_down

Gray = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]

STRIP_HEIGHT = 40
"""Pixels down a strip: the row's entry area and `MARGIN_MM[1]` above and below it."""
STRIP_PX_PER_MM = 5.5
"""Pixels a millimetre along a strip."""
MARGIN_MM = (1.5, 0.3)
"""How far a strip reaches beyond the entry area, across and down, in mm; across less where other print is near."""
BEYOND_MM = 12.0
"""How far a strip without boxes and notes reaches on to the right, where writing runs past the entry area."""
CLEAR_MM = 0.5
"""A strip keeps so far from other print."""
NUMBER_MM = 5.0
"""The width of a printed turn number."""
WORD_LINES = 3
"""Lines that a serial's words may take."""
GAP_MM = 3.0
"""What is left of a longer stretch without ink between two entries."""
END_MM = 2.0
"""What is left of the blank before the first and after the last ink."""

EDGE_ROWS = 7
"""Pixels along a strip's upper and lower edge, 1.4 mm: nothing that is written on the row, but dots, fits into them."""
END_COLUMNS = 3
"""Ink in so many columns at a strip's end is cut off there."""

PAPER = 255
CROSSED, DIM_BELOW = 0.95, 200
"""A column crosses the strip when more than this share of its pixels is darker than that; 1 of 11,379 written rows has
`END_COLUMNS` such columns."""
PRINT_MM = 0.4
"""Half the width that a printed line takes up in a strip: its stroke, its blur and what the mapping may be off."""


def compress_gaps(pixels: Gray, inked: Mask, columns_mm: Floats) -> tuple[Gray, Floats]:
    """Leaves out what lies between the entries.

    Args:
        pixels: uint8 [height, width], one strip.
        inked: bool [width], which columns have ink.
        columns_mm: float32 [width], where each column lies on the page, rising.

    Returns:
        The kept columns, uint8 [height, kept], and where each lies, float32 [kept]: of every longer inkless stretch
        `GAP_MM` around its ends, and `END_MM` before the first and after the last ink. Width 0 if there is no ink.
    """
    at = columns_mm[inked]
    if len(at) == 0:
        return pixels[:, :0], columns_mm[:0]
    breaks = np.flatnonzero(np.diff(at) > GAP_MM)
    starts = np.concatenate([at[:1] - END_MM, at[breaks + 1] - GAP_MM / 2])
    ends = np.concatenate([at[breaks] + GAP_MM / 2, at[-1:] + END_MM])
    first, last = np.searchsorted(columns_mm, starts, "left"), np.searchsorted(columns_mm, ends, "right")
    pieces = [slice(a, b) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    return np.concatenate([pixels[:, s] for s in pieces], axis=1), np.concatenate([columns_mm[s] for s in pieces])


def cut_rows(page: Page) -> tuple[RowStrip, ...]:
    """Every row of the sheet in the template's order, blank ones too."""
    rows = _rows(page.template)
    along, down = _grid(page.template)
    fine = page.px_per_mm * (down[0, 1] - down[0, 0]) > 1.8
    gray = sample(page.picture.pixels, page.mapping, along, _finer(down) if fine else down)
    if fine:
        n, height, width = gray.shape
        halved = cv2.resize(gray.reshape(n * height, width), (width, n * height // 2), interpolation=cv2.INTER_AREA)
        gray = np.asarray(halved, np.uint8).reshape(n, height // 2, width)
    width = gray.shape[2]
    shorter = [(k, own) for k, own in enumerate(_widths(page.template)) if own < width]
    for k, own in shorter:  # a marker past a strip's end would set the scale for what is dark
        gray[k, :, own:] = gray[k, :, own - 1 : own]
    printed = _printed(page.template)
    flat, ruled = _smoothed(page, flat_field(gray), printed)
    for k, own in shorter:
        flat[k, :, own:] = PAPER
    ink = ink_mask(flat, printed)
    unlikely = unlikely_ink(flat, printed, ink)
    struck = np.concatenate([struck_down(flat[rows], printed[rows]) for rows in _games(page.template)])
    struck |= struck_along(flat, printed, STRIP_PX_PER_MM)
    uncertain = unlikely.any(axis=(1, 2))
    blank = (count(ink) < LEAST_INK) & ~uncertain
    ink |= unlikely
    folded = _only_folded(page, ink, blank)
    ink[folded] = False
    blank |= folded
    uncertain &= ~folded
    inked = ink.view(np.uint8).max(axis=1).view(np.bool_)
    between = pale_between(flat, printed, inked)
    inked |= between
    uncertain |= between.any(axis=1) | ((ruled | struck) & ~blank)
    crossed = _are_crossed(flat)
    zones = _end_zones(page.template)
    quads = page.seen(np.array([_corners(row.entry_area_mm) for _, row in rows]))
    columns_mm = along.astype(np.float32)
    found = []
    for k, (game, row) in enumerate(rows):
        cut_off = crossed[k] or _runs_out(inked[k], zones[k], beside=row.note_area_mm is not None)
        overflow = 1.0 if cut_off else _overflow(ink[k], inked[k])
        strip = _strip(game, row, flat[k], inked[k], columns_mm[k], quads[k], blank=bool(blank[k]))
        found.append(replace(strip, overflow=overflow, uncertain=bool(uncertain[k])))
    return tuple(found)


def _smoothed(page: Page, flat: Gray, printed: Mask) -> tuple[Gray, Mask]:
    """The strips without the paper's creases, game by game, and which of them a line crosses that may be a pen's."""
    parts, ruled = [], []
    for rows in _games(page.template):
        upright = printed[rows].reshape(-1, flat.shape[2]).min(axis=0)
        mended, crossed = without_creases(flat[rows], upright, goes_on=_follower(page, rows.start))
        parts.append(mended)
        ruled.append(crossed)
    return np.concatenate(parts), np.concatenate(ruled)


def _only_folded(page: Page, ink: Mask, blank: Mask) -> Mask:
    """Which rows have no ink but that of a fold along their upper or lower line, where creases are not looked for.

    A row right below writing is none of them: there a pass, in dots on the line, would be lost unseen. Bool [n].
    """
    found = np.zeros(len(blank), np.bool_)
    for rows in _games(page.template):
        empty = True
        for k in range(rows.start, rows.stop):
            if empty and not blank[k] and not ink[k, EDGE_ROWS:-EDGE_ROWS].any() and _is_folded(page, k, ink[k]):
                found[k] = True
            else:
                empty = bool(blank[k])
    return found


def _is_folded(page: Page, k: int, ink: Mask) -> bool:
    """Whether a fold runs along each line of a row, the upper and the lower, at which it has ink."""
    along, down = _grid(page.template)
    columns = along[k : k + 1, : _widths(page.template)[k]]
    half = (down[k, -1] - down[k, 0]) / 2
    sides = [side for side, part in ((-half, ink[:EDGE_ROWS]), (half, ink[-EDGE_ROWS:])) if part.any()]
    return all(_is_creased(page, columns, down[k : k + 1] + side) for side in sides)


def _is_creased(page: Page, along: Places, down: Places) -> bool:
    """Whether a crease runs along one strip: of columns [1, width] and rows [1, height], mm on the page."""

    def place(spot: Spot) -> Places:
        return np.array([along[0, round(spot.column)], np.interp(spot.row, np.arange(down.shape[1]), down[0])])

    (strip,) = flat_field(sample(page.picture.pixels, page.mapping, along, down))
    return is_creased(strip, lambda one, other, darkness: goes_on(page, place(one), place(other), darkness))


def _follower(page: Page, first: int) -> GoesOn:
    """Follows lines over the paper beyond the strips of a game, of which `first` is the first."""
    along, down = _grid(page.template)
    own = _widths(page.template)

    def place(spot: Spot) -> Places:
        k = first + spot.strip
        return np.array([along[k, min(round(spot.column), own[k] - 1)], down[k, round(spot.row)]])

    return lambda one, other, darkness: goes_on(page, place(one), place(other), darkness)


def _strip(
    game: GameLayout, row: RowLayout, flat: Gray, inked: Mask, columns_mm: Floats, quad: Places, *, blank: bool
) -> RowStrip:
    pixels, kept_mm = compress_gaps(flat, inked if not blank else np.zeros_like(inked), columns_mm)
    return RowStrip(
        game=game.game,
        turn=row.turn,
        pixels=np.ascontiguousarray(pixels),
        columns_mm=kept_mm,
        quad=_as_quad(quad),
        blank=blank,
    )


def _overflow(ink: Mask, inked: Mask) -> float:
    """The share of the inked columns whose ink runs off the strip's upper or lower edge."""
    cut = int(np.count_nonzero(ink[0] | ink[-1]))
    return cut / max(1, int(np.count_nonzero(inked)))


def _are_crossed(flat: Gray) -> Mask:
    """Whether something dark runs from a strip's upper edge to its lower one: a shadow's edge, or a stroke too tall.

    Bool [n] of `flat` [n, height, width].
    """
    dark = (flat < DIM_BELOW).view(np.uint8).sum(axis=1, dtype=np.uint8)
    return np.asarray(np.count_nonzero(dark > CROSSED * flat.shape[1], axis=1) >= END_COLUMNS, np.bool_)


def _runs_out(inked: Mask, zones: Sequence[slice], *, beside: bool) -> bool:
    """Whether writing goes on over the strip's left or right end: ink in its `_zones`, there and right beside.

    Ink at the right end alone is enough unless `beside`: unless notes may be written there that begin early.
    """
    left, after_left, before_right, right = (bool(inked[zone].any()) for zone in zones)
    return (right and (not beside or before_right)) or (left and after_left)


def _zones(columns_mm: Places, left: float, right: float) -> tuple[slice, ...]:
    """Columns at a strip's left end (mm), right beside them, right beside those at its right end, and these."""
    edge = END_COLUMNS / STRIP_PX_PER_MM
    bounds = [(left, left + edge), (left + edge, left + edge + END_MM)]
    bounds += [(right - edge - END_MM, right - edge), (right - edge, right)]
    return tuple(
        slice(int(np.searchsorted(columns_mm, low, "right")), int(np.searchsorted(columns_mm, high, "left")))
        for low, high in bounds
    )


@cache
def _end_zones(template: Template) -> tuple[tuple[slice, ...], ...]:
    """The `_zones` of each row's strip."""
    along, _ = _grid(template)
    return tuple(_zones(x, *ends) for x, ends in zip(along.astype(np.float32), _ends(template), strict=True))


def _rows(template: Template) -> list[tuple[GameLayout, RowLayout]]:
    return [(game, row) for game in template.games for row in game.rows]


def _games(template: Template) -> list[slice]:
    """The rows of each game among all rows of the sheet."""
    ends = np.cumsum([len(game.rows) for game in template.games]).tolist()
    return [slice(start, end) for start, end in pairwise([0, *ends])]


def _corners(box: Box) -> list[tuple[float, float]]:
    x0, y0, x1, y1 = box
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def _as_quad(points: Places) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return a, b, c, d


def _finer(down: Places) -> Places:
    """The same heights, each as two a quarter of a pixel above and below."""
    quarter = (down[0, 1] - down[0, 0]) / 4
    return np.stack([down - quarter, down + quarter], axis=2).reshape(len(down), -1)


@cache
def _ends(template: Template) -> tuple[tuple[float, float], ...]:
    """Where each row's strip begins and ends, mm: past the entry area as far as there is no other print."""
    found = []
    for _, row in _rows(template):
        x0, _, x1, _ = row.entry_area_mm
        before, after = _print_beside(template, row)
        beyond = MARGIN_MM[0] if row.boxes_mm or row.note_area_mm else BEYOND_MM
        left = min([MARGIN_MM[0], *(x0 - x - CLEAR_MM for x in before if x <= x0)])
        right = min([beyond, *(x - x1 - CLEAR_MM for x in after if x >= x1)])
        found.append((x0 - max(left, 0.0), x1 + max(right, 0.0)))
    return tuple(found)


def _print_beside(template: Template, row: RowLayout) -> tuple[list[float], list[float]]:
    """Where other print at a row's height ends (what lies to its left) and begins (to its right), mm."""
    _, y0, _, y1 = row.entry_area_mm
    numbers = [other.number_mm for game in template.games for other in game.rows]
    before = [x for x, y in numbers if y0 <= y <= y1]
    after = [x - NUMBER_MM for x, y in numbers if y0 <= y <= y1]
    # Right-aligned texts belong to a left-aligned one before them.
    after += [t.at_mm[0] for t in template.texts if t.align == "left" and y0 <= t.at_mm[1] <= y1 + t.size_mm]
    blocks = [(*marker.corners_mm[0], *marker.corners_mm[2]) for marker in template.markers]
    blocks += [_serial_block(template), *([row.note_area_mm] if row.note_area_mm else [])]
    for bx0, by0, bx1, by1 in blocks:
        if by0 < y1 and by1 > y0:
            before.append(bx1)
            after.append(bx0)
    return before, after


def _serial_block(template: Template) -> Box:
    """The QR code with its quiet zone, and the serial's characters and words under it."""
    serial = template.serial
    x0, y0, x1, y1 = serial.qr_mm
    middle, low = serial.words.at_mm
    half = serial.words_width_mm / 2
    return min(x0, middle - half), y0, max(x1, middle + half), max(y1, low + WORD_LINES * serial.words.size_mm)


@cache
def _grid(template: Template) -> tuple[Places, Places]:
    """Columns [n, width] and rows [n, STRIP_HEIGHT] of all strips, in mm on the page; all are as wide as the widest."""
    areas = np.array([row.entry_area_mm for _, row in _rows(template)], np.float64)
    ends = np.array(_ends(template))
    width = round(float(np.ptp(ends, axis=1).max()) * STRIP_PX_PER_MM)
    along = ends[:, :1] + (np.arange(width) + 0.5) / STRIP_PX_PER_MM
    top, bottom = areas[:, 1:2] - MARGIN_MM[1], areas[:, 3:] + MARGIN_MM[1]
    down = top + (bottom - top) * (np.arange(STRIP_HEIGHT) + 0.5) / STRIP_HEIGHT
    return along, down


@cache
def _widths(template: Template) -> tuple[int, ...]:
    """How many columns of each strip are its own: the rest lie past its end, because others are wider."""
    along, _ = _grid(template)
    own = along <= np.array(_ends(template))[:, 1:]
    return tuple(own.sum(axis=1).tolist())


@cache
def _printed(template: Template) -> Mask:
    """Where the strips hold the sheet's own lines, bool [n, STRIP_HEIGHT, width]."""
    along, down = _grid(template)
    mask = np.zeros((*down.shape, along.shape[1]), np.bool_)
    for k, (_, row) in enumerate(_rows(template)):
        for x0, y0, x1, y1 in row.boxes_mm or (row.entry_area_mm,):
            inside_x = (along[k] > x0 - PRINT_MM) & (along[k] < x1 + PRINT_MM)
            inside_y = (down[k] > y0 - PRINT_MM) & (down[k] < y1 + PRINT_MM)
            for y in (y0, y1):
                mask[k] |= (np.abs(down[k] - y) < PRINT_MM)[:, None] & inside_x
            if row.boxes_mm:
                for x in (x0, x1):
                    mask[k] |= inside_y[:, None] & (np.abs(along[k] - x) < PRINT_MM)
    beyond = np.arange(along.shape[1]) >= np.array(_widths(template))[:, None]
    return mask | beyond[:, None]
