"""`python -m strength serve`: be the harness of one mutant, by protocol 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..names import split_name
from ..trying.confirming import serve_mutant

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--operator", required=True, metavar="NAME")
    parser.add_argument("mutant", help="its name, as `run --killed` has it")


def execute(arguments: argparse.Namespace) -> int:
    """Serve until the host is done."""
    serve_mutant(*split_name(arguments.operator), arguments.mutant)
    return 0
