"""PDF pages: the scan itself where a page is nothing but one, else the page rendered at 300 dpi; through PDFium."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from gigsheet.errors import GigsheetError, UnreadableFileError
from gigsheet.vision.jpeg import load_jpeg, read_header
from gigsheet.vision.limits import Limits
from gigsheet.vision.picture import Gray, PageFailure, Picture

DPI = 300
_POINTS_PER_INCH = 72
_MOST_RENDERED_PIXELS = 40_000_000
"""A page larger than about A3 is rendered at less than 300 dpi."""
_WHOLE_PAGE = 0.85
"""An image that covers this share of a page, alone on it, is the page: a scan."""
_MOST_OBJECTS = 200
_INVISIBLE_TEXT = 3
_PASSWORD_ERROR = "password"
_DARK = 100
"""The mean grey below which a page may be a negative: paper is lighter, and all but the darkest tables around it."""
# How a picture lies on the page (the signs of its matrix: x along x, y along y; or x along y, y along x) -> EXIF.
_UPRIGHT = {(1, 1): 1, (-1, 1): 2, (-1, -1): 3, (1, -1): 4}
_ON_SIDE = {(-1, -1): 5, (-1, 1): 6, (1, 1): 7, (1, -1): 8}
_TURNED_RIGHT = {1: 6, 6: 3, 3: 8, 8: 1, 2: 7, 7: 4, 4: 5, 5: 2}


def load_pdf(file: BinaryIO, name: str, limits: Limits, page: int | None = None) -> Iterator[Picture | PageFailure]:
    """The pages of a PDF, one in memory at a time, or only `page` (from 1; nothing where there is no such page).

    Raises UnreadableFileError for a file that PDFium cannot open or that asks for a password.
    """
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(file)
        pages = len(document)
    except (pdfium.PdfiumError, OSError, ValueError) as e:
        if _PASSWORD_ERROR in str(e).lower():
            raise UnreadableFileError(
                "this PDF is locked by a password; print it to a new PDF without one", code="encrypted"
            ) from None
        raise UnreadableFileError("this PDF is damaged and cannot be opened; save or send it again") from None
    try:
        if not pages:
            raise UnreadableFileError("this PDF has no pages; save or send it again")
        wanted = range(1, min(pages, limits.pages) + 1)
        for index in (number - 1 for number in wanted if page in (None, number)):
            try:
                yield _load_page(document, index, name, limits)
            except GigsheetError as e:
                yield PageFailure(name, index + 1, e)
            except (pdfium.PdfiumError, OSError, ValueError, MemoryError):
                damaged = UnreadableFileError("this page of the PDF is damaged; save or send it again")
                yield PageFailure(name, index + 1, damaged)
        if pages > limits.pages and page in (None, limits.pages + 1):
            yield PageFailure(name, limits.pages + 1, limits.too_many_pages())
    finally:
        document.close()


def _load_page(document: Any, index: int, name: str, limits: Limits) -> Picture:
    page = document[index]
    try:
        scan = _the_scan_it_is(page, limits)
        if scan is not None:
            picture = _pull_out(scan, page, name, index + 1, limits)
            if picture is not None:
                return picture
        return Picture.of(_render(page), name, page=index + 1)
    finally:
        page.close()


def _the_scan_it_is(page: Any, limits: Limits) -> Any | None:
    """The image that is the whole page, or None when there is more to see; refuses too large images."""
    import pypdfium2.raw as raw

    images, alone = [], raw.FPDFPage_GetAnnotCount(page) == 0
    for count, item in enumerate(page.get_objects(max_depth=3)):
        if count > _MOST_OBJECTS:
            return None
        if item.type == raw.FPDF_PAGEOBJ_IMAGE:
            limits.check_size(item.get_px_size())
            images.append(item)
            alone = alone and item.level == 0
        elif item.type == raw.FPDF_PAGEOBJ_TEXT:
            alone = alone and raw.FPDFTextObj_GetTextRenderMode(item) == _INVISIBLE_TEXT
        elif item.type != raw.FPDF_PAGEOBJ_FORM:
            alone = False
    if len(images) != 1 or not alone:
        return None
    left, bottom, right, top = images[0].get_bounds()
    x0, y0, x1, y1 = page.get_cropbox()
    shown = max(0.0, min(right, x1) - max(left, x0)) * max(0.0, min(top, y1) - max(bottom, y0))
    whole = shown >= _WHOLE_PAGE * (x1 - x0) * (y1 - y0) and shown >= 0.98 * (right - left) * (top - bottom)
    return images[0] if whole else None


def _pull_out(image: Any, page: Any, name: str, number: int, limits: Limits) -> Picture | None:
    """The scan's own pixels with the turn that the page gives them, or None when it must be rendered."""
    import pypdfium2.raw as raw

    orientation = _orientation_on_page(image, page)
    if orientation is None or raw.FPDFPageObj_HasTransparency(image):
        return None
    picture = _as_stored(image, orientation, name, number, limits)
    # What is dark may be a negative that the page turns: a mask, a palette, an ink, /Decode. PDFium knows them all.
    return None if picture is None or picture.pixels[::8, ::8].mean() < _DARK else picture


def _as_stored(image: Any, orientation: int, name: str, number: int, limits: Limits) -> Picture | None:
    """An image's pixels, whatever its page makes of their grey levels; None when PDFium does not give them so."""
    if image.get_filters() == ["DCTDecode"]:
        data = bytes(image.get_data(decode_simple=False))
        header = read_header(data)
        if header is not None and header.components in (1, 3):
            return load_jpeg(data, name, limits, number, orientation=orientation)
    gray = _gray(image.get_bitmap(render=False))
    return None if gray is None else Picture.of(gray, name, orientation=orientation, page=number)


def _orientation_on_page(image: Any, page: Any) -> int | None:
    """The EXIF orientation that shows a picture as its page does; None when it stands askew."""
    a, b, c, d, _, _ = image.get_matrix().get()
    size = max(abs(a), abs(b), abs(c), abs(d))
    tiny = 0.01 * size
    if not size:
        return None
    if abs(b) < tiny and abs(c) < tiny:
        orientation = _UPRIGHT[(_sign(a), _sign(d))]
    elif abs(a) < tiny and abs(d) < tiny:
        orientation = _ON_SIDE[(_sign(b), _sign(c))]
    else:
        return None
    for _ in range(page.get_rotation() // 90 % 4):
        orientation = _TURNED_RIGHT[orientation]
    return orientation


def _sign(x: float) -> int:
    return 1 if x > 0 else -1


def _render(page: Any) -> Gray:
    width, height = page.get_size()
    scale = DPI / _POINTS_PER_INCH
    pixels = width * height * scale * scale
    if pixels > _MOST_RENDERED_PIXELS:
        scale *= math.sqrt(_MOST_RENDERED_PIXELS / pixels)
    gray = _gray(page.render(scale=scale, grayscale=True, fill_color=(255, 255, 255, 255)))
    if gray is None:
        raise UnreadableFileError("this page of the PDF cannot be drawn; print it to a new PDF")
    return gray


def _gray(bitmap: Any) -> Gray | None:
    """Grey pixels of a PDFium bitmap of grey, BGR or BGRx; None of any other, or where it is partly transparent."""
    import cv2

    pixels = bitmap.to_numpy()
    if bitmap.mode == "L":
        return np.array(pixels.reshape(pixels.shape[:2]))
    if bitmap.mode == "BGR":
        return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.uint8)
    if bitmap.mode == "BGRX":
        return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2GRAY), np.uint8)
    return None
