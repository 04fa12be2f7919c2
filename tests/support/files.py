"""Small files of every format that Gigsheet reads, made here; and the same files damaged at random."""

from __future__ import annotations

import io
import zipfile
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt
import pillow_heif
from PIL import Image

from tests.support.capture import encoded

Gray = npt.NDArray[np.uint8]


def drawing() -> Image.Image:
    """A picture that no turn and no mirror maps onto itself."""
    pixels = np.full((150, 220, 3), 255, np.uint8)
    pixels[10:60, 15:45] = (10, 20, 120)
    pixels[100:140, 150:215] = (200, 30, 30)
    pixels[75:80] = np.linspace(0, 255, 220)[None, :, None].astype(np.uint8)
    return Image.fromarray(pixels)


def saved(kind: str, image: Image.Image | None = None, **options: object) -> bytes:
    """A picture (the drawing) as the bytes of a file that Pillow writes."""
    buffer = io.BytesIO()
    (image or drawing()).save(buffer, kind, **options)
    return buffer.getvalue()


def heic(image: Image.Image | None = None, **options: object) -> bytes:
    """A picture (the drawing) as the bytes of a HEIC file."""
    buffer = io.BytesIO()
    pillow_heif.from_pillow(image or drawing()).save(buffer, quality=90, **options)
    return buffer.getvalue()


def archive(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return buffer.getvalue()


@cache
def formats() -> dict[str, bytes]:
    """The drawing in every format that keeps its grey levels."""
    deep = np.asarray(drawing().convert("L")).astype(np.uint16) * 257
    deep_colour = np.asarray(drawing())[..., ::-1].astype(np.uint16) * 257
    return {
        "jpeg": saved("JPEG", quality=92),
        "jpeg-progressive": saved("JPEG", progressive=True, quality=92),
        "jpeg-grey": saved("JPEG", drawing().convert("L"), quality=92),
        "jpeg-cmyk": saved("JPEG", drawing().convert("CMYK"), quality=95),
        "png": saved("PNG"),
        "png-palette": saved("PNG", drawing().quantize(64)),
        "png-16-bit": encoded(deep, ".png"),  # type: ignore[arg-type]
        "png-16-bit-colour": encoded(deep_colour, ".png"),  # type: ignore[arg-type]
        "webp": saved("WEBP", quality=90),
        "gif": saved("GIF"),
        "bmp": saved("BMP"),
        "avif": saved("AVIF"),
        "heic": heic(),
        "tiff": saved("TIFF"),
        "tiff-lzw": saved("TIFF", compression="tiff_lzw"),
        "tiff-jpeg": saved("TIFF", compression="jpeg"),
        "tiff-16-bit": encoded(deep, ".tif"),  # type: ignore[arg-type]
        "tiff-cmyk": saved("TIFF", drawing().convert("CMYK")),
        "pdf": saved("PDF"),
    }


@cache
def seeds() -> dict[str, bytes]:
    """What `damaged` starts from: every format, several pages, an archive, and a sheet as JPEG and PDF."""
    from tests.support import pages

    page = pages.written_page(np.random.default_rng(0))
    small = cv2.resize(page.picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    sheet = encoded(np.asarray(small, np.uint8), ".jpg")
    two = [drawing().rotate(180)]
    return {
        **formats(),
        "tiff-g4": saved("TIFF", drawing().convert("1"), compression="group4"),
        "tiff-pages": saved("TIFF", save_all=True, append_images=two, compression="tiff_lzw"),
        "png-alpha": saved("PNG", drawing().convert("RGBA")),
        "webp-animated": saved("WEBP", save_all=True, append_images=two),
        "gif-animated": saved("GIF", save_all=True, append_images=two),
        "zip": archive({"a.jpg": saved("JPEG"), "b/c.png": saved("PNG")}),
        "sheet": sheet,
        "sheet-pdf": saved("PDF", Image.open(io.BytesIO(sheet))),
    }


def damaged(seed: int) -> tuple[str, bytes]:
    """One of `seeds()` with bytes flipped, its end cut off, or another one's head on it: always the same for a seed."""
    rng = np.random.default_rng(seed)
    names = list(seeds())
    name = names[seed % len(names)]
    data = bytearray(seeds()[name])
    match rng.integers(4):
        case 0:  # bits, anywhere
            for at in rng.integers(0, len(data), rng.integers(1, 30)):
                data[at] ^= 1 << int(rng.integers(8))
        case 1:  # whole bytes where headers are, sizes among them
            for at in rng.integers(0, min(len(data), 600), rng.integers(1, 12)):
                data[at] = int(rng.choice([0, 1, 0x7F, 0x80, 0xFF, int(rng.integers(256))]))
        case 2:
            del data[int(rng.integers(len(data))) :]
        case _:
            head = seeds()[names[int(rng.integers(len(names)))]][: int(rng.integers(2, 400))]
            data[: len(head)] = head
    return name, bytes(data)
