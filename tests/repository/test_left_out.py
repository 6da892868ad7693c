"""Slow tests that are left out are counted aloud, with and without pytest-xdist."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """\
import pytest


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_slow(number): pass


@pytest.mark.slow
@pytest.mark.endurance
def test_for_minutes(): pass


def test_quick(): pass
"""


def left_out(folder: Path, *words: str) -> list[str]:
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "test_some.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow\n  endurance\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={
            **os.environ,
            "PYTEST_ADDOPTS": "",
            "PYTHONPATH": str(ROOT / "tests" / "support"),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in done.stdout.splitlines() if "LEFT OUT" in line]


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_slow_tests_that_are_left_out_are_counted(tmp_path: Path, workers: tuple[str, ...]) -> None:
    (line,) = left_out(tmp_path, "-m", "not slow and not endurance", *workers)
    assert "LEFT OUT: 3 slow tests, which `make test SLOW=1` and .ci/run run" == line


def test_nothing_is_said_where_none_is_left_out(tmp_path: Path) -> None:
    assert [] == left_out(tmp_path, "-m", "not endurance")
