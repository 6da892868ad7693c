"""Where the vectors are, when nobody says so."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .corpus import MANIFEST_FILE
from .vectors import KINDS

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
        _hint_at_manifest(given)
        return given
    if (DEFAULT / MANIFEST_FILE).is_file():
        return DEFAULT
    # The one place at which the validator asks for vectors to be made.
    from onnx_conformance.generators.corpus.installed import installed_corpus

    return installed_corpus(sys.stderr)


def _hint_at_manifest(given: Path) -> None:
    """Say so where a part of a corpus is named, which is then taken as it is: unverified."""
    if (given / MANIFEST_FILE).is_file() or not given.is_dir():
        return
    whole = next((item for item in given.resolve().parents if _holds_corpus(item)), None)
    if whole is not None:
        sys.stderr.write(
            f"note: {given} has no manifest, so its vectors are not verified and the corpus is"
            f" called unversioned; --vectors {whole} has one, and patterns select a part of it\n"
        )


def _holds_corpus(folder: Path) -> bool:
    return (folder / MANIFEST_FILE).is_file() and (folder / KINDS[0]).is_dir()
