"""A writer that dies in the middle of one archive of the cache leaves all of it, or nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from endurance import rounds
from first_runs import VERSIONS, Installation, write_package

from onnx_conformance.core.corpus.abandoned import TEMPORARY
from onnx_conformance.core.corpus.cache import is_whole

if TYPE_CHECKING:
    from pathlib import Path

# Puts an operator version into the cache, as a process that makes vectors does. The system ends it
# with a signal that cannot be answered as soon as the file has so many bytes.
PUT = """
import resource, signal, sys
from pathlib import Path
from onnx_conformance.core.corpus.cache import put
from onnx_conformance.generators.corpus.making import build_all, plan_corpus
from onnx_conformance.generators.corpus.shipping.source import PublishedVectors
package, cache, name, most = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
source = PublishedVectors(package / "published", cache, sys.stderr, package / "specs", 1)
corpus = plan_corpus(source.specs, source.lock.manifest["profile"], (f"{name}/*",), ("reshape",))
made = {built.vector.id: built.files for built in build_all(corpus)}
listed = source.lock.version(name).vectors
made = {item.id: made[item.id] for item in listed}
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
assert not put(source.archive(name), listed, made)
"""
NAME = "reshape-14"


def files(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(cache.iterdir())}


def ended_at(package: Path, cache: Path, most: int) -> int:
    words = [sys.executable, "-B", "-c", PUT, str(package), str(cache), NAME, str(most)]
    return subprocess.run(words, check=False, capture_output=True).returncode


def made_old(cache: Path) -> None:
    """Let what a killed writer left look as it does two minutes later."""
    for path in cache.glob(f"{TEMPORARY}*"):
        os.utime(path, (time.time() - 120,) * 2)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_package(tmp_path_factory.mktemp("package"))


@pytest.mark.slow
def test_a_writer_that_dies_within_an_archive_leaves_none_and_the_next_run_makes_it_whole(
    package: Path, tmp_path: Path
) -> None:
    (tmp_path / "undisturbed").mkdir()
    undisturbed = Installation(package, tmp_path / "undisturbed")
    code, _ = undisturbed.run()
    due = files(undisturbed.cache)
    (name,) = [name for name in due if name.startswith(f"{NAME}-")]
    whole = len(due[name])
    killed = Installation(package, tmp_path)
    for most in (1, whole // 2, whole - 1):
        assert -signal.SIGXFSZ == ended_at(package, killed.cache, most)
        (left,) = killed.cache.iterdir()
        assert left.name.startswith(TEMPORARY)
        assert due[name][:most] == left.read_bytes()
        assert not is_whole(killed.cache / name)
        made_old(killed.cache)
    assert code == killed.run()[0]
    assert undisturbed.rows() == killed.rows()
    assert VERSIONS == killed.whole()
    assert due == files(killed.cache)


def test_a_writer_whose_last_byte_fits_leaves_the_whole_archive(
    package: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    assert 0 == ended_at(package, cache, 2**30)
    ((name, content),) = files(cache).items()
    again = tmp_path / "again"
    assert 0 == ended_at(package, again, len(content))
    assert {name: content} == files(again)


# Replaces a large archive again and again, through what the cache is written with.
REPLACE = """
import sys
from pathlib import Path
from random import Random
from onnx_conformance.core.corpus.abandoned import TEMPORARY
from onnx_conformance.core.files import replacing
content = Random(1).randbytes(int(sys.argv[2]))
print("ready", flush=True)
while True:
    with replacing(Path(sys.argv[1]), prefix=TEMPORARY) as stream:
        stream.write(content)
"""
LARGE = 48 * 2**20


@rounds(2, 30)
def test_a_writer_that_is_killed_at_any_moment_leaves_the_whole_file_or_none(
    tmp_path: Path, rounds: int
) -> None:
    hits = 0
    for number in range(rounds):
        folder = tmp_path / str(number)
        folder.mkdir()
        target = folder / "large-1.tar.gz"
        words = [sys.executable, "-c", REPLACE, str(target), str(LARGE)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            until_a_part_is_there(folder)
            process.kill()
        parts = [path.stat().st_size for path in folder.glob(f"{TEMPORARY}*")]
        hits += any(0 < size < LARGE for size in parts)
        assert not target.exists() or target.stat().st_size == LARGE
        for path in folder.iterdir():
            path.unlink()
    assert hits >= rounds // 8  # of 2 none need hit: the test above ends one at each byte it names


def until_a_part_is_there(folder: Path) -> None:
    """Wait until a file is being written, and has no more than a part of its bytes."""
    while True:
        for path in folder.glob(f"{TEMPORARY}*"):
            with contextlib.suppress(FileNotFoundError):
                if 0 < path.stat().st_size < LARGE // 2:
                    return
