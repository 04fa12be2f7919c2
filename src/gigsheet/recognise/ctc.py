"""Our own recogniser: a small convolutional net with CTC, run by ONNX Runtime."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from gigsheet.errors import UnreadableFileError
from gigsheet.records import CLASSES, Glyphs, RowStrip

Floats = npt.NDArray[np.float32]

WEIGHTS = Path(__file__).parent / "model" / "recogniser.onnx"
STRIDE = 4
"""Columns of a strip to one time step."""
PAPER = 255
THREADS = 2
HAZY_NATS = 1.5
"""A strip whose best path is less likely than this (minus its log-probability) is looked at again, slanted."""
SLANTS = (-0.14, 0.14)
"""How far the second looks lean: columns that the top moves against the bottom, over the strip's height."""


class CtcEngine:
    """Reads strips one by one, so that what is said of one depends on no other; the session is made when first used.

    Args:
        weights: an ONNX file: float32 [n, 1, height, 4 t], ink 1 on paper 0, to `logits` [n, t, CLASSES] and
            the `features` [n, t, any] that they are made from.
        threads: how many strips are read at once, each on one core: a strip is too small to be worth sharing out.
    """

    def __init__(self, weights: Path = WEIGHTS, threads: int = THREADS) -> None:
        self.weights, self.threads = weights, threads
        self._session: Any = None
        self._pool: Any = None
        self._preparing = Lock()

    @cached_property
    def _model(self) -> bytes:
        try:
            return self.weights.read_bytes()
        except OSError as error:
            message = f"{self.weights.name} is missing; install gigsheet anew"
            raise UnreadableFileError(message) from error

    @cached_property
    def id(self) -> str:
        """``ctc-`` and the first eight digits of the weights' SHA-256."""
        return f"ctc-{hashlib.sha256(self._model).hexdigest()[:8]}"

    def prepare(self) -> None:
        """Loads ONNX Runtime and the weights; whoever recognises meanwhile waits for it."""
        with self._preparing:
            if self._session is None:
                # Loads in 15 ms, here beside the first picture's decoding.
                from concurrent.futures import ThreadPoolExecutor

                self._pool = ThreadPoolExecutor(self.threads)
                self._session = self._load()

    def _load(self) -> Any:
        import onnxruntime  # loads in 40 ms; a process that reads nothing does not pay for it

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        return onnxruntime.InferenceSession(self._model, options, providers=["CPUExecutionProvider"])

    def recognise(self, strips: Sequence[RowStrip]) -> list[Glyphs]:
        """Scores of each strip; one without columns has no time steps."""
        self.prepare()
        return list(self._pool.map(self._read, strips))

    def _read(self, strip: RowStrip) -> Glyphs:
        height, width = strip.pixels.shape
        if width == 0:
            nothing = np.zeros((0, CLASSES), np.float32)
            return Glyphs(nothing, np.zeros(0, np.float32), self.id)
        steps = -(-width // STRIDE)
        padded = np.full((height, steps * STRIDE), PAPER, np.uint8)
        padded[:, :width] = strip.pixels
        ink = (PAPER - padded).astype(np.float32) / np.float32(PAPER)
        logits, features = self._session.run(["logits", "features"], {"strips": ink[None, None]})
        scores = log_softmax(logits[0])
        if -float(scores.max(axis=1).sum()) > HAZY_NATS:
            scores = self._looked_again(padded, scores)
        centres = np.arange(steps) * STRIDE + (STRIDE - 1) / 2
        x_mm = np.interp(centres, np.arange(width), strip.columns_mm).astype(np.float32)
        return Glyphs(scores, x_mm, self.id, unit_length(features[0]))

    def _looked_again(self, padded: npt.NDArray[np.uint8], scores: Floats) -> Floats:
        """The geometric mean of the scores of a strip, [time, CLASSES], and of those of its slanted copies."""
        looks = [scores]
        for slant in SLANTS:
            ink = (PAPER - slanted(padded, slant)).astype(np.float32) / np.float32(PAPER)
            (logits,) = self._session.run(["logits"], {"strips": ink[None, None]})
            looks.append(log_softmax(logits[0]))
        return log_softmax(np.mean(looks, axis=0, dtype=np.float32))


def slanted(pixels: npt.NDArray[np.uint8], slant: float) -> npt.NDArray[np.uint8]:
    """A strip sheared about its middle line; its top moves left of its bottom by `slant` times the height."""
    import cv2  # whoever has a strip has loaded it; a process that reads nothing does not pay for it

    height, width = pixels.shape
    shear = np.array([[1, slant, -slant * height / 2], [0, 1, 0]], np.float32)
    leaning = cv2.warpAffine(pixels, shear, (width, height), flags=cv2.INTER_LINEAR, borderValue=(PAPER,))
    return np.asarray(leaning, np.uint8)


def unit_length(features: Floats) -> Floats:
    """Features [time, n] scaled to length 1 at each time step."""
    length = np.sqrt((features**2).sum(axis=1, keepdims=True))
    return np.asarray(features / np.maximum(length, 1e-3), np.float32)


def log_softmax(logits: Floats) -> Floats:
    """Normalised logarithms of probabilities, float32 [time, classes]."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    normalised: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return normalised.astype(np.float32, copy=False)
