"""Exported weights come back as a net that says the same and can learn on; needs the extra `train`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from gigsheet.errors import UnreadableFileError  # noqa: E402
from gigsheet.training import export  # noqa: E402
from gigsheet.training.net import Recogniser, Shape  # noqa: E402
from gigsheet.training.restore import restore  # noqa: E402


@pytest.fixture
def strips() -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(1).random((8, 1, 40, 96), np.float32))


def test_a_restored_net_says_the_same_and_in_training_nearly_so(tmp_path: Path, strips: torch.Tensor) -> None:
    net = Recogniser(Shape(dropout=0.0))
    for _ in range(3):
        net(strips)  # gives the normalisations something to fold
    net.eval()
    export.to_onnx(net, tmp_path / "net.onnx", 1.0)
    again = Recogniser(Shape(dropout=0.0))
    restore(again, tmp_path / "net.onnx", strips)
    with torch.no_grad():
        want, got = net(strips), again(strips)
        again.train()
        trained = again(strips)
    np.testing.assert_allclose(got, want, atol=1e-3)
    np.testing.assert_allclose(trained, want, atol=5e-2)


def test_another_shape_is_refused(tmp_path: Path, strips: torch.Tensor) -> None:
    export.to_onnx(Recogniser(Shape(line=32)).eval(), tmp_path / "net.onnx", 1.0)
    with pytest.raises(UnreadableFileError, match="another shape"):
        restore(Recogniser(), tmp_path / "net.onnx", strips)
