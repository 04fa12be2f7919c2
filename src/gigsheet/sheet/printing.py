"""Template -> vector PDF.

What all pages share is drawn once, as a form XObject; a page adds its serial and what is filled in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from io import BytesIO
from typing import Any

import cv2
import segno
from reportlab.pdfgen.canvas import Canvas

from gigsheet.sheet.fonts import BODY, register, width_mm
from gigsheet.sheet.serial import qr_text, spoken
from gigsheet.sheet.template import Box, Field, Line, Marker, Point, Template, Text

MM = 72 / 25.4
NUMBER_SIZE_MM = 3.0
LABEL_SIZE_MM = 2.9
LABEL_GREY = 0.3
BASELINE_ABOVE_LINE_MM = 1.3
FILLED_SIZE_MM = 4.2
LEAST_SIZE_MM = 2.0
LINE_HEIGHT = 1.18
# A capital of the body font is 0.7 of its size high: half of that below the middle centres a word on its box.
HALF_CAPITAL = 0.35


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page to print: its serial, and what is filled in by field key (`gigsheet.sheet.template.FIELD_KEYS`)."""

    serial: str
    filled: Mapping[str, str] = field(default_factory=dict)


def print_sheets(template: Template, sheets: Iterable[Sheet]) -> bytes:
    """The PDF of these sheets, a page each, in their order; vector graphics and embedded fonts only."""
    register()
    buffer = BytesIO()
    size = (template.width_mm * MM, template.height_mm * MM)
    # invariant: the same sheets give the same bytes, with no date in them
    canvas = Canvas(buffer, pagesize=size, pageCompression=1, invariant=1, initialFontName=BODY)
    canvas.setTitle(f"Gigsheet {template.name}, {template.paper}")
    canvas.setCreator("Gigsheet")
    page = _Page(canvas, template.height_mm)
    canvas.beginForm("blank", 0, 0, *size)
    _draw_blank(page, template)
    canvas.endForm()
    for sheet in sheets:
        canvas.doForm("blank")
        _draw_own(page, template, sheet)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


class _Page:
    """A canvas in the template's terms: millimetres from the top left corner, y down, greys."""

    def __init__(self, canvas: Any, height_mm: float) -> None:
        self._canvas = canvas
        self._height = height_mm

    def line(self, line: Line) -> None:
        c = self._canvas
        c.setLineWidth(line.pen.width_mm * MM)
        c.setStrokeGray(line.pen.grey)
        c.setDash([d * MM for d in _fitted_dash(line)])
        c.line(*self._at(line.start_mm), *self._at(line.end_mm))

    def cells(self, box: Box, rows: Sequence[bytes | bytearray]) -> None:
        """A square grid of cells that fills `box`, black where not 0, as one path: no hairlines between neighbours."""
        x0, y0, x1, _ = box
        size = (x1 - x0) / len(rows)
        path = self._canvas.beginPath()
        for r, cells in enumerate(rows):
            for run in re.finditer(rb"[^\0]+", cells):
                x, y = self._at((x0 + run.start() * size, y0 + (r + 1) * size))
                path.rect(x, y, len(run[0]) * size * MM, size * MM)
        self._canvas.setFillGray(0)
        self._canvas.drawPath(path, stroke=0, fill=1)

    def text(self, text: Text) -> None:
        c = self._canvas
        x, y = self._at(text.at_mm)
        shift = {"left": 0.0, "center": 0.5, "right": 1.0}[text.align]
        run = c.beginText(x - shift * width_mm(text.text, text.size_mm) * MM, y)
        run.setFont(BODY, text.size_mm * MM)
        run.setFillGray(text.grey)
        if text.bold:
            # The family comes as one weight: its outline, stroked, is the other.
            c.setDash()
            c.setLineWidth(0.045 * text.size_mm * MM)
            run.setStrokeGray(text.grey)
            run.setTextRenderMode(2)
        run.textOut(text.text)
        if text.bold:
            run.setTextRenderMode(0)
        c.drawText(run)

    def _at(self, point: Point) -> Point:
        return point[0] * MM, (self._height - point[1]) * MM


def _fitted_dash(line: Line) -> tuple[float, ...]:
    """The pen's dash and gap in mm, stretched a little so that the line begins and ends with a whole dash."""
    dash, gap = line.pen.dash_mm
    if not gap:
        return ()
    length = math.dist(line.start_mm, line.end_mm)
    stretch = length / (max(1, round((length - dash) / (dash + gap))) * (dash + gap) + dash)
    return dash * stretch, gap * stretch


def _draw_blank(page: _Page, template: Template) -> None:
    for line in (*template.frames(), *template.rules):
        page.line(line)
    for text in template.texts:
        page.text(text)
    for game in template.games:
        for option, box in (*game.first.items(), *game.result.items()):
            page.text(_centred(option, box, template))
        for row in game.rows:
            page.text(Text(row.number_mm, str(row.turn), NUMBER_SIZE_MM, LABEL_GREY, "right", False))
    for item in template.fields:
        _draw_field(page, item)
    for marker in template.markers:
        _draw_marker(page, template.dictionary, marker)


def _centred(word: str, box: Box, template: Template) -> Text:
    size = template.choice.size_mm
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2 + HALF_CAPITAL * size)
    return Text(middle, word, size, template.choice.grey, "center", False)


def _draw_field(page: _Page, item: Field) -> None:
    x0, y1 = item.box_mm[0], item.box_mm[3]
    page.text(Text((x0, y1 - BASELINE_ABOVE_LINE_MM), item.label, LABEL_SIZE_MM, LABEL_GREY, "left", False))
    page.line(item.line())


def _draw_marker(page: _Page, dictionary: str, marker: Marker) -> None:
    page.cells((*marker.corners_mm[0], *marker.corners_mm[2]), _marker_cells(dictionary, marker.id))


@cache
def _marker_cells(dictionary: str, marker_id: int) -> tuple[bytes, ...]:
    known = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    image = cv2.aruco.generateImageMarker(known, marker_id, known.markerSize + 2)  # a border of one cell around
    return tuple(bytes(int(v == 0) for v in row) for row in image)


def _draw_own(page: _Page, template: Template, sheet: Sheet) -> None:
    """What belongs to this page alone."""
    place = template.serial
    code = segno.make(qr_text(template.name, template.version, template.paper, sheet.serial), error="m", micro=False)
    page.cells(place.qr_mm, code.matrix)
    page.text(replace(place.characters, text=sheet.serial))
    x, y = place.words.at_mm
    for k, line in enumerate(_wrapped(spoken(sheet.serial), place.words.size_mm, place.words_width_mm)):
        page.text(replace(place.words, text=line, at_mm=(x, y + k * LINE_HEIGHT * place.words.size_mm)))
    for item in template.fields:
        if value := sheet.filled.get(item.key):
            page.text(_filled(item, value))


def _wrapped(text: str, size_mm: float, most_mm: float) -> Iterator[str]:
    """The words of `text` in as few lines of at most this width as they need."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".lstrip()
        if line and width_mm(longer, size_mm) > most_mm:
            yield line
            longer = word
        line = longer
    yield line


def _filled(item: Field, value: str) -> Text:
    """A filled-in value, set smaller when it is long; what is longer still is cut, with an ellipsis."""
    x1, y1 = item.box_mm[2], item.box_mm[3]
    x0 = item.line_from_mm + 0.6
    size = min(FILLED_SIZE_MM, FILLED_SIZE_MM * (x1 - x0) / max(width_mm(value, FILLED_SIZE_MM), 0.1))
    if size < LEAST_SIZE_MM:
        size = LEAST_SIZE_MM
        while value and width_mm(value + "…", size) > x1 - x0:
            value = value[:-1]
        value = value.rstrip() + "…"
    return Text((x0, y1 - BASELINE_ABOVE_LINE_MM), value, size, 0.0, "left", False)
