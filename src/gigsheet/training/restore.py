"""From shipped weights back to a net that can learn on: checkpoints stay where a training ran, weights travel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from gigsheet.errors import UnreadableFileError
from gigsheet.training.net import Recogniser

Floats = npt.NDArray[np.float32]


def restore(net: Recogniser, weights: Path, strips: Tensor) -> None:
    """Gives a net the weights of an exported one.

    The export folds every normalisation into the convolution before it. Here each gets back the mean and spread that
    its convolution has on `strips`, and a scale and shift that undo them, so that the net says what the exported one
    says and can be trained.

    Args:
        net: of the shape that was exported; changed in place, left in evaluation mode.
        weights: the ONNX file, int8 or float32.
        strips: float32 [n, 1, height, width], ink 1 on paper 0, like those that it will learn from.

    Raises:
        UnreadableFileError: the file does not hold weights of this shape.
    """
    convolutions = [module for module in net.modules() if isinstance(module, nn.Conv2d)]
    norms = [module for module in net.modules() if isinstance(module, nn.BatchNorm2d)]
    exported = list(_convolutions(onnx.load(weights)))
    shapes = [tuple(c.weight.shape) for c in convolutions]
    if [w.shape for w, _ in exported] != shapes:
        raise UnreadableFileError(f"{weights} holds a net of another shape; train from the start")
    net.eval()
    with torch.no_grad():
        for convolution, (weight, _) in zip(convolutions, exported, strict=True):
            convolution.weight.copy_(torch.from_numpy(weight))
        if convolutions[-1].bias is not None:
            convolutions[-1].bias.copy_(torch.from_numpy(exported[-1][1]))
        for norm, (_, shift) in zip(norms, exported, strict=False):
            norm.running_mean.zero_()
            norm.running_var.fill_(1.0 - norm.eps)
            norm.weight.fill_(1.0)
            norm.bias.copy_(torch.from_numpy(shift))
        seen = _inputs_of(norms, net, strips)
        for norm, values, (_, shift) in zip(norms, seen, exported, strict=False):
            mean, spread = values.mean(dim=(0, 2, 3)), values.var(dim=(0, 2, 3), unbiased=False)
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(spread)
            norm.weight.copy_((spread + norm.eps).sqrt())
            norm.bias.copy_(mean + torch.from_numpy(shift))


def _inputs_of(norms: list[nn.BatchNorm2d], net: nn.Module, strips: Tensor) -> list[Tensor]:
    """What each normalisation gets when the net reads the strips."""
    seen = dict[int, Tensor]()

    def keep(place: int) -> torch.utils.hooks.RemovableHandle:
        return norms[place].register_forward_pre_hook(lambda _, given: seen.update({place: given[0].detach().clone()}))

    hooks = [keep(place) for place in range(len(norms))]
    net(strips)
    for hook in hooks:
        hook.remove()
    return [seen[place] for place in range(len(norms))]


def _convolutions(model: onnx.ModelProto) -> Iterator[tuple[Floats, Floats]]:
    """The weight and the shift of every convolution of a model, in order, dequantised."""
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Identity" and node.input[0] in constants:  # equal constants are kept once
            constants[node.output[0]] = constants[node.input[0]]
    dequantised = {node.output[0]: node.input for node in model.graph.node if node.op_type == "DequantizeLinear"}

    def value(name: str) -> Floats:
        if name not in dequantised:
            return constants[name].astype(np.float32)
        whole, scale, *zero = (constants[part] for part in dequantised[name])
        steps = whole.astype(np.float32) - (zero[0].astype(np.float32) if zero and zero[0].size == 1 else 0.0)
        return np.asarray(steps * scale.reshape(-1, *[1] * (whole.ndim - 1)), np.float32)

    for node in model.graph.node:
        if node.op_type == "Conv":
            weight = value(node.input[1])
            shift = value(node.input[2]) if len(node.input) > 2 else np.zeros(len(weight), np.float32)
            yield weight, shift
