"""Why a picture cannot be read, and what to do about it."""

from __future__ import annotations

import cv2
import numpy as np

from gigsheet.errors import PageError
from gigsheet.sheet.template import Template
from gigsheet.vision.fiducials import Sighting, reduced
from gigsheet.vision.mapping import PageMapping
from gigsheet.vision.picture import Picture
from gigsheet.vision.serial import read_code, unsupported

_OUTSIDE_MM = 1.0
"""So much of a row may be cut off: its frame."""
_NEAR = 41
"""Pixels, in a picture of about 1000, across which print turns from black to white however blurred it is."""
_LEAST_CONTRAST = 40
_SHARP_EDGE = 0.16
"""The share of that contrast by which the steepest thousandth of a picture's pixels differs from its neighbour."""


def partial_page(shape: tuple[int, ...], template: Template, mapping: PageMapping) -> PageError | None:
    """The refusal of a sheet whose rows or choices are not all in the picture; None when they are."""
    boxes = [row.entry_area_mm for game in template.games for row in game.rows]
    boxes += [box for game in template.games for box in (*game.first.values(), *game.result.values())]
    corners = np.array(boxes)[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2)
    px = mapping.to_px(corners)
    slack = _OUTSIDE_MM * mapping.px_per_mm((template.width_mm / 2, template.height_mm / 2))
    outside = ((px < -slack) | (px > np.array(shape[1::-1]) - 1 + slack)).any(axis=1)
    if not outside.any():
        return None
    x, y = corners[outside].mean(axis=0) / (template.width_mm, template.height_mm) - 0.5
    part = ("right" if x > 0 else "left") if abs(x) > abs(y) else ("lower" if y > 0 else "upper")
    return PageError(
        f"the {part} part of the sheet is outside the picture: photograph the whole page", code="partial-page"
    )


def too_blurred() -> PageError:
    """The refusal of a sheet that is found but out of focus or moved."""
    return PageError(
        "the picture is too blurred to read: hold the phone still, tap the sheet to focus, and photograph it again",
        code="too-blurred",
    )


def why_none(picture: Picture, leftover: list[Sighting]) -> PageError:
    """The refusal of a picture in which no sheet was found."""
    text = read_code(reduced(picture.pixels, max(1, round(max(picture.pixels.shape) / 2000))))
    if text is not None and text[0] != "1":
        return unsupported(text)
    if len(leftover) > 1 or text is not None:
        return PageError(
            "too few of the sheet's black corner and side markers can be seen: photograph the whole page, flat, with "
            "nothing on its markers",
            code="partial-page",
        )
    if _nothing_sharp(picture):
        return too_blurred()
    return PageError(
        "no sheet is found in this picture: photograph a sheet printed with `gigsheet blank`, the whole page, in even "
        "light",
        code="no-sheet",
    )


def _nothing_sharp(picture: Picture) -> bool:
    """Whether dark and light lie near each other in the picture, and yet no edge between them is sharp."""
    small = reduced(picture.pixels, max(1, round(max(picture.pixels.shape) / 1000)))
    if min(small.shape) < _NEAR:
        return False
    window = np.ones((_NEAR, _NEAR), np.uint8)
    contrast = float(np.percentile(cv2.subtract(cv2.dilate(small, window), cv2.erode(small, window)), 99))
    slope = float(np.percentile(cv2.absdiff(small[:, 2:], small[:, :-2]), 99.9)) / 2
    return contrast > _LEAST_CONTRAST and slope < _SHARP_EDGE * contrast
