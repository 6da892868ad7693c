"""A first run that is killed while it makes vectors leaves nothing that the next one believes."""

# ruff: noqa: S311
# S311: the same on every machine is what is wanted of this randomness.

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from endurance import rounds
from first_runs import VERSIONS, Installation, write_package
from spoiling import SEED

if TYPE_CHECKING:
    import subprocess


def makers(folder: Path) -> list[int]:
    """The processes that make vectors for this package."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (path / "cmdline").read_bytes()
            if b"shipping.maker" in line and os.fsencode(folder) in line:
                found.append(int(path.name))
    return found


def kill(process: subprocess.Popen[str], folder: Path, *, all_of_them: bool) -> None:
    """End a run as SIGKILL does; with `all_of_them`, as a machine that is gone does."""
    process.send_signal(signal.SIGKILL)
    for number in makers(folder) if all_of_them else ():
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    process.communicate()


def archives(cache: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in cache.glob("*.tar.gz")
    }


def made_old(cache: Path) -> None:
    """Let what a killed run left look as it does two minutes later."""
    for path in cache.glob(".writing-*"):
        with contextlib.suppress(FileNotFoundError):
            os.utime(path, (time.time() - 120,) * 2)


@pytest.mark.slow
@rounds(3, 30)
def test_a_killed_first_run_changes_no_verdict_of_the_next(tmp_path: Path, rounds: int) -> None:
    package = write_package(tmp_path / "package")
    (tmp_path / "whole").mkdir()
    undisturbed = Installation(package, tmp_path / "whole")
    began = time.monotonic()
    code, _ = undisturbed.run()
    took = time.monotonic() - began
    due = archives(undisturbed.cache)
    assert VERSIONS == undisturbed.whole()
    for number in range(rounds):
        folder = tmp_path / str(number)
        folder.mkdir()
        killed = Installation(package, folder)
        process = killed.start()
        # Before half of its time a run only imports.
        time.sleep(Random(f"{SEED} {number}").uniform(0.4, 1) * took)
        kill(process, package, all_of_them=number % 2 == 0)
        left = archives(killed.cache)
        assert left.items() <= due.items()
        made_old(killed.cache)
        assert code == killed.run("--force")[0]
        assert undisturbed.rows() == killed.rows()
        assert due == archives(killed.cache)
