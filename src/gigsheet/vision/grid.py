"""Sampling a picture on a grid laid out in millimetres on the page, in one pass and without turning the page first."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from gigsheet.vision.mapping import Floats, PageMapping

Gray = npt.NDArray[np.uint8]

_KNOT_MM = 6.0
"""The mapping is worked out at knots so far apart, and is as good as straight between them."""


def sample(pixels: Gray, mapping: PageMapping, along_mm: Floats, down_mm: Floats) -> Gray:
    """Bilinear samples of the picture.

    Args:
        pixels: uint8 [height, width], the picture.
        mapping: where the page lies in it.
        along_mm: float64 [w] or [n, w], x of the columns on the page, evenly spaced.
        down_mm: float64 [n, h], y of the rows of n patches, evenly spaced.

    Returns:
        uint8 [n, h, w]; outside the picture its edge is repeated.
    """
    n, height = down_mm.shape
    along = np.broadcast_to(along_mm, (n, along_mm.shape[-1]))
    width = along.shape[1]
    step_mm = float(along[0, 1] - along[0, 0])
    # Knots lie in the middle of `every` columns, and one more at either end: so that cv2.resize, which interpolates
    # between the middles of pixels, fills in the columns between them.
    every = max(1, round(_KNOT_MM / step_mm))
    knots = np.arange(-1, -(-width // every) + 1) * every + (every - 1) / 2
    x_knots = along[:, :1] + knots * step_mm
    y_knots, y_mix = _between(down_mm[0])
    ys = down_mm[:, :1] + (y_knots - down_mm[0, 0])
    places = mapping.to_px(np.stack(np.broadcast_arrays(x_knots[:, None, :], ys[:, :, None]), axis=-1))
    columns = (y_mix @ np.moveaxis(places, -1, 0)).astype(np.float32).reshape(2, n * height, len(knots))
    size = (len(knots) * every, n * height)
    x, y = (cv2.resize(c, size)[:, every : every + width] for c in columns)
    out = cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.uint8).reshape(n, height, width)


def _between(at: Floats) -> tuple[Floats, Floats]:
    """Knots over evenly spaced places, and the weights [places, knots] that interpolate linearly between them."""
    span = float(at[-1] - at[0])
    count = max(2, int(np.ceil(span / _KNOT_MM)) + 1)
    place = (at - at[0]) / max(span, 1e-9) * (count - 1)
    low = np.minimum(place.astype(np.intp), count - 2)
    mix = np.zeros((len(at), count))
    index = np.arange(len(at))
    mix[index, low] = 1 - (place - low)
    mix[index, low + 1] = place - low
    return np.linspace(at[0], at[-1], count), mix
