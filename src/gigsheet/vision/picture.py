"""A decoded picture, and how its pixels lie in the picture that a person sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gigsheet.errors import GigsheetError

Gray = npt.NDArray[np.uint8]

_UNMIRRORED = {2: 1, 4: 3, 5: 8, 7: 6}
"""EXIF orientation of a mirrored picture -> the orientation left once its pixels are mirrored left to right."""
_QUARTER_TURNS = {1: 0, 6: 3, 3: 2, 8: 1}
"""EXIF orientation -> counter-clockwise quarter turns (as `numpy.rot90` counts) that show the picture upright."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One picture or page, decoded to grey.

    Turning 12 megapixels costs more than decoding them, so the pixels stay as stored and the turn is folded into the
    coordinates: whoever reports a place to people passes it through `to_seen`.

    Attributes:
        pixels: uint8 [height, width], paper light, ink dark; as stored, EXIF orientation not applied.
        orientation: the EXIF turn that is still to be applied: 1, 3, 6 or 8. The mirrored ones (2, 4, 5, 7) are undone
            in the pixels when a picture is loaded, since markers cannot be found in a mirror.
        scale: decoded size / true size: 1, or 1/2, 1/4, 1/8 for a large JPEG, which is decoded faster at a part of its
            size (and antialiased by its own transform).
        page: the page of the file, from 1.
        source: the file as the user named it; a member of an archive is ``archive.zip/member.jpg``.
        stored_size: (width, height) of the picture at its true size, before any turn.
        reload: decodes the pixels again at true size, for `full`; None when they have it already.
    """

    pixels: Gray
    source: str
    orientation: int = 1
    scale: float = 1.0
    page: int = 1
    stored_size: tuple[int, int] = (0, 0)
    reload: Callable[[], Gray] | None = None

    @classmethod
    def of(
        cls,
        pixels: Gray,
        source: str = "",
        *,
        orientation: int = 1,
        reduced: int = 1,
        page: int = 1,
        stored_size: tuple[int, int] | None = None,
        reload: Callable[[], Gray] | None = None,
    ) -> Picture:
        """A picture from decoded pixels; `orientation` may be any EXIF value, `reduced` is 1, 2, 4 or 8."""
        size = stored_size or (pixels.shape[1], pixels.shape[0])
        if orientation in _UNMIRRORED:
            pixels, orientation = _mirrored(pixels), _UNMIRRORED[orientation]
            if reload is not None:
                reload = _mirror_after(reload)
        if orientation not in _QUARTER_TURNS:
            orientation = 1
        return cls(np.ascontiguousarray(pixels), source, orientation, 1 / reduced, page, size, reload)

    @property
    def seen_size(self) -> tuple[int, int]:
        """(width, height) of the full-size picture as a person sees it."""
        w, h = self.stored_size
        return (h, w) if self.orientation in (6, 8) else (w, h)

    def to_seen(self, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Where decoded pixels lie in the full-size picture that a person sees.

        `points` is [..., 2], x right and y down in `pixels`, whole numbers at the pixels' centres (as OpenCV counts);
        so is the result, in the full-size picture with its EXIF turn applied.
        """
        p = (np.asarray(points, np.float64) + 0.5) / self.scale - 0.5
        x, y = p[..., 0], p[..., 1]
        w, h = self.stored_size
        seen = {1: (x, y), 3: (w - 1 - x, h - 1 - y), 6: (h - 1 - y, x), 8: (y, w - 1 - x)}[self.orientation]
        return np.stack(seen, axis=-1)

    def full(self) -> Picture:
        """The same picture at its true size (itself when it already is)."""
        if self.reload is None:
            return self
        return replace(self, pixels=self.reload(), scale=1.0, reload=None)

    def as_seen(self) -> Gray:
        """The decoded pixels turned as a person sees them, still at `scale`; for drawing, not for reading."""
        return np.ascontiguousarray(np.rot90(self.pixels, _QUARTER_TURNS[self.orientation]))


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A page (or a whole file: page 1) that could not be loaded; the pages after it still come."""

    source: str
    page: int
    error: GigsheetError


def _mirrored(pixels: Gray) -> Gray:
    return np.ascontiguousarray(pixels[:, ::-1])


def _mirror_after(reload: Callable[[], Gray]) -> Callable[[], Gray]:
    return lambda: _mirrored(reload())
