"""Services for the tests of this folder, which only run under `make test-services`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

collect_ignore_glob = [] if os.environ.get("GIGSHEET_SERVICES") else ["test_*.py"]

ROOT = Path(__file__).parents[2]


def as_postgres(*command: str | Path) -> None:
    """Runs a program of PostgreSQL's, which refuses root."""
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run([*user, *map(str, command)], check=True, stdout=subprocess.DEVNULL, cwd="/")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server of its own, reached through a socket in its folder; gives the URL without a database."""
    binaries = max(Path("/usr/lib/postgresql").glob("*/bin"))
    folder = Path("/tmp") / f"gigsheet-postgres-{os.getpid()}"  # a socket's path must be short
    folder.mkdir(mode=0o755)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    data = folder / "data"
    try:
        as_postgres(binaries / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
        options = f"-k {folder} -h ''"
        as_postgres(binaries / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        yield f"postgresql://postgres@/{{}}?host={folder}"
        as_postgres(binaries / "pg_ctl", "-D", data, "-w", "-m", "fast", "stop")
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def database(postgres: str, request: pytest.FixtureRequest) -> str:
    """The URL of an empty database."""
    import psycopg

    name = f"test_{abs(hash(request.node.nodeid)):x}"
    with psycopg.connect(postgres.format("postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return postgres.format(name)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler and two workers, as a user would start them; gives the address and the workers' processes."""
    dask = [sys.executable, "-m", "dask"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    where = tmp_path / "scheduler.json"
    scheduler = subprocess.Popen(
        [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(where)],
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    started = [scheduler]
    try:
        workers = [
            subprocess.Popen(
                [*dask, "worker", "--scheduler-file", str(where), "--no-nanny", "--no-dashboard", "--nthreads", "1",
                 "--local-directory", str(tmp_path / f"worker{k}")],
                env=environment,
                stderr=subprocess.DEVNULL,
            )
            for k in range(2)
        ]  # fmt: skip
        started += workers
        yield address(where), workers
    finally:
        for process in started:
            process.kill()
            process.wait()


def address(scheduler_file: Path) -> str:
    """The scheduler's address, once both workers are there."""
    from distributed import Client

    with Client(scheduler_file=str(scheduler_file), timeout=60, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        return str(client.scheduler.address)
