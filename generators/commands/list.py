"""`onnx-vectors list`: the vectors that the specs declare, one id a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...validator.errors import ExitCode, IncompleteError
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
    from ...validator.patterns import IdIndex
    from ..corpus_making import plan_corpus

    ids = [plan.id for plan in plan_corpus(arguments.specs, arguments.profile).plans]
    if arguments.selection:
        index = IdIndex(ids)
        chosen: dict[str, None] = {}
        for pattern in arguments.selection:
            found = index.matching(pattern)
            if not found:
                raise IncompleteError(index.explain(pattern))
            chosen.update(dict.fromkeys(found))
        ids = list(chosen)
    print("\n".join(ids))
    return ExitCode.OK
