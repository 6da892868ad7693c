"""`onnx-vectors list`: the vectors that the specs declare, one id a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

from .arguments import add_specs

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs(parser)
    parser.add_argument(
        "selection", nargs="*", metavar="ID", help="ids or patterns, e.g. 'reshape-14/*'"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Print the ids; IncompleteError where a pattern takes nothing."""
    from onnx_conformance.core.corpus.patterns import IdIndex

    from ..corpus.making import plan_corpus

    corpus = plan_corpus(arguments.specs, arguments.profile, arguments.selection)
    ids = [plan.id for plan in corpus.plans]
    if arguments.selection:
        index = IdIndex(ids)
        taken = (index.matching(pattern) for pattern in arguments.selection)
        ids = list(dict.fromkeys(item for items in taken for item in items))
    print("\n".join(ids))
    return ExitCode.OK
