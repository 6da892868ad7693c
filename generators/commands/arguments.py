"""Arguments that several subcommands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_specs(parser: argparse.ArgumentParser) -> None:
    """--specs DIR, and --profile."""
    parser.add_argument(
        "--specs", type=Path, default=Path("specs"), metavar="DIR", help="the specs (./specs)"
    )
    parser.add_argument(
        "--profile",
        choices=("standard", "full"),
        default="standard",
        help="standard: the committed corpus; full: every version, opset, type and form",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """--output DIR."""
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("vectors"),
        metavar="DIR",
        help="the vectors (./vectors)",
    )
