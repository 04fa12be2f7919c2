"""The commands as a whole: each found, each documented, each registered by the module that is named for it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gigsheet.cli.commands import COMMANDS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_its_exit_status_and_stands_in_the_documents(command: str) -> None:
    run = subprocess.run([sys.executable, "-m", "gigsheet", command, "--help"], capture_output=True, text=True)
    assert run.returncode == 0
    assert f"gigsheet {command}" in run.stdout
    assert "status" in run.stdout.lower().replace("gigsheet status", "")
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert any(f"gigsheet {command}" in page.read_text(encoding="utf-8") for page in pages), "undocumented"


def test_help_lists_them_all() -> None:
    run = subprocess.run([sys.executable, "-m", "gigsheet", "--help"], capture_output=True, text=True)
    assert run.returncode == 0
    assert all(f" {command} " in run.stdout for command in COMMANDS)


def test_shell_completion_is_offered() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "gigsheet", "--show-completion", "bash"], capture_output=True, text=True
    )
    assert run.returncode == 0
    assert "gigsheet" in run.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_once_where_the_shell_finds_it(shell: str, tmp_path: Path) -> None:
    startup = tmp_path / f".{shell}rc"
    startup.write_text("alias ll='ls -l'")
    environment = os.environ | {"HOME": str(tmp_path), "SHELL": f"/usr/bin/{shell}"}
    command = [sys.executable, "-m", "gigsheet", "--install-completion"]
    for _ in range(2):
        run = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert run.returncode == 0
        path = Path(run.stdout.partition(": written")[0])
        assert "gigsheet" in path.read_text()
    if shell == "fish":
        assert path.parent == tmp_path / ".config" / "fish" / "completions"
    else:
        assert startup.read_text().splitlines() == ["alias ll='ls -l'", f"source '{path}'"]


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("re", "plain,read"),
        ("read --ri", "plain,--risk"),
        ("check --ruleset q", "plain,quickref"),
        ("read s", "file,s"),
    ],
)
def test_commands_options_values_and_files_are_completed(words: str, completed: str) -> None:
    environment = os.environ | {
        "_GIGSHEET_COMPLETE": "bash_complete",
        "COMP_WORDS": f"gigsheet {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    run = subprocess.run([sys.executable, "-m", "gigsheet"], capture_output=True, text=True, env=environment)
    assert run.stdout.splitlines() == [completed]


def test_a_misspelt_command_is_recognised() -> None:
    run = subprocess.run([sys.executable, "-m", "gigsheet", "raed"], capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr == "gigsheet: No such command 'raed'. Did you mean 'read' or 'trace'?; see gigsheet --help\n"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_sign_that_the_output_lacks_is_written_as_json_has_it(tmp_path: Path, encoding: str) -> None:
    game = tmp_path / "жé😀.txt"
    game.write_text("A’4", encoding="utf-8")
    command = [sys.executable, "-m", "gigsheet", "check", "--strict", str(game)]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    run = subprocess.run(command, capture_output=True, env=environment)
    assert run.returncode == 1
    assert b"warning[style]" in run.stdout
    assert not run.stderr
    run = subprocess.run([*command, "--format", "json"], capture_output=True, env=environment)
    assert json.loads(run.stdout.decode(encoding, "replace"))["source"] == str(game)


def test_reading_starts_without_what_it_does_not_need() -> None:
    heavy = ("numpy.ma", "pydantic", "reportlab", "rich", "sqlalchemy", "torch", "typer")
    photo = str(ROOT / "samples" / "angle" / "photo.jpg")
    code = (
        "import sys, gigsheet.cli.read\n"
        "from gigsheet.pipeline import read_stack\n"
        f"assert list(read_stack([{photo!r}]))\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell closes the input")
@pytest.mark.parametrize("command", ["read -", "check -", "format -"])
def test_a_closed_standard_input_is_an_empty_one(command: str) -> None:
    shell = f"exec {shlex.quote(sys.executable)} -m gigsheet {command} <&-"
    run = subprocess.run(["sh", "-c", shell], capture_output=True, text=True)
    assert run.returncode in (0, 2)
    assert "Traceback" not in run.stderr
    assert len(run.stderr.splitlines()) <= 1


def test_ctrl_c_while_a_command_loads_leaves_no_traceback() -> None:
    interrupt = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'gigsheet.cli.commands': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from gigsheet.__main__ import run\n"
        "run()\n"
    )
    run = subprocess.run([sys.executable, "-c", interrupt], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "")


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell closes the streams")
@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("read --format json samples/angle/photo.jpg 2>&-", 1),
        ("read --format json samples/angle/photo.jpg >&-", 1),
        ("check nosuch.txt 2>&-", 2),
        ("check nosuch.txt 2>/dev/full", 2),
    ],
)
def test_a_stream_that_is_closed_or_full_changes_no_status(command: str, status: int) -> None:
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    shell = f"exec {shlex.quote(sys.executable)} -m gigsheet {command}"
    run = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == status
    assert "Traceback" not in run.stderr
    assert run.stdout == "" or run.stdout.startswith("{")


def test_the_lists_that_a_light_start_repeats_are_whole() -> None:
    """The commands name rulesets and engines without loading the parts that have them."""
    import click

    from gigsheet.cli.notation_files import RULESETS
    from gigsheet.cli.read import read
    from gigsheet.notation import rules
    from gigsheet.recognise import ENGINES

    choices = {p.name: p.type.choices for p in read.params if isinstance(p.type, click.Choice)}
    assert tuple(rules.RULESETS) == RULESETS == tuple(choices["ruleset"])
    assert tuple(choices["engine"]) == ENGINES


def test_without_a_command_the_commands_are_listed() -> None:
    run = subprocess.run([sys.executable, "-m", "gigsheet"], capture_output=True, text=True)
    assert run.returncode == 2
    assert "Commands:" in run.stdout
    assert run.stderr == "gigsheet: name a command, as listed above\n"
