"""Operators that the workers of a real Dask cluster measure: what one process finds of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from dask_processes import DaskProcesses, foreign_packages, wait_until
from generated import generated
from places import ROOT
from strength.records.allowances import allowances, write_allowances
from strength.records.history import read_history, write_history
from strength.records.record import read_record, write_record
from strength.renewing import renewal as renewing
from strength.renewing.clustered import OnCluster
from strength.renewing.renewal import Renewal, renew
from strength.renewing.seconds import FILE, Seconds

from onnx_conformance.core.cluster.addresses import parse_address
from onnx_conformance.core.cluster.options import Where

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two operators of few mutants."""
    return generated(tmp_path_factory, "not_and_size", "not-1/*", "size-25/*")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    """A worker like this machine, and one that has another package."""
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("dask")
    packages = str(foreign_packages(folder))
    with DaskProcesses(folder) as found:
        found.scheduler()
        for variables in ({}, {"PYTHONPATH": packages}):
            found.worker("--no-nanny", **variables)
        found.wait_for(2)
        yield found


def run(vectors: Path, found: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "strength", "run", "--operator", "Not", "--operator", "Size"]
    command += ["--samples", "50", "--jobs", "1", "--vectors", str(vectors), "--json", str(found)]
    return subprocess.run([*command, *words], cwd=ROOT, check=False, capture_output=True)


def statuses(path: Path) -> list[tuple[str, str, str]]:
    """What became of each mutant; of the vectors that kill it any may be the first."""
    measured = json.loads(path.read_text())
    return [
        (item["operator"], it["name"], it["status"]) for item in measured for it in item["mutants"]
    ]


@pytest.mark.slow
def test_findings_are_those_of_one_process_and_another_worker_is_refused(
    cluster: DaskProcesses, vectors: Path, tmp_path: Path
) -> None:
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    assert 0 == run(vectors, here).returncode
    done = run(vectors, there, "--cluster", cluster.address)
    assert 0 == done.returncode, done.stderr
    assert b"is refused: has other packages than this machine" in done.stderr
    assert statuses(here) == statuses(there)


@pytest.mark.slow
def test_operator_that_cannot_be_measured_is_4_and_says_why(
    cluster: DaskProcesses, vectors: Path, tmp_path: Path
) -> None:
    words = ("--operator", "Abs", "--cluster", cluster.address)
    done = run(vectors, tmp_path / "found.json", *words)
    assert (4, True) == (done.returncode, b"has no vector of Abs" in done.stderr), done.stderr


def own_files(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Have a renewal read and write records of its own."""
    history, record = folder / "history.json", folder / "record.json"
    allowed = folder / "allowances.yaml"
    allowed.write_text("")
    patch.setattr(renewing, "read_history", lambda: read_history(history))
    patch.setattr(renewing, "write_history", lambda found: write_history(found, history))
    patch.setattr(renewing, "read_record", lambda: read_record(record))
    patch.setattr(renewing, "write_record", lambda lines: write_record(lines, record))
    patch.setattr(renewing, "allowances", lambda: allowances(allowed))
    patch.setattr(renewing, "write_allowances", lambda found: write_allowances(found, allowed))


def renewed(vectors: Path, folder: Path, workers: Any) -> dict[str, str]:  # noqa: ANN401  jobs
    """What a renewal from nothing writes, and one more that knows it."""
    with pytest.MonkeyPatch.context() as patch:
        own_files(folder, patch)
        renewal = Renewal(vectors, None, folder / "details", 50, 95.0)
        assert 0 == renew(renewal, workers, folder / "strength.md")
        again = replace(renewal, details=folder / "again")
        assert 0 == renew(again, workers, folder / "strength.md", everything=True)
    there = ("history.json", "details/not.txt", "again/size.txt")
    assert [] == [name for name in there if not (folder / name).is_file()]
    return {name: (folder / name).read_text() for name in ("record.json", "strength.md")}


@pytest.mark.slow
def test_record_and_page_are_those_of_one_machine(
    cluster: DaskProcesses, vectors: Path, tmp_path: Path
) -> None:
    folders = [tmp_path / "here", tmp_path / "there"]
    for folder in folders:
        folder.mkdir()
    elsewhere = OnCluster(Where(parse_address(cluster.address), 60.0, lambda _text: None))
    expected = renewed(vectors, folders[0], 2)
    assert expected == renewed(vectors, folders[1], elsewhere)
    assert {"Not", "Size"} == json.loads((folders[1] / "details" / FILE).read_text()).keys()


# --- which goes out first ---


def test_operator_that_took_longer_goes_out_before_one_with_more_vectors(tmp_path: Path) -> None:
    seconds = Seconds(tmp_path / FILE)
    seconds.add("Many", 2.0)
    seconds.add("Slow", 9.0)
    again = Seconds(tmp_path / FILE)
    works = {"Many": (False, 900), "Slow": (False, 10), "Similar": (False, 1000)}
    ordered = sorted(works, key=lambda name: again.expected(name, works), reverse=True)
    assert ["Similar", "Slow", "Many"] == ordered


def test_operator_of_which_nothing_is_known_goes_out_first(tmp_path: Path) -> None:
    works = {"Known": (False, 900), "New": (True, 0)}
    seconds = Seconds(tmp_path / FILE)
    assert ["New", "Known"] == sorted(
        works, key=lambda name: seconds.expected(name, works), reverse=True
    )


def test_file_that_is_none_says_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[1, 2")
    seconds = Seconds(tmp_path / FILE)
    assert (False, 7.0) == seconds.expected("Not", {"Not": (False, 7)})


@pytest.mark.slow
@pytest.mark.endurance
def test_worker_that_is_killed_costs_its_operator_a_second_try(
    vectors: Path, tmp_path: Path
) -> None:
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    assert 0 == run(vectors, here).returncode
    with DaskProcesses(tmp_path) as dask:
        dask.scheduler()
        first = dask.worker("--no-nanny")
        dask.wait_for(1)
        command = [sys.executable, "-m", "strength", "run", "--operator", "Not", "--operator"]
        command += ["Size", "--samples", "50", "--vectors", str(vectors), "--json", str(there)]
        process = subprocess.Popen([*command, "--cluster", dask.address], cwd=ROOT)
        wait_until(lambda: programs_of(first.pid) != [])
        program = programs_of(first.pid)[0]
        os.kill(first.pid, signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{program}").exists())
        dask.worker("--no-nanny")
        assert 0 == process.wait(120)
    assert statuses(here) == statuses(there)


def programs_of(pid: int) -> list[str]:
    """The processes that a process started, but for those of Dask itself."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    found = [child for path in children for child in path.read_text().split()]
    return [it for it in found if b"answering" in Path(f"/proc/{it}/cmdline").read_bytes()]
