"""`python -m strength families`: count the vectors of each family that no mutant needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..reports.families import count_families, told
from .options import ROOT, add_vectors

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_vectors(parser)
    parser.add_argument("--specs", type=Path, default=ROOT / "specs", metavar="DIR")
    parser.add_argument(
        "--kills",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="what `run --cases --json FILE` wrote, for which cases kill alone; may be given again",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Count, and print the table."""
    for text in told(count_families(arguments.vectors, arguments.specs, arguments.kills)):
        print(text)
    return 0
