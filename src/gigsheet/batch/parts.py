"""A scan -> the parts that are read one at a time, each of which can travel to another machine."""

from __future__ import annotations

import io
import struct
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from PIL.TiffImagePlugin import TiffImageFile

from gigsheet.vision.decoder_notes import decoder_notes
from gigsheet.vision.formats import DAMAGE, page_frames, sniff
from gigsheet.vision.limits import Limits

_BIG = 43
"""The version of a BigTIFF; any other TIFF's is 42."""
_HEAD = 16
"""Bytes of a TIFF that hold its header and no page."""
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
    frames: list[int] = []
    damaged = False
    try:
        with _quiet(), TiffImageFile(path) as image:
            for frame in page_frames(image):
                frames.append(frame)  # noqa: PERF402 - what came before the damage must stay
    except DAMAGE:
        damaged = True
    # The pages before the damage are whole; what is behind them counts as one that cannot be read.
    count = len(frames) + damaged

    def cut(wanted: Iterable[int]) -> Iterator[tuple[int, bytes | None]]:
        # Not by its path: Pillow then maps raw pixels into memory, and garbles those of a page that lies on its side.
        with path.open("rb") as file, _opened(file) as image:
            for number in wanted:
                whole = number <= len(frames)
                yield number, _tiff_page(path, image, frames[number - 1]) if whole else path.read_bytes()[:_HEAD]

    return Parts(count, cut) if 1 < count <= Limits().pages else _WHOLE


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps back what Pillow and libtiff find odd: whoever reads a page says what is wrong with it."""
    with warnings.catch_warnings(), decoder_notes():
        warnings.simplefilter("ignore")
        yield


def _opened(file: BinaryIO) -> TiffImageFile:
    with _quiet():
        return TiffImageFile(file)


def _tiff_page(path: Path, image: TiffImageFile, frame: int) -> bytes | None:
    """One page as a TIFF of its own. Compression cannot be kept: bilevel pages get G4, others none.

    A page that cannot be decoded stays as it is, so that its reader says what is wrong with it.
    """
    out = io.BytesIO()
    try:
        with _quiet():
            image.seek(frame)
            Limits().check_size(image.size)
            compression = "group4" if image.mode == "1" else None
            image.save(out, "TIFF", compression=compression, save_all=False, dpi=image.info.get("dpi"))
    except DAMAGE:
        return _with_one_page(path, image.tag_v2.offset)
    return out.getvalue()


def _with_one_page(path: Path, directory: int) -> bytes | None:
    """A TIFF's file in which only the page with the directory at this place is left, nothing else of it changed.

    None, for the whole file, where it is larger than is read: its reader says that, and goes no further.
    """
    if path.stat().st_size > Limits().file_bytes:
        return None
    data = bytearray(path.read_bytes())
    order = "<" if data.startswith(b"II") else ">"
    # Where the place of the first directory stands, and how a directory's length, entries and places are stored.
    first, length, entry, place = (8, "Q", 20, "Q") if _BIG in data[2:4] else (4, "H", 12, "L")
    (entries,) = struct.unpack_from(order + length, data, directory)
    struct.pack_into(order + place, data, first, directory)
    struct.pack_into(order + place, data, directory + struct.calcsize(order + length) + entries * entry, 0)
    return bytes(data)
