"""Arguments that several subcommands share."""

from __future__ import annotations

import os
import sys
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
        help="core: the excerpt that git keeps; standard: what is published; full: every version,"
        " opset, type and form",
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


def add_oracles(parser: argparse.ArgumentParser) -> None:
    """Add --oracles PACKAGE."""
    parser.add_argument(
        "--oracles",
        default="",
        metavar="PACKAGE",
        help="for specs of operators of one's own, with --specs DIR: the Python package or module"
        " that has their oracles, installed or in the current folder (docs/own-operators.md)",
    )


def oracles_of(arguments: argparse.Namespace) -> str:
    """The package of --oracles, which can be imported; empty for ONNX's operators.

    Raises UsageError if specs of one's own come without it or ONNX's with it, and BadInputError if
    it cannot be used, or if two of the specs are about one operator.
    """
    from onnx_conformance.core.errors import BadInputError, UsageError

    from ..corpus.stems import require_own_stems
    from ..oracle.registry import package_registrations
    from ..specs.reading import spec_files

    facts, _ = spec_files(arguments.specs)
    package: str = arguments.oracles
    if not facts.own:
        if package:
            raise UsageError(
                f"--oracles {package}: the operators of {arguments.specs} are ONNX's, and have"
                " their oracles here; name a folder of one's own with --specs DIR"
            )
        return ""
    if not package:
        raise UsageError(
            f"{arguments.specs}: has operators of one's own: name the package with their oracles,"
            " --oracles PACKAGE"
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # behind what is installed
    if not package_registrations(package):
        raise BadInputError(
            f"--oracles {package}: no module of it has an oracle, which is a function with"
            ' @oracle("Operator", domain="com.example")'
        )
    require_own_stems(arguments.specs)
    return package


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
