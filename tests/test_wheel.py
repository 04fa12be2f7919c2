"""The wheel carries everything it needs: installed outside the checkout, it reads a sample."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (built,) = out.glob("*.whl")
    return built


def test_wheel_carries_templates_and_weights_but_no_handwriting(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.startswith("gigsheet/templates/") and name.endswith(".toml") for name in names)
    assert any(name.endswith(".onnx") for name in names)
    assert "gigsheet/py.typed" in names
    assert not [name for name in names if name.endswith((".npz", ".gz", ".jpg"))]
    weights = [info.file_size for info in zipfile.ZipFile(wheel).infolist() if info.filename.endswith(".onnx")]
    assert sum(weights) <= 4_000_000


def test_wheel_in_a_fresh_environment_reads_a_sample(wheel: Path, tmp_path: Path) -> None:
    """With what the wheel itself declares and nothing else, outside the checkout."""
    environment = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    programs = environment / ("Scripts" if sys.platform == "win32" else "bin")
    install = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
    done = subprocess.run(install, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr

    sample = next((ROOT / "samples").glob("*/photo.jpg"))
    run = subprocess.run(
        [str(programs / "gigsheet"), "read", str(sample)], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode in (0, 1), run.stderr
    assert "first: " in run.stdout
    assert str(ROOT) not in run.stderr
