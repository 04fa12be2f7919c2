"""Paints out the creases of folded paper: dark lines straight across all entries, which no pen made.

A pen's line that strikes out a row, or a game, must never be painted out: what is dark enough for one is a crease only
if it goes on over the paper beyond the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

Gray = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]

_BLOCKS = 8
"""Pieces of a strip's length in each of which a crease must show."""
_PARTS = 5
"""Parts of a strip's height in each of which an upright crease must show."""
_PIECES = 16
"""Pieces in each of which a crease found is followed and measured."""
_STRAY = 2
"""Pixels by which a crease may leave the straight line."""
_TILT = 14
"""Pixels by which a crease may rise or fall along a strip."""
_DEEP = 14
"""Darkness of a flat-fielded pixel that makes a crease of a line."""
_WRITTEN = (0.45, 0.8)
"""The share of the pixels along a crease, and along an upright one in a strip, that writing may cover: a digit 1 on an
upright crease is no part of it."""
_LEAST_STRIPS = 6
"""A line down fewer strips may be a pen's."""
_FAINT = 45
"""A line darker than that may be a pen's or a pencil's: it is a crease only if it goes on over the paper beyond."""
_HALF_WIDTH = 4
_EDGE = 4
"""Pixels along the strip's edges where its frame is printed: a line there is no crease."""


class Spot(NamedTuple):
    """A pixel of a strip."""

    strip: int
    row: float
    column: float


GoesOn = Callable[[Spot, Spot, float], bool]
"""Whether a line through two spots, of that darkness, goes on over the paper beyond both."""


def without_creases(flat: Gray, upright_print: Mask | None = None, *, goes_on: GoesOn) -> tuple[Gray, Mask]:
    """The strips with creases along and across them filled up to the paper's white.

    Args:
        flat: uint8 [n, height, width], the flat-fielded strips of one column of rows, in order.
        upright_print: bool [width], where the rows' frames have their upright lines.
        goes_on: asked of every line that is dark enough for a pen's.

    Returns:
        The same pixels where there is no crease (where one was, ink across it stays); and bool [n]: the strips that a
        line crosses which may be a pen's, such as one that strikes a row out, and which is left where it is.
    """
    mended, ruled = flat, np.zeros(len(flat), np.bool_)
    for k in np.flatnonzero(_may_be_creased(flat)).tolist():
        line = _crease(flat[k])
        if line is None:
            continue
        darkness = float(np.median(_depth(flat[k], line)))
        ends = Spot(k, float(line[0]), 0), Spot(k, float(line[-1]), len(line) - 1)
        if darkness > _FAINT and not goes_on(*ends, darkness):
            ruled[k] = True
            continue
        mended = mended.copy() if mended is flat else mended
        mended[k] = _filled(flat[k], line, _PIECES, _WRITTEN[0])
    places = _upright_crease(mended, upright_print)
    if places is None:
        return mended, ruled
    # A strip on its side has the crease along it.
    lines = np.repeat(places[:, None], flat.shape[1], axis=1)
    sides = [strip.T for strip in mended]
    followed = [_centred(side, line, 1) for side, line in zip(sides, lines, strict=True)]
    depths = [_depth(side, line) for side, line in zip(sides, followed, strict=True)]
    darkness = float(np.median(np.concatenate(depths)))
    last = Spot(len(flat) - 1, flat.shape[1] - 1, float(followed[-1][-1]))
    if darkness > _FAINT and not goes_on(Spot(0, 0, float(followed[0][0])), last, darkness):
        return mended, ruled | True
    filled = [_filled(side, line, 1, _WRITTEN[1]).T for side, line in zip(sides, followed, strict=True)]
    return np.stack(filled), ruled


def is_creased(strip: Gray, goes_on: GoesOn) -> bool:
    """Whether a crease runs along a flat-fielded strip, uint8 [height, width], and goes on over the paper beyond."""
    line = _crease(strip)
    if line is None:
        return False
    ends = Spot(0, float(line[0]), 0), Spot(0, float(line[-1]), len(line) - 1)
    return goes_on(*ends, float(np.median(_depth(strip, line))))


def _upright_crease(flat: Gray, upright_print: Mask | None) -> Floats | None:
    """Where a crease crosses each strip, [n] columns, or None: the line that is dark down nearly all of them."""
    n, height, width = flat.shape
    if n < _LEAST_STRIPS or width <= 2 * _TILT:
        return None
    # A crease is dark from top to bottom; writing seldom is, in one column.
    parts = cv2.resize(flat.reshape(n * height, width), (width, n * _PARTS), interpolation=cv2.INTER_AREA)
    least = 255 - parts.reshape(n, _PARTS, width).max(axis=1)
    if upright_print is not None:
        least[:, upright_print] = 0
    pooled = cv2.dilate(least, np.ones((1, 2 * _TILT + 1), np.uint8))
    few = n // 5
    near = np.flatnonzero(np.partition(pooled, few, axis=0)[few] > _DEEP / 2)
    if len(near) == 0:
        return None
    dark = _darkness(flat[:, _EDGE:-_EDGE], 0.8, axis=1)
    if upright_print is not None:
        dark[:, upright_print] = 0
    soft = np.maximum(dark, np.maximum(np.roll(dark, 1, axis=1), np.roll(dark, -1, axis=1)))
    slant = np.rint(np.linspace(-0.5, 0.5, n) * np.arange(-2 * _TILT, 2 * _TILT + 1)[:, None]).astype(np.intp)
    columns = np.clip(near[:, None, None] + slant, 0, width - 1)
    on_line = soft[np.arange(n), columns]
    fewest = np.partition(on_line, few, axis=2)[..., few]
    middle, tilt = np.unravel_index(int(np.argmax(fewest + on_line.mean(axis=2))), fewest.shape)
    return columns[middle, tilt].astype(np.float32) if fewest[middle, tilt] >= _DEEP else None


def _may_be_creased(flat: Gray) -> npt.NDArray[np.bool_]:
    """A quick test, [n]: whether some height is dark in nearly every block, give or take a tilt."""
    n, height, width = flat.shape
    each = width // _BLOCKS
    whole = flat.reshape(n * height, width)[:, : each * _BLOCKS]
    dark = 255 - cv2.resize(whole, (_BLOCKS, n * height), interpolation=cv2.INTER_AREA).reshape(n, height, _BLOCKS)
    dark[:, :_EDGE] = dark[:, -_EDGE:] = 0
    # Each height takes the darkest of all heights within half a tilt; the strips' edges, now white, keep them apart.
    pooled = cv2.dilate(dark.reshape(n * height, _BLOCKS), np.ones((_TILT + 1, 1), np.uint8)).reshape(dark.shape)
    lightest = np.partition(pooled, 1, axis=2)[:, _EDGE:-_EDGE, 1]
    return np.asarray(lightest.max(axis=1, initial=0) > _DEEP / 2)


def _crease(strip: Gray) -> Floats | None:
    """The height of a crease at each column, [width], or None: the line that is dark even between the letters."""
    height, width = strip.shape
    each = width // _BLOCKS
    blocks = strip[:, : each * _BLOCKS].reshape(height, _BLOCKS, each)
    # Of each block's pixels at one height a pen inks the smaller part: what the lighter ones have is the paper's.
    dark = _darkness(blocks, 0.65, axis=2)
    dark[:_EDGE] = dark[-_EDGE:] = 0
    soft = np.maximum(dark, np.maximum(np.roll(dark, 1, axis=0), np.roll(dark, -1, axis=0)))
    ends = _lines(height)
    rows = np.rint(ends[:, :1] + (ends[:, 1:] - ends[:, :1]) * np.linspace(0, 1, _BLOCKS)).astype(np.intp)
    on_line = soft[rows, np.arange(_BLOCKS)]
    second = np.partition(on_line, 1, axis=1)[:, 1]
    best = int(np.argmax(second + on_line.mean(axis=1)))
    if second[best] < _DEEP:
        return None
    line = np.interp(np.arange(width), (np.arange(_BLOCKS) + 0.5) * each, rows[best])
    return _centred(strip, np.asarray(line, np.float32), _PIECES)


@cache
def _lines(height: int) -> npt.NDArray[np.intp]:
    """The heights of both ends of every line that a crease may take, [lines, 2]."""
    pairs = [(a, b) for a in range(height) for b in range(height) if abs(a - b) <= _TILT]
    return np.array(pairs, np.intp)


def _darkness(pixels: Gray, share: float, axis: int) -> Floats:
    """The darkness along an axis that `share` of the pixels reach or pass."""
    rank = int(share * (pixels.shape[axis] - 1))
    return np.asarray(255 - np.partition(pixels, rank, axis=axis).take(rank, axis=axis), np.float32)


def _depth(strip: Gray, line: Floats) -> Gray:
    """How dark a line is at each column, [width]."""
    depth: Gray = 255 - _along(strip, line).min(axis=0)
    return depth


def _centred(strip: Gray, line: Floats, count: int) -> Floats:
    """The line moved to where the darkness around it is greatest, in each of `count` pieces."""
    around = _along(strip, line)
    each = around.shape[1] // count
    pieces = around[:, : each * count].reshape(len(around), count, each)
    dark = _darkness(pieces, 0.5, axis=2)[_HALF_WIDTH - _STRAY : _HALF_WIDTH + _STRAY + 1]
    shifts = np.where(dark.any(axis=0), dark.argmax(axis=0) - _STRAY, 0)
    # A piece full of writing says nothing about the fold: its neighbours do.
    padded = np.pad(shifts, 2, mode="edge")
    middle = np.median([padded[k : k + count] for k in range(5)], axis=0)
    moved = np.interp(np.arange(len(line)), (np.arange(count) + 0.5) * each, middle)
    return np.asarray(line + moved, np.float32)


def _around(line: Floats) -> npt.NDArray[np.intp]:
    """The heights of the pixels above and below a line, [2 * _HALF_WIDTH + 1, width]."""
    return np.rint(line).astype(np.intp)[None] + np.arange(-_HALF_WIDTH, _HALF_WIDTH + 1)[:, None]


def _along(strip: Gray, line: Floats) -> Gray:
    """The pixels above and below a line, of the shape of `_around`."""
    pixels: Gray = strip[np.clip(_around(line), 0, len(strip) - 1), np.arange(strip.shape[1])]
    return pixels


def _filled(strip: Gray, line: Floats, count: int, share: float) -> Gray:
    """The strip with the crease's own darkness taken off along the line.

    It is measured in each of `count` pieces, of whose pixels writing may cover `share`.
    """
    around = _along(strip, line)
    each = around.shape[1] // count
    profiles = [
        _darkness(around[:, a:b], share, axis=1) for a, b in pairwise([*range(0, each * count, each), around.shape[1]])
    ]
    depth = np.stack(profiles, axis=1)
    # The line is followed to a pixel: its two neighbours may be the dark one. Writing along the fold is darker than it.
    depth[1:-1] = np.maximum(depth[1:-1], np.maximum(depth[:-2], depth[2:]))
    depth = np.minimum(depth, 1.2 * np.median(depth.max(axis=0)))
    dark = depth[:, np.minimum(np.arange(around.shape[1]) // each, count - 1)]
    rows = _around(line)
    inside = (rows >= 0) & (rows < len(strip))
    columns = np.broadcast_to(np.arange(strip.shape[1]), rows.shape)
    mended = strip.copy()
    mended[rows[inside], columns[inside]] = np.minimum(around + dark, 255)[inside].astype(np.uint8)
    return mended
