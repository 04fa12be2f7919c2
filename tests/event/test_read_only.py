"""An event that lies where one may only read: on a write-protected stick, say, or in another's folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gigsheet.errors import UsageError
from gigsheet.store import PageTurn, Store, database, queries
from gigsheet.store.scans import ScanFile
from tests.event.stack import REFERENCE, game_of, sheet

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
SAMPLE = Path(__file__).parents[2] / "samples" / "angle" / "photo.jpg"
READER = ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override"] if ROOT else []
"""What a command begins with so that it heeds the rights of files, as root does not."""
NO_READER = "there is no setpriv here" if ROOT and not shutil.which("setpriv") else ""
MAY_NOT_WRITE = "you may not write there: ask for the right to, or use a copy of the folder\n"


@pytest.fixture
def event(tmp_path: Path) -> Iterator[Path]:
    """An event with a doubtful row, closed as every command leaves it."""
    folder = tmp_path / "event"
    with Store(folder, create=True) as store:
        scan_id = store.add_scan(ScanFile("0" * 64, ".jpg", 1, "a.jpg", Path("x")), 1)
        reading = sheet("7F3K-01", game_of(REFERENCE, doubt={3: "B4 -B1"}), source="a.jpg")
        store.save_page(scan_id, PageTurn(1), "first", [reading])
    yield folder
    folder.chmod(0o755)


def gigsheet(command: str, event: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A command of somebody who may read the event and not write to it."""
    for path in (*event.iterdir(), event):
        path.chmod(0o555 if path.is_dir() else 0o444)
    line = [*READER, sys.executable, "-m", "gigsheet", command, "--event", str(event), *map(str, arguments)]
    return subprocess.run(line, input="2\n", capture_output=True, text=True, timeout=60)


@pytest.mark.skipif(bool(NO_READER), reason=NO_READER)
def test_status_and_export_only_read(event: Path, tmp_path: Path) -> None:
    status = gigsheet("status", event)
    assert (status.returncode, status.stderr) == (1, "")
    assert status.stdout.startswith("1 sheet in 1 scan: 0 sure, 1 flagged")
    export = gigsheet("export", event, "-o", tmp_path / "out")
    assert (export.returncode, export.stderr) == (1, "gigsheet: 1 entry still to settle\n")
    assert (tmp_path / "out" / "transcripts" / "7F3K-01.txt").exists()
    assert [path.name for path in event.iterdir()] == ["gigsheet.db"]


@pytest.mark.skipif(bool(NO_READER), reason=NO_READER)
def test_an_event_by_an_earlier_version_says_why_it_must_be_written_to(event: Path) -> None:
    with contextlib.closing(sqlite3.connect(event / "gigsheet.db")) as earlier, earlier:
        earlier.execute("DROP TABLE event")
        earlier.execute("DELETE FROM schema_migration WHERE number = 5")
    run = gigsheet("status", event)
    assert (run.returncode, run.stdout) == (2, "")
    said = "an earlier Gigsheet made this event, and it must be brought up to date once before it is read"
    assert run.stderr == f"gigsheet: {said}; {MAY_NOT_WRITE}"


@pytest.mark.skipif(bool(NO_READER), reason=NO_READER)
@pytest.mark.parametrize("arguments", [["settle"], ["withdraw", "a.jpg"], ["import", SAMPLE]])
def test_what_is_to_be_kept_is_refused_before_it_is_asked_for(event: Path, arguments: list[str]) -> None:
    command, *names = arguments
    run = gigsheet(command, event, *names)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"gigsheet: the store {event / 'gigsheet.db'} cannot be used: attempt to write")
    assert run.stderr.endswith(MAY_NOT_WRITE)
    assert run.stderr.count("\n") == 1


@pytest.mark.skipif(bool(NO_READER), reason=NO_READER)
def test_scans_that_may_not_be_kept_are_refused_for_the_right_reason(event: Path, tmp_path: Path) -> None:
    """Where the database lies elsewhere, only the folder of the scans is closed."""
    (event / "gigsheet.db").rename(tmp_path / "store.db")
    tmp_path.chmod(0o777)
    run = gigsheet("import", event, SAMPLE, "--database", f"sqlite:///{tmp_path / 'store.db'}")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"gigsheet: {SAMPLE} cannot be copied into {event / 'scans'} (Permission denied): ")
    assert run.stderr.endswith(MAY_NOT_WRITE)


@pytest.mark.skipif(bool(NO_READER), reason=NO_READER)
def test_what_another_writes_meanwhile_is_read_too(event: Path) -> None:
    with sqlite3.connect(event / "gigsheet.db") as writer:
        writer.execute("INSERT INTO printed VALUES ('7F3K-77', '', '', '', '', '', '')")
        writer.commit()  # it stands in the log alone
        assert "7F3K-77" in gigsheet("status", event).stdout
        # Of a log that a killed import left, and that lost its index in a copy, nothing can be read without writing.
        log = (event / "gigsheet.db-wal").read_bytes()
        event.chmod(0o755)
    writer.close()
    (event / "gigsheet.db-wal").write_bytes(log)
    run = gigsheet("status", event)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.endswith(MAY_NOT_WRITE)


def test_a_store_that_changes_under_its_reader_is_refused(event: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_may_write", lambda file: False)
    with Store(event) as store:
        assert queries.counts(store).open == 1
        with sqlite3.connect(event / "gigsheet.db") as writer:
            writer.execute("DELETE FROM entry_row")
        writer.close()
        with pytest.raises(UsageError, match="was written to while it was read: start the command again"):
            queries.counts(store)
