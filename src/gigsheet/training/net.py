"""The net: a strip of any width in, CTC scores every four columns out."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn

from gigsheet.records import CLASSES

STRIDE = 4
"""Columns of the strip to one time step."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the net is: channels after each stage, and how many residual blocks each of the last two has."""

    stem: int = 24
    low: int = 40
    middle: int = 64
    high: int = 96
    line: int = 160
    line_blocks: int = 3
    dropout: float = 0.1

    def as_dict(self) -> dict[str, int | float]:
        """For the model card."""
        return asdict(self)


def block(
    cin: int, cout: int, kernel: tuple[int, int], padding: tuple[int, int], stride: int = 1, dilation: int = 1
) -> nn.Sequential:
    """Convolution, normalisation, ReLU."""
    convolution = nn.Conv2d(cin, cout, kernel, stride, padding, (1, dilation), bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class Residual(nn.Module):
    """Two convolutions around which the signal may pass unchanged."""

    def __init__(self, channels: int, kernel: tuple[int, int], dilation: int = 1) -> None:
        super().__init__()
        pad = (kernel[0] // 2, kernel[1] // 2 * dilation)
        self.first = block(channels, channels, kernel, pad, dilation=dilation)
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, kernel, padding=pad, dilation=(1, dilation), bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.second(self.first(x)))


class Recogniser(nn.Module):
    """Fully convolutional: float [n, 1, 40, 4 t], ink 1 on paper 0, to logits [n, t, CLASSES]."""

    def __init__(self, shape: Shape = Shape()) -> None:
        super().__init__()
        s = shape
        self.features = nn.Sequential(
            block(1, s.stem, (5, 5), (2, 2), stride=2),
            block(s.stem, s.low, (3, 3), (1, 1)),
            nn.MaxPool2d(2),
            block(s.low, s.middle, (3, 3), (1, 1)),
            Residual(s.middle, (3, 3)),
            nn.MaxPool2d((2, 1)),
            block(s.middle, s.high, (3, 3), (1, 1)),
            Residual(s.high, (3, 3)),
            block(s.high, s.line, (5, 1), (0, 0)),
            nn.Dropout(s.dropout),
            *[Residual(s.line, (1, 3), 1 + k % 2) for k in range(s.line_blocks)],
            nn.Dropout(s.dropout),
        )
        self.classify = nn.Conv2d(s.line, CLASSES, 1)

    def forward(self, strips: Tensor) -> Tensor:
        logits: Tensor = self.classify(self.features(strips))
        return logits.squeeze(2).transpose(1, 2)
