"""The README is true: what it shows is what the commands print, and what it links is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_reading_shown_is_what_read_prints() -> None:
    (shown,) = re.findall(r"\$ gigsheet read (samples/\S+)\n(.*?)```", README, re.DOTALL)
    sample, listing = shown
    command = [sys.executable, "-m", "gigsheet", "read", sample]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    # How sure differs a little between processors (int8 kernels do not all round alike), what is read does not.
    assert [line[:31] for line in run.stdout.split("\n") if line] == [line[:31] for line in listing.split("\n") if line]


def test_every_link_leads_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_target_named_is_one() -> None:
    named = set(re.findall(r"`make ([a-z-]+)", README))
    assert named <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
