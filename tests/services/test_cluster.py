"""An import on a real Dask cluster of two workers."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gigsheet.batch.crew import ClusterCrew
from gigsheet.batch.intake import find
from gigsheet.batch.run import Import
from gigsheet.errors import UsageError
from gigsheet.pipeline import Options
from gigsheet.store import Store, queries
from tests.event.stack import scripted, write_stack

Cluster = tuple[str, list["subprocess.Popen[bytes]"]]
SAMPLES = Path(__file__).parents[2] / "samples"


def test_a_worker_killed_half_way_loses_nothing(tmp_path: Path, cluster: Cluster) -> None:
    address, workers = cluster
    write_stack(tmp_path / "photos", 40, sleep=0.1)
    done = threading.Event()

    def kill_one() -> None:
        while not done.is_set():
            with Store(tmp_path / "event", create=True) as store:
                if queries.counts(store).sheets >= 10:
                    workers[0].kill()
                    return
            time.sleep(0.05)

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        with Store(tmp_path / "event", create=True) as store, ClusterCrew(address) as crew:
            assert crew.workers == 2
            tally = Import(store, crew, Options(), "first", work=scripted).run(find([str(tmp_path / "photos")]))
            serials = [sheet.serial for sheet in queries.sheets(store)]
    finally:
        done.set()
        killer.join()
    assert workers[0].wait(5) != 0
    assert (tally.pages, tally.refused) == (40, 0)
    assert serials == [f"7F3K-{k:03}" for k in range(1, 41)]


def test_the_command_reads_real_sheets_there_as_it_does_here(tmp_path: Path, cluster: Cluster) -> None:
    address, _ = cluster
    shutil.copytree(SAMPLES, tmp_path / "samples")

    def read(event: str, *more: str) -> list[tuple[str, str]]:
        command = [sys.executable, "-m", "gigsheet", "import", "samples", "--event", event, *more]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert run.returncode in (0, 1), run.stderr
        with Store(tmp_path / event) as store:
            return [(g.sheet.source, g.transcript) for g in queries.results(store)]

    assert read("there", "--scheduler", address) == read("here")


def test_no_scheduler_is_one_line_with_the_remedy() -> None:
    with pytest.raises(UsageError, match="no Dask scheduler answers"):
        ClusterCrew("tcp://127.0.0.1:1")
