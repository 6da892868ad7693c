"""Measures what it takes a run to keep its verdicts, on made-up rows at full speed.

    python benchmarks/recording.py [--rows N …]

Each number of rows is recorded by a process of its own, half of them failing with a model, inputs
and values. Ends with 1 where one needs more than 150 MB, or more than 0.1 ms of the processor for a
row; judging is not among it (validator_overhead.py measures that).
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

import sample_results
from reports import failing_row, made_id

from onnx_conformance.validator.running.recording import Recording

MEGABYTES, MILLISECONDS = 150.0, 0.1
ROWS = (10_000, 100_000, 300_000)


def main() -> int:
    """Measure each number of rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.in_this_process:
        return 0 if record(arguments.rows[0]) else 1
    print(f"{'rows':>10}{'file':>10}{'each':>11}{'memory':>10}", flush=True)
    codes = [
        subprocess.run(
            [sys.executable, __file__, "--rows", str(rows), "--in-this-process"], check=False
        ).returncode
        for rows in arguments.rows
    ]
    return max(codes)


def record(rows: int) -> bool:
    """Record so many rows and count them; whether it kept to the limits."""
    ids = [made_id(number) for number in range(rows)]
    made = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        recording = Recording(path)
        began = time.process_time()
        recording.begin(sample_results.header("made up", ids))
        for number, vector_id in enumerate(ids):
            before = time.process_time()
            row = failing_row(vector_id) if number % 2 else sample_results.row(vector_id)
            made += time.process_time() - before
            recording.row(row)
        recording.finish(seconds=1.0)
        recording.close()
        results = recording.results
        complete = not results.missing and rows == results.counts.total()
        each = 1000 * (time.process_time() - began - made) / rows
        size = path.stat().st_size / 1e6
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{rows:>10,}{size:>7.0f} MB{each:>8.3f} ms{memory:>7.0f} MB", flush=True)
    return complete and memory <= MEGABYTES and each <= MILLISECONDS


if __name__ == "__main__":
    sys.exit(main())
