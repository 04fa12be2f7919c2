"""The notation's commands, run through the console script's own entry point on real files."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gigsheet.cli.app import main

GOOD = "first: WE\n1| A4 -A1\n2| A'4\n3| B4 xA'\n"
BAD = "A4 -A1\nA'9 xA xB'\n\nB4 A04 (xB\n"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["gigsheet", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = 0
        try:
            main()
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return status, out, err

    return call


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "good.txt").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.txt").write_text(BAD, encoding="utf-8")
    (tmp_path / "binary.txt").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "latin.txt").write_bytes("A4 ; café".encode("latin-1"))
    (tmp_path / "folder").mkdir()
    return tmp_path


def test_check_text(run: Run, files: Path) -> None:
    status, out, err = run("check", "good.txt")
    assert (status, err) == (0, "")
    assert out == "good.txt: 3 turns, no errors; undecided after turn 3\n"
    status, out, err = run("check", "bad.txt")
    assert (status, err) == (1, "")
    rows = out.splitlines()
    assert rows[0].startswith("bad.txt:2:1: error[value-range] a d4 shows 1 to 4, never 9")
    assert rows[0].endswith("(rule 6.3.3)")
    assert rows[1:3] == [" 2 | A'9 xA xB'", "   | ^^^"]
    assert "board before turn 2: WE: A1" in rows[3]
    assert rows[5:7] == [" 2 | A'9 xA xB'", "   |        ^^^"]
    assert rows[-1] == "bad.txt: 3 turns, 4 errors; undecided after turn 3"


def test_check_json_goes_on_past_unreadable_files(run: Run, files: Path) -> None:
    names = ["good.txt", "missing.txt", "binary.txt", "latin.txt", "folder", "bad.txt", "x\0y"]
    status, out, err = run("check", *names, "--format", "json")
    assert status == 2
    found = [json.loads(row) for row in out.splitlines()]
    assert [one["source"] for one in found] == names
    assert [one.get("error") for one in found] == [None, *["unreadable-file"] * 4, None, "unreadable-file"]
    assert all(list(one) == ["schema", "source", "error", "message"] for one in found if "error" in one)
    assert len(err.splitlines()) == 5
    assert found[0]["ok"] is True
    assert [d["code"] for d in found[5]["diagnostics"]] == ["value-range", "not-in-gigs", "blank-line", "syntax"]


def test_check_standard_input_strict_and_ruleset(run: Run) -> None:
    status, out, _ = run("check", "-", stdin=b"a4\n")
    assert (status, out) == (0, "-: 1 turn, no errors; undecided after turn 1\n")
    status, out, _ = run("check", "-", "--strict", stdin="A4\nA’4\n".encode())
    assert status == 0
    assert "warning[style]" in out
    assert "1 warning" in out
    assert run("check", "-", stdin=b"..")[0] == 1
    assert run("check", "-", "--ruleset", "quickref", stdin=b"..")[0] == 0


@pytest.mark.parametrize("options", [["--ruleset", "house"], ["--format", "xml"]])
def test_bad_usage_is_one_line(run: Run, files: Path, options: list[str]) -> None:
    status, out, err = run("check", "good.txt", *options)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "choose" in err


def test_a_long_line_is_cut_around_the_fault(run: Run, files: Path) -> None:
    (files / "long.txt").write_text("A4 " + "-A1 =A4 " * 200 + "xB' " + "=A4 " * 200, encoding="utf-8")
    _, out, _ = run("check", "long.txt")
    row, carets = out.splitlines()[1:3]
    assert len(row) < 120
    assert row[carets.index("^") : carets.rindex("^") + 1] == "xB'"


def test_explain(run: Run, files: Path) -> None:
    assert run("explain", "xB'3")[:2] == (0, "xB'3: steal THEY's d6 out of the rival's Gigs; it keeps its value, 3\n")
    assert run("explain", "-A1")[:2] == (0, "-A1: decrement WE's d4: it then shows 1\n")
    assert "a pass" in run("explain", "..")[1]
    status, out, _ = run("explain", "A04")
    assert status == 1
    assert "leading zero" in out
    assert run("explain", "")[0] == 1
    status, out, _ = run("explain", "good.txt")
    assert status == 0
    assert "  xA': WE steals THEY's d4, showing 4" in out.splitlines()
    assert run("explain", "bad.txt")[0] == 1
    status, _, err = run("explain", "nofile.txt", "A4")
    assert status == 2
    assert "no such file" in err


def test_a_turn_with_its_number_is_no_file(run: Run, files: Path) -> None:
    assert run("explain", "1.A4")[:2] == (0, "A4: WE rolls the d4 from the Fixer: it shows 4\n")
    assert run("explain", "A4 ; as in a/b.txt")[0] == 0
    (files / "1.A4").write_text(GOOD, encoding="utf-8")
    assert "Turn 3, WE" in run("explain", "1.A4")[1]


def test_trace(run: Run, files: Path) -> None:
    status, out, _ = run("trace", "good.txt")
    assert status == 0
    assert "Turn  3  WE    B4 xA'" in out
    assert run("trace", "bad.txt")[0] == 1
    status, out, _ = run("trace", "bad.txt", "--html", "page.html")
    assert status == 1
    assert "</html>" in (files / "page.html").read_text(encoding="utf-8")
    assert run("trace", "good.txt", "--html", "-")[1].startswith("<!DOCTYPE html>")
    assert run("trace", "good.txt", "--html", "nowhere/page.html")[0] == 2
    assert run("trace", "good.txt", "bad.txt", "--html", "page.html")[0] == 2
    assert run("trace", "missing.txt")[0] == 2


def test_a_page_is_not_written_over_its_transcript_nor_into_a_loop(run: Run, files: Path) -> None:
    (files / "link.html").symlink_to("good.txt")
    (files / "loop.html").symlink_to("loop.html")
    assert "would write over link.html" in run("trace", "good.txt", "--html", "link.html")[2]
    assert "loop.html: cannot be written" in run("trace", "good.txt", "--html", "loop.html")[2]


def test_format(run: Run, files: Path) -> None:
    messy = files / "messy.txt"
    messy.write_text("a4−A1\nA’4\n", encoding="utf-8")
    canonical = "first: WE\n1| A4 -A1\n2| A'4\n"
    assert run("format", "messy.txt") == (0, canonical, "")
    assert run("format", "--check", "messy.txt", "good.txt")[:2] == (1, "messy.txt: not in canonical form\n")
    assert messy.read_text(encoding="utf-8") != canonical
    assert run("format", "--write", "messy.txt", "good.txt") == (0, "", "")
    assert messy.read_text(encoding="utf-8") == canonical
    assert run("format", "--check", "messy.txt", "good.txt") == (0, "", "")
    assert run("format", "-", stdin=b"A4")[:2] == (0, "first: WE\n1| A4\n")
    assert run("format", "messy.txt", "good.txt")[0] == 2
    status, out, err = run("format", "bad.txt")
    assert (status, out) == (1, "")
    assert "error[syntax]" in err
    assert "line 4 does not parse" in err
    assert run("format", "missing.txt")[0] == 2


def test_a_byte_order_mark_is_not_canonical(run: Run, files: Path) -> None:
    marked = files / "marked.txt"
    marked.write_text(GOOD, encoding="utf-8-sig")
    assert run("check", "marked.txt")[0] == 0
    assert run("format", "--check", "marked.txt")[:2] == (1, "marked.txt: not in canonical form\n")
    assert run("format", "marked.txt") == (0, GOOD, "")
    assert run("format", "--write", "marked.txt")[0] == 0
    assert marked.read_bytes() == GOOD.encode()
    marked.write_text("z", encoding="utf-8-sig")
    assert "marked.txt:1:1:" in run("format", "marked.txt")[2]


def test_flip(run: Run, files: Path) -> None:
    status, flipped, _ = run("flip", "good.txt")
    assert (status, flipped) == (0, "first: THEY\n1| A'4 -A'1\n2| A4\n3| B'4 xA\n")
    assert run("flip", "-", stdin=flipped.encode())[1] == GOOD
    assert run("flip", "bad.txt")[:2] == (1, "")
    assert run("flip", "missing.txt")[0] == 2


def test_diff(run: Run, files: Path) -> None:
    (files / "rival.txt").write_text(run("flip", "good.txt")[1].replace("B'4", "B'5"), encoding="utf-8")
    assert run("diff", "good.txt", "good.txt")[:2] == (0, "the two agree\n")
    status, out, _ = run("diff", "good.txt", "rival.txt")
    assert status == 1
    assert out.splitlines() == [
        "rival.txt is the rival's sheet: it is shown flipped",
        *("turn 3", "  - B4 xA'", "  + B5 xA'", "1 turn differs (- good.txt, + rival.txt)"),
    ]
    found = json.loads(run("diff", "good.txt", "rival.txt", "--format", "json")[1])
    assert found["flipped"] is True
    assert found["turns"] == [{"number_a": 3, "text_a": "B4 xA'", "number_b": 3, "text_b": "B5 xA'"}]
    (files / "late.txt").write_text("1| A4 -A1\n\n3| A'4\n4| B4 xA'\n", encoding="utf-8")
    status, out, _ = run("diff", "good.txt", "late.txt")
    assert status == 1
    assert out.splitlines()[:3] == ["turn 2, turn 3 in late.txt", "  - 2| A'4", "  + 3| A'4"]
    assert run("diff", "good.txt", "missing.txt")[0] == 2
    assert run("diff", "-", "-")[0] == 2


def test_simulate(run: Run, files: Path) -> None:
    status, game, err = run("simulate", "--seed", "7")
    assert (status, err) == (0, "")
    assert run("simulate", "--seed", "7")[1] == game
    assert run("check", "-", stdin=game.encode())[0] == 0
    rows = run("simulate", "--seed", "7", "--count", "20", "--slips", "1", "--format", "json")[1].splitlines()
    games = [json.loads(row) for row in rows]
    assert [one["index"] for one in games] == list(range(1, 21))
    assert all(one["slip"] for one in games)
    assert run("simulate", "--seed", "7", "--count", "3", "-o", "games")[:2] == (0, "games: 3 games written\n")
    assert (files / "games/game-0001.txt").read_text(encoding="utf-8") == game
    assert run("check", *sorted(str(path) for path in (files / "games").iterdir()))[0] == 0
    assert "; game 2 of 2, seed 7" in run("simulate", "--seed", "7", "--count", "2")[1]
    assert "seed" in run("simulate")[2]
    assert run("simulate", "--count", "0")[0] == 2
    assert run("simulate", "--slips", "2")[0] == 2
    assert run("simulate", "--seed", "1", "-o", "good.txt")[0] == 2


@pytest.mark.parametrize("command", ["check", "explain", "trace", "format", "flip", "diff", "simulate"])
def test_help_teaches_with_examples(run: Run, command: str) -> None:
    status, out, _ = run(command, "--help")
    assert status == 0
    assert f"gigsheet {command}" in out


@pytest.fixture
def odd(files: Path) -> str:
    """The name of a transcript that is not UTF-8."""
    name = os.fsdecode(b"odd\xff.txt")
    try:
        (files / name).write_text("A4\nA'9", encoding="utf-8")
    except OSError:
        pytest.skip("this file system has UTF-8 names alone")
    return name


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("check NAME", 1),
        ("check missing-NAME", 2),
        ("trace NAME", 1),
        ("trace good.txt --html NAME.html", 0),
        ("explain NAME", 1),
        ("diff NAME good.txt", 1),
        ("format --check good.txt NAME", 1),
        ("simulate -o out-NAME", 0),
    ],
)
def test_a_name_that_is_not_utf8_is_written_as_an_escape(run: Run, odd: str, command: str, status: int) -> None:
    ended, out, err = run(*[word.replace("NAME", odd) for word in command.split()])
    assert ended == status
    assert r"odd\udcff.txt" in out or r"odd\xdcff.txt" in err


@pytest.mark.parametrize("command", ["check NAME", "check missing-NAME", "diff NAME good.txt"])
def test_a_name_that_is_not_utf8_is_json(run: Run, odd: str, command: str) -> None:
    _, out, _ = run(*[word.replace("NAME", odd) for word in command.split()], "--format", "json")
    found = json.loads(out)
    assert odd in (found.get("source", found.get("a")) or "")
