"""Importing and validating ONNX's node tests, beside what ONNX itself does with them.

    python -m benchmarks.upstream_speed [--rounds N] [--jobs N]

Side by side, in alternating rounds, each as a whole process:

* building the node tests in memory, as ONNX's runner does, and `onnx-vectors import onnx`, which
  builds the same and writes it as files;
* ONNX's own runner under pytest with onnxruntime, as people run it and without tracebacks, and
  `onnx-validate run --backend onnxruntime` on the files.

Wall-clock time and processor time (of all processes together) are given, the best round of each:
on a machine that does other things at the same time the processor time is the one to believe.
pytest gets no work that it need not do: no cache, no plugins of ours.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tools.upstream.commands import IMPORT, RUNNER, VALIDATE, pytest_options, python

from .side_by_side import best_times

BUILD = """
from onnx.backend.test.loader import load_model_tests
print(len(load_model_tests(kind="node")))
"""
# What an issue asks for, kept here so that a run says whether it holds.
IMPORT_LIMIT = 1.25
VALIDATE_LIMIT = 10.0


def main() -> int:
    """Measure, and print one line for each candidate; 0 where both limits hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "onnx-tests"
        candidates = {
            "build in memory": python("-c", BUILD),
            "import as files": python("-c", IMPORT, "import", "onnx", "--output", str(output)),
            "ONNX's runner": [*python("-m", "pytest"), *pytest_options(), str(RUNNER)],
            "no tracebacks": [*python("-m", "pytest"), *pytest_options(), "--tb=no", str(RUNNER)],
            "onnx-validate": [
                *python("-c", VALIDATE, "run", "--backend", "onnxruntime"),
                *("--vectors", str(output), "--jobs", str(arguments.jobs)),
                *("--results", str(Path(folder) / "results.jsonl")),
            ],
        }
        # Where vectors fail a command ends with 1.
        best = best_times(candidates, arguments.rounds, (0, 1))
    for name, (wall, cpu) in best.items():
        print(f"{name:16} {wall:7.2f} s   {cpu:7.2f} s of processor")
    imported = [best["import as files"][i] / best["build in memory"][i] for i in (0, 1)]
    validated = [best["ONNX's runner"][i] / best["onnx-validate"][i] for i in (0, 1)]
    quiet = [best["no tracebacks"][i] / best["onnx-validate"][i] for i in (0, 1)]
    print(
        f"import / build: {imported[0]:.2f} (processor {imported[1]:.2f}), at most {IMPORT_LIMIT}"
    )
    print(
        f"runner / validate: {validated[0]:.1f} (processor {validated[1]:.1f}),"
        f" at least {VALIDATE_LIMIT:g}"
    )
    print(f"the same without tracebacks: {quiet[0]:.1f} (processor {quiet[1]:.1f})")
    # A busy machine spoils the wall clock of both sides; either measure may show the limit met.
    held = min(imported) <= IMPORT_LIMIT and max(validated) >= VALIDATE_LIMIT
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
