"""`--cluster` and `--cluster-patience`, the same in every command that runs on many machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .limits import seconds

if TYPE_CHECKING:
    import argparse


def add_cluster_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare them; `what` runs on the cluster, in words."""
    many = parser.add_argument_group("many machines")
    many.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"{what} on a Dask cluster: HOST[:PORT] or tls://HOST:PORT of its scheduler,"
        " the .json file that it wrote, or local:N for N workers here (docs/scale.md)",
    )
    many.add_argument(
        "--cluster-patience",
        type=seconds,
        default=300.0,
        metavar="S",
        help="seconds to wait for workers, and for a scheduler that is gone (default: %(default)g)",
    )
