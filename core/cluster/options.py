"""`--cluster` and `--cluster-patience`, the same in every command that runs on many machines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from .addresses import Address


@dataclass(frozen=True)
class Where:
    """A cluster.

    Attributes:
        address: of its scheduler.
        patience: seconds to wait for workers, and for a scheduler that is gone.
        note: called with facts that a person must know.
    """

    address: Address
    patience: float
    note: Callable[[str], None]


def add_cluster(
    parser: argparse._ActionsContainer, what: str, seconds: Callable[[str], float] = float
) -> None:
    """Declare them; `what` is done on the cluster, in words, and `seconds` reads a number."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"{what} on a Dask cluster: HOST[:PORT] or tls://HOST:PORT of its scheduler,"
        " the .json file that it wrote, or local:N for N workers here (docs/scale.md)",
    )
    parser.add_argument(
        "--cluster-patience",
        type=seconds,
        default=300.0,
        metavar="S",
        help="seconds to wait for workers, and for a scheduler that is gone (default: %(default)g)",
    )


def where_of(
    arguments: argparse.Namespace, note: Callable[[str], None] | None = None
) -> Where | None:
    """The cluster that was named, if one was; UsageError for what is no address.

    Facts go to `note`, or to standard error.
    """
    if arguments.cluster is None:
        return None
    from .addresses import parse_address

    return Where(parse_address(arguments.cluster), arguments.cluster_patience, note or _note)


def _note(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
