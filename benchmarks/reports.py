"""Measures every report on made-up results in which all rows fail of one cause.

    python benchmarks/reports.py [--rows N] [--formats junit html …] [--keep FOLDER]

A library that does not load gives such results: each vector is rejected with the same words. Each
format is written by a command of its own, whose processor time and peak memory are printed. Ends
with 1 where one takes more than 20 s or 300 MB for each 100,000 rows.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

import sample_results

from onnx_conformance.validator.results.file_format import ResultsWriter

if TYPE_CHECKING:
    from onnx_conformance.validator.results.records import Row

SECONDS, MEGABYTES = 20.0, 300.0
FORMATS = ("text", "markdown", "junit", "json", "html", "site")
OPERATORS, VERSIONS, CASES = 200, 3, 50


def main() -> int:
    """Make the results, write each report of them, and print what it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--keep", type=Path, help="keep what was written in this folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        results = folder / f"failing-{arguments.rows}.jsonl"
        if not results.exists():
            write_failing(results, arguments.rows)
        share = max(arguments.rows / 100_000, 1)
        print(f"{arguments.rows:,} rows of one cause, {results.stat().st_size / 1e6:.0f} MB")
        print(f"{'':10}{'processor':>10}{'clock':>9}{'memory':>10}{'written':>10}")
        fits = [_measured(name, results, folder, share) for name in arguments.formats]
    return 0 if all(fits) else 1


def write_failing(path: Path, rows: int) -> None:
    """A results file in which every row is rejected with the same words, at constant memory."""
    ids = [made_id(number) for number in range(rows)]
    with path.open("w", encoding="utf-8") as stream:
        writer = ResultsWriter(stream)
        writer.header(sample_results.header("broken", ids))
        for vector_id in ids:
            writer.row(failing_row(vector_id))
        writer.footer(seconds=1.0)


def made_id(number: int) -> str:
    """An id of one of 200 operators in three versions."""
    version, number = number % VERSIONS, number // VERSIONS
    operator, number = number % OPERATORS, number // OPERATORS
    return f"operator{operator:03d}-{1 + 6 * version}/case_{number % CASES}/t{number // CASES}"


def failing_row(vector_id: str) -> Row:
    """A vector that a library which does not load rejects."""
    details = {
        "model": sample_results.MODEL,
        "inputs": ["data: float32[3,4,5], 60 elements, 0 .. 59"],
    }
    expected = [{"name": "shape", "type": "int64", "shape": [3], "values": [3, 4, 5]}]
    message = "libbackend.so: cannot open shared object file: No such file or directory"
    return sample_results.row(
        vector_id, "rejected", phase="load", message=message, details=details, expected=expected
    )


def _measured(name: str, results: Path, folder: Path, share: float) -> bool:
    """Write one report in a process of its own; whether it kept to the limits."""
    output = folder / f"report.{name}"
    options = {
        "text": ["report", str(results), "--verbose"],
        "site": ["site", str(results), "--output", str(output)],
    }.get(name, ["report", str(results), f"--{name}", str(output), "--limit", "0"])
    command = [sys.executable, "-m", "onnx_conformance.validator.main", *options]
    began = time.monotonic()
    with (
        output.with_suffix(".out").open("wb") as printed,
        subprocess.Popen(command, stdout=printed) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    clock = time.monotonic() - began
    processor, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    written = _size(printed.name if name == "text" else output)
    print(
        f"{name:10}{processor:>8.1f} s{clock:>7.1f} s{memory:>7.0f} MB{written / 1e6:>7.1f} MB",
        flush=True,
    )
    if process.returncode:
        print(f"{name}: ended with {process.returncode}")
    return not process.returncode and processor <= SECONDS * share and memory <= MEGABYTES * share


def _size(path: Path | str) -> int:
    path = Path(path)
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(item.stat().st_size for item in files if item.is_file())


if __name__ == "__main__":
    sys.exit(main())
