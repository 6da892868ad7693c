"""Options that several commands have."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from ..renewing.clustered import OnCluster

ROOT = Path(__file__).resolve().parents[2]
#: What share of an operator's mutants its vectors must kill, in percent.
LEAST = 95.0


def add_vectors(parser: argparse.ArgumentParser) -> None:
    """The folder of vectors."""
    parser.add_argument("--vectors", type=Path, default=ROOT / "build" / "vectors", metavar="DIR")


def add_operators(parser: argparse.ArgumentParser, words: str) -> None:
    """Which operators."""
    parser.add_argument("--operator", action="append", default=[], metavar="NAME", help=words)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """How many processes."""
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """On how many machines."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="measure operators on a Dask cluster: HOST[:PORT] or tls://HOST:PORT of its scheduler,"
        " the .json file that it wrote, or local:N for N workers here (docs/scale.md)",
    )
    parser.add_argument(
        "--cluster-patience",
        type=float,
        default=300.0,
        metavar="S",
        help="seconds to wait for workers, and for a scheduler that is gone (default: %(default)g)",
    )


def cluster_of(arguments: argparse.Namespace) -> OnCluster | None:
    """Where operators are measured, if on a cluster; UsageError for what is no address."""
    if arguments.cluster is None:
        return None
    from onnx_conformance.core.cluster.addresses import parse_address

    from ..renewing.clustered import OnCluster

    def note(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    return OnCluster(parse_address(arguments.cluster), arguments.cluster_patience, note)


def add_least(parser: argparse.ArgumentParser) -> None:
    """The percentage that is demanded."""
    parser.add_argument("--least", type=float, default=LEAST, metavar="PERCENT")


def add_samples(parser: argparse.ArgumentParser) -> None:
    """How many calls beyond the corpus."""
    parser.add_argument(
        "--samples", type=int, default=1000, metavar="N", help="calls beyond the corpus"
    )


def add_page(parser: argparse.ArgumentParser) -> None:
    """The page of totals."""
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "strength.md", metavar="FILE")
