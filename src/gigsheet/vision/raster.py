"""Every picture format but JPEG, through Pillow: PNG, TIFF, WebP, GIF, BMP, AVIF, and HEIC with its extra."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gigsheet.errors import GigsheetError, MissingExtraError, UnreadableFileError
from gigsheet.vision.decoder_notes import decoder_notes
from gigsheet.vision.formats import DAMAGE, page_frames
from gigsheet.vision.limits import Limits
from gigsheet.vision.picture import Gray, PageFailure, Picture

if TYPE_CHECKING:
    from PIL.Image import Image

_ORIENTATION_TAG = 0x0112
_FULL_SCALES = (255, 1023, 4095, 65535)
"""White in a picture of 8, 10, 12 or 16 bits a pixel, all of which are delivered as 16."""


def load_raster(data: bytes, kind: str, source: str, limits: Limits) -> Iterator[Picture | PageFailure]:
    """The pictures of a file: all pages of a TIFF, the first frame of anything else.

    `kind` is Pillow's name of the format. Raises UnreadableFileError when not even the first page can be opened.
    """
    from PIL import Image
    from PIL.TiffImagePlugin import TiffImageFile

    with warnings.catch_warnings(), decoder_notes():
        warnings.simplefilter("ignore")  # of a picture that opens, what Pillow finds odd is of no use to a judge
        try:
            file = io.BytesIO(data)
            # Pillow's own check of the first page's size would refuse all pages of a TIFF.
            image = TiffImageFile(file) if kind == "TIFF" else Image.open(file, formats=(kind,))
        except Image.DecompressionBombError:
            raise _too_large() from None
        except DAMAGE as e:
            raise _damaged(kind, e) from None
    if not isinstance(image, TiffImageFile):
        yield _picture(image, kind, source, 1, limits)
        return
    frames = page_frames(image)
    for page in range(1, limits.pages + 2):
        try:
            with warnings.catch_warnings(), decoder_notes():
                warnings.simplefilter("ignore")
                if next(frames, None) is None:
                    return
        except DAMAGE as e:
            yield PageFailure(source, page, _damaged(kind, e))
            return
        if page > limits.pages:
            yield PageFailure(source, page, limits.too_many_pages())
            return
        try:
            yield _picture(image, kind, source, page, limits)
        except GigsheetError as e:
            yield PageFailure(source, page, e)


def load_heic(data: bytes, source: str, limits: Limits) -> Picture:
    """The main picture of a HEIC or HEIF file; libheif applies the file's own turn, its EXIF orientation is void.

    Raises MissingExtraError without pillow-heif, UnreadableFileError for a damaged or too large file.
    """
    try:
        import pillow_heif
    except ImportError:
        raise MissingExtraError("reading HEIC pictures", "heic") from None
    try:
        with decoder_notes():
            heif = pillow_heif.open_heif(data, convert_hdr_to_8bit=True)
            limits.check_size(heif.size)
            return Picture.of(to_gray(heif.to_pillow()), source)
    except GigsheetError:
        raise
    except DAMAGE as e:
        raise _damaged("HEIC", e) from None


def _picture(image: Image, kind: str, source: str, page: int, limits: Limits) -> Picture:
    limits.check_size(image.size)
    try:
        with warnings.catch_warnings(), decoder_notes():
            warnings.simplefilter("ignore")
            pixels = to_gray(image)
            # after decoding: a TIFF then has been turned by Pillow, and a PNG may tell its turn at its end
            orientation = image.getexif().get(_ORIENTATION_TAG, 1)
    except DAMAGE as e:
        raise _damaged(kind, e) from None
    return Picture.of(pixels, source, orientation=orientation if isinstance(orientation, int) else 1, page=page)


def to_gray(image: Image) -> Gray:
    """Grey pixels of a Pillow image of any mode; what is transparent becomes white paper."""
    from PIL import Image as Pillow

    if image.mode.startswith("I") or image.mode == "F":
        return _stretched(np.asarray(image), image.mode)
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        layer = image.convert("RGBA")
        paper = Pillow.new("RGBA", layer.size, "white")
        image = Pillow.alpha_composite(paper, layer)
    return np.array(image if image.mode == "L" else image.convert("L"))


def _stretched(deep: npt.NDArray[Any], mode: str) -> Gray:
    """8 bits of a picture with 16 or 32, of which it may use fewer: its top value tells how many."""
    top = float(deep.max(initial=0))
    scales = (1, *_FULL_SCALES) if mode == "F" else _FULL_SCALES
    full = next((scale for scale in scales if top <= scale), _FULL_SCALES[-1])
    bright: Gray = np.clip(np.nan_to_num(deep) * (255.0 / full), 0, 255).astype(np.uint8)
    return bright


def _too_large() -> UnreadableFileError:
    return UnreadableFileError(
        "more pixels than are read; scan at 300 dpi or make the picture smaller", code="picture-too-large"
    )


def _damaged(kind: str, error: BaseException) -> UnreadableFileError:
    cut = any(word in str(error) for word in ("truncated", "Truncated", "unexpected end"))
    what = "the end of this" if cut else "this"
    state = "is missing and rows with it" if cut else "is damaged and cannot be decoded"
    return UnreadableFileError(f"{what} {kind} file {state}; copy or send it again")
