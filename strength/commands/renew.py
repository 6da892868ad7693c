"""`python -m strength renew`: measure what changed since the record, and write record and page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.cluster.options import add_cluster

from ..renewing.renewal import Renewal, mark_unmeasured, renew
from .options import (
    ROOT,
    add_jobs,
    add_least,
    add_operators,
    add_page,
    add_samples,
    add_vectors,
    cluster_of,
)

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_vectors(parser)
    parser.add_argument("--upstream", type=Path, metavar="DIR")
    add_jobs(parser)
    add_cluster(parser, "measure operators")
    add_samples(parser)
    add_least(parser)
    add_operators(parser, "measure this one though it did not change; may be given again")
    parser.add_argument("--all", action="store_true", help="measure what did not change, too")
    parser.add_argument(
        "--lower", action="store_true", help="take an operator that fell below its record"
    )
    parser.add_argument(
        "--forget", action="store_true", help="measure as if there were no history of the mutants"
    )
    parser.add_argument(
        "--unmeasured",
        action="store_true",
        help="measure nothing, and list what changed among what is allowed to be unmeasured",
    )
    parser.add_argument("--details", type=Path, default=ROOT / "build" / "strength", metavar="DIR")
    add_page(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Renew; exit code 1 where something fell or is weak."""
    if arguments.unmeasured:
        return mark_unmeasured(arguments.vectors, arguments.least, arguments.page)
    renewal = Renewal(
        arguments.vectors.resolve(),  # as a worker finds it
        arguments.upstream and arguments.upstream.resolve(),
        arguments.details,
        arguments.samples,
        arguments.least,
        arguments.lower,
        arguments.forget,
    )
    return renew(
        renewal,
        cluster_of(arguments) or arguments.jobs,
        arguments.page,
        everything=arguments.all,
        names=arguments.operator,
    )
