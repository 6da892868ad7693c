"""Where the vectors are, when nobody says so."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .corpus import MANIFEST_FILE

if TYPE_CHECKING:
    import argparse

DEFAULT = Path("vectors")


def add_vectors_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--vectors DIR` to a command."""
    parser.add_argument(
        "--vectors",
        type=Path,
        metavar="DIR",
        help="the vectors folder (default: ./vectors where it holds a manifest, as in a checkout;"
        " else the published corpus, which is written into your cache on first use)",
    )


def vectors_folder(given: Path | None) -> Path:
    """The folder that was given, ./vectors if it holds a corpus, or the published corpus.

    Raises BadInputError where the published corpus cannot be written or comes out differently.
    """
    if given is not None:
        return given
    if (DEFAULT / MANIFEST_FILE).is_file():
        return DEFAULT
    # The one place at which the validator asks for vectors to be made.
    from ..generators.installed import installed_corpus

    return installed_corpus(sys.stderr)
