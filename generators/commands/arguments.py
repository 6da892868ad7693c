"""Arguments that several subcommands share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..corpus.published import PACKAGE, SPECS

if TYPE_CHECKING:
    import argparse


def add_specs(parser: argparse.ArgumentParser) -> None:
    """Add --specs DIR, and --profile."""
    add_specs_folder(parser)
    parser.add_argument(
        "--profile",
        choices=("core", "standard", "full"),
        default="standard",
        help="core: what is kept in git; standard: what is published; full: every version, opset,"
        " type and form",
    )


def add_specs_folder(parser: argparse.ArgumentParser) -> None:
    """Add --specs DIR."""
    parser.add_argument(
        "--specs",
        type=Path,
        default=_specs_folder(),
        metavar="DIR",
        help="the specs (./specs, or those that are installed)",
    )


def _specs_folder() -> Path:
    """./specs if it exists, else the specs that the package contains."""
    here = Path("specs")
    return here if here.is_dir() else PACKAGE / SPECS


def add_kept(parser: argparse.ArgumentParser) -> None:
    """Add --kept DIR."""
    parser.add_argument(
        "--kept",
        type=Path,
        metavar="DIR",
        help="keep there what was made of each spec, and make again only what something changed of"
        " that it depends on (default: make everything)",
    )


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add --jobs N."""
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes that make operators side by side (one for each processor)",
    )
