"""Reads crops with PP-OCRv6 (the small recogniser inside the package rapidocr), its scores held to our alphabet.

    python read_ppocr.py CROPS.npz TEXTS.json

Run by measure_recogniser.py in an environment of its own with rapidocr and onnxruntime; imports nothing of ours.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import rapidocr

FOLDED = {"X": "x", "×": "x", "’": "'", "‘": "'", "′": "'", "−": "-", "–": "-"}
ALPHABET = "0123456789ABCDEFx+-=~()'<>."


def trimmed(strip: np.ndarray) -> np.ndarray:
    """The part of a crop that holds ink, with a margin; frames are light and do not count as ink."""
    dark = strip < 130
    rows, columns = np.nonzero(dark.any(axis=1))[0], np.nonzero(dark.any(axis=0))[0]
    if len(rows) == 0:
        return strip
    return np.pad(strip[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], 4, constant_values=255)


def main() -> None:
    source, target = map(Path, sys.argv[1:3])
    model = next((Path(rapidocr.__file__).parent / "models").glob("PP-OCRv6_rec*.onnx"))
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    characters = ["", *session.get_modelmeta().custom_metadata_map["character"].split("\n")]
    allowed = [k for k, c in enumerate(characters) if k == 0 or (FOLDED.get(c, c) in ALPHABET and c)]
    meaning = [FOLDED.get(characters[k], characters[k]) for k in allowed]
    texts = []
    with np.load(source) as crops:
        for name in sorted(crops.files, key=int):
            strip = trimmed(crops[name])
            # The strip's columns are 5.5 a mm and its rows about 4: square pixels, then 48 rows as the model wants.
            scale = 48 / strip.shape[0]
            width = max(16, round(strip.shape[1] * scale * 0.72))
            page = cv2.resize(strip, (width, 48), interpolation=cv2.INTER_CUBIC).astype(np.float32)
            colours = np.repeat((page / 127.5 - 1)[None, None], 3, axis=1)
            best = session.run(None, {session.get_inputs()[0].name: colours})[0][0][:, allowed].argmax(axis=1)
            kept = best[np.r_[True, best[1:] != best[:-1]]]
            texts.append("".join(meaning[k] for k in kept))
    target.write_text(json.dumps(texts), encoding="utf-8")


if __name__ == "__main__":
    main()
