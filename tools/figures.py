"""The figures of README.md and of pages in docs/, from the results of `make validate` alone.

    python -m tools.figures [--check | --counts]

Nobody types a count: what README.md, docs/scoreboard.md and docs/readings.md show is taken from
build/*.jsonl and what the runs printed, and the number of operators from docs/coverage.md, which
`onnx-vectors generate` writes. `--check` writes nothing, and ends with 1 where a page says
something else; `--counts` writes the number of operators alone, for which nothing needs to have run
(`make vectors` does it).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from onnx_conformance.core.files import write_whole
from onnx_conformance.validator.reports import readings, terminal
from onnx_conformance.validator.results.merging import merge, read_sources

from .scoreboard.page import written

ROOT = Path(__file__).parents[1]
# In the order of `make validate`; the last is the one that the README shows by operator.
BACKENDS = ("reference", "checker", "onnxruntime")
# These compute values; the checker takes any model that it does not refuse.
COMPUTING = ("reference", "onnxruntime")
SHOWN = 4  # operators of the table, which begins with the worst
_INDENT = "    "
_RUNTIMES = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
_BLOCK = re.compile(r"(## What you see\n\n)(.*?)(\nOne failing vector, alone:)", re.DOTALL)
_OPERATORS = re.compile(r"\d+ (of ONNX's )\d+( operators)")
_SPECS = re.compile(r"(- Specs for )\d+( operators)")
_COVERED = re.compile(r"^(\d+) of (\d+) operators have a spec", re.MULTILINE)


def main() -> int:
    """Write the pages, or compare them with the results; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--check", action="store_true", help="write nothing")
    group.add_argument("--counts", action="store_true", help="write how many operators there are")
    arguments = parser.parse_args()
    if arguments.counts:
        return _write(_counted(), check=False)
    missing = [
        path
        for name in BACKENDS
        for path in (ROOT / f"build/{name}.jsonl", ROOT / f"build/{name}.txt")
        if not path.is_file()
    ]
    if missing:
        print(f"{missing[0]}: is missing; `make validate` writes it", file=sys.stderr)
        return 3
    return _write(_pages(), check=arguments.check)


def _write(pages: Iterable[tuple[Path, str]], *, check: bool) -> int:
    """Write the pages that say something else, or only name them: then the exit code is 1."""
    code = 0
    for path, text in pages:
        if not path.is_file() or path.read_text("utf-8") != text:
            print(f"{path.relative_to(ROOT)}: {'differs' if check else 'written'}")
            if check:
                code = 1
            else:
                write_whole(path, text)
    return code


def _counted() -> Iterable[tuple[Path, str]]:
    """README and changelog with the number of operators that the page of coverage says."""
    covered, known = operators((ROOT / "docs" / "coverage.md").read_text("utf-8"))
    readme, changes = ROOT / "README.md", ROOT / "CHANGELOG.md"
    of_all = rf"{covered} \g<1>{known}\g<2>"
    yield readme, _once(_OPERATORS, of_all, readme.read_text("utf-8"))
    yield changes, _once(_SPECS, rf"\g<1>{covered}\g<2>", changes.read_text("utf-8"))


def _pages() -> Iterable[tuple[Path, str]]:
    columns = merge(read_sources([ROOT / f"build/{name}.jsonl" for name in BACKENDS]))
    printed = {name: (ROOT / f"build/{name}.txt").read_text("utf-8") for name in BACKENDS}
    report = terminal.render(columns, limit=0)
    (readme, counted), changes = _counted()
    yield readme, readme_with(counted, seen(printed, report))
    yield changes
    board = ROOT / "docs" / "scoreboard.md"
    before = board.read_text("utf-8")
    after = written(ROOT / "build" / "scoreboard", before, columns)
    lost = sorted({*_RUNTIMES.findall(before)} - {*_RUNTIMES.findall(after)})
    if lost:
        print(
            f"docs/scoreboard.md: left as it is: build/scoreboard has no results of {lost[0]}"
            f" ({len(lost)} such); `make scoreboard` writes them"
        )
    else:
        yield board, after
    computing = [column for column in columns if column.header.backend in COMPUTING]
    yield ROOT / "docs" / "readings.md", readings.render(computing)


def operators(coverage: str) -> tuple[str, str]:
    """How many operators have a spec, and of how many, by the page of coverage."""
    found = _COVERED.search(coverage)
    if found is None:
        raise ValueError("docs/coverage.md does not say how many operators have a spec")
    return found[1], found[2]


def readme_with(readme: str, block: str) -> str:
    """The README with other figures; ValueError where it has no place for them."""
    if not _BLOCK.search(readme):
        raise ValueError("README.md has no 'What you see' before 'One failing vector, alone:'")
    return _BLOCK.sub(lambda found: found[1] + block + found[3], readme)


def seen(printed: Mapping[str, str], report: str) -> str:
    """What `make validate` shows, in short: one backend by operator, then all side by side.

    Args:
        printed: what the run of each backend printed.
        report: what `onnx-validate report` prints of all of them.
    """
    beside = report[report.index("Side by side\n") :].rstrip().splitlines()
    gates = [f"{name}: {gate_of(text)} (baselines/{name}.yaml)" for name, text in printed.items()]
    files = " ".join(f"build/{name}.jsonl" for name in printed)
    lines = [
        *in_short(printed[list(printed)[-1]].splitlines()),
        "",
        *beside[: 2 + len(printed)],
        "",
        *gates,
        f"results: {files}",
        "pages:   build/site/index.html",
    ]
    return "".join(f"{_INDENT}{line}".rstrip() + "\n" for line in lines)


def in_short(lines: Sequence[str]) -> list[str]:
    """The title of a report, the first rows of its table, and what it says below in a line each."""
    last = next((number for number, line in enumerate(lines) if line.split()[:1] == ["all"]), None)
    if last is None:
        raise ValueError("the report has no row 'all'")
    chosen = [*lines[2:last][:SHOWN], lines[last]]
    # The names' column is as wide as the longest of all names, and here only of those shown.
    width = max(len(line.split()[0]) for line in chosen)
    start = min(len(line) - len(line.partition(" ")[2].lstrip()) for line in (lines[1], *chosen))
    *table, total = (line.split()[0].ljust(width) + line[start - 2 :] for line in chosen)
    heading = " " * width + lines[1][start - 2 :]
    below = [line for line in lines[last + 1 :] if line.startswith(("crashed:", "fail:"))]
    accuracy = next(line for line in lines if line.startswith("accuracy:"))
    return [lines[0], heading, *table, "…", total, *below, "…", accuracy]


def gate_of(printed: str) -> str:
    """What the gate printed about a run, without its name."""
    found = re.search(r"^(gate .*)$", printed, re.MULTILINE)
    if found is None:
        raise ValueError("a run without a gate; `make validate` gives each its baseline")
    return found[1]


def _once(pattern: re.Pattern[str], text: str, where: str) -> str:
    changed, count = pattern.subn(text, where)
    if count != 1:
        raise ValueError(f"'{pattern.pattern}' stands {count} times on the page")
    return changed


if __name__ == "__main__":
    sys.exit(main())
