"""Options that several commands have."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.cluster.options import where_of

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


def cluster_of(arguments: argparse.Namespace) -> OnCluster | None:
    """Where operators are measured, if on a cluster; UsageError for what is no address."""
    where = where_of(arguments)
    if where is None:
        return None
    from ..renewing.clustered import OnCluster

    return OnCluster(where)


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
