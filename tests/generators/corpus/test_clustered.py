"""Vectors made by the workers of a real Dask cluster are those made here, byte for byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from dask_processes import DaskProcesses, foreign_packages
from places import ROOT, SPECS

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = Path(sys.executable).with_name("onnx-vectors")
CHOSEN = ("size-13/*", "shape-15/clip_start/*", "abs-13/example/*")
HEAD = (SPECS / "size.yaml").read_text("utf-8").partition("\nrequirements:")[0]
SIZE = f"""{HEAD}
requirements:
  - id: counts-elements
    text: The output is the number of elements.
    source: {{document: Size-13, part: Summary}}

cases:
  - id: odd
    covers: [counts-elements]
    inputs: {{data: [3, 5]}}
    outputs: {{size: 15}}
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    """Two workers like this machine, and one that has another package."""
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("dask")
    packages = str(foreign_packages(folder))
    with DaskProcesses(folder) as found:
        found.scheduler()
        for variables in ({}, {}, {"PYTHONPATH": packages}):
            found.worker("--no-nanny", **variables)
        found.wait_for(3)
        yield found


def generate(*words: object) -> subprocess.CompletedProcess[bytes]:
    command = [COMMAND, "generate", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True)


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_vectors_of_a_cluster_are_the_same_and_another_worker_is_refused(
    dask: DaskProcesses, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    assert 0 == generate("--output", here, *CHOSEN).returncode
    done = generate("--output", there, "--cluster", dask.address, *CHOSEN)
    assert 0 == done.returncode, done.stderr
    assert b"is refused: has other packages than this machine" in done.stderr
    assert files(here) == files(there)
    assert len(files(there)) > len(CHOSEN)


def size_specs(folder: Path, spec: str = SIZE) -> Path:
    """The real facts and types, with a spec of Size that has one case."""
    folder.mkdir()
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        (folder / name).write_bytes((SPECS / name).read_bytes())
    (folder / "size.yaml").write_text(spec, "utf-8")
    return folder


def test_fault_of_a_spec_is_the_error_that_it_is_here(dask: DaskProcesses, tmp_path: Path) -> None:
    specs = size_specs(tmp_path / "specs", SIZE.replace("size: 15", "size: 16"))
    words = ("--specs", specs, "--profile", "full", "--output", tmp_path / "out")
    here = generate(*words)
    there = generate(*words, "--cluster", dask.address)
    assert (3, 3) == (here.returncode, there.returncode)
    assert here.stderr.splitlines()[-1] == there.stderr.splitlines()[-1]


def test_what_workers_made_is_kept_and_not_made_again(dask: DaskProcesses, tmp_path: Path) -> None:
    specs = size_specs(tmp_path / "specs")
    words = ("--specs", specs, "--profile", "full", "--kept", tmp_path / "kept", "--output")
    made = generate(*words, tmp_path / "one", "--cluster", dask.address)
    assert (0, True) == (made.returncode, b"made again: 1 of 1" in made.stdout), made.stderr
    again = generate(*words, tmp_path / "two")
    assert (0, True) == (again.returncode, b"made again: 0 of 1" in again.stdout), again.stderr
    assert files(tmp_path / "one").keys() == files(tmp_path / "two").keys()


def test_release_is_not_made_on_a_cluster(tmp_path: Path) -> None:
    done = generate("--archive", tmp_path / "release", "--cluster", "local:2")
    assert 2 == done.returncode
    assert b"without --cluster" in done.stderr
