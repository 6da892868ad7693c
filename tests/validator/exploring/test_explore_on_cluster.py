"""Explorations on a real Dask cluster: the same calls and causes as in one process."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from commands import VALIDATE, validate
from dask_processes import DaskProcesses, end, wait_until
from misbehaviour import harness
from places import VECTORS

from onnx_conformance.core.errors import ExitCode
from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

INFINITIES, KILLS = "wrong_neg_of_infinity", "neg_that_kills_its_worker"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    """A scheduler and two workers."""
    pytest.importorskip("distributed")
    with DaskProcesses(tmp_path_factory.mktemp("dask")) as found:
        found.scheduler()
        for _ in range(2):
            found.worker("--no-nanny")
        found.wait_for(2)
        yield found


def words(name: str, results: Path, *more: object) -> list[str]:
    # The harness needs NumPy, so that it cannot do without `site`.
    command = " ".join(f"'{word}'" for word in harness(name) if word != "-S")
    given = ["explore", "--backend", f"command:{command}", "--vectors", VECTORS / "standard"]
    given += ["--operator", "Neg", "--seed", "7", "--jobs", 1, "--makers", 1, "--results", results]
    return [str(word) for word in (*given, *more)]


def found(path: Path) -> list[dict[str, Any]]:
    """What a results file says, without times, and without who ran before whom."""
    said = []
    for line in path.read_text().splitlines()[1:]:
        document = json.loads(line)
        if document["record"] == "row":
            document.pop("seconds")
            document["details"].pop("incidents", None)
        else:
            document = document["explored"]
            for operator in document["operators"].values():
                operator.pop("seconds")
        said.append(document)
    return said


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What one process finds."""
    path = tmp_path_factory.mktemp("here") / "results.jsonl"
    assert ExitCode.OK == validate(*words(INFINITIES, path, "--count", 60)).returncode
    return found(path)


def test_the_same_seed_and_count_find_what_one_process_finds(
    cluster: DaskProcesses, here: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "there.jsonl"
    given = words(INFINITIES, path, "--count", 60, "--cluster", cluster.address)
    done = validate(*given)
    assert (ExitCode.OK, here) == (done.returncode, found(path)), done.stderr
    assert 2 == len(read_results(path).header.extra["cluster"]["workers"])


def test_runtime_that_no_worker_has_is_4(cluster: DaskProcesses) -> None:
    given = ("--backend", "python:no_such_runtime", "--count", 5, "--cluster", cluster.address)
    done = validate("explore", *map(str, given), "--vectors", str(VECTORS / "standard"))
    assert ExitCode.BACKEND_UNUSABLE == done.returncode
    assert b"No module named 'no_such_runtime'" in done.stderr


def test_no_scheduler_is_4(tmp_path: Path) -> None:
    given = words(INFINITIES, tmp_path / "r.jsonl", "--count", 5, "--cluster", "127.0.0.1:1")
    done = validate(*given)
    assert ExitCode.BACKEND_UNUSABLE == done.returncode
    assert b"no Dask scheduler answers" in done.stderr


def test_ctrl_c_keeps_what_was_found(cluster: DaskProcesses, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    given = words(INFINITIES, path, "--count", 100_000, "--cluster", cluster.address)
    # On a terminal it says a few times a second how many failures there are.
    terminal, far_end = pty.openpty()
    process = subprocess.Popen([*VALIDATE, *given], stdout=subprocess.DEVNULL, stderr=far_end)
    os.close(far_end)
    said = b""
    while not re.search(rb", [1-9]\d* failures", said):
        said += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    os.close(terminal)
    assert 128 + signal.SIGINT == process.returncode
    assert found(path)[-1]["causes"]


@pytest.mark.endurance
class TestWorkersThatEnd:
    """With workers that are killed, for minutes."""

    def test_worker_that_is_killed_changes_nothing(
        self, here: list[dict[str, Any]], tmp_path: Path
    ) -> None:
        with DaskProcesses(tmp_path) as dask:
            dask.scheduler()
            workers = [dask.worker("--no-nanny") for _ in range(3)]
            dask.wait_for(3)
            path = tmp_path / "r.jsonl"
            given = words(INFINITIES, path, "--count", 60, "--cluster", dask.address)
            pipe = subprocess.PIPE
            process = subprocess.Popen([*VALIDATE, *given], stdout=pipe, stderr=pipe)
            log = tmp_path / "dask.log"
            wait_until(lambda: b"Starting established connection" in log.read_bytes())
            end(workers[0])
            _, said = process.communicate(timeout=240)
        assert (ExitCode.OK, here) == (process.returncode, found(path)), said

    def test_call_that_kills_its_workers_is_blamed_alone(self, tmp_path: Path) -> None:
        with DaskProcesses(tmp_path) as dask:
            dask.scheduler()
            for _ in range(2):
                dask.worker("--nanny")
            dask.wait_for(2)
            path = tmp_path / "r.jsonl"
            given = words(KILLS, path, "--count", 16, "--cluster", dask.address)
            done = validate(*given)
        assert ExitCode.OK == done.returncode, done.stderr
        verdicts = found(path)[-1]["operators"]["neg"]["verdicts"]
        assert {"pass", "crashed"} == set(verdicts)
