"""Letters of handwriting fonts as samples: styles that few of the writers have. The fonts stay outside the project."""

from __future__ import annotations

import io
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gigsheet.training.samples import FONT, LABELS, ImageSample, Pool, crop

SIZE = 96
"""Pixels an em at which letters are drawn."""


def load_fonts(folder: Path) -> Pool:
    """All fonts (.ttf, .otf, .woff, .woff2) under a folder, each as one writer.

    Heights are in units of the font's own capital height; characters that a font does not have are left out.
    """
    pool = Pool()
    seen: set[str] = set()
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in (".ttf", ".otf", ".woff", ".woff2") and path.stem not in seen:
            seen.add(path.stem)
            _add_font(pool, path)
    return pool


def _add_font(pool: Pool, path: Path) -> None:
    from fontTools.ttLib import TTFont

    table = TTFont(path)
    table.flavor = None
    known = set(table.getBestCmap())
    buffer = io.BytesIO()
    table.save(buffer)
    buffer.seek(0)
    font = ImageFont.truetype(buffer, SIZE)
    capital = font.getbbox("E", anchor="ls")
    cap = float(capital[3] - capital[1])
    if cap <= 0:
        return
    for label in LABELS.replace("x", "xX"):
        if ord(label) not in known:
            continue
        left, top, right, low = font.getbbox(label, anchor="ls")
        page = Image.new("L", (int(right - left) + 8, int(low - top) + 8), 0)
        ImageDraw.Draw(page).text((4 - left, 4 - top), label, 255, font, anchor="ls")
        # Hairlines of script faces are thinner than any pen.
        ink = crop(np.asarray(cv2.dilate(np.asarray(page), np.ones((3, 3), np.uint8)), np.uint8))
        if ink is not None:
            height, width = ink.shape
            sample = ImageSample(ink, width / cap, height / cap, -low / cap)
            pool.add("x" if label == "X" else label, FONT + path.stem, sample)
