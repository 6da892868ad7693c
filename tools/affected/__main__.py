"""Run the tests that a change concerns.

    python -m tools.affected [--since REVISION] [--list] [WORD ...]

A change is what differs from where this branch left REVISION (main, if nothing is said), committed
or not. Tests are chosen by what they import and by names; each changed file is printed with the
rule that chose its tests. WORDs are handed on to pytest (`-n 2`, `-x`). The exit code is pytest's;
5, as from pytest, where no test is concerned.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from onnx_conformance.core.errors import BadInputError

from .changes import changed_files
from .choosing import Choosing, Chosen
from .reaching import OTHERS, PACKAGES

ROOT = Path(__file__).parents[2]
NOTHING = 5
BAD_INPUT = 2
_SHOWN = 3


def main() -> int:
    """Choose, say why, and run; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.affected", description="Run the tests that a change concerns."
    )
    parser.add_argument("--since", default="main", help="the revision (default: main)")
    parser.add_argument("--list", action="store_true", help="print the files of tests alone")
    arguments, words = parser.parse_known_args()
    try:
        files = changed_files(ROOT, arguments.since)
    except BadInputError as error:
        print(f"affected: {error}", file=sys.stderr)
        return BAD_INPUT
    choosing = Choosing(ROOT, _imported())
    chosen = [choosing.of(file) for file in files]
    tests = sorted({test for item in chosen for test in item.tests})
    if arguments.list:
        print("\n".join(tests))
    for line in said(chosen, tests, arguments.since):
        print(line, file=sys.stderr)
    if not tests:
        return NOTHING
    if arguments.list:
        return 0
    sys.stderr.flush()
    return subprocess.run(
        [sys.executable, "-m", "pytest", *words, *tests], cwd=ROOT, check=False
    ).returncode


def said(chosen: Sequence[Chosen], tests: Sequence[str], since: str) -> list[str]:
    """What is printed of the choice: each file with its rule, and loudly what concerns no test."""
    if not chosen:
        return [f"affected: nothing differs from {since}: NO TEST IS RUN"]
    lines = []
    for item in chosen:
        shown = ", ".join(item.tests[:_SHOWN]) + (", …" if len(item.tests) > _SHOWN else "")
        if item.tests:
            lines.append(f"affected: {item.file} {item.rule} {len(item.tests)}: {shown}")
        else:
            lines.append(f"affected: {item.file} {item.rule} no test: NOTHING IS RUN FOR IT")
    count = f"{len(tests)} files of tests" if tests else "NO TEST IS RUN"
    return [*lines, f"affected: {len(chosen)} changed files: {count}"]


def _imported() -> dict[str, set[str]]:
    """Which modules of ours each of them imports, lazily and for types as well."""
    import grimp

    roots = [*(f"onnx_conformance.{name}" for name in PACKAGES), *OTHERS]
    graph = grimp.build_graph(*roots, cache_dir=str(ROOT / "build" / "grimp"))
    return {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}


if __name__ == "__main__":
    sys.exit(main())
