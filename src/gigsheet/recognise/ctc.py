"""Our own recogniser: small convolutional nets with CTC, run by ONNX Runtime."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from gigsheet.errors import UnreadableFileError
from gigsheet.records import CLASSES, Glyphs, RowStrip

Floats = npt.NDArray[np.float32]

MODEL = Path(__file__).parent / "model"
WEIGHTS = (MODEL / "recogniser.onnx", MODEL / "second.onnx")
"""The nets: the first reads every strip, the second those that the first is not sure of."""
STRIDE = 4
"""Columns of a strip to one time step."""
PAPER = 255
THREADS = 2
HAZY_NATS = 0.5
"""A strip whose best path is less likely than this (minus its log-probability) is read by every net."""


class CtcEngine:
    """Reads strips one by one, so that what is said of one depends on no other; the sessions are made when first used.

    Args:
        weights: ONNX files, one a net: float32 [n, 1, height, 4 t], ink 1 on paper 0, to `logits` [n, t, CLASSES] and
            the `features` [n, t, any] that they are made from. The first net reads every strip, the others read
            those that it is not sure of.
        threads: how many strips are read at once, each on one core: a strip is too small to be worth sharing out.
    """

    def __init__(self, weights: Sequence[Path] = WEIGHTS, threads: int = THREADS) -> None:
        self.weights, self.threads = tuple(weights), threads
        self._sessions: list[Any] = []
        self._pool: Any = None
        self._preparing = Lock()

    @cached_property
    def _models(self) -> list[bytes]:
        try:
            return [path.read_bytes() for path in self.weights]
        except OSError as error:
            message = f"{Path(error.filename).name} is missing; install gigsheet anew"
            raise UnreadableFileError(message) from error

    @cached_property
    def id(self) -> str:
        """``ctc-`` and the first eight digits of the SHA-256 of all weights."""
        return f"ctc-{hashlib.sha256(b''.join(self._models)).hexdigest()[:8]}"

    def prepare(self) -> None:
        """Loads ONNX Runtime and the weights; whoever recognises meanwhile waits for it."""
        with self._preparing:
            if not self._sessions:
                # Loads in 15 ms, here beside the first picture's decoding.
                from concurrent.futures import ThreadPoolExecutor

                self._pool = ThreadPoolExecutor(self.threads)
                self._sessions = self._load()

    def _load(self) -> list[Any]:
        import onnxruntime  # loads in 40 ms; a process that reads nothing does not pay for it

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        sessions = []
        for path, model in zip(self.weights, self._models, strict=True):
            try:
                sessions.append(onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]))
            except Exception as error:  # ONNX Runtime has a class of its own for every kind of damage
                raise UnreadableFileError(f"{path.name} is damaged; install gigsheet anew") from error
        return sessions

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
        first, *more = self._sessions
        logits, features = first.run(["logits", "features"], {"strips": ink[None, None]})
        centres = np.arange(steps) * STRIDE + (STRIDE - 1) / 2
        x_mm = np.interp(centres, np.arange(width), strip.columns_mm).astype(np.float32)
        glyphs = Glyphs(log_softmax(logits[0]), x_mm, self.id, unit_length(features[0]))
        if glyphs.haze <= HAZY_NATS:
            return glyphs
        others = [log_softmax(net.run(["logits"], {"strips": ink[None, None]})[0][0]) for net in more]
        return replace(glyphs, others=tuple(others))


def unit_length(features: Floats) -> Floats:
    """Features [time, n] scaled to length 1 at each time step."""
    length = np.sqrt((features**2).sum(axis=1, keepdims=True))
    return np.asarray(features / np.maximum(length, 1e-3), np.float32)


def log_softmax(logits: Floats) -> Floats:
    """Normalised logarithms of probabilities, float32 [time, classes]."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    normalised: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return normalised.astype(np.float32, copy=False)
