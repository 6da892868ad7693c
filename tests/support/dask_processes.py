"""A Dask cluster as people have it: scheduler and workers started by Dask's own commands."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

DASK = Path(sys.executable).with_name("dask")
# A worker that is silent is given up soon, and what kills one worker may kill another one, once.
_SETTINGS = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}


def foreign_packages(folder: Path) -> Path:
    """A folder for PYTHONPATH with a package that no other machine has."""
    package = folder / "packages" / "made_up-1.0.dist-info"
    package.mkdir(parents=True)
    words = "Metadata-Version: 2.1\nName: made-up\nVersion: 1.0\n"
    (package / "METADATA").write_text(words, "utf-8")
    return package.parent


class DaskProcesses:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        """Nothing runs yet; files go to this folder."""
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._port = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            end(process)

    @property
    def address(self) -> str:
        """Of the scheduler, as `--cluster` takes it."""
        return str(json.loads(self.file.read_text())["address"])

    def scheduler(self) -> subprocess.Popen[bytes]:
        """Start the scheduler, at the port that an earlier one had."""
        self.file.unlink(missing_ok=True)
        words = ["scheduler", "--host", "127.0.0.1", "--port", str(self._port)]
        process = self._start([*words, "--scheduler-file", str(self.file), "--no-dashboard"])
        wait_until(self.file.exists)
        wait_until(lambda: self.file.stat().st_size > 0)
        self._port = int(self.address.rpartition(":")[2])
        return process

    def worker(self, *words: str, **variables: str) -> subprocess.Popen[bytes]:
        """Start a worker of one thread."""
        given = ["worker", self.address, "--nthreads", "1", "--no-dashboard", *words]
        given += ["--local-directory", str(self.folder), "--host", "127.0.0.1"]
        return self._start(given, **variables)

    def wait_for(self, workers: int) -> None:
        """Wait until so many workers have joined."""
        log = self.folder / "dask.log"
        wait_until(lambda: log.read_bytes().count(b"Starting worker compute stream") >= workers)

    def _start(self, words: Sequence[str], **variables: str) -> subprocess.Popen[bytes]:
        with (self.folder / "dask.log").open("ab") as log:
            process = subprocess.Popen(
                [str(DASK), *words],
                env={**os.environ, **_SETTINGS, **variables},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started, also one that was stopped."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until a condition holds; AssertionError if it does not."""
    latest = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < latest, "waited in vain"
        time.sleep(0.02)
