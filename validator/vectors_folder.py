"""Where the vectors are, when nobody says so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .errors import UsageError

if TYPE_CHECKING:
    import argparse

DEFAULT = Path("vectors")


def add_vectors_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--vectors DIR` to a command."""
    parser.add_argument(
        "--vectors", type=Path, metavar="DIR", help="the vectors folder (default: ./vectors)"
    )


def vectors_folder(given: Path | None) -> Path:
    """The folder that was given, or ./vectors; UsageError where there is neither."""
    if given is not None:
        return given
    if DEFAULT.is_dir():
        return DEFAULT
    raise UsageError(
        "there is no folder ./vectors here; name one with --vectors DIR, or write the vectors"
        " with `onnx-vectors generate`"
    )
