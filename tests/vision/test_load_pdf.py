"""PDF pages: scans pulled out as they are, everything else rendered; turned, locked, damaged."""

from __future__ import annotations

import io
import zlib
from itertools import product
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pytest
from PIL import Image, ImageOps
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from gigsheet.vision import pdf
from gigsheet.vision.load import PageFailure, Picture, load
from tests.support.files import drawing, saved
from tests.vision.test_load import only_failure, pictures

A4 = (595.0, 842.0)


def scan() -> Image.Image:
    """An A4 page at 100 dpi, its marks in one corner each."""
    pixels = np.full((1170, 827, 3), 255, np.uint8)
    pixels[60:160, 60:300] = 0
    pixels[1000:1100, 600:700] = 90
    return Image.fromarray(pixels)


def document(*pages: tuple[Image.Image | bytes, float, int, int]) -> bytes:
    """A PDF of (picture or JPEG file, degrees that it is turned on the page, mirror, page rotation), a page each."""
    made = pdfium.PdfDocument.new()
    for picture, turn, mirror, rotation in pages:
        w, h = A4 if turn % 180 == 0 else A4[::-1]
        page = made.new_page(w, h)
        image = pdfium.PdfImage.new(made)
        if isinstance(picture, bytes):
            image.load_jpeg(io.BytesIO(picture), inline=True)
        else:
            image.set_bitmap(pdfium.PdfBitmap.from_pil(picture))
        matrix = pdfium.PdfMatrix().scale(*A4).translate(-A4[0] / 2, -A4[1] / 2).scale(mirror, 1)
        image.set_matrix(matrix.rotate(turn, ccw=True).translate(w / 2, h / 2))
        page.insert_obj(image)
        page.set_rotation(rotation)
        page.gen_content()
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def drawn(*, text: str = "", invisible: bool = False, password: str | None = None) -> bytes:
    """A PDF as an office program makes it: the scan, and text over it."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, encrypt=password)
    canvas.drawImage(ImageReader(scan()), 0, 0, *A4)
    line = canvas.beginText(100, 100)
    line.setTextRenderMode(3 if invisible else 0)
    line.textLine(text)
    canvas.drawText(line)
    canvas.save()
    return buffer.getvalue()


def as_jpeg(image: Image.Image | None = None) -> bytes:
    return saved("JPEG", image or scan(), quality=90)


def rendered(data: bytes, page: int = 0) -> npt.NDArray[np.uint8]:
    with pdfium.PdfDocument(data) as opened:
        return np.asarray(opened[page].render(scale=1, grayscale=True).to_pil())


def same(picture: Picture, expected: npt.NDArray[np.uint8]) -> bool:
    shown = picture.as_seen()
    upright = shown.shape[0] > shown.shape[1]
    small = cv2.resize(shown, expected.shape[::-1], interpolation=cv2.INTER_AREA)
    return upright == (expected.shape[0] > expected.shape[1]) and float(np.abs(small.astype(int) - expected).mean()) < 2


@pytest.fixture
def renderings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts how often a page had to be rendered."""
    count: list[int] = []
    true = pdf._render
    monkeypatch.setattr(pdf, "_render", lambda page: (count.append(1), true(page))[1])
    return count


def test_a_scan_is_pulled_out_however_it_is_turned(renderings: list[int]) -> None:
    for image, mirrors in ((as_jpeg(), (1, -1)), (scan().convert("1"), (1,))):
        pages = [(image, turn, mirror, 90) for turn, mirror in product((0, 90, 180, 270), mirrors)]
        pages.append((image, 0, 1, 0))
        data = document(*pages)
        found = pictures(data)
        assert [p.page for p in found] == list(range(1, len(pages) + 1))
        for k, picture in enumerate(found):
            assert same(picture, rendered(data, k)), pages[k][1:]
            assert picture.pixels.shape == (1170, 827), "the scan's own pixels, as stored"
    assert not renderings


def test_a_page_with_more_on_it_is_rendered(renderings: list[int]) -> None:
    data = drawn(text="STAMP")
    (picture,) = pictures(data)
    assert same(picture, rendered(data))
    assert max(picture.pixels.shape) == pytest.approx(842 / 72 * 300, abs=2)
    assert len(renderings) == 1


def test_strips_and_two_images_are_rendered(renderings: list[int]) -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    top, bottom = scan().crop((0, 0, 827, 585)), scan().crop((0, 585, 827, 1170))
    canvas.drawImage(ImageReader(top), 0, 421, 595, 421)
    canvas.drawImage(ImageReader(bottom), 0, 0, 595, 421)
    canvas.save()
    (picture,) = pictures(buffer.getvalue())
    assert same(picture, rendered(buffer.getvalue()))
    assert renderings


def test_a_scan_with_an_invisible_text_layer_is_still_a_scan(renderings: list[int]) -> None:
    (picture,) = pictures(drawn(text="A4 -A1", invisible=True))
    assert picture.pixels.shape == (1170, 827)
    assert not renderings


def stored_as_negative() -> dict[str, bytes]:
    """PDFs whose page is the scan, and whose image holds its negative; by what turns it."""
    bits = np.asarray(scan().convert("1"))
    mask, unlit = (zlib.compress(np.packbits(sense, axis=1).tobytes()) for sense in (bits, ~bits))
    one_bit = "/ImageMask true /BitsPerComponent 1 /Filter /FlateDecode"
    negative = as_jpeg(ImageOps.invert(scan().convert("L")))
    eight_bits = "/BitsPerComponent 8 /Filter /DCTDecode"
    palette = "".join(f"{255 - level:02x}" * 3 for level in range(256))
    ink = "<< /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0] /N 1 >>"
    return {
        "decode": one_image(f"/ColorSpace /DeviceGray /Decode [1 0] {eight_bits}", negative),
        "indexed": one_image(f"/ColorSpace [/Indexed /DeviceRGB 255 <{palette}>] {eight_bits}", negative),
        "separation": one_image(f"/ColorSpace [/Separation /Black /DeviceGray {ink}] {eight_bits}", negative),
        "mask": one_image(one_bit, mask),
        "mask-decode": one_image(f"/Decode [1 0] {one_bit}", unlit),
    }


def one_image(entries: str, data: bytes) -> bytes:
    """A PDF of one page that is one image of the scan's size; `entries` of its dictionary say how `data` holds it."""
    w, h = scan().size
    image = f"/Type /XObject /Subtype /Image /Width {w} /Height {h} {entries} /Length {len(data)}"
    draw = "q {} 0 0 {} 0 0 cm /I Do Q".format(*A4)
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R" % A4
        + b"/Resources << /XObject << /I 5 0 R >> >> >>",
        f"<< /Length {len(draw)} >>\nstream\n{draw}\nendstream".encode(),
        f"<< {image} >>\nstream\n".encode() + data + b"\nendstream",
    )
    # without a table of its objects, which PDFium then finds by itself
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % numbered for numbered in enumerate(objects, 1))
    return b"%PDF-1.5\n" + body + b"trailer << /Root 1 0 R >>\n%%EOF"


@pytest.mark.parametrize("kind", stored_as_negative())
def test_a_negative_is_rendered(kind: str, renderings: list[int]) -> None:
    data = stored_as_negative()[kind]
    (picture,) = pictures(data)
    assert same(picture, rendered(data))
    assert float(picture.pixels.mean()) > 200
    assert renderings


def test_a_scan_that_is_dark_itself_stays_dark() -> None:
    data = document((as_jpeg(ImageOps.invert(scan().convert("L"))), 0, 1, 0))
    (picture,) = pictures(data)
    assert same(picture, rendered(data))
    assert float(picture.pixels.mean()) < 60


def test_a_large_scan_is_decoded_at_half() -> None:
    large = scan().resize((827 * 3, 1170 * 3))
    (picture,) = pictures(document((as_jpeg(large), 0, 1, 90)))
    assert picture.scale == 0.5
    assert picture.seen_size == (3510, 2481)


def test_a_locked_pdf() -> None:
    assert only_failure(drawn(password="secret")).error.code == "encrypted"


def test_damaged_pdfs() -> None:
    data = document((scan(), 0, 1, 0), (drawing(), 0, 1, 0))
    only_failure(data[:700])
    only_failure(b"%PDF-1.7\nnothing\n")
    without_table = data[: data.rindex(b"xref", 0, data.rindex(b"startxref"))]
    assert all(isinstance(item, Picture | PageFailure) for item in load(without_table))


def test_junk_before_the_header() -> None:
    assert len(pictures(b"\n\njunk\n" + document((scan(), 0, 1, 0)))) == 1


def test_one_page_is_taken_out_of_a_pdf_without_its_others(renderings: list[int], tmp_path: Path) -> None:
    path = tmp_path / "stack.pdf"
    path.write_bytes(document(*((as_jpeg(scan()), 0, 1, turn) for turn in (0, 90, 180))))
    whole = [item for item in load(path) if isinstance(item, Picture)]
    for page in (1, 2, 3):
        (item,) = load(path, page=page)
        assert isinstance(item, Picture)
        assert (item.page, item.orientation) == (page, whole[page - 1].orientation)
        assert same(item, whole[page - 1].as_seen())
    assert list(load(path, page=4)) == []
    assert not renderings
