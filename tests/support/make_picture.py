"""Draws README's picture: a filled sheet as photographed, with its overlay, beside what `gigsheet read` says of it.

python -m tests.support.make_picture      writes docs/read.png
"""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from gigsheet.listing import listing
from gigsheet.pipeline import read_pages

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "samples" / "angle" / "photo.jpg"
HEIGHT = 900
LONGEST_LINE = 78


def main() -> None:
    (page,) = read_pages(SAMPLE)
    (reading,) = page.readings
    photo = Image.open(io.BytesIO(page.overlay()))
    photo = photo.resize((round(photo.width * HEIGHT / photo.height), HEIGHT), Image.Resampling.LANCZOS)
    lines = listing(reading).replace(f"{SAMPLE}, page 1", SAMPLE.name).splitlines()
    lines = [line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1].rstrip() + "…" for line in lines]

    canvas = Image.new("RGB", (photo.width + 760, HEIGHT), "white")
    canvas.paste(photo, (0, 0))
    draw = ImageDraw.Draw(canvas)
    font = ImageFont.load_default(size=21)
    for k, line in enumerate(lines):
        number, text = line[:4], line[4:33]
        rest = line[33:]
        y, colour = 70 + 44 * k, "#b4470f" if "look:" in line else "#1d3b2a"
        if line[:2].strip().isdigit():
            left = photo.width + 30
            draw.text((left, y), number, fill="#888888", font=font)
            draw.text((left + 40, y), text.rstrip(), fill="black", font=font)
            draw.text((left + 260, y), rest.strip(), fill=colour, font=font)
        else:
            draw.text((photo.width + 30, y), line, fill="black", font=font)
    canvas.quantize(128).save(ROOT / "docs" / "read.png", optimize=True)


if __name__ == "__main__":
    main()
