"""`--cluster` and `--cluster-patience`, the same in every command that runs on many machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.cluster.options import add_cluster

from .limits import seconds

if TYPE_CHECKING:
    import argparse


def add_cluster_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare them; `what` runs on the cluster, in words."""
    many = parser.add_argument_group("many machines")
    add_cluster(many, what, seconds)
