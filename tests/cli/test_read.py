"""`gigsheet read` as a process: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gigsheet import read
from gigsheet.cli.read import _games, _stems
from gigsheet.errors import UsageError
from gigsheet.filenames import FileNames
from gigsheet.pipeline import ReadPage
from gigsheet.records import ChoiceReading, GameReading, RowReading, SheetReading

SAMPLES = Path(__file__).parents[2] / "samples"
PHOTO = SAMPLES / "angle" / "photo.jpg"
CHOICE = ChoiceReading("WE", 0.99)
ROWS = (RowReading(1, "A4", 0.99),)


def gigsheet(*arguments: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    run = subprocess.run([sys.executable, "-m", "gigsheet", *map(str, arguments)], input=stdin, capture_output=True)
    return subprocess.CompletedProcess(run.args, run.returncode, run.stdout.decode(), run.stderr.decode())


def huge_png() -> bytes:
    """The header of a PNG of 30,000 x 30,000 pixels, with hardly anything behind it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


@pytest.fixture(scope="module")
def bad_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("bad")
    table = np.random.default_rng(1).integers(60, 90, (900, 1200, 3), dtype=np.uint8)
    Image.fromarray(table).save(folder / "table.jpg")
    (folder / "text.jpg").write_text("a letter to the organiser\n" * 20)
    (folder / "cut.jpg").write_bytes(PHOTO.read_bytes()[:60_000])
    (folder / "empty.jpg").write_bytes(b"")
    (folder / "huge.png").write_bytes(huge_png())
    (folder / "folder").mkdir()
    return {path.name: path for path in folder.iterdir()} | {"missing": folder / "missing.jpg"}


def test_people_see_rows_reasons_and_the_outcome() -> None:
    run = gigsheet("read", PHOTO)
    assert run.returncode == 1
    assert run.stderr == ""
    first, *lines = run.stdout.strip().splitlines()
    assert first == f"{PHOTO}, page 1: single on A4, serial 7F3K-02, found"
    assert lines[0] == "first: THEY"
    assert any(line.startswith(" 2  C6 +C4") and "look: " in line for line in lines)
    assert lines[-1].startswith("WE wins at the start of turn 14, with ")


def test_json_is_one_object_a_sheet_and_the_others_still_come(bad_files: dict[str, Path]) -> None:
    run = gigsheet("read", "--format", "json", bad_files["text.jpg"], PHOTO, bad_files["missing"])
    assert run.returncode == 2
    bad, good, missing = map(json.loads, run.stdout.splitlines())
    assert (bad["error"], bad["games"]) == ("unreadable-file", [])
    assert missing["error"] is not None
    assert good["error"] is None
    assert good["schema"] == "gigsheet.reading/1"
    assert set(good["timings_ms"]) == {"load", "page", "recognise", "decode", "total"}
    assert len(run.stderr.splitlines()) == 2


@pytest.mark.parametrize("name", ["table.jpg", "text.jpg", "cut.jpg", "empty.jpg", "huge.png", "folder", "missing"])
def test_bad_input_is_one_clear_line(bad_files: dict[str, Path], name: str) -> None:
    run = gigsheet("read", bad_files[name])
    assert run.returncode == 2
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    assert line.startswith(f"gigsheet: {bad_files[name]}: ")
    assert "Traceback" not in line
    assert len(line) > len(str(bad_files[name])) + 30, "says what to do"


def test_output_folder_holds_transcript_reading_and_overlay(tmp_path: Path) -> None:
    run = gigsheet("read", PHOTO, SAMPLES / "upside-down" / "photo.jpg", "-o", tmp_path / "out", "--format", "json")
    assert run.returncode == 1
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    stems = ("photo", "photo(2)")  # two files of the same name from two folders: neither is lost
    assert names == sorted(f"{stem}{end}" for stem in stems for end in (".json", ".overlay.jpg", ".txt"))
    readings = [json.loads(line) for line in run.stdout.splitlines()]
    for stem, reading in zip(stems, readings, strict=True):
        assert json.loads((tmp_path / "out" / f"{stem}.json").read_text()) == reading
        assert (tmp_path / "out" / f"{stem}.txt").read_text() == reading["games"][0]["transcript"]
        assert max(Image.open(tmp_path / "out" / f"{stem}.overlay.jpg").size) <= 2400


def test_output_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    run = gigsheet("read", PHOTO, "-o", tmp_path / "out")
    assert run.returncode == 2
    assert "name another folder with -o" in run.stderr


def test_standard_input_and_a_serial_that_comes_twice() -> None:
    run = gigsheet("read", "--format", "json", "-", PHOTO, stdin=PHOTO.read_bytes())
    one, two = map(json.loads, run.stdout.splitlines())
    assert (one["source"], one["flags"]) == ("-", [])
    assert two["flags"] == ["duplicate-serial"]


@pytest.mark.parametrize(
    "arguments", [["raed"], ["read"], ["read", "--risk", "2", "x.jpg"], ["read", "--engine", "crystal-ball", "x.jpg"]]
)
def test_wrong_usage_is_one_line_with_a_hint(arguments: list[str]) -> None:
    run = gigsheet(*arguments)
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert "--help" in line


def test_help_teaches_and_names_the_exit_statuses() -> None:
    run = gigsheet("read", "--help")
    assert run.returncode == 0
    assert "Examples:" in run.stdout
    assert "Exit status:" in run.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full, as Linux has it")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        run = subprocess.run(
            [sys.executable, "-m", "gigsheet", "read", str(PHOTO)], stdout=full, stderr=subprocess.PIPE
        )
    assert run.returncode == 2
    assert run.stderr.decode().splitlines() == [
        "gigsheet: the output: No space left on device; make room, or name another place"
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_a_file_name_with_a_newline_stays_one_line(tmp_path: Path) -> None:
    run = gigsheet("read", tmp_path / "a\nb.jpg")
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["read", PHOTO, "-o", ""], ["read", ""], ["status", "--event", ""]])
def test_an_empty_name_is_refused(arguments: list[str | Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = gigsheet(*arguments)
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert "the name is empty" in line
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes there")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    run = gigsheet("read", tmp_path / "pipe.jpg", PHOTO)
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert "no regular file" in line
    assert "7F3K-02" in run.stdout


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no process substitution there")
def test_process_substitution_is_read() -> None:
    command = f"{sys.executable} -m gigsheet read <(cat {PHOTO})"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "7F3K-02" in run.stdout


@pytest.mark.parametrize("risk", ["nan", "-1", "2"])
def test_a_risk_that_is_no_share_is_refused(risk: str) -> None:
    run = gigsheet("read", "--risk", risk, PHOTO)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr


def test_a_picture_of_a_few_pixels_is_refused_and_the_next_one_read(tmp_path: Path) -> None:
    Image.new("L", (20_000, 3), 200).save(tmp_path / "thin.png")
    run = gigsheet("read", tmp_path / "thin.png", PHOTO)
    assert run.returncode == 2
    assert "no sheet is found" in run.stderr
    assert "first: THEY" in run.stdout


def test_a_name_that_is_not_utf8_can_be_written(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/l\xe9.jpg"))
    try:
        odd.write_bytes(PHOTO.read_bytes())
    except OSError:
        pytest.skip("this file system has UTF-8 names alone")
    command = [sys.executable, "-m", "gigsheet", "read", str(odd), "-o", str(tmp_path / "out"), "--format", "json"]
    run = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "utf-8"})
    assert run.returncode == 1
    (reading,) = (tmp_path / "out").glob("*.json")
    for written in (run.stdout, reading.read_bytes()):
        assert json.loads(written.decode("utf-8"))["source"] == str(odd)


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
def test_a_name_with_a_line_break_stays_one_line(tmp_path: Path) -> None:
    (tmp_path / "a\nb.jpg").write_bytes(PHOTO.read_bytes())
    run = gigsheet("read", "--ruleset", "CR", tmp_path / "a\nb.jpg")
    assert run.stdout.startswith(f"{tmp_path}/a\\x0ab.jpg, page 1: ")


def test_an_empty_sheet_of_several_games_says_so(tmp_path: Path) -> None:
    sheet = tmp_path / "blank.pdf"
    assert gigsheet("blank", "--template", "match", "-o", sheet).returncode == 0
    run = gigsheet("read", sheet)
    assert run.returncode == 1
    assert "look: nothing written" in run.stdout
    assert "Nothing is written on it.    Look whether that is so." in run.stdout


def test_a_transcript_never_takes_the_place_of_another_s(tmp_path: Path) -> None:
    """A match sheet's first game is called as a single sheet's picture may be, in capitals or not."""
    single = SheetReading("Photo-Game1.jpg", games=(GameReading(1, CHOICE, CHOICE, ROWS, "single\n"),))
    match = SheetReading("photo.jpg", games=tuple(GameReading(k, CHOICE, CHOICE, ROWS, f"game {k}\n") for k in (1, 2)))
    names = FileNames()
    for reading in (match, single, match):
        for sheet, stem in _stems(ReadPage(None, (reading,)), names):
            for tail, game in _games(sheet).items():
                path = tmp_path / f"{stem}{tail}.txt".lower()
                assert not path.exists()
                path.write_text(game.transcript)
    assert len(list(tmp_path.iterdir())) == 5


def test_options_are_refused_before_anything_is_read() -> None:
    for wrong in ({"ruleset": "CR"}, {"risk": 2.0}, {"engine": "crystal-ball"}):
        with pytest.raises(UsageError, match=next(iter(wrong))):
            next(read(b"no picture", **wrong))


def test_a_long_name_stops_nothing(tmp_path: Path) -> None:
    long = tmp_path / f"{'ä' * 120}.jpg"
    long.write_bytes(PHOTO.read_bytes())
    run = gigsheet("read", long, PHOTO, "-o", tmp_path / "out")
    assert run.returncode == 1, run.stderr
    assert len(list((tmp_path / "out").glob("*.txt"))) == 2
