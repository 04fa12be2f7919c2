"""Every format, orientation and mishap of `gigsheet.vision.load`, with real files made here."""

from __future__ import annotations

import io
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from gigsheet.vision.load import Limits, PageFailure, Picture, load
from tests.support.capture import encoded
from tests.support.files import drawing, formats, heic, saved

ORIENTATION = 0x0112
Gray = npt.NDArray[np.uint8]


def gray(image: Image.Image) -> Gray:
    return np.asarray(image.convert("L"))


def pictures(data: bytes) -> list[Picture]:
    items = list(load(data))
    assert all(isinstance(item, Picture) for item in items), items
    return [item for item in items if isinstance(item, Picture)]


def only_failure(data: bytes | Path, limits: Limits | None = None) -> PageFailure:
    (item,) = load(data, limits=limits)
    assert isinstance(item, PageFailure)
    assert "\n" not in item.error.message
    assert ";" in item.error.message, "a message says what is wrong; how to mend it"
    return item


def looks_like(picture: Picture, expected: Gray, within: float = 3.0) -> bool:
    shown = picture.as_seen()
    return shown.shape == expected.shape and float(np.abs(shown.astype(int) - expected).mean()) < within


def alpha_drawing() -> Image.Image:
    """Black under a hole: what is transparent is paper."""
    image = drawing().convert("RGBA")
    pixels = np.array(image)
    pixels[:, 100:140] = 0
    return Image.fromarray(pixels)


def on_paper(image: Image.Image) -> Gray:
    return gray(Image.alpha_composite(Image.new("RGBA", image.size, "white"), image))


FORMATS = formats()


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_shows_the_same_picture(name: str) -> None:
    (picture,) = pictures(FORMATS[name])
    assert looks_like(picture, gray(drawing()))
    assert picture.pixels.dtype == np.uint8
    assert picture.pixels.flags.c_contiguous
    assert (picture.page, picture.scale, picture.source) == (1, 1.0, "-")


def test_bilevel_fax_tiff() -> None:
    bilevel = drawing().convert("1")
    (picture,) = pictures(saved("TIFF", bilevel, compression="group4"))
    assert looks_like(picture, gray(bilevel), 0.01)


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_what_is_transparent_is_paper(kind: str) -> None:
    (picture,) = pictures(saved(kind, alpha_drawing(), lossless=True))
    assert looks_like(picture, on_paper(alpha_drawing()))


def test_transparent_palette_is_paper() -> None:
    image = drawing().quantize(8)
    dark = image.getpixel((20, 20))
    expected = np.where(np.asarray(image) == dark, 255, gray(image)).astype(np.uint8)
    (picture,) = pictures(saved("PNG", image, transparency=dark))
    assert looks_like(picture, expected, 0.01)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_of_an_animation_the_first_frame_is_read(kind: str) -> None:
    data = saved(kind, save_all=True, append_images=[ImageOps.mirror(drawing())])
    (picture,) = pictures(data)
    assert looks_like(picture, gray(drawing()))


def test_all_pages_of_a_tiff_come_one_by_one() -> None:
    frames = [drawing().rotate(90 * k, expand=True) for k in range(5)]
    data = saved("TIFF", frames[0], save_all=True, append_images=frames[1:], compression="tiff_lzw")
    found = pictures(data)
    assert [p.page for p in found] == [1, 2, 3, 4, 5]
    assert all(looks_like(p, gray(f)) for p, f in zip(found, frames, strict=True))


def tiff_with_thumbnail(pages: list[Image.Image], at: int) -> bytes:
    """A TIFF of these pages with a reduced copy among its frames, before the page `at`."""
    small = drawing().resize((55, 37))
    small.encoderinfo = {"tiffinfo": {254: 1}}
    frames = [*pages[:at], small, *pages[at:]]
    return saved("TIFF", frames[0], save_all=True, append_images=frames[1:])


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_thumbnail_in_a_tiff_is_no_page_wherever_it_stands(at: int) -> None:
    pages = [drawing(), ImageOps.mirror(drawing())]
    data = tiff_with_thumbnail(pages, at)
    found = pictures(data)
    assert [p.page for p in found] == [1, 2]
    assert all(looks_like(p, gray(page)) for p, page in zip(found, pages, strict=True))
    for number, page in enumerate(pages, 1):
        (alone,) = load(data, page=number)
        assert isinstance(alone, Picture)
        assert looks_like(alone, gray(page))
    (first, last) = load(data, limits=Limits(pages=1))
    assert (first.page, last.page) == (1, 2)
    assert isinstance(last, PageFailure)


def test_a_tiff_of_nothing_but_a_thumbnail_is_read_all_the_same() -> None:
    (picture,) = pictures(tiff_with_thumbnail([], 0))
    assert (picture.page, picture.pixels.shape) == (1, (37, 55))


@pytest.mark.parametrize("kind", ["TIFF", "PNG"])
@pytest.mark.parametrize("top", [255, 1023, 4095, 65535])
def test_sixteen_bits_of_which_fewer_are_used_are_as_bright(kind: str, top: int) -> None:
    levels = gray(drawing()).astype(np.uint16) * (top / 255)
    (picture,) = pictures(saved(kind, Image.fromarray(levels.astype(np.uint16))))
    assert looks_like(picture, gray(drawing()), 1)


def test_of_sixteen_bits_a_dark_picture_stays_dark() -> None:
    levels = gray(drawing()).astype(np.uint16) * 20  # up to 5100: more than 12 bits
    (picture,) = pictures(saved("PNG", Image.fromarray(levels)))
    assert picture.pixels.max() == 5100 * 255 // 65535


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP", "AVIF", "HEIC"])
def test_exif_turns(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    block = exif.tobytes()
    expected = gray(ImageOps.exif_transpose(Image.open(io.BytesIO(saved("PNG", exif=block)))))
    if kind == "HEIC":
        data = heic(exif=block)
    elif kind == "TIFF":
        data = saved("TIFF", tiffinfo={ORIENTATION: orientation})
    else:
        data = saved(kind, exif=block, quality=92)
    (picture,) = pictures(data)
    assert looks_like(picture, expected)
    assert picture.orientation in (1, 3, 6, 8)
    assert picture.seen_size == expected.shape[::-1]


@given(
    orientation=st.integers(1, 8),
    reduced=st.sampled_from([1, 2]),
    at=st.tuples(st.integers(0, 9), st.integers(0, 6)),
)
def test_to_seen_follows_a_pixel(orientation: int, reduced: int, at: tuple[int, int]) -> None:
    stored = np.zeros((7, 10), np.uint8)
    stored[at[1], at[0]] = 255
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    expected = np.asarray(
        ImageOps.exif_transpose(Image.open(io.BytesIO(saved("PNG", Image.fromarray(stored), exif=exif))))
    )
    y, x = np.argwhere(expected == 255)[0]
    large = np.kron(stored, np.ones((reduced, reduced), np.uint8))
    picture = Picture.of(stored, orientation=orientation, reduced=reduced, stored_size=large.shape[::-1])
    found = picture.to_seen(np.argwhere(picture.pixels == 255)[0][::-1])
    middle = (reduced - 1) / 2  # of the block of full-size pixels that one decoded pixel stands for
    assert np.allclose(found, np.array([x, y]) * reduced + middle)


def test_a_large_jpeg_is_decoded_at_a_part_of_its_size() -> None:
    rng = np.random.default_rng(0)
    blobs = cv2.GaussianBlur(rng.integers(0, 255, (2600, 3500), dtype=np.uint8), (0, 0), 12)
    pixels = cv2.normalize(blobs, None, 0, 255, cv2.NORM_MINMAX)
    (picture,) = pictures(encoded(pixels, ".jpg"))
    assert picture.scale == 0.5
    assert picture.pixels.shape == (1300, 1750)
    assert picture.seen_size == (3500, 2600)
    whole = picture.full()
    assert whole.scale == 1
    assert whole.full() is whole
    assert float(np.abs(whole.pixels.astype(int) - pixels).mean()) < 3
    shrunk = cv2.resize(pixels, (1750, 1300), interpolation=cv2.INTER_AREA)
    assert float(np.abs(picture.pixels.astype(int) - shrunk).mean()) < 3


def test_names_do_not_matter(tmp_path: Path) -> None:
    for name, key in (("photo.heic", "jpeg"), ("scan", "pdf"), ("page.txt", "png"), ("IMG.JPG", "webp")):
        path = tmp_path / name
        path.write_bytes(FORMATS[key])
        (picture,) = load(path)
        assert isinstance(picture, Picture)
        assert picture.source == str(path)


def test_standard_input() -> None:
    code = "from gigsheet.vision.load import load; print([(p.source, p.pixels.shape) for p in load('-')])"
    done = subprocess.run([sys.executable, "-c", code], input=FORMATS["jpeg"], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[('-', (150, 220))]"


def test_a_jpeg_needs_no_library_but_opencv() -> None:
    code = (
        "import io, sys; from gigsheet.vision.load import load; list(load(sys.stdin.buffer.read()));"
        "print({'PIL', 'pypdfium2', 'pillow_heif', 'zipfile'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=FORMATS["jpeg"], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "set()"


# ---- what cannot be read


def test_a_missing_file(tmp_path: Path) -> None:
    assert only_failure(tmp_path / "none.jpg").error.code == "no-such-file"


def test_a_directory(tmp_path: Path) -> None:
    assert only_failure(tmp_path).error.code == "is-a-directory"


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.jpg"
    path.touch()
    assert "0 bytes" in only_failure(path).error.message


def test_a_text_called_jpg() -> None:
    assert only_failure(b"first: WE\n1| A4\n").error.code == "unreadable-file"


@pytest.mark.parametrize("name", ["jpeg", "jpeg-progressive", "png", "webp", "tiff-lzw", "gif"])
def test_half_a_file(name: str) -> None:
    assert only_failure(FORMATS[name][: len(FORMATS[name]) // 2]).error.code == "unreadable-file"


def test_a_jpeg_whose_end_was_made_up() -> None:
    data = FORMATS["jpeg"]
    assert only_failure(data[: len(data) * 2 // 3] + b"\xff\xd9").error.code == "unreadable-file"


def test_a_jpeg_with_a_border_in_the_decoders_own_grey_is_read() -> None:
    bordered = ImageOps.expand(drawing(), 32, "#808080")
    (picture,) = pictures(saved("JPEG", bordered, quality=92))
    assert (picture.pixels[-1] == 128).all()
    assert looks_like(picture, gray(bordered))


@pytest.mark.parametrize("closed", [False, True])
def test_a_jpeg_whose_end_was_made_up_is_refused_even_where_the_decoder_cannot_be_heard(closed: bool) -> None:
    code = (
        f"import os, sys; from gigsheet.vision.load import load; {closed} and os.close(2);"
        "print([item.error.code for item in load(sys.stdin.buffer.read())])"
    )
    data = FORMATS["jpeg"]
    cut = data[: len(data) // 3] + b"\xff\xd9"
    done = subprocess.run([sys.executable, "-c", code], input=cut, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "['unreadable-file']"


def test_a_jpeg_that_ends_between_two_restart_markers_is_cut_short_too() -> None:
    data = saved("JPEG", quality=92, restart_marker_rows=1)
    assert looks_like(pictures(data)[0], gray(drawing()))
    for marker in range(0xD0, 0xD8):
        at = data.index(bytes((0xFF, marker)))
        assert only_failure(data[:at] + b"\xff\xd9").error.code == "unreadable-file"


def test_what_phones_add_to_a_jpeg_does_no_harm() -> None:
    data = FORMATS["jpeg"]
    for harmless in (
        data + b"a film of two seconds" * 100,
        data[:-2] + b"\0\0" + data[-2:],
        data[:2] + b"\xff" + data[2:],
    ):
        (picture,) = pictures(harmless)
        assert looks_like(picture, gray(drawing()))


def test_a_damaged_jpeg_is_refused_and_nothing_else_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(3)
    data = encoded(rng.integers(0, 255, (300, 300), dtype=np.uint8), ".jpg")
    only_failure(data[: len(data) // 2] + b"\xff\xd9" + data[len(data) // 2 :])
    assert capfd.readouterr() == ("", "")


def test_a_picture_of_900_megapixels_is_refused_by_its_header() -> None:
    row = b"\0" * 30000
    header = encoded(np.zeros((1, 1), np.uint8), ".png")
    huge = header[:16] + (30000).to_bytes(4, "big") * 2 + header[24:29]
    data = huge + zlib.crc32(huge[12:29]).to_bytes(4, "big") + header[33:] + row
    assert only_failure(data).error.code == "picture-too-large"
    jpeg = bytearray(FORMATS["jpeg"])
    at = jpeg.index(b"\xff\xc0")
    jpeg[at + 5 : at + 9] = (30000).to_bytes(2, "big") * 2
    assert only_failure(bytes(jpeg)).error.code == "picture-too-large"


def test_limits() -> None:
    data = saved("TIFF", save_all=True, append_images=[drawing()] * 3)
    items = list(load(data, limits=Limits(pages=2)))
    assert [isinstance(item, Picture) for item in items] == [True, True, False]
    assert items[2].page == 3
    assert isinstance(items[2], PageFailure)
    assert items[2].error.code == "too-many-pages"
    assert only_failure(FORMATS["png"], Limits(file_bytes=100)).error.code == "file-too-large"
    assert only_failure(FORMATS["bmp"], Limits(pixels=100)).error.code == "picture-too-large"


def test_heic_without_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    (item,) = load(FORMATS["heic"])
    assert isinstance(item, PageFailure)
    assert item.error.code == "missing-extra"
    assert "gigsheet[heic]" in item.error.message
