"""The one font of the sheets: IBM Plex Sans (OFL), from its own package, embedded as a subset."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import fontpkg_ibm_plex_sans
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

BODY = "IBMPlexSans"


@cache
def register() -> None:
    """Makes the font known to reportlab under `BODY`; its variable file's default is the regular weight."""
    pdfmetrics.registerFont(TTFont(BODY, str(_file())))


def width_mm(text: str, size_mm: float) -> float:
    """How wide `text` is set at this font size."""
    register()
    return float(pdfmetrics.stringWidth(text, BODY, size_mm))


def missing(text: str) -> str:
    """The characters of `text` that the font does not have, each once; it has Latin, Greek and Cyrillic."""
    register()
    known = pdfmetrics.getFont(BODY).face.charToGlyph
    return "".join(dict.fromkeys(c for c in text if ord(c) not in known))


def _file() -> Path:
    return Path(fontpkg_ibm_plex_sans.ROOT) / "files" / "IBMPlexSans[wdth,wght].ttf"
