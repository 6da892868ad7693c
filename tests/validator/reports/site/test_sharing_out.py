"""Parts of a large site, done by several processes."""

from __future__ import annotations

import errno
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.errors import CannotWriteError
from onnx_conformance.validator.reports.site.sharing_out import total_of

if TYPE_CHECKING:
    from pathlib import Path

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


def test_what_another_process_cannot_write_is_said(tmp_path: Path) -> None:
    here, begun = os.getpid(), tmp_path / "begun"

    def part() -> int:
        if os.getpid() == here:
            # Leaves the other part to the other process.
            while not begun.exists():
                pass
            return 0
        begun.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(CannotWriteError, match="No space left"):
        total_of([part] * 2, 2)
