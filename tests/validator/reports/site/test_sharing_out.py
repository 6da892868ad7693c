"""Parts of a large site, done by several processes."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from onnx_conformance.core.errors import CannotWriteError
from onnx_conformance.validator.reports.site.sharing_out import total_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks processes")


def _written(folder: Path, number: int) -> int:
    with (folder / f"{number}.txt").open("a", encoding="utf-8") as stream:
        stream.write("once")
    return 1


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_each_part_is_done_once(tmp_path: Path, processes: int) -> None:
    total = total_of([partial(_written, tmp_path, number) for number in range(50)], processes)
    texts = [path.read_text("utf-8") for path in tmp_path.iterdir()]
    assert (50, ["once"] * 50) == (total, texts)


def test_what_a_process_cannot_write_is_said() -> None:
    def part() -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(CannotWriteError, match="No space left"):
        total_of([part] * 2, 2)


def test_a_process_that_died_is_said() -> None:
    def part() -> int:
        os._exit(1)

    with pytest.raises(CannotWriteError, match="a process that wrote it died"):
        total_of([part] * 2, 2)


_UNFINISHED = """
import os, sys, time
from pathlib import Path
from onnx_conformance.validator.reports.site.sharing_out import total_of

def part():
    (Path(sys.argv[1]) / str(os.getpid())).touch()
    time.sleep(0.1)
    return 1

total_of([part] * 1000, 2)
"""


def _runs(process: str) -> bool:
    """Whether a process is there, and no zombie that nobody has waited for."""
    try:
        status = Path("/proc", process, "stat").read_text("ascii")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_the_processes_end_with_the_one_that_forked_them(tmp_path: Path) -> None:
    whole = subprocess.Popen([sys.executable, "-c", _UNFINISHED, str(tmp_path)])
    try:
        for _ in range(200):
            if len(list(tmp_path.iterdir())) == 2:
                break
            time.sleep(0.05)
    finally:
        whole.kill()
        whole.wait()
    parts = [path.name for path in tmp_path.iterdir()]
    for _ in range(200):
        if not any(map(_runs, parts)):
            break
        time.sleep(0.05)
    assert (2, []) == (len(parts), [item for item in parts if _runs(item)])
