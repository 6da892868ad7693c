"""Measures the reports on 20 backends and 20,000 vectors: time to make, size, time in Chromium.

    python benchmarks/report_page.py [--backends N] [--vectors N] [--keep FOLDER]

The results are made up, with every verdict among them; Chromium is found as the tests find it.
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

import browser
import sample_results

from onnx_conformance.validator.reports import html, json_report, junit, markdown, scoreboard
from onnx_conformance.validator.results.merging import merge, read_sources

FORMATS = {
    "html": html.render,
    "json": json_report.render,
    "junit": junit.render,
    "markdown": markdown.render,
    "scoreboard": scoreboard.render,
}


def main() -> None:
    """Make the results and the reports, and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backends", type=int, default=20)
    parser.add_argument("--vectors", type=int, default=20_000)
    parser.add_argument("--keep", type=Path, help="keep what was written in this folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        _measure(folder, arguments.backends, arguments.vectors)


def _measure(folder: Path, backends: int, vectors: int) -> None:
    ids = list(
        itertools.islice(
            sample_results.identities(operators=200, cases=5, types=sample_results.MORE_TYPES),
            vectors,
        )
    )
    paths = []
    for number in range(backends):
        paths.append(folder / f"runtime-{number:02d}.jsonl")
        sample_results.realistic(paths[-1], f"runtime-{number:02d}", ids, weakness=1 + number % 6)
    size = sum(path.stat().st_size for path in paths)
    print(f"{backends} backends, {len(ids):,} vectors, {size / 1e6:.0f} MB of results files")
    began = time.perf_counter()
    results = merge(read_sources(paths))
    print(f"read and put together: {time.perf_counter() - began:.1f} s")
    for name, render in FORMATS.items():
        began = time.perf_counter()
        text = render(results)
        took = time.perf_counter() - began
        path = folder / f"report.{name}"
        path.write_text(text, encoding="utf-8")
        print(f"{name}: {took:.1f} s, {path.stat().st_size / 1e6:.1f} MB")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"peak memory: {peak:.0f} MB")
    page = folder / "report.html.html"
    (folder / "report.html").rename(page)
    _look(page, ids[len(ids) // 2])


def _look(page: Path, vector_id: str) -> None:
    command = browser.find_chromium()
    if command is None:
        print("no Chromium here: loading was not measured")
        return
    with tempfile.TemporaryDirectory() as profile:
        chromium = browser.Browser(command, Path(profile))
        try:
            chromium.emulate(1400, 1000)
            began = time.perf_counter()
            chromium.open(page)
            print(f"Chromium, until it answers: {time.perf_counter() - began:.2f} s")
            timing = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
            print(f"  of that the page itself: {chromium.evaluate(timing) / 1e3:.2f} s")
            nodes = chromium.evaluate("document.querySelectorAll('*').length")
            print(f"  elements: {nodes:,}")
            began = time.perf_counter()
            chromium.evaluate(f"location.hash = 'vector/{vector_id}'")
            chromium.wait_for("document.querySelector('dialog').open")
            print(f"  opening a vector: {time.perf_counter() - began:.2f} s")
            chromium.press("Escape")
            began = time.perf_counter()
            chromium.evaluate(
                "const box = document.querySelector('#search-text'); box.value = 'int8 case_3';"
                " document.querySelector('#search').requestSubmit()"
            )
            print(f"  searching: {time.perf_counter() - began:.2f} s")
            heap = chromium.evaluate("performance.memory.usedJSHeapSize")
            print(f"  script memory: {heap / 1e6:.0f} MB")
        finally:
            chromium.close()


if __name__ == "__main__":
    main()
