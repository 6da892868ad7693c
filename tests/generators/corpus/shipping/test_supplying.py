"""Vectors are made in processes of their own while others are judged."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from first_runs import PROGRAM, VERSIONS, Installation, until, write_package
from misbehaviour import harness

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import lock
from onnx_conformance.generators.corpus.shipping.installed import installed_corpus

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Corpus, Entry

# --- a package of two operator versions ---------------------------------------------------------


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_package(tmp_path_factory.mktemp("package"))


@pytest.fixture
def corpus(package: Path, tmp_path: Path) -> Corpus:
    cache = {"ONNX_CONFORMANCE_CACHE": str(tmp_path / "cache")}
    source = installed_corpus(io.StringIO(), package, cache)
    return open_corpus(source.root, source)


def place_of(entry: Entry) -> str:
    return relative_directory(entry.kind, entry.id)


def test_each_vector_can_be_read_as_soon_as_its_version_is_there(corpus: Corpus) -> None:
    entries = list(corpus.entries.values())
    with contextlib.closing(corpus.supply(entries)) as supply:
        supply.start()
        for entry in entries:
            until(lambda entry=entry: supply.is_there(entry.operator_version, place_of(entry)))  # type: ignore[misc]
            assert entry.id == load(entry).vector.id
        supply.wait()
    assert corpus.source is not None
    assert () == tuple(corpus.source.missing(VERSIONS))


def test_an_archive_that_is_cut_short_is_no_archive_until_it_is_made_again(corpus: Corpus) -> None:
    entries = list(corpus.entries.values())
    corpus.provide(entries)
    assert corpus.source is not None
    archive = corpus.source.archive(entries[0].operator_version)  # type: ignore[attr-defined]
    archive.write_bytes(archive.read_bytes()[:100])
    with contextlib.closing(corpus.supply(entries)) as supply:
        there = partial(supply.is_there, entries[0].operator_version, place_of(entries[0]))
        assert not there()
        supply.start()
        until(there)
        assert entries[0].id == load(entries[0]).vector.id


def test_a_supply_that_is_closed_leaves_no_process_and_nothing_half(
    corpus: Corpus, tmp_path: Path
) -> None:
    supply = corpus.supply(corpus.entries.values())
    supply.start()
    supply.close()
    left = {path.name for path in (tmp_path / "cache").iterdir()}
    assert set() == {name for name in left if not name.endswith(".tar.gz")}
    assert set() == makers()


def makers() -> set[int]:
    """The processes that make vectors, started by this one."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"shipping.maker" in (path / "cmdline").read_bytes():
                found.add(int(path.name))
    return found


def test_a_process_that_dies_is_said(corpus: Corpus) -> None:
    entries = list(corpus.entries.values())
    with contextlib.closing(corpus.supply(entries)) as supply:
        supply.start()
        until(lambda: bool(makers()))
        for number in makers():
            os.kill(number, signal.SIGKILL)
        with pytest.raises(BadInputError, match=r"reshape cannot be made: .* ended with -9"):
            supply.wait()
        with pytest.raises(BadInputError, match=r"reshape cannot be made"):
            supply.is_there("reshape-14", "valid/none")


def test_what_another_run_makes_is_waited_for_and_not_made_again(
    corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "cache").mkdir()
    other = os.open(tmp_path / "cache" / ".writing-reshape", os.O_RDWR | os.O_CREAT)
    assert lock(other)
    with contextlib.closing(corpus.supply(corpus.entries.values())) as supply:
        supply.start()
        entry = next(iter(corpus.entries.values()))
        assert not supply.is_there(entry.operator_version, place_of(entry))
        assert set() == makers()
        os.close(other)
        supply.wait()
        assert supply.is_there(entry.operator_version, place_of(entry))
    names = [path.name for path in (tmp_path / "cache").iterdir()]
    assert [] == [name for name in names if not name.endswith(".tar.gz")]


# --- a run --------------------------------------------------------------------------------------


@pytest.fixture
def installation(package: Path, tmp_path: Path) -> Installation:
    return Installation(package, tmp_path)


@pytest.mark.slow
def test_a_first_run_judges_as_one_does_whose_vectors_are_there(
    installation: Installation,
) -> None:
    first = installation.run("--jobs", "1")
    rows = installation.rows()
    assert VERSIONS == installation.whole()
    assert re.search(
        r"/cache: about 1 MB and 1 s with [0-9]+ process(es)?; this is done once", first[1]
    )
    again = installation.run("--jobs", "1", "--force")
    assert (first[0], rows) == (again[0], installation.rows())
    assert "this is done once" not in again[1]


@pytest.mark.slow
def test_two_first_runs_at_once_judge_the_same(package: Path, tmp_path: Path) -> None:
    both = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        both.append(Installation(package, tmp_path / name))
        both[-1].cache = tmp_path / "cache"
    processes = [item.start() for item in both]
    codes = [(process.communicate()[1], process.returncode)[1] for process in processes]
    assert 1 == len(set(codes))
    assert both[0].rows() == both[1].rows()
    assert VERSIONS == both[0].whole()


@pytest.mark.slow
def test_a_first_run_that_is_killed_is_resumed(installation: Installation) -> None:
    process = installation.start("--jobs", "1")
    until(lambda: installation.results.exists() and installation.results.stat().st_size > 0)
    process.kill()
    process.communicate()
    code, _ = installation.run("--resume")
    rows = installation.rows()
    assert (code, rows) == (installation.run("--force")[0], installation.rows())
    assert rows


def test_ctrl_c_ends_a_first_run_and_what_makes_vectors(installation: Installation) -> None:
    process = installation.start()
    until(lambda: installation.cache.exists() and bool(list(installation.cache.iterdir())))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert (130, True) == (process.returncode, "stopped: " in said)
    installation.whole()
    code, _ = installation.run("--resume")
    rows = installation.rows()
    assert (code, rows) == (installation.run("--force")[0], installation.rows())


def test_a_cache_without_room_ends_a_first_run_with_6(installation: Installation) -> None:
    # A limit on the size of files fails as a full disk does, with EFBIG, also for compiled modules.
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    command = "command:" + " ".join(harness("rejects_all"))
    process = subprocess.run(
        [
            *(sys.executable, "-c", limit + PROGRAM, str(installation.package)),
            *("run", "--backend", command, "--jobs", "1"),
        ],
        cwd=installation.home,
        # Python does not notice that a module's bytecode is cut short, and then loads it.
        env={
            **os.environ,
            "ONNX_CONFORMANCE_CACHE": str(installation.cache),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert 6 == process.returncode, process.stderr
    assert "cannot be written" in process.stderr.splitlines()[-1]
    assert set() == installation.whole()
