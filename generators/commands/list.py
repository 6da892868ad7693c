"""`onnx-vectors list`: the vectors that the specs declare, one id a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode, IncompleteError

from .arguments import add_jobs, add_specs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs(parser)
    add_jobs(parser)
    parser.add_argument(
        "selection", nargs="*", metavar="ID", help="ids or patterns, e.g. 'reshape-14/*'"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Print the ids; IncompleteError where a pattern takes nothing."""
    from onnx_conformance.core.corpus.patterns import IdIndex

    ids = _ids(arguments, arguments.selection)
    if arguments.selection:
        index = IdIndex(ids)
        taken: dict[str, None] = {}
        for pattern in arguments.selection:
            matching = index.matching(pattern)
            if not matching:
                raise IncompleteError(IdIndex(_ids(arguments, ())).explain(pattern))
            taken.update(dict.fromkeys(matching))
        ids = list(taken)
    print("\n".join(ids))
    return ExitCode.OK


def _ids(arguments: argparse.Namespace, selection: Sequence[str]) -> list[str]:
    from ..corpus.listings import vector_ids

    listed = vector_ids(arguments.specs, arguments.profile, arguments.jobs, selection)
    return [item for of_operator in listed.values() for item in of_operator]
