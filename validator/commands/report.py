"""`onnx-validate report RESULTS…`: reports from results files, several backends side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument
from onnx_conformance.core.errors import UsageError
from onnx_conformance.core.files import require_own_files, write_whole

from ..reports import terminal
from ..results.records import Results
from .shared.formats import writer_of
from .shared.options import add_include_from, add_max_lost, add_results, add_strict_new
from .shared.reading import read_columns, read_one_backend, say_shortfalls, shortfalls

if TYPE_CHECKING:
    import argparse

    from ..gate.baseline import GateOutcome
    from ..gate.marks import Marks

EPILOG = """\
Files of one backend, such as the shards of `run --shard K/N`, become one column; other backends
are beside it. exit codes: 1 where --baseline turns the gate red, 3 where files cannot be used
together (other corpora, contradicting verdicts), 5 where a planned vector has no verdict, a shard
is missing or --min-cases is not reached (the reports are written all the same, and say so), else 0:
without --baseline, what failed is in the report alone
"""

FORMATS = {
    "html": "one page for a browser",
    "markdown": "Markdown, for the summary of a CI job",
    "junit": "JUnit XML",
    "json": "JSON, described by report.schema.json",
    "badge": "a badge as JSON, which badge services draw",
    "scoreboard": "the backends side by side, in Markdown",
    "operators": "which operators pass, those whose vectors all do, in Markdown",
    "readings": "what each makes of what documents leave open, in Markdown",
    "ledger": "the same as JSON, with which the readings of others are compared",
}


# Formats that can show the gate's outcome for each verdict.
MARKED = ("html", "markdown", "junit", "json")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    add_results(parser)
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="hold the results of one backend, from all of its shards, against its baseline",
    )
    add_include_from(parser)
    add_max_lost(parser, "with --baseline none, of all shards together")
    add_strict_new(parser)
    add_vectors_argument(parser)
    for name, line in FORMATS.items():
        parser.add_argument(f"--{name}", metavar="FILE", type=Path, help=f"write {line}")
    parser.add_argument(
        "--annotations",
        choices=("github",),
        help="with --baseline: print what is red in the form that a CI service shows in the code",
    )
    parser.add_argument(
        "--limit", metavar="N", type=int, default=10, help="causes of failures listed here (10)"
    )
    parser.add_argument("--verbose", action="store_true", help="list every failing vector")


def execute(arguments: argparse.Namespace) -> int:
    """Read and merge results, write the chosen formats, and print the summary."""
    require_own_files(
        [
            *((f"the results {path}", path) for path in arguments.results),
            *((f"--{name}", getattr(arguments, name)) for name in ("baseline", *FORMATS)),
        ]
    )
    limit = None if arguments.verbose else max(arguments.limit, 0)
    outcome, marks = None, None
    if arguments.baseline is None:
        if arguments.annotations is not None:
            raise UsageError("--annotations needs --baseline: it shows what turns the gate red")
        columns = read_columns(arguments.results)
    else:
        columns, outcome, marks = _gated(arguments)
    for name in FORMATS:
        path = getattr(arguments, name)
        if path is not None:
            given = (marks,) if name in MARKED else ()
            write_whole(path, writer_of(name)(columns, *given))
    terminal.write(columns, sys.stdout, limit=limit, failures=outcome is None, dated=True)
    if outcome is None:
        return say_shortfalls(columns, arguments.min_cases)
    from ..gate.words import gate_lines

    print()
    for line in gate_lines(outcome, columns[0], limit):
        print(terminal.printable(line, sys.stdout))
    if arguments.annotations is not None:
        from ..gate.annotations import github

        for line in github(outcome, columns[0]):
            print(line)
    return outcome.exit_code


def _gated(
    arguments: argparse.Namespace,
) -> tuple[list[Results], GateOutcome, dict[str, Marks]]:
    """The one column, the gate's outcome on it, and the marks that reports show."""
    from onnx_conformance.core.corpus.vectors_folder import open_vectors

    from ..gate.baseline import gate_of, marks_of
    from ..gate.entries import read_baseline
    from ..gate.expectations import expectations_of
    from ..results.lost_children import with_limit

    baseline = read_baseline(arguments.baseline, arguments.include_from)
    corpus = open_vectors(arguments.vectors)
    expectations = expectations_of(
        baseline, corpus.entries, corpus.withdrawn, strict_new=arguments.strict_new
    )
    results = read_one_backend(arguments.results, corpus)
    results = with_limit(results, arguments.max_lost_children or 0)
    outcome = gate_of(results, expectations, shortfalls(results, arguments.min_cases))
    return [results], outcome, {results.header.backend: marks_of(outcome, expectations)}
