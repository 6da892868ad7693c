"""Measures in Chromium a page that `report --html` wrote: loading, opening a vector, searching.

    python benchmarks/report_page.py PAGE ID

`python benchmarks/reports.py --runtimes 20 --rows 20000 --formats html --keep FOLDER` writes such a
page; Chromium is found as the tests find it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

import browser


def main() -> int:
    """Open the page and print what each step took; 1 where there is no Chromium."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("vector", metavar="ID", help="a vector that is on it")
    arguments = parser.parse_args()
    command = browser.find_chromium()
    if command is None:
        print("no Chromium here")
        return 1
    with tempfile.TemporaryDirectory() as profile:
        chromium = browser.Browser(command, Path(profile))
        try:
            chromium.emulate(1400, 1000)
            began = time.perf_counter()
            chromium.open(arguments.page)
            print(f"Chromium, until it answers: {time.perf_counter() - began:.2f} s")
            timing = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
            print(f"  of that the page itself: {chromium.evaluate(timing) / 1e3:.2f} s")
            nodes = chromium.evaluate("document.querySelectorAll('*').length")
            print(f"  elements: {nodes:,}")
            began = time.perf_counter()
            chromium.evaluate(f"location.hash = 'vector/{arguments.vector}'")
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
