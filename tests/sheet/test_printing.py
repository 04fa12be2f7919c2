"""What is drawn is what the layout says: the PDF rendered, its markers, rules and codes found again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium
import pytest
import zxingcpp

from gigsheet.sheet.printing import Sheet, print_sheets
from gigsheet.sheet.serial import qr_text
from gigsheet.sheet.template import Line, load_template, templates

DPI = 300
PX_MM = DPI / 25.4
SERIAL = "7F3K-02"
TOLERANCE_MM = 0.2

every_template = pytest.mark.parametrize(("name", "paper"), templates())


@cache
def pdf(name: str, paper: str) -> bytes:
    return print_sheets(load_template(name, paper), [Sheet(SERIAL)])


@cache
def rendered(name: str, paper: str) -> npt.NDArray[np.uint8]:
    page = pypdfium2.PdfDocument(pdf(name, paper))[0]
    return page.render(scale=DPI / 72).to_numpy()


def page_objects(data: bytes) -> Iterator[pypdfium2.PdfObject]:
    for page in pypdfium2.PdfDocument(data):
        yield from page.get_objects(max_depth=5)


@every_template
def test_page_has_the_paper_s_size(name: str, paper: str) -> None:
    template = load_template(name, paper)
    width, height = pypdfium2.PdfDocument(pdf(name, paper))[0].get_size()
    assert (width / 72 * 25.4, height / 72 * 25.4) == pytest.approx((template.width_mm, template.height_mm), abs=0.05)


@every_template
def test_markers_are_found_where_the_layout_says(name: str, paper: str) -> None:
    template = load_template(name, paper)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, template.dictionary))
    grey = cv2.cvtColor(rendered(name, paper), cv2.COLOR_BGR2GRAY)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary, parameters).detectMarkers(grey)
    # Pixel centres are whole numbers, a page's corner is the corner of its first pixel.
    found = {int(i): (c.reshape(4, 2) + 0.5) / PX_MM for i, c in zip(ids.ravel(), corners, strict=True)}
    assert set(found) == {marker.id for marker in template.markers}
    for marker in template.markers:
        assert np.abs(found[marker.id] - marker.corners_mm).max() < TOLERANCE_MM, marker.id


def line_is_off_by(grey: npt.NDArray[np.uint8], line: Line) -> float:
    """How far, in mm, the ink near a horizontal or vertical line lies from where the line should be."""
    (x0, y0), (x1, y1) = line.start_mm, line.end_mm
    if x0 == x1:
        return line_is_off_by(grey.T, Line((y0, x0), (y1, x1), line.pen))
    reach = 0.4
    first, last = sorted((round((x0 * 0.9 + x1 * 0.1) * PX_MM), round((x0 * 0.1 + x1 * 0.9) * PX_MM)))
    top = round((y0 - reach) * PX_MM)
    ink = 255.0 - grey[top : round((y0 + reach) * PX_MM) + 1, first:last].mean(axis=1)
    assert ink.max() > 10, f"no line at {line}"
    ink[ink < 2] = 0
    centre = (ink * (top + 0.5 + np.arange(len(ink)))).sum() / ink.sum()
    return abs(centre / PX_MM - y0)


@every_template
def test_frames_and_rules_are_drawn_where_the_layout_says(name: str, paper: str) -> None:
    template = load_template(name, paper)
    grey = cv2.cvtColor(rendered(name, paper), cv2.COLOR_BGR2GRAY)
    # A column of choices is crossed by no line, a row's frame by none of its neighbours' within 0.4 mm.
    off = [line_is_off_by(grey, line) for line in template.frames()]
    rows = sum(len(game.rows) for game in template.games)
    assert len(off) >= rows
    assert max(off) < TOLERANCE_MM


@every_template
def test_nothing_is_printed_near_the_edge_or_beside_a_marker(name: str, paper: str) -> None:
    template = load_template(name, paper)
    page = rendered(name, paper)
    inside = np.zeros(page.shape[:2], bool)
    edge = int(8 * PX_MM)
    inside[edge:-edge, edge:-edge] = True
    assert page[~inside].min() == 255
    for marker in template.markers:
        (x0, y0), _, (x1, y1), _ = marker.corners_mm
        cell = (x1 - x0) / 6
        ring = page[
            math.ceil((y0 - cell) * PX_MM) + 1 : int((y1 + cell) * PX_MM) - 1,
            math.ceil((x0 - cell) * PX_MM) + 1 : int((x1 + cell) * PX_MM) - 1,
        ].copy()
        inner = int(cell * PX_MM) - 3
        ring[inner:-inner, inner:-inner] = 255
        assert ring.min() == 255, marker.id


@every_template
def test_page_is_grey_vectors_and_embedded_type(name: str, paper: str) -> None:
    page = rendered(name, paper)
    assert (page == page[..., :1]).all()
    kinds = set()
    for item in page_objects(pdf(name, paper)):
        kinds.add(item.type)
        if item.type == pdfium.FPDF_PAGEOBJ_TEXT:
            assert pdfium.FPDFFont_GetIsEmbedded(pdfium.FPDFTextObj_GetFont(item.raw)) == 1
    assert kinds == {pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_FORM}
    assert b"Helvetica" not in pdf(name, paper)


@every_template
def test_page_says_its_serial_as_code_in_characters_and_in_words(name: str, paper: str) -> None:
    template = load_template(name, paper)
    (code,) = zxingcpp.read_barcodes(rendered(name, paper))
    assert code.text == qr_text(name, template.version, paper, SERIAL)
    text = pypdfium2.PdfDocument(pdf(name, paper))[0].get_textpage().get_text_bounded()
    assert SERIAL in text
    assert "seven Foxtrot three Kilo, zero two" in " ".join(text.split())


@every_template
def test_page_explains_itself(name: str, paper: str) -> None:
    text = pypdfium2.PdfDocument(pdf(name, paper))[0].get_textpage().get_text_bounded()
    moves = ["roll", "steal", "increment", "decrement", "set", "reroll", "swap"]
    for word in [
        *moves,
        "WE",
        "THEY",
        "Event",
        "Round",
        "Table",
        "first",
        "result",
        "draw",
        "concession",
        "time",
        "Strike",
    ]:
        assert word.lower() in text.lower(), word


def test_pages_differ_in_serial_and_in_what_is_filled_in() -> None:
    template = load_template("single", "a4")
    sheets = [Sheet("7F3K-01", {"we": "Zoë Żółć", "they": "Ødegård"}), Sheet("7F3K-02", {"event": "Ночной город"})]
    document = pypdfium2.PdfDocument(print_sheets(template, sheets))
    first, second = (page.get_textpage().get_text_bounded() for page in document)
    assert "Zoë Żółć" in first
    assert "Ødegård" in first
    assert "7F3K-01" in first
    assert "Ночной город" in second
    assert "Zoë" not in second
    codes = [zxingcpp.read_barcodes(page.render(scale=3).to_numpy())[0].text for page in document]
    assert [code.rsplit(":", 1)[1] for code in codes] == ["7F3K-01", "7F3K-02"]


def test_long_names_shrink_and_then_end_in_an_ellipsis() -> None:
    template = load_template("match", "letter")
    names = ["Ann", "Ann-Christine Featherstonehaugh", "Featherstonehaugh " * 9]
    document = pypdfium2.PdfDocument(print_sheets(template, [Sheet("A" * 4 + "-01", {"we": name}) for name in names]))
    (field,) = [f for f in template.fields if f.key == "we"]
    texts = []
    for page in document:
        x0, y0, x1, y1 = (
            v / 25.4 * 72 for v in (field.line_from_mm, field.box_mm[1], field.box_mm[2], field.box_mm[3])
        )
        high = page.get_height()
        texts.append(page.get_textpage().get_text_bounded(left=x0, right=x1 + 0.5, bottom=high - y1, top=high - y0))
        beyond = page.get_textpage().get_text_bounded(left=x1 + 0.5, right=x1 + 9, bottom=high - y1, top=high - y0)
        assert not beyond.strip()
    assert texts[:2] == names[:2]
    assert texts[2].endswith("…")


def test_the_same_sheets_give_the_same_bytes() -> None:
    template = load_template("match", "a4")
    sheets = [Sheet("7F3K-01"), Sheet("7F3K-02", {"we": "Ann"})]
    assert print_sheets(template, sheets) == print_sheets(template, sheets)


def test_sheets_share_what_is_the_same_on_all() -> None:
    template = load_template("single", "a4")
    sizes = [len(print_sheets(template, [Sheet(f"7F3K-{n:02}") for n in range(1, count + 1)])) for count in (1, 2, 3)]
    one, more = sizes[0], [b - a for a, b in pairwise(sizes)]
    assert max(more) < one / 5
