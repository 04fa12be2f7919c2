"""The sheet's QR code: format, template, version, paper, serial."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from gigsheet.errors import PageError
from gigsheet.sheet.template import Template
from gigsheet.vision.grid import sample
from gigsheet.vision.mapping import PageMapping

Gray = npt.NDArray[np.uint8]

_TEXT = re.compile(r"GS(\d+):([^:]+):(\d+):([^:]+):([^:]+)")
_QUIET_MM = 2.5
_PX_PER_MM = (8.0, 14.0)


def read_serial(pixels: Gray, template: Template, mapping: PageMapping) -> str | None:
    """The serial in the QR code at its place on the page; None when it cannot be read.

    Raises PageError (``unsupported-template``) when the code names another version or sheet than the markers do.
    """
    x0, y0, x1, y1 = template.qr_mm
    for scale in _PX_PER_MM:
        along = np.arange(x0 - _QUIET_MM, x1 + _QUIET_MM, 1 / scale)
        down = np.arange(y0 - _QUIET_MM, y1 + _QUIET_MM, 1 / scale)
        text = read_code(sample(pixels, mapping, along, down[None])[0])
        if text is None:
            continue
        if text[:4] != ("1", template.name.upper(), str(template.version), template.paper.upper()):
            raise unsupported(text)
        return text[4]
    return None


def read_code(pixels: Gray) -> tuple[str, ...] | None:
    """Format, template, version, paper, serial of a Gigsheet code in the picture, in capitals; None without one."""
    import zxingcpp  # here because a page without a code, or a test of the rows, never needs it

    for code in zxingcpp.read_barcodes(
        np.ascontiguousarray(pixels), formats=zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    ):
        found = _TEXT.fullmatch(code.text)
        if found:
            return found.groups()
    return None


def unsupported(text: tuple[str, ...]) -> PageError:
    """The refusal of a Gigsheet page that this version does not know."""
    _, name, version, paper, _ = text
    return PageError(
        f"this is a sheet {name.lower()!r}, version {version}, on {paper.lower()} paper, which this gigsheet does not "
        "know: update gigsheet, or print the sheet anew with `gigsheet blank`",
        code="unsupported-template",
    )
