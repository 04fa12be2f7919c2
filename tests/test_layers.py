"""Who may import whom, and what a light import must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "gigsheet"

# A part may import the parts on its own line and on the lines below it, records and errors always.
ORDER = [
    {"cli"},
    {"batch", "report", "settle"},
    {"store"},
    {"pipeline", "overlay", "listing", "reading_json", "filenames"},
    {"vision", "recognise", "decode"},
    {"sheet"},
    {"notation"},
]
RANK = {part: rank for rank, parts in enumerate(ORDER) for part in parts}
FREE = {"records", "errors"}


def parts_imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("gigsheet.")}
    return found & (set(RANK) | FREE | {"training"})


def modules() -> list[tuple[str, Path]]:
    out = []
    for path in sorted(SOURCE.rglob("*.py")):
        relative = path.relative_to(SOURCE)
        part = relative.parts[0].removesuffix(".py")
        if part in RANK:
            out.append((part, path))
    return out


@pytest.mark.parametrize(("part", "path"), modules(), ids=lambda v: v if isinstance(v, str) else v.stem)
def test_dependencies_point_one_way(part: str, path: Path) -> None:
    above = {other for other in parts_imported(path) - FREE if other == "training" or RANK[other] < RANK[part]}
    assert not above, f"{path.name} ({part}) imports {above}, which lie above it"


def test_every_part_has_its_place() -> None:
    parts = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()}
    ours = {p for p in parts if not p.startswith(("_", "."))} - FREE - {"py.typed", "training", "templates"}
    assert ours <= set(RANK), f"say in ORDER where {ours - set(RANK)} may be imported from"


def test_notation_is_pure() -> None:
    allowed = set(sys.stdlib_module_names) | {"gigsheet", "__future__"}
    for path in (SOURCE / "notation").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed, path
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert (node.module or "").split(".")[0] in allowed, path


@pytest.mark.parametrize("statement", ["import gigsheet", "import gigsheet.notation", "import gigsheet.cli"])
def test_light_imports_stay_light(statement: str) -> None:
    code = f"import sys; {statement}; print({{'numpy', 'cv2', 'onnxruntime', 'sqlalchemy', 'PIL'}} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
