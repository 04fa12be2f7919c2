"""From a picture to the sheets in it: which each one is, where every millimetre lies, and how far to trust that."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gigsheet.errors import PageError
from gigsheet.records import PageFlag, SheetId
from gigsheet.sheet.template import Template
from gigsheet.vision.assemble import Sheet, assemble, marker_corners
from gigsheet.vision.beside import shows_another
from gigsheet.vision.fiducials import QUICK, THOROUGH, Sighting, look, merge, refine
from gigsheet.vision.frames import measure_frames
from gigsheet.vision.mapping import Bend, Floats, Observations, PageMapping, fit_bend, refit_down
from gigsheet.vision.middle import middle
from gigsheet.vision.picture import Picture
from gigsheet.vision.refusal import partial_page, too_blurred, why_none
from gigsheet.vision.serial import read_serial
from gigsheet.vision.sharpness import edge_width_mm

Gray = npt.NDArray[np.uint8]

BENT_MM = 1.5
"""A row box that may be off by more flags the page."""
_COARSE_PX_PER_MM = 4.2
"""A page with fewer pixels a millimetre is read from the picture at full size, if that has more."""
_BLURRED_MM = 1.6
"""Ink edges wider than this leave nothing to read."""
_MARKER_ERROR_MM = 0.07


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """One sheet in a picture.

    Attributes:
        template: which sheet it is.
        serial: as its QR code says; None when that cannot be read.
        picture: what it was found in.
        mapping: millimetres on the page to pixels of `picture.pixels`.
        residual_mm: by how much a row's box may be off, at its worst corner.
        sharpness: 1 / the width in mm over which ink turns to paper: about 3 for a good photograph, 0.6 is the least.
        px_per_mm: pixels of `picture.pixels` a millimetre, in the middle of the page.
        flags: ``bent-page``: a row's box may be off by more than 1.5 mm; ``unread-sheet-beside``: the picture shows
            another sheet, which cannot be read.
    """

    template: Template
    serial: str | None
    picture: Picture
    mapping: PageMapping
    residual_mm: float
    sharpness: float
    px_per_mm: float
    flags: tuple[PageFlag, ...] = ()

    @property
    def id(self) -> SheetId:
        """Template, version, paper and serial."""
        return SheetId(self.template.name, self.template.version, self.template.paper, self.serial)

    def seen(self, points_mm: npt.ArrayLike) -> Floats:
        """Where points of the page, [..., 2] in mm, lie in the full-size picture as a person sees it."""
        return self.picture.to_seen(self.mapping.to_px(points_mm))


def find_pages(picture: Picture) -> list[Page]:
    """Every sheet in the picture, in reading order: from top to bottom, and from left to right.

    Raises:
        PageError: no sheet can be read; ``no-sheet``, ``partial-page``, ``too-blurred`` or ``unsupported-template``,
            with a message that says what to do.
    """
    sheets, leftover, hidden = _find(picture.pixels)
    if picture.scale < 1 and (not sheets or any(_scale(s) < _COARSE_PX_PER_MM for s in sheets)):
        picture = picture.full()
        sheets, leftover, hidden = _find(picture.pixels)
    if not sheets:
        raise why_none(picture, leftover)
    pages: list[Page] = []
    refused: list[PageError] = []
    for sheet in sheets:
        try:
            pages.append(_page(picture, sheet))
        except PageError as error:
            refused.append(error)
    if not pages:
        raise refused[0]
    if refused or hidden or len(leftover) > 1:
        pages = [replace(page, flags=(*page.flags, "unread-sheet-beside")) for page in pages]
    return _reading_order(pages)


def _find(pixels: Gray) -> tuple[list[Sheet], list[Sighting], bool]:
    """Sheets, known markers that belong to none, and whether one more sheet seems to be there.

    Looks harder until nothing seems to be missing.
    """
    sightings: list[Sighting] = []
    sheets: list[Sheet] = []
    leftover: list[Sighting] = []
    hidden = False
    for attempt in (QUICK, *THOROUGH):
        fresh = look(pixels, attempt)
        sightings = merge(sightings, refine(pixels, fresh))
        sheets, leftover = assemble(pixels, sightings)
        complete = all(len(s.sightings) >= len(s.template.markers) - 3 for s in sheets)
        hidden = bool(sheets) and shows_another(pixels, sheets)
        if sheets and complete and not leftover and not hidden:
            break
    return sheets, leftover, hidden


def _scale(sheet: Sheet) -> float:
    middle = (sheet.template.width_mm / 2, sheet.template.height_mm / 2)
    return PageMapping(sheet.homography).px_per_mm(middle)


def _page(picture: Picture, sheet: Sheet) -> Page:
    template, pixels = sheet.template, picture.pixels
    bend, seen = _bend_by_markers(sheet)
    mapping = PageMapping(sheet.homography, bend)
    missing = partial_page(pixels.shape, template, mapping)
    if missing:
        raise missing
    width = edge_width_mm(pixels, sheet)
    if width > _BLURRED_MM:
        raise too_blurred()
    mapping, misfit = _follow_frames(pixels, sheet, mapping, seen)
    residual = _residual_mm(template, mapping, misfit)
    return Page(
        template=template,
        serial=read_serial(pixels, template, mapping),
        picture=picture,
        mapping=mapping,
        residual_mm=residual,
        sharpness=1 / width,
        px_per_mm=_scale(sheet),
        flags=("bent-page",) if residual > BENT_MM else (),
    )


def _bend_by_markers(sheet: Sheet) -> tuple[Bend, Observations]:
    where = marker_corners(sheet.template)
    at = np.concatenate([where[s.id] for s in sheet.sightings])
    px = np.concatenate([s.corners for s in sheet.sightings])
    offset = PageMapping(sheet.homography).to_flat_mm(px) - at
    error = np.full(len(at), np.hypot(_MARKER_ERROR_MM, 0.25 / _scale(sheet)))
    seen = Observations(at, offset, error)
    return fit_bend(seen, (sheet.template.width_mm, sheet.template.height_mm)), seen


def _follow_frames(
    pixels: Gray, sheet: Sheet, mapping: PageMapping, markers: Observations
) -> tuple[PageMapping, float]:
    """The mapping bent further until the rows' printed lines lie where they are seen, and by how much they still miss.

    That (see `_misfit_mm`) is large where paper is crumpled.
    """
    assert mapping.bend is not None
    seen = measure_frames(pixels, sheet.template, mapping)
    if len(seen.at_mm) == 0:
        return mapping, _misfit_mm(markers, mapping.bend)
    doubt = mapping.bend.doubt_mm(seen.at_mm)[:, 1]
    likely = np.abs(seen.offset_mm[:, 1]) < 3 * doubt + 0.4
    lines = Observations(seen.at_mm, seen.offset_mm + mapping.bend.at(seen.at_mm), seen.error_mm)
    bend = mapping.bend
    for _ in range(2):
        kept = Observations(*(part[likely] for part in lines))
        bend = refit_down(bend, Observations(*(np.concatenate(p) for p in zip(markers, kept, strict=True))))
        left = np.abs(lines.offset_mm - bend.at(lines.at_mm))[:, 1]
        likely = left < max(0.25, 3 * middle(left[likely]))
    return replace(mapping, bend=bend), max(_misfit_mm(lines, bend), _misfit_mm(markers, bend))


def _misfit_mm(seen: Observations, bend: Bend) -> float:
    """By how much a row may be off that no line or marker was seen at: three times what half of them keep within, or
    twice what nine of ten do, since paper may be crumpled in one place alone."""
    left = np.sort(np.abs(seen.offset_mm - bend.at(seen.at_mm)), axis=None)
    left = left[np.isfinite(left)]
    return max(3 * middle(left), 2 * float(left[round(0.9 * (len(left) - 1))]))


def _residual_mm(template: Template, mapping: PageMapping, misfit_mm: float) -> float:
    """How far the worst corner of any row may be off: two standard deviations, and the misfit."""
    assert mapping.bend is not None
    areas = np.array([row.entry_area_mm for game in template.games for row in game.rows])
    corners = areas[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2)
    return float(2 * np.linalg.norm(mapping.bend.doubt_mm(corners), axis=-1).max() + misfit_mm)


def _page_corners(template: Template) -> Floats:
    return np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64) * (template.width_mm, template.height_mm)


def _reading_order(pages: list[Page]) -> list[Page]:
    """Line by line: a sheet starts a new line when its middle lies below the half of the line's first sheet."""
    if len(pages) == 1:
        return pages
    middles = [page.seen(_page_corners(page.template)).mean(axis=0) for page in pages]
    heights = [float(np.ptp(page.seen(_page_corners(page.template))[:, 1])) for page in pages]
    left = sorted(range(len(pages)), key=lambda k: middles[k][1])
    ordered: list[int] = []
    while left:
        first = left[0]
        line = [k for k in left if middles[k][1] - middles[first][1] < heights[first] / 2]
        ordered += sorted(line, key=lambda k: middles[k][0])
        left = [k for k in left if k not in line]
    return [pages[k] for k in ordered]
