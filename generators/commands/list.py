"""`onnx-vectors list`: the vectors that the specs declare, one id a line."""

from __future__ import annotations

import sys
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
        "--exact",
        action="store_true",
        help="plan what our code may have changed since it was listed last (minutes, where that is"
        " everything); a pattern does so for the operators that it may take",
    )
    parser.add_argument(
        "selection", nargs="*", metavar="ID", help="ids or patterns, e.g. 'reshape-14/*'"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Print the ids; IncompleteError if a pattern matches nothing."""
    from onnx_conformance.core.corpus.patterns import IdIndex

    if not (arguments.selection or arguments.exact):
        return _at_hand(arguments)
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


def _at_hand(arguments: argparse.Namespace) -> int:
    """Print the ids known without planning, and name specs whose ids may be out of date."""
    from ..corpus.listings import ids_at_hand

    found = ids_at_hand(arguments.specs, arguments.profile, arguments.jobs)
    print("\n".join(item for ids in found.ids.values() for item in ids))
    if found.earlier:
        print(
            f"onnx-vectors: of {len(found.earlier)} of {len(found.ids)} specs these are the ids as"
            " they were made last, by other code than that of now; --exact plans them anew",
            file=sys.stderr,
        )
    return ExitCode.OK


def _ids(arguments: argparse.Namespace, selection: Sequence[str]) -> list[str]:
    from ..corpus.listings import vector_ids

    listed = vector_ids(arguments.specs, arguments.profile, arguments.jobs, selection)
    return [item for of_operator in listed.values() for item in of_operator]
