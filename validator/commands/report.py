"""`onnx-validate report RESULTS…`: reports from results files, several backends side by side."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from ..results.records import Results

EPILOG = """\
Files of one backend, such as the shards of `run --shard K/N`, become one column; other backends
stand beside it. exit codes: 3 where files cannot be used together (other corpora, contradicting
verdicts), 5 where a planned vector has no verdict or a shard is missing (the reports are written
all the same, and say so), else 0: what failed is in the report, a gate is `run --baseline`
"""

FORMATS = {
    "html": "one page for a browser",
    "markdown": "Markdown, for the summary of a CI job",
    "junit": "JUnit XML",
    "json": "JSON, described by report.schema.json",
    "badge": "a badge in SVG",
    "scoreboard": "the backends side by side, in Markdown",
    "operators": "which operators pass, those whose vectors all do, in Markdown",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "results", metavar="RESULTS", nargs="+", type=Path, help="results file of a run"
    )
    for name, line in FORMATS.items():
        parser.add_argument(f"--{name}", metavar="FILE", type=Path, help=f"write {line}")
    parser.add_argument(
        "--limit", metavar="N", type=int, default=20, help="failing vectors listed here (20)"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Read, put together, write what was asked for, and print the summary."""
    from onnx_conformance.core.files import write_whole

    from ..reports import terminal
    from ..reports.completeness import gaps
    from ..results.merging import merge, read_sources

    results = merge(read_sources(arguments.results))
    for name in FORMATS:
        path = getattr(arguments, name)
        if path is not None:
            write_whole(path, _renderer(name)(results))
    terminal.write(results, sys.stdout, limit=max(arguments.limit, 0))
    incomplete = [item for item in results if gaps(item)]
    for item in incomplete:
        for gap in gaps(item):
            words = f"onnx-validate: {item.header.backend}: {gap}\n"
            sys.stderr.write(terminal.printable(words, sys.stderr))
    return ExitCode.INCOMPLETE if incomplete else ExitCode.OK


def _renderer(name: str) -> Callable[[Sequence[Results]], str]:
    """The function that makes one format; each is imported only when it is asked for."""
    module = "json_report" if name == "json" else name
    render: Callable[[Sequence[Results]], str] = importlib.import_module(
        f"..reports.{module}", __package__
    ).render
    return render
