"""The recorder at the size that a plan for scale is made for: docs/scale.md."""

from __future__ import annotations

import multiprocessing
import re
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sample_results as sample

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.validator.results.file_format import row_line
from onnx_conformance.validator.running.cluster.batches import BatchDone
from onnx_conformance.validator.running.cluster.foreign_rows import rows_of
from onnx_conformance.validator.running.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKERS, BATCH = 8, 250
AHEAD = 2  # batches that are out for each worker, as on a cluster
MEGABYTES = 200


def made_id(number: int) -> str:
    return f"operator{number // 2000:03d}-13/case_{number % 2000:04d}/float32"


class _Entries(dict[str, Entry]):
    """The entries of a corpus, each made when it is asked for: only the recorder is measured."""

    def __missing__(self, vector_id: str) -> Entry:
        return Entry(vector_id, Kind.VALID, "nowhere", "a" * 64)


def batch_of(first: int) -> tuple[int, bytes]:
    """The rows that a worker sends for a batch, of which one in six fails, with values."""
    got = [{"name": "shape", "type": "int64", "shape": [3], "values": [3, 4, 5]}]
    details = {"model": sample.MODEL, "inputs": ["data: float32[3,4,5], 60 elements, 0 .. 59"]}
    failing = {"got": got, "expected": got, "details": details}
    rows = [
        sample.row(made_id(number), "wrong-value", digest="a" * 32, **failing)
        if number % 6 == 0
        else sample.row(made_id(number), digest="a" * 32)
        for number in range(first, first + BATCH)
    ]
    return first, b"".join(map(row_line, rows))


def recorded(path: Path, count: int) -> Iterator[str]:
    """Record the rows of eight workers, and say what it took."""
    ids = [made_id(number) for number in range(count)]
    entries = _Entries()
    recording = Recording(path)
    recording.begin(sample.header("made up", ids))
    context = multiprocessing.get_context("spawn")
    began, taken = time.process_time(), 0
    room = threading.Semaphore(AHEAD * WORKERS)

    def going_out() -> Iterator[int]:
        for first in range(0, count, BATCH):
            room.acquire()
            yield first

    with context.Pool(WORKERS) as workers:
        for first, lines in workers.imap_unordered(batch_of, going_out()):
            asked = ids[first : first + BATCH]
            for row in rows_of(BatchDone(lines, "worker"), asked, entries):
                recording.row(row)
                taken += 1
            room.release()
    each = 1000 * (time.process_time() - began) / count
    recording.finish(seconds=1.0)
    recording.close()
    results = recording.results
    assert (count, ()) == (taken, results.missing)
    assert {"pass", "wrong-value"} == {str(key) for key in results.counts}
    size = path.stat().st_size / 1e6
    yield f"{count} rows, {each:.3f} ms each, {most_memory()} MB, {size:.0f} MB on disk"


def most_memory() -> int:
    """The most that this process had, in MB; getrusage has what its parent had before it, too."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return round(int(found[1]) / 1000)


@pytest.mark.slow
@pytest.mark.endurance
def test_half_a_million_rows_of_eight_workers_fit_into_200_megabytes(tmp_path: Path) -> None:
    """In a process of its own: memory is that of the recorder alone, without a corpus."""
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=_in_a_process, args=(tmp_path / "r.jsonl", 500_000, queue))
    process.start()
    said = queue.get()
    process.join()
    assert 0 == process.exitcode
    assert int(said.split(" MB")[0].split()[-1]) <= MEGABYTES, said


def _in_a_process(path: Path, count: int, queue: multiprocessing.SimpleQueue[str]) -> None:
    for said in recorded(path, count):
        queue.put(said)


def test_rows_of_eight_workers_are_recorded_once_each(tmp_path: Path) -> None:
    assert all(said.startswith("4000 rows") for said in recorded(tmp_path / "r.jsonl", 4000))
