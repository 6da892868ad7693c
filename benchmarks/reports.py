"""Measures every report, and the site, on made-up results or on real ones.

    python benchmarks/reports.py [--rows N] [--runtimes N] [--formats junit html …] [--keep FOLDER]
        [RESULTS …]

Without `--runtimes` all rows of one runtime fail of one cause: a library that does not load gives
such results, as each vector is rejected with the same words. With it, so many runtimes have every
verdict among their rows. Results files are measured as they are: real runtimes say more than
made-up ones.

Each format is written by a command of its own, whose processor time (with that of its helpers) and
peak memory are printed. Ends with 1 where one takes more than 20 s or 300 MB for each 100,000 rows.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

import sample_results

from onnx_conformance.validator.results.file_format import ResultsWriter
from onnx_conformance.validator.results.records import Row

SECONDS, MEGABYTES = 20.0, 300.0
FORMATS = ("text", "markdown", "junit", "json", "html", "scoreboard", "site")
OPERATORS, VERSIONS, CASES = 200, 3, 50


def main() -> int:
    """Make the results, write each report of them, and print what it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000, help="of each runtime")
    parser.add_argument("--runtimes", type=int, default=0, metavar="N")
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--keep", type=Path, help="keep what was written in this folder")
    parser.add_argument("results", nargs="*", type=Path, help="real results, instead of made-up")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        paths = arguments.results or made_up(folder, arguments.rows, arguments.runtimes)
        rows = sum(_lines(path) for path in paths)
        size = sum(path.stat().st_size for path in paths)
        print(f"{rows:,} rows of {len(paths)} runtimes, {size / 1e6:.0f} MB")
        print(f"{'':10}{'processor':>10}{'clock':>9}{'memory':>10}{'written':>10}")
        share = max(rows / 100_000, 1)
        fits = [_measured(name, paths, folder, share) for name in arguments.formats]
    return 0 if all(fits) else 1


def made_up(folder: Path, rows: int, runtimes: int) -> list[Path]:
    """Results files in a folder, where they may be from an earlier time."""
    if not runtimes:
        path = folder / f"failing-{rows}.jsonl"
        if not path.exists():
            write_failing(path, rows)
        return [path]
    paths = [folder / f"runtime-{number:02d}-{rows}.jsonl" for number in range(runtimes)]
    types = sample_results.MORE_TYPES
    all_ids = sample_results.identities(OPERATORS, cases=CASES, types=types)
    ids = tuple(itertools.islice(all_ids, rows))
    for number, path in enumerate(paths):
        if not path.exists():
            sample_results.realistic(path, path.stem, ids, weakness=1 + number % 6)
    return paths


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


def _measured(name: str, results: list[Path], folder: Path, share: float) -> bool:
    """Write one report in a process of its own; whether it kept to the limits."""
    output = folder / f"report.{name}"
    names = [str(path) for path in results]
    options = {
        "text": ["report", *names, "--verbose"],
        "site": ["site", *names, "--output", str(output)],
    }.get(name, ["report", *names, f"--{name}", str(output), "--limit", "0"])
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


def _lines(path: Path) -> int:
    with path.open("rb") as stream:
        return sum(1 for _ in stream)


def _size(path: Path | str) -> int:
    path = Path(path)
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(item.stat().st_size for item in files if item.is_file())


if __name__ == "__main__":
    sys.exit(main())
