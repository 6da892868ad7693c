"""`onnx-validate site RESULTS… --output DIR`: pages about all runtimes, in one folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors_folder import open_vectors
from onnx_conformance.core.errors import ExitCode
from onnx_conformance.core.text import one_line, quantity

from ..reports.comparison import summary
from ..reports.site.writing import write_site
from ..reports.terminal import printable
from ..results.records import Results
from .shared.agreements import agreements_of
from .shared.downloads import Downloads, require_same_corpus
from .shared.options import add_results
from .shared.reading import read_columns, read_runs, say_shortfalls

if TYPE_CHECKING:
    import argparse


EPILOG = """\
The folder has index.html (what is wrong today, and what changed), a page for each runtime and each
operator, and badges as JSON for each runtime and operator. It needs no server and no network. An
earlier site in the folder is replaced as a whole. exit codes: 1 where anything is broken or newly
wrong since the latest of the runs of --since, 2 where the folder holds something else, 3 where
files cannot be used together, 5 where a planned vector has no verdict, a shard is missing, a run
of --since was asked for more, or --min-cases is not reached, else 0. With 1 and 5 the site is
written all the same, and says why
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    add_results(parser)
    parser.add_argument(
        "--since",
        metavar="RESULTS",
        type=Path,
        nargs="+",
        # Given again it names more; argparse would forget the earlier ones.
        action="extend",
        default=[],
        help="results files of earlier runs, of any corpus, oldest first, shards of a run"
        " together: show what changed",
    )
    parser.add_argument(
        "--vectors",
        metavar="DIR",
        type=Path,
        help="the vectors that were judged: the pages then offer the model of each vector that"
        " fails, and a script that shows it where the runtime is one that `repro` has one for",
    )
    parser.add_argument(
        "--output", metavar="DIR", type=Path, required=True, help="the folder to be written"
    )


def _strangers(columns: Sequence[Results], earlier: Sequence[Results]) -> Iterator[str]:
    """A sentence for each runtime of an earlier run that is not among those of the site."""
    names = {column.header.backend for column in columns}
    for name in dict.fromkeys(run.header.backend for run in earlier):
        if name not in names:
            known = ", ".join(sorted(map(one_line, names)))
            yield f"--since: no results are of '{one_line(name)}', only of {known}; it is left out"


def execute(arguments: argparse.Namespace) -> int:
    """Read the results, write the folder, and print what is missing."""
    columns = read_columns(arguments.results)
    earlier = read_runs(arguments.since)
    for line in _strangers(columns, earlier):
        print(f"onnx-validate: {line}", file=sys.stderr)
    beside, corpus = None, None
    if arguments.vectors is not None:
        corpus = open_vectors(arguments.vectors)
        require_same_corpus(columns, corpus)
        beside = Downloads(corpus).of
    files, changes = write_site(
        columns, arguments.output, earlier, beside, agreements_of(columns, corpus)
    )
    print(f"{arguments.output}: {quantity(files, 'file')}; begin with index.html")
    for item in changes:
        print(printable(f"{item.new.header.backend}: {summary(item)}", sys.stdout))
    narrower = [item for item in changes if item.not_run]
    for item in narrower:
        name = one_line(item.new.header.backend)
        print(printable(f"onnx-validate: {name}: {item.not_run}", sys.stderr), file=sys.stderr)
    if say_shortfalls(columns, arguments.min_cases) != ExitCode.OK or narrower:
        return ExitCode.INCOMPLETE
    return ExitCode.UNEXPECTED if any(item.worse for item in changes) else ExitCode.OK
