"""From a checkpoint to what is shipped: an ONNX file in int8 and its model card."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import nn

from gigsheet.training.compose import STRIP_HEIGHT, Strip
from gigsheet.training.net import STRIDE, Recogniser, Shape


class _Shipped(nn.Module):
    """What is shipped of a net: its logits divided by a temperature, and the features they are made from."""

    def __init__(self, net: Recogniser, temperature: float) -> None:
        super().__init__()
        self.net, self.temperature = net, temperature

    def forward(self, strips: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.net.features(strips)
        logits = self.net.classify(features) / self.temperature
        return logits.squeeze(2).transpose(1, 2), features.squeeze(2).transpose(1, 2)


LATE = 0.6
"""The last checkpoint's weight where it is averaged with an earlier one: the last knows the learned writers better,
the earlier one strangers."""


def load_average(checkpoint: Path, earlier: Path | None = None) -> tuple[Recogniser, dict[str, Any]]:
    """The running average of a checkpoint as a net ready to read, and the checkpoint's plan, shape and step.

    Weights are averaged with those of `earlier` when that file exists (Wortsman et al. 2022).
    """
    state = torch.load(checkpoint, weights_only=True)
    weights = state["average"]
    if earlier is not None and earlier.exists():
        before = torch.load(earlier, weights_only=True)["average"]
        weights = {
            name: before[name].lerp(value, LATE) if value.dtype.is_floating_point else value
            for name, value in weights.items()
        }
    net = Recogniser(Shape(**state["shape"]))
    net.load_state_dict(weights)
    net.eval()
    return net, {key: state[key] for key in ("shape", "plan", "step", "seconds")}


def to_onnx(net: Recogniser, path: Path, temperature: float) -> None:
    """Writes the net in float32, for any number of strips of any width."""
    example = torch.zeros(1, 1, STRIP_HEIGHT, 64 * STRIDE)
    torch.onnx.export(
        _Shipped(net, temperature).eval(),
        (example,),
        str(path),
        dynamo=False,
        opset_version=17,
        input_names=["strips"],
        output_names=["logits", "features"],
        dynamic_axes={
            "strips": {0: "strips", 3: "columns"},
            "logits": {0: "strips", 1: "steps"},
            "features": {0: "strips", 1: "steps"},
        },
    )


class _Examples(CalibrationDataReader):
    """Composed strips from which the ranges of the activations are taken."""

    def __init__(self, strips: list[Strip]) -> None:
        self.strips: Iterator[Strip] = iter(strips)

    def get_next(self) -> dict[str, np.ndarray] | None:
        strip = next(self.strips, None)
        if strip is None:
            return None
        height, width = strip.pixels.shape
        padded = np.full((height, -(-width // STRIDE) * STRIDE), 255, np.uint8)
        padded[:, :width] = strip.pixels
        return {"strips": (1 - padded.astype(np.float32) / 255)[None, None]}


def quantise(source: Path, path: Path, examples: list[Strip]) -> None:
    """Writes an int8 model (static, QDQ, weights by channel) of a float32 one.

    The last layer stays in float: its scores are the posterior.
    """
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.onnx"
        quant_pre_process(str(source), str(ready), skip_symbolic_shape=True)
        convolutions = [node.name for node in onnx.load(ready).graph.node if node.op_type == "Conv"]
        quantize_static(
            str(ready),
            str(path),
            _Examples(examples),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            nodes_to_exclude=convolutions[-1:],
        )


def write_card(model: Path, facts: dict[str, Any]) -> None:
    """Writes a model's card beside it."""
    weights = model.read_bytes()
    card = {"model": model.name, "sha256": hashlib.sha256(weights).hexdigest(), "bytes": len(weights), **facts}
    model.with_suffix(".json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
