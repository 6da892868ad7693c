"""Runs on a real Dask cluster: the same rows and exit codes as on one machine."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from commands import VALIDATE, validate
from dask_processes import DaskProcesses, end, wait_until
from misbehaviour import CASES, harness
from runnable_corpus import runnable_corpus, shape_vector, write_manifest, write_vector

from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

MANY = [f"case_{number}" for number in range(60)]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Valid vectors, two invalid ones with a control, and one that was damaged since."""
    folder = runnable_corpus(tmp_path_factory.mktemp("corpus"), CASES)
    for case in ("wrong", "worse"):
        control = "shape-15/one/float32"
        vector = shape_vector(f"shape-15/{case}/float32", "invalid", control=control, outputs=())
        write_vector(folder, vector, [(1, 1)])
    write_manifest(folder)
    damaged = folder / "valid" / "shape-15" / "test_shape_15_four_float32" / "model.onnx"
    damaged.write_bytes(damaged.read_bytes() + b"\0")
    return folder


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runnable_corpus(tmp_path_factory.mktemp("many"), MANY)


def words(name: str, root: Path, results: Path, *more: str) -> tuple[str, ...]:
    backend = f"command:{shlex.join(harness(name))}"
    given = ("run", "--backend", backend, "--vectors", str(root), "--jobs", "1")
    return (*given, "--results", str(results), *more)


def rows(path: Path) -> dict[str, dict[str, Any]]:
    """The rows without what no two runs have in common: times, and who ran before."""
    found = {}
    for line in path.read_text().splitlines():
        document = json.loads(line)
        if document["record"] == "row":
            assert document["id"] not in found
            document.pop("seconds")
            document["details"].pop("incidents", None)
            found[document["id"]] = document
    return found


@pytest.mark.parametrize("name", ["exits", "rejects"])
def test_rows_and_exit_code_are_those_of_one_machine(
    name: str, cluster: DaskProcesses, root: Path, tmp_path: Path
) -> None:
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    alone = validate(*words(name, root, here))
    done = validate(*words(name, root, there, "--cluster", cluster.address))
    assert rows(here) == rows(there)
    assert alone.returncode == done.returncode
    assert read_results(here).missing == read_results(there).missing == ()


def test_worker_of_another_version_is_refused_before_the_first_vector(
    cluster: DaskProcesses, root: Path, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    given = words("as_its_environment_says", root, path, "--cluster", cluster.address)
    done = validate(*given)
    assert b"is refused: the run says that its 'version' is '1', this worker '2'" in done.stderr
    header = read_results(path).header
    assert (2, 1) == tuple(len(header.extra["cluster"][key]) for key in ("workers", "refused"))
    assert "1" == header.describe["version"]


def test_runtime_that_no_worker_has_is_4(
    cluster: DaskProcesses, root: Path, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    given = ("--backend", "python:no_such_runtime", "--vectors", root, "--results", path)
    done = validate("run", *given, "--cluster", cluster.address)
    assert 4 == done.returncode
    assert b"none of 3 workers can take part" in done.stderr
    assert b"No module named 'no_such_runtime'" in done.stderr
    assert not path.exists()


def test_no_scheduler_is_4(root: Path, tmp_path: Path) -> None:
    given = words("well_behaved", root, tmp_path / "r.jsonl", "--cluster", "127.0.0.1:1")
    done = validate(*given)
    assert (4, True) == (done.returncode, b"no Dask scheduler answers" in done.stderr)


def test_tls_without_certificates_is_4(root: Path, tmp_path: Path) -> None:
    address = ("--cluster", "tls://127.0.0.1:1")
    done = validate(*words("well_behaved", root, tmp_path / "r.jsonl", *address))
    assert (4, True) == (done.returncode, b"TLS needs certificates; set DASK_" in done.stderr)


def test_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    folder = runnable_corpus(tmp_path / "vectors", ["one"])
    (folder / "manifest.json").unlink()
    done = validate(*words("well_behaved", folder, tmp_path / "r", "--cluster", "local:1"))
    assert (3, True) == (done.returncode, b"has no manifest" in done.stderr)


def test_gate_reruns_and_reuse_are_as_on_one_machine(
    cluster: DaskProcesses, root: Path, tmp_path: Path
) -> None:
    path, baseline = tmp_path / "r.jsonl", tmp_path / "baseline.yaml"
    baseline.write_text("format: 1\nentries: []\n")
    given = words("rejects", root, path, "--cluster", cluster.address, "--baseline", str(baseline))
    done = validate(*given, "--rerun-failures", "1")
    assert 3 == done.returncode  # the damaged vector; what was rejected would be 1
    assert ["rejected"] == rows(path)["shape-15/bad/float32"]["details"]["reruns"]
    again = tmp_path / "again.jsonl"
    words_again = words("rejects", root, again, "--cluster", cluster.address, "--reuse", str(path))
    assert b"of 7 verdicts taken over" in validate(*words_again).stderr
    # What was run again to tell a flake, and what was damaged.
    assert {"bad", "four", "wrong", "worse"} == {
        row["case"] for row in rows(again).values() if "reused" not in row
    }


# --- interruptions --------------------------------------------------------------------------


def begun(given: tuple[str, ...]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen([*VALIDATE, *given], stdout=pipe, stderr=pipe)


def verdicts(path: Path) -> int:
    return path.read_bytes().count(b'{"record":"row"') if path.exists() else 0


def test_interrupted_run_is_continued(cluster: DaskProcesses, many: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    given = words("slow_but_in_time", many, path, "--cluster", cluster.address)
    process = begun(given)
    wait_until(lambda: verdicts(path) >= 2)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert 130 == process.returncode
    assert 2 <= verdicts(path)
    assert 0 == validate(*given, "--resume").returncode
    assert len(MANY) == len(rows(path))


@pytest.mark.endurance
@pytest.mark.slow
class TestWhatHappensToClusters:
    """With processes that are killed and stopped in the middle of a run, for minutes."""

    def ran(self, dask: DaskProcesses, many: Path, act: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401  a function
        dask.scheduler()
        workers = [dask.worker("--no-nanny", HARNESS_PAUSE="0.2") for _ in range(4)]
        dask.wait_for(4)
        path = dask.folder / "r.jsonl"
        process = begun(words("as_its_environment_says", many, path, "--cluster", dask.address))
        wait_until(lambda: verdicts(path) >= 4)
        act(workers)
        _, said = process.communicate(timeout=240)
        assert 0 == process.returncode, said
        return rows(path)

    @pytest.fixture
    def expected(self, many: Path, tmp_path: Path) -> dict[str, dict[str, Any]]:
        path = tmp_path / "one.jsonl"
        assert 0 == validate(*words("as_its_environment_says", many, path)).returncode
        return rows(path)

    def test_worker_that_is_killed(
        self, many: Path, tmp_path: Path, expected: dict[str, dict[str, Any]]
    ) -> None:
        with DaskProcesses(tmp_path) as dask:
            assert expected == self.ran(dask, many, lambda workers: end(workers[0]))

    def test_worker_that_is_stopped_and_goes_on(
        self, many: Path, tmp_path: Path, expected: dict[str, dict[str, Any]]
    ) -> None:
        def act(workers: list[subprocess.Popen[bytes]]) -> None:
            os.kill(workers[0].pid, signal.SIGSTOP)
            time.sleep(8)
            os.kill(workers[0].pid, signal.SIGCONT)

        with DaskProcesses(tmp_path) as dask:
            assert expected == self.ran(dask, many, act)

    def test_scheduler_that_is_gone_and_back(
        self, many: Path, tmp_path: Path, expected: dict[str, dict[str, Any]]
    ) -> None:
        with DaskProcesses(tmp_path) as dask:

            def act(_workers: object) -> None:
                end(dask.processes[0])
                time.sleep(2)
                dask.scheduler()
                for _ in range(2):
                    dask.worker("--no-nanny", HARNESS_PAUSE="0.2")

            assert expected == self.ran(dask, many, act)

    def test_workers_without_the_runtime_or_with_another_version_take_no_part(
        self, many: Path, tmp_path: Path, expected: dict[str, dict[str, Any]]
    ) -> None:
        with DaskProcesses(tmp_path) as dask:
            dask.scheduler()
            for version in ("1", "1", "none", "2"):
                dask.worker("--no-nanny", HARNESS_VERSION=version)
            dask.wait_for(4)
            path = tmp_path / "r.jsonl"
            done = validate(
                *words("as_its_environment_says", many, path, "--cluster", dask.address)
            )
        assert 0 == done.returncode, done.stderr
        assert b"says that its 'version' is '1', this worker '2'" in done.stderr
        assert b"No module named 'runtime'" in done.stderr
        cluster = read_results(path).header.extra["cluster"]
        assert (2, 2) == (len(cluster["workers"]), len(cluster["refused"]))
        assert expected == rows(path)

    def test_run_that_is_interrupted_and_continued_on_other_workers(
        self, many: Path, tmp_path: Path, expected: dict[str, dict[str, Any]]
    ) -> None:
        path = tmp_path / "r.jsonl"
        with DaskProcesses(tmp_path) as dask:
            dask.scheduler()
            first = [dask.worker("--no-nanny", HARNESS_PAUSE="0.2") for _ in range(4)]
            dask.wait_for(4)
            given = words("as_its_environment_says", many, path, "--cluster", dask.address)
            process = begun(given)
            wait_until(lambda: verdicts(path) >= 4)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
            assert 130 == process.returncode, said
            assert verdicts(path) < len(expected)
            for worker in first:
                end(worker)
            dask.worker("--no-nanny")
            assert 0 == validate(*given, "--resume").returncode
        assert expected == rows(path)

    def test_vector_that_kills_its_workers_is_blamed_alone(self, tmp_path: Path) -> None:
        folder = runnable_corpus(tmp_path / "vectors", CASES)
        with DaskProcesses(tmp_path) as dask:
            dask.scheduler()
            for _ in range(2):
                dask.worker("--nanny")
            dask.wait_for(2)
            path = tmp_path / "r.jsonl"
            done = validate(*words("kills_its_worker", folder, path, "--cluster", dask.address))
        assert 1 == done.returncode
        assert {"shape-15/bad/float32": "crashed"} == {
            item: row["verdict"] for item, row in rows(path).items() if row["verdict"] != "pass"
        }
        assert len(CASES) == len(rows(path))
