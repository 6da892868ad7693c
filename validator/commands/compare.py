"""`onnx-validate compare OLD NEW`: vectors that broke, were fixed, or are newly supported."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError, ExitCode, UsageError
from onnx_conformance.core.files import write_whole

from ..reports import comparison as rendering
from ..reports.terminal import printable
from ..results.changes import changes_between
from ..results.records import Results
from .shared.options import add_min_cases
from .shared.reading import read_columns, say_shortfalls

if TYPE_CHECKING:
    import argparse


_TWO = 2

EPILOG = """\
of sharded runs: onnx-validate compare OLD-1 OLD-2 --to NEW-1 NEW-2

exit codes: 1 where something is broken or newly wrong, 3 where a file cannot be used, 5 where
either run lacks a verdict or a shard, or the later one was not asked for all that the earlier was,
else 0
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "old",
        metavar="OLD",
        type=Path,
        nargs="+",
        help="results files of the earlier run; without --to, one, and then one of the later run",
    )
    parser.add_argument(
        "--to", metavar="NEW", type=Path, nargs="+", help="results files of the later run"
    )
    parser.add_argument(
        "--markdown", metavar="FILE", type=Path, help="write the comparison as Markdown as well"
    )
    parser.add_argument(
        "--limit", metavar="N", type=int, default=50, help="causes listed of each kind (50)"
    )
    add_min_cases(parser, "have a verdict in either run")


def execute(arguments: argparse.Namespace) -> int:
    """Compare, print, and return an exit code that tells whether something broke."""
    old, new = (_one_run(paths) for paths in _runs(arguments.old, arguments.to))
    found = changes_between(old, new)
    if arguments.markdown is not None:
        write_whole(arguments.markdown, rendering.render_markdown(found))
    text = rendering.render_text(found, limit=max(arguments.limit, 0))
    sys.stdout.write(printable(text, sys.stdout))
    if say_shortfalls([old, new], arguments.min_cases) != ExitCode.OK or found.not_run:
        return ExitCode.INCOMPLETE
    return ExitCode.UNEXPECTED if found.worse else ExitCode.OK


def _runs(first: list[Path], second: list[Path] | None) -> tuple[list[Path], list[Path]]:
    """The files of the earlier run, and of the later."""
    if second is not None:
        return first, second
    if len(first) != _TWO:
        raise UsageError(
            f"compare takes one results file of each run, not {len(first)} files; where a run has"
            " several, its shards, put --to before those of the later run"
        )
    return first[:1], first[1:]


def _one_run(paths: list[Path]) -> Results:
    """The results of one backend, from one file or from all of its shards."""
    columns = read_columns(paths)
    if len(columns) > 1:
        names = ", ".join(f"'{column.header.backend}'" for column in columns)
        raise BadInputError(f"the results of one run are of several backends: {names}")
    return columns[0]
