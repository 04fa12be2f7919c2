"""The commands as a user has them, on real pictures of sheets."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest

from gigsheet.errors import UsageError
from gigsheet.store import Store, queries

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"


def gigsheet(
    *arguments: str | Path, cwd: Path, text: str = "", encoding: str | None = None, source: Path | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gigsheet", *map(str, arguments)]
    environment = os.environ | ({"PYTHONIOENCODING": encoding} if encoding else {})
    environment |= {"PYTHONPATH": str(source)} if source else {}
    return subprocess.run(command, cwd=cwd, input=text, capture_output=True, text=True, timeout=120, env=environment)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two photographed sheets, one of them twice, and a file that is no picture; a list of printed sheets."""
    folder = tmp_path_factory.mktemp("stack")
    photos = folder / "photos"
    photos.mkdir()
    for name in ("angle", "upside-down"):
        shutil.copy(SAMPLES / name / "photo.jpg", photos / f"{name}.jpg")
    shutil.copy(SAMPLES / "angle" / "photo.jpg", photos / "zz-again.jpg")
    (photos / "broken.jpg").write_text("this is no picture")
    (folder / "printed.csv").write_text(
        "serial,event,round,table,we,they\n7F3K-02,Open,1,4,Ana,Bo\n7F3K-77,Open,1,4,Bo,Ana\n"
    )
    return folder


def test_a_stack_from_import_to_export(stack: Path) -> None:
    run = gigsheet("import", "photos", "nowhere.jpg", "--event", "event", cwd=stack)
    assert run.returncode == 2
    assert "gigsheet: photos/broken.jpg: this is no picture" in run.stderr
    assert "gigsheet: nowhere.jpg: no such file" in run.stderr
    assert run.stdout.startswith("3 sheets: ")
    again = gigsheet("import", "photos", "--event", "event", cwd=stack)
    assert "3 pages in the store already" in again.stdout
    assert again.returncode == 2

    assert (
        gigsheet("expect", "printed.csv", "--event", "event", cwd=stack).stdout == "2 printed sheets, 2 of them new\n"
    )
    status = gigsheet("status", "--event", "event", cwd=stack)
    assert status.returncode == 2
    assert "round 1, table 4: 7F3K-02 came, 7F3K-77 did not" in status.stdout
    assert "7F3K-77, round 1, table 4, Bo (against Ana)" in status.stdout

    with Store(stack / "event") as store:
        opened = queries.counts(store).open
    settled = gigsheet("settle", "--event", "event", cwd=stack, text="help\n99\n" + "\n" * (opened + 9))
    assert settled.returncode == 0, settled.stdout
    assert f"{opened} settled, 0 still open" in settled.stdout
    undone = gigsheet("settle", "--event", "event", cwd=stack, text="u\nq\n")
    assert undone.returncode == 1
    assert "1 still open" in undone.stdout
    assert gigsheet("settle", "--event", "event", cwd=stack, text="\n").returncode == 0
    exported = gigsheet("export", "--event", "event", "-o", "out", cwd=stack)
    assert exported.returncode == 2
    assert "1 page could not be read" in exported.stderr
    assert sorted(p.name for p in (stack / "out" / "transcripts").iterdir()) == ["7F3K-02.txt", "7F3K-03.txt"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["import", "--event", "new"], "name files or folders to import"),
        (["import", "--reread", "all", "--event", "nowhere"], "holds no event"),
        (["import", "--watch", "--reread", "all", "--event", "nowhere"], "--watch takes in what arrives in a folder"),
        (["import", "photos", "--scheduler", "tcp://x:1", "--workers", "2", "--event", "new"], "give one of them"),
        (["import", "photos", "--event", "printed.csv"], "the folder printed.csv cannot be made"),
        (["import", "photos", "--event", "new", "--database", "mysql://host/x"], "SQLite or PostgreSQL"),
        (["import", "photos", "--event", "new", "--database", "sqlite:///x.db?foo=bar"], "no option foo"),
        (["status", "--event", "nowhere"], "holds no event"),
        (["export", "--event", "nowhere"], "holds no event"),
        (["settle", "--event", "nowhere"], "holds no event"),
        (["expect", "nowhere.csv", "--event", "new"], "name the list that `gigsheet blank --printed` wrote"),
    ],
)
def test_bad_usage_is_one_line_with_the_remedy(
    stack: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from gigsheet.cli import main

    monkeypatch.chdir(stack)
    monkeypatch.setattr(sys, "argv", ["gigsheet", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    captured = capsys.readouterr()
    assert ended.value.code == 2
    assert said in captured.err
    assert captured.err.count("\n") == 1
    assert not (stack / "nowhere").exists()


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is a signal of POSIX")
def test_whoever_watches_what_is_not_there_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gigsheet", "import", "inbx", "*.jpg", "--event", "event", "--watch"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline() == "watching inbx, *.jpg; Ctrl-C ends it\n"
    assert process.stderr.readline() == "inbx is not there yet: what comes under that name will be taken in\n"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is a signal of POSIX")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_watched_folder_is_taken_in_until_it_is_stopped(stack: Path, tmp_path: Path, stop: signal.Signals) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    command = [sys.executable, "-m", "gigsheet", "import", "inbox", "--event", "event", "--watch", "--workers", "1"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    shutil.copy(SAMPLES / "angle" / "photo.jpg", inbox / "late.jpg")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not sheets(tmp_path / "event"):
        time.sleep(0.2)
    process.send_signal(stop)
    out, err = process.communicate(timeout=60)
    assert out.startswith("1 sheet: ")
    assert err.strip() == "watching inbox; Ctrl-C ends it", "no traceback, and no process complains of another's end"
    assert process.returncode in (0, 1)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is a signal of POSIX")
@pytest.mark.parametrize("early", [False, True])
def test_ctrl_c_twice_ends_an_import_in_one_line(stack: Path, tmp_path: Path, early: bool) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    photo = (SAMPLES / "angle" / "photo.jpg").read_bytes()
    for k in range(40):
        (photos / f"{k}.jpg").write_bytes(photo + bytes([k]))  # bytes after the picture make it another scan
    command = [sys.executable, "-m", "gigsheet", "import", "photos", "--event", "event"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not ((tmp_path / "event").exists() if early else sheets(tmp_path / "event")):
        time.sleep(0.01)
    for _ in range(2):  # as a terminal does: to the workers as well
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.02)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("gigsheet: ")
    if not early:  # what was taken in and not read is told, also to whom looks later
        for command in ("status", "export"):
            later = gigsheet(command, "--event", "event", cwd=tmp_path)
            assert later.returncode == 1
            assert "not read yet: start the import again" in later.stdout + later.stderr


def sheets(event: Path) -> int:
    try:
        with Store(event) as store:
            return queries.counts(store).sheets
    except UsageError:  # the event is not there yet, or just being made
        return 0


@pytest.mark.parametrize("harm", ["damaged", "missing"])
def test_weights_that_cannot_be_used_stop_an_import_until_they_are_whole(
    stack: Path, tmp_path: Path, harm: str
) -> None:
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    shutil.copytree(ROOT / "src" / "gigsheet", tmp_path / "src" / "gigsheet")
    weights = tmp_path / "src" / "gigsheet" / "recognise" / "model" / "second.onnx"
    whole = weights.read_bytes()
    if harm == "missing":
        weights.unlink()
    else:
        weights.write_bytes(whole[:1000])
    arguments = ["import", stack / "photos", "--event", "event", "--workers", "1"]
    run = gigsheet(*arguments, cwd=tmp_path, source=tmp_path / "src")
    assert run.returncode == 2
    assert (run.stdout, run.stderr) == ("", f"gigsheet: second.onnx is {harm}; install gigsheet anew\n")
    weights.write_bytes(whole)
    again = gigsheet(*arguments, cwd=tmp_path, source=tmp_path / "src")
    assert again.stdout.startswith("3 sheets: ")
    assert "in the store already" not in again.stdout


def test_a_mistyped_name_makes_no_event(tmp_path: Path) -> None:
    run = gigsheet("import", "photso", "*.jpg", "--event", "event", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.startswith("gigsheet: photso: no such file; check its name; *.jpg: nothing matches this pattern")
    assert run.stderr.count("\n") == 1
    assert not (tmp_path / "event").exists()


def test_a_page_that_is_refused_is_called_as_withdraw_takes_it(tmp_path: Path) -> None:
    told = []
    for content in (b"%PDF-1.7 cut off", b"this is no picture"):
        (tmp_path / "scan.pdf").write_bytes(content)
        told.append(gigsheet("import", "scan.pdf", "--event", "event", "--workers", "1", cwd=tmp_path).stderr)
    assert told[0].startswith("gigsheet: scan.pdf: "), "no other scan had its name"
    assert told[1].startswith(f"gigsheet: scan.pdf #{sha256(content).hexdigest()[:8]}: this is no picture")
    name = told[1].split(": ")[1]
    (kept,) = (tmp_path / "event" / "scans").rglob(f"{sha256(content).hexdigest()}*")
    kept.unlink()
    again = gigsheet("import", "--reread", "all", "--event", "event", "--workers", "1", cwd=tmp_path)
    assert f"gigsheet: {name}: its scan in the event's folder is gone or damaged" in again.stderr
    assert gigsheet("withdraw", name, "--event", "event", cwd=tmp_path).stdout == f"{name}: withdrawn, 1 sheet\n"


def test_names_that_are_not_utf8_go_from_import_to_export(tmp_path: Path) -> None:
    picture, event = os.fsdecode(b"p\xff.jpg"), os.fsdecode(b"ev\xff")
    try:
        (tmp_path / picture).write_text("this is no picture")
    except OSError:
        pytest.skip("this file system has UTF-8 names alone")
    for arguments in (["import", picture], ["status"], ["export"], ["withdraw", r"p\xff.jpg"]):
        run = gigsheet(*arguments, "--event", event, cwd=tmp_path, encoding="utf-8")
        assert run.returncode == (0 if arguments[0] == "withdraw" else 2)
        assert r"p\xff.jpg" in run.stdout + run.stderr or r"ev\udcff" in run.stdout
        assert "Traceback" not in run.stderr
    author = ["--author", os.fsdecode(b"\xff")]
    typed = gigsheet("withdraw", r"p\xff.jpg", "--back", *author, "--event", event, cwd=tmp_path)
    assert typed.returncode == 2
    assert typed.stderr == "gigsheet: what was typed is not UTF-8 ('\\udcff'); type it in UTF-8\n"
