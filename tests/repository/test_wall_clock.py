"""The time of day decides nothing but the dates that are written down."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from commands import VALIDATE, run_words, validate
from misbehaviour import vector_id
from places import ROOT
from runnable_corpus import runnable_corpus

from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from pathlib import Path

WALL = {"time", "time_ns", "now", "utcnow", "today", "gmtime", "localtime", "ctime", "strftime"}
#: Module -> what it asks for: the date of a run; the age of what a killed writer left.
PERMITTED = {
    "core/corpus/abandoned.py": ["time.time"],
    "validator/running/run.py": ["datetime.now"],
    # The date of an exploration.
    "validator/exploring/findings.py": ["datetime.now"],
}
# Each answer about the time of day is that of another hour; other clocks are left alone.
JUMPING = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static _Atomic unsigned asked;
int clock_gettime(clockid_t clock, struct timespec *now) {
  static const long shifts[] = {0, 3600, -3600};
  int code = (int)syscall(SYS_clock_gettime, clock, now);
  if (code == 0 && clock == CLOCK_REALTIME) now->tv_sec += shifts[asked++ % 3];
  return code;
}
int gettimeofday(struct timeval *now, void *zone) {
  struct timespec found;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &found);
  now->tv_sec = found.tv_sec;
  now->tv_usec = found.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *result) {
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  if (result) *result = found.tv_sec;
  return found.tv_sec;
}
"""


def asked_for(path: Path) -> list[str]:
    """The calls in a module that ask for the time of day."""
    found = []
    text = path.read_text("utf-8")
    # Most modules have neither word, and parsing takes the time.
    for node in ast.walk(ast.parse(text)) if "time" in text or "date" in text else ():
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            found += [f"time.{item.name}" for item in node.names]
        if isinstance(node, ast.Attribute) and node.attr in WALL:
            owner = ast.unparse(node.value)
            if owner in {"time", "datetime", "date", "datetime.datetime", "datetime.date"}:
                found.append(f"{owner}.{node.attr}")
    return found


def test_nothing_but_dates_and_the_age_of_files_takes_the_time_of_day() -> None:
    paths = [
        path for name in ("core", "generators", "validator") for path in (ROOT / name).rglob("*.py")
    ]
    asking = {path.relative_to(ROOT).as_posix(): asked_for(path) for path in paths}
    assert len(paths) > 300
    assert PERMITTED == {name: calls for name, calls in asking.items() if calls}


@pytest.fixture
def jumping(tmp_path: Path) -> str:
    """A library that, loaded before others, gives a process a clock that jumps by hours."""
    source, library = tmp_path / "jumping.c", tmp_path / "jumping.so"
    source.write_text(JUMPING, "utf-8")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("cc is not installed")
    subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    words = [VALIDATE[0], "-c", "import time; print(time.time() - time.time())"]
    done = subprocess.run(
        words, env={**os.environ, "LD_PRELOAD": str(library)}, capture_output=True, check=True
    )
    assert abs(float(done.stdout)) > 3000
    return str(library)


@pytest.mark.parametrize("name", ["well_behaved", "hangs"])
def test_a_clock_that_jumps_changes_no_verdict(tmp_path: Path, name: str, jumping: str) -> None:
    root = runnable_corpus(tmp_path / "vectors", ("good", "bad", "other"))
    verdicts = []
    for variables in ({}, {"LD_PRELOAD": jumping}):
        results = tmp_path / f"results-{len(verdicts)}"
        done = validate(*run_words(root, name), "--timeout", "1", "--results", results, **variables)
        found = read_results(results)
        assert () == found.missing
        # A wait that an hour was taken from, or added to, would show here.
        assert 0 < json.loads(results.read_bytes().splitlines()[-1])["seconds"] < 600
        verdicts.append((done.returncode, {row.id: row.verdict for row in found.rows}))
    assert verdicts[0] == verdicts[1]
    assert "pass" == verdicts[0][1][vector_id("good")]
