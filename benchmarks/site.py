"""Measures `onnx-validate site` on made-up results of 20 runtimes and 40,000 vectors.

    python benchmarks/site.py [--runtimes N] [--vectors N] [--keep FOLDER] [RESULTS ...]

With results files it measures those: real runtimes fail more, and say more, than made-up ones.
A large site is written by as many processes as there are cores: counted is the processor time of
the one that took most, which is what writing takes where nothing else runs; the sum is printed too.
Ends with 1 where that is more than 10 s, the site takes more room than 60 MB or its first page more
than 500 kB.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

import sample_results

from onnx_conformance.validator.reports.site.writing import write_site
from onnx_conformance.validator.results.merging import merge, read_sources

SECONDS, MEGABYTES, FIRST_PAGE = 10.0, 60.0, 500e3
OPERATORS = 227


def main() -> int:
    """Make the results and the site, and print what each took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runtimes", type=int, default=20)
    parser.add_argument("--vectors", type=int, default=40_000)
    parser.add_argument("--keep", type=Path, help="keep what was written in this folder")
    parser.add_argument("results", nargs="*", type=Path, help="real results, instead of made-up")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        made = arguments.results or _made(folder, arguments.runtimes, arguments.vectors)
        return _measure(folder, made)


def _made(folder: Path, runtimes: int, vectors: int) -> list[Path]:
    """Results files of made-up runtimes in a folder, where they may be from an earlier time."""
    types = sample_results.MORE_TYPES
    ids = tuple(
        itertools.islice(sample_results.identities(OPERATORS, cases=10, types=types), 0, None, 7)
    )[:vectors]
    paths = [folder / f"runtime-{number:02d}.jsonl" for number in range(runtimes)]
    for number, path in enumerate(paths):
        if not path.exists():
            sample_results.realistic(path, path.stem, ids, weakness=1 + number % 6)
    return paths


def _measure(folder: Path, paths: list[Path]) -> int:
    size = sum(path.stat().st_size for path in paths)
    began = time.process_time()
    columns = merge(read_sources(paths))
    vectors = len({item for column in columns for item in column.header.planned})
    print(f"{len(columns)} runtimes, {vectors:,} vectors, {size / 1e6:.0f} MB of results files")
    print(f"read and put together: {time.process_time() - began:.1f} s of the processor")
    began, clock = time.process_time(), time.monotonic()
    count, _ = write_site(columns, folder / "site")
    took, clock = time.process_time() - began, time.monotonic() - clock
    of_others = resource.getrusage(resource.RUSAGE_CHILDREN)
    all_of_them = took + of_others.ru_utime + of_others.ru_stime
    room = sum(path.stat().st_size for path in (folder / "site").rglob("*") if path.is_file()) / 1e6
    first = (folder / "site" / "index.html").stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"site: {took:.1f} s of the processor, {all_of_them:.1f} s with its helpers")
    print(f"{clock:.1f} s by the clock, {room:.1f} MB in {count:,} files")
    print(f"first page: {first / 1e3:.0f} kB")
    print(f"peak memory: {peak:.0f} MB")
    return 0 if took <= SECONDS and room <= MEGABYTES and first <= FIRST_PAGE else 1


if __name__ == "__main__":
    sys.exit(main())
