"""`onnx-vectors list`: the vectors of the corpus, one id a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode, IncompleteError

from .arguments import add_jobs, add_oracles, add_specs, oracles_of

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs(parser)
    add_oracles(parser)
    add_jobs(parser)
    parser.add_argument(
        "selection", nargs="*", metavar="ID", help="ids or patterns, e.g. 'reshape-14/*'"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Print the ids; IncompleteError if a pattern matches nothing."""
    from onnx_conformance.core.corpus.patterns import IdIndex

    arguments.oracles = oracles_of(arguments)
    ids = _ids(arguments, arguments.selection)
    if arguments.selection:
        index = IdIndex(ids)
        taken: dict[str, None] = {}
        for pattern in arguments.selection:
            matching = index.matching(pattern)
            if not matching:
                raise IncompleteError(IdIndex(_ids(arguments, ())).explain(pattern))
            taken.update(dict.fromkeys(matching))
        ids = tuple(taken)
    print("\n".join(ids))
    return ExitCode.OK


def _ids(arguments: argparse.Namespace, selection: Sequence[str]) -> Sequence[str]:
    """All ids that the lock lists; else those that are planned for what patterns may match."""
    from ..corpus.lock import lock_beside

    lock = lock_beside(arguments.specs) if arguments.profile == "standard" else None
    if lock is not None:
        return lock.ids()
    from ..corpus.planned import planned_ids

    return planned_ids(
        arguments.specs, arguments.profile, selection, arguments.jobs, arguments.oracles
    )
