"""`onnx-validate show`: one vector in words, with the results of some backends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument, open_vectors
from onnx_conformance.core.errors import ExitCode

from ..exploring.supplying.drawn_vectors import with_explored
from ..reports.terminal import printable
from ..repro.in_words import vector_lines, verdict_lines
from ..repro.subject import read_subject
from .shared.options import add_accuracy_argument
from .shared.reading import read_columns

if TYPE_CHECKING:
    import argparse
EPILOG = (
    "exit codes: 0; 3 a file cannot be used; 5 no such vector, or a results file has no verdict"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    parser.set_defaults(needs=("onnx", "numpy"))
    parser.add_argument("id", metavar="ID", help="the vector's id")
    parser.add_argument(
        "results",
        nargs="*",
        type=Path,
        metavar="RESULTS",
        help="results files of runs, whose verdicts on the vector are shown too",
    )
    add_accuracy_argument(parser)
    add_vectors_argument(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Print the vector, and what each backend did with it."""
    corpus = with_explored(open_vectors(arguments.vectors), [arguments.id])
    subject = read_subject(corpus, arguments.id, arguments.accuracy)
    columns = read_columns(arguments.results, unclaimed=True) if arguments.results else []
    for line in (*vector_lines(subject), *verdict_lines(subject.vector.id, columns)):
        print(printable(line, sys.stdout))
    judged = all(any(row.id == subject.vector.id for row in item.rows) for item in columns)
    return ExitCode.OK if judged else ExitCode.INCOMPLETE
