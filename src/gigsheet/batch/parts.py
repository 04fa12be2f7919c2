"""A scan -> the parts that are read one at a time, each of which can travel to another machine."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from PIL import Image

from gigsheet.errors import GigsheetError
from gigsheet.vision.formats import sniff
from gigsheet.vision.limits import Limits

_SUBFILE_TAG = 0x00FE
_REDUCED_COPY = 1
_DAMAGE = (OSError, ValueError, SyntaxError, EOFError, ArithmeticError, LookupError, TypeError, struct.error)
"""What Pillow may raise on a file that does not hold."""


_PDF_PAGES_AT_ONCE = 16
"""PDFium keeps every page that was taken out of an open document: it is opened anew after so many."""


@dataclass(frozen=True, slots=True)
class Parts:
    """How a scan is cut up: `count` parts, and `cut`, which gives some of them (by number, from 1) in their order.

    A part is None for the whole file, or the bytes of a file that holds this one page. Where `in_place`, whoever sees
    the file need not have it cut: `load` takes any page straight out of it.
    """

    count: int
    cut: Callable[[Iterable[int]], Iterator[tuple[int, bytes | None]]]
    in_place: bool = False


def parts_of(path: Path) -> Parts:
    """A PDF or a TIFF of many pages is cut into its pages; any other file, and one that is damaged, is one part."""
    with path.open("rb") as file:
        kind = sniff(file.read(1024))
    if kind == "PDF":
        return _pdf(path)
    return _tiff(path) if kind == "TIFF" else _WHOLE


def _whole(wanted: Iterable[int]) -> Iterator[tuple[int, bytes | None]]:
    return ((number, None) for number in wanted)


_WHOLE = Parts(1, _whole)


def _pdf(path: Path) -> Parts:
    import pypdfium2 as pdfium

    try:
        with pdfium.PdfDocument(path) as document:
            pages = len(document)
    except (pdfium.PdfiumError, OSError, ValueError):
        return _WHOLE

    def cut(wanted: Iterable[int]) -> Iterator[tuple[int, bytes | None]]:
        remaining = iter(wanted)
        while some := list(islice(remaining, _PDF_PAGES_AT_ONCE)):
            with pdfium.PdfDocument(path) as document:
                for number in some:
                    yield number, _pdf_page(document, number)

    return Parts(pages, cut, in_place=True) if 1 < pages <= Limits().pages else _WHOLE


def _pdf_page(document: Any, number: int) -> bytes:
    """One page as a PDF of its own; nothing is decoded. A damaged page gives a file that is refused as damaged."""
    import pypdfium2 as pdfium

    out = io.BytesIO()
    with pdfium.PdfDocument.new() as single:
        with suppress(pdfium.PdfiumError):
            single.import_pages(document, [number - 1])
        single.save(out)
    return out.getvalue()


def _tiff(path: Path) -> Parts:
    try:
        with Image.open(path) as image:
            frames = list(_page_frames(image))
    except _DAMAGE:
        return _WHOLE

    def cut(wanted: Iterable[int]) -> Iterator[tuple[int, bytes | None]]:
        with Image.open(path) as image:
            for number in wanted:
                yield number, _tiff_page(image, frames[number - 1])

    return Parts(len(frames), cut) if 1 < len(frames) <= Limits().pages else _WHOLE


def _page_frames(image: Image.Image) -> Iterator[int]:
    """The frames that are pages, not reduced copies of one."""
    for frame in range(getattr(image, "n_frames", 1)):
        image.seek(frame)
        tags = getattr(image, "tag_v2", {})
        if not int(tags.get(_SUBFILE_TAG, 0)) & _REDUCED_COPY:
            yield frame


def _tiff_page(image: Image.Image, frame: int) -> bytes:
    """One page as a TIFF of its own. Compression cannot be kept: bilevel pages get G4, others none.

    A damaged page gives an empty file, which is refused as such.
    """
    out = io.BytesIO()
    try:
        image.seek(frame)
        Limits().check_size(image.size)
        compression = "group4" if image.mode == "1" else None
        image.save(out, "TIFF", compression=compression, save_all=False, dpi=image.info.get("dpi"))
    except (*_DAMAGE, GigsheetError):
        return b""
    return out.getvalue()
