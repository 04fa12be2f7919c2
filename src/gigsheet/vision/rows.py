"""From a found page to one strip a row: cut, lit evenly, blanks known, the empty stretches left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.records import Box, Quad, RowStrip
from gigsheet.sheet.template import GameLayout, RowLayout, Template
from gigsheet.vision.beyond import goes_on
from gigsheet.vision.creases import Spot, without_creases
from gigsheet.vision.flatfield import flat_field
from gigsheet.vision.grid import sample
from gigsheet.vision.mapping import Floats as Places
from gigsheet.vision.page import Page

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

END_COLUMNS = 3
"""Ink in so many columns at a strip's end is cut off there."""

PAPER = 255
CROSSED, DIM_BELOW = 0.95, 200
"""A column crosses the strip when more than this share of its pixels is darker than that; 1 of 11,379 written rows has
`END_COLUMNS` such columns."""
INK_BELOW = 150
"""Flat-fielded pixels darker than this are ink or print."""
LEAST_INK = 12
"""A row with fewer ink pixels is blank: a pass in small dots of pencil has about 20."""
PALE_BELOW, LEAST_PALE = 210, 60
"""Where there is no ink, so many pixels darker than that may be writing too pale to be called ink."""
PALE_ROWS = slice(8, 32)
"""Pixels down a strip in which pale writing shows; above and below them shadows and folds reach in more often."""
PALE_BETWEEN, LEAST_BETWEEN = 225, 40
"""The same far from a row's ink, where stretches without ink are left out."""
STROKE, PALE_DEPTH = 9, 18
"""Pixels that a stroke is narrower than, and by how much it is darker than its surroundings."""
TALLEST = 0.7
"""The share of a strip's height that a letter may take: what is longer in one column is an upright fold."""
ON_PRINT_BELOW = 90
"""Print is pale: darker than that is what was written on a printed line."""
WIDEST_DOT = 12
"""Columns; what is longer on the lower line is no pass in dots, but a fold or another row's writing."""
LEAST_DOT, LARGEST_DOT, DOTS_APART = 3, 6, (3, 30)
"""A pass in the smallest dots: pixels of each, pixels across, and from one to the other along the row."""
PRINT_MM = 0.4
"""Half the width that a printed line takes up in a strip: its stroke, its blur and what the mapping may be off."""
SPECK = 5
"""Fewer dark pixels than this in a 5 x 5 neighbourhood are noise or dust."""


def ink_mask(flat: Gray, printed: Mask | None = None, below: int = INK_BELOW) -> Mask:
    """Which pixels are ink.

    Args:
        flat: uint8 [n, height, width], flat-fielded strips.
        printed: bool [n, height, width] or broadcastable; where the sheet itself has print, which is never ink.
        below: what is darker than that is ink.

    Returns:
        bool [n, height, width].
    """
    n, height, width = flat.shape
    if flat.size == 0:
        return np.zeros(flat.shape, np.bool_)
    dark = flat < below
    if printed is not None:
        dark &= ~printed
    stacked = dark.reshape(n * height, width).astype(np.uint8)
    crowd = cv2.boxFilter(stacked, -1, (5, 5), normalize=False, borderType=cv2.BORDER_CONSTANT)
    mask: Mask = dark & (crowd.reshape(flat.shape) >= SPECK)
    return mask


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
    pale = _add_pale(ink, flat, printed)
    blank = (_count(ink) < LEAST_INK) & ~pale
    inked = ink.view(np.uint8).max(axis=1).view(np.bool_)
    between = _pale_between(flat, printed, inked)
    inked |= between
    pale |= between.any(axis=1)
    crossed = _are_crossed(flat)
    zones = _end_zones(page.template)
    quads = page.seen(np.array([_corners(row.entry_area_mm) for _, row in rows]))
    columns_mm = along.astype(np.float32)
    found = []
    for k, (game, row) in enumerate(rows):
        cut_off = crossed[k] or _runs_out(inked[k], zones[k], beside=row.note_area_mm is not None)
        overflow = 1.0 if cut_off else _overflow(ink[k], inked[k])
        strip = _strip(game, row, flat[k], inked[k], columns_mm[k], quads[k], blank=bool(blank[k]))
        found.append(replace(strip, overflow=overflow, uncertain=bool(ruled[k] or pale[k])))
    return tuple(found)


def _add_pale(ink: Mask, flat: Gray, printed: Mask) -> Mask:
    """Adds to the ink, in strips that have none, what may be writing after all: pale, dark on a printed line, or tiny.

    Returns bool [n]: the strips in which something was found.
    """
    found = np.zeros(len(ink), np.bool_)
    none = np.flatnonzero(_count(ink) < LEAST_INK)
    # Hardly a blank strip has anything dark at all, and only those are looked at closely.
    bare, lines = flat[none], printed[none]
    beside = _count((bare < PALE_BELOW) & ~lines) >= 2 * LEAST_DOT
    none = none[beside | (_count((bare < ON_PRINT_BELOW) & lines) >= LEAST_INK)]
    if len(none) == 0:
        return found
    paler = ink_mask(flat[none], printed[none], PALE_BELOW)
    paler &= (_count(paler[:, PALE_ROWS]) >= LEAST_PALE)[:, None, None]
    on_print = ink_mask(flat[none], ~printed[none], ON_PRINT_BELOW)
    on_print[:, : STRIP_HEIGHT // 2] = False  # what hangs down from the row above
    long = cv2.morphologyEx(
        np.asarray(on_print.any(axis=1), np.uint8), cv2.MORPH_OPEN, np.ones((1, WIDEST_DOT), np.uint8)
    )
    on_print &= ~long.view(np.bool_)[:, None]
    on_print &= (_count(on_print) >= LEAST_INK)[:, None, None]
    added = paler | on_print
    tiny = (flat[none] < INK_BELOW) & ~printed[none]
    for k in np.flatnonzero(_count(tiny) >= 2 * LEAST_DOT):
        if _has_two_dots(tiny[k]):
            added[k] |= tiny[k]
    ink[none] |= added
    found[none] = added.any(axis=(1, 2))
    return found


def _count(masks: Mask) -> npt.NDArray[np.intp]:
    """How many pixels of each mask are set, [n]: one by one, since NumPy is slow to count along axes."""
    return np.array([np.count_nonzero(mask) for mask in masks], np.intp)


def _has_two_dots(dark: Mask) -> bool:
    """Whether two small dots stand side by side: a pass, in less ink than is called ink. Dust seldom lies so."""
    _, _, stats, middles = cv2.connectedComponentsWithStats(dark.view(np.uint8), connectivity=8)
    dots = [
        middle
        for middle, (_, _, width, height, area) in zip(middles[1:], stats[1:], strict=True)
        if area >= LEAST_DOT and max(width, height) <= LARGEST_DOT
    ]
    nearest, furthest = DOTS_APART
    return any(abs(b[1] - a[1]) <= 3 and nearest <= abs(b[0] - a[0]) <= furthest for a, b in combinations(dots, 2))


def _pale_between(flat: Gray, printed: Mask, inked: Mask) -> Mask:
    """Columns far from any ink with writing too pale to be called ink, bool [n, width]: where the pen skipped.

    Shadows and folds are as pale, but broad: writing is darker than its surroundings.
    """
    around = round(2 * STRIP_PX_PER_MM) + 1
    near = cv2.dilate(inked.view(np.uint8), np.ones((1, around), np.uint8)).view(np.bool_)
    pale = (flat < PALE_BETWEEN) & ~printed & ~near[:, None]
    found = np.zeros(inked.shape, np.bool_)
    for k in np.flatnonzero((_count(pale) >= LEAST_BETWEEN) & inked.any(axis=1)):
        surroundings = cv2.morphologyEx(flat[k], cv2.MORPH_CLOSE, np.ones((STROKE, STROKE), np.uint8))
        strokes = pale[k] & (cv2.subtract(surroundings, flat[k]) > PALE_DEPTH)
        crowd = cv2.boxFilter(strokes.view(np.uint8), -1, (5, 5), normalize=False, borderType=cv2.BORDER_CONSTANT)
        strokes &= crowd >= 2 * SPECK
        strokes[:, np.count_nonzero(strokes, axis=0) > TALLEST * STRIP_HEIGHT] = False
        if np.count_nonzero(strokes[PALE_ROWS]) >= LEAST_BETWEEN:
            found[k] = strokes.any(axis=0)
    return found


def _smoothed(page: Page, flat: Gray, printed: Mask) -> tuple[Gray, Mask]:
    """The strips without the paper's creases, game by game, and which of them a line crosses that may be a pen's."""
    along, down = _grid(page.template)
    own = _widths(page.template)
    parts, ruled, start = [], [], 0
    for game in page.template.games:
        rows = slice(start, start + len(game.rows))

        def place(spot: Spot, first: int = start) -> Places:
            k = first + spot.strip
            column = min(round(spot.column), own[k] - 1)
            return np.array([along[k, column], down[k, round(spot.row)]])

        def on_paper(one: Spot, other: Spot, darkness: float, place: Callable[[Spot], Places] = place) -> bool:
            return goes_on(page, place(one), place(other), darkness)

        upright = printed[rows].reshape(-1, flat.shape[2]).min(axis=0)
        mended, crossed = without_creases(flat[rows], upright, on_paper)
        parts.append(mended)
        ruled.append(crossed)
        start = rows.stop
    return np.concatenate(parts), np.concatenate(ruled)


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
