"""`onnx-validate witnesses [RESULTS…]`: which independent engines agree with each vector."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument, open_vectors
from onnx_conformance.core.errors import ExitCode, UsageError
from onnx_conformance.core.files import write_whole
from onnx_conformance.core.witnesses.alone import ALONE, corpus_witnesses, read_alone
from onnx_conformance.core.witnesses.ledger import Ledger, ledger_here, ledger_text, read_ledger

from ..reports import witnesses as rendering
from ..reports.terminal import printable
from ..results.witnessing import ledger_of
from .shared.options import add_results
from .shared.reading import read_columns, refuse_shortfalls

if TYPE_CHECKING:
    import argparse


EPILOG = """\
Without RESULTS it shows the ledger that comes along. A run of some vectors renews these alone, and
leaves the rest of FILE as it is; engines that share code count as one witness
(docs/witnesses-ledger.md). exit codes: 2 usage, 3 where a file cannot be used or is of another
corpus, 5 where a planned vector has no verdict, or vectors have no row in the ledger, else 0
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    add_results(parser, "*")
    parser.add_argument(
        "--write",
        type=Path,
        metavar="FILE",
        help="write the ledger there; what FILE holds of other engines and vectors is kept",
    )
    parser.add_argument(
        "--alone", action="store_true", help="print the ids of the vectors nobody agrees with"
    )
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="write the page about all this, in Markdown"
    )
    add_vectors_argument(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Make or show the ledger."""
    if arguments.write is not None and not arguments.results:
        raise UsageError("--write makes a ledger from results files; name them")
    corpus = open_vectors(arguments.vectors)
    ledger = _ledger(arguments, corpus)
    if arguments.write is not None:
        write_whole(arguments.write, ledger_text(ledger))
    found = corpus_witnesses(ledger, corpus.entries.values())
    if arguments.page is not None:
        write_whole(arguments.page, rendering.page(ledger, corpus, found, read_alone(ALONE)))
    lines = found.alone if arguments.alone else rendering.summary(ledger, corpus, found)
    for line in lines:
        print(printable(line, sys.stdout))
    if found.unknown:
        print(
            f"onnx-validate: {len(found.unknown):,} vectors of {corpus.root} have no row in the"
            f" ledger, the first {found.unknown[0]}",
            file=sys.stderr,
        )
        return ExitCode.INCOMPLETE
    return ExitCode.OK


def _ledger(arguments: argparse.Namespace, corpus: Corpus) -> Ledger:
    """The ledger of the results, or the one that comes along."""
    if not arguments.results:
        return ledger_here()
    columns = read_columns(arguments.results)
    for column in columns:
        refuse_shortfalls(column, arguments.min_cases)
    path = arguments.write
    earlier = read_ledger(path) if path is not None and path.exists() else None
    return ledger_of(columns, corpus, earlier)
