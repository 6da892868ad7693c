"""Where the vectors are if the user does not say so."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from ..errors import BadInputError
from ..installed import installed
from ..text import quantity
from .archived.opening import open_archives
from .corpus import ELSEWHERE, Corpus, open_corpus
from .listing.model import MANIFEST_FILE
from .sources import Source
from .vectors import KINDS

if TYPE_CHECKING:
    import argparse


# In a checkout: the standard corpus, which `make vectors` writes, and its excerpt, which is in git.
STANDARD = Path("build/vectors")
DEFAULT = Path("vectors")
MAKERS = "onnx_conformance.corpus"


def add_vectors_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--vectors PATH` to a command."""
    parser.add_argument(
        "--vectors",
        type=Path,
        metavar="PATH",
        help="the vectors folder (default: ./build/vectors or ./vectors, the first that holds a"
        " manifest, as in a checkout; else the published corpus, of which what is wanted is"
        " written into your cache on first use); a release, a folder of its archives and one"
        " archive are read as they are",
    )


def open_vectors(given: Path | None) -> Corpus:
    """Open what is given, or ./build/vectors or ./vectors, or else the published corpus.

    Args:
        given: the value of `--vectors`, or None.

    The vectors of the published corpus are written into the user's cache by `Corpus.provide`, once
    it is known which of them are needed.

    Raises BadInputError as `open_corpus` does, and if there is no corpus at all.
    """
    if given is not None:
        _hint_at_manifest(given)
        corpus = open_archives(given) or _published_as(given) or open_corpus(given)
        _say_how_many(corpus)
        return corpus
    for folder in (STANDARD, DEFAULT):
        if (folder / MANIFEST_FILE).is_file():
            return open_corpus(folder)
    return open_published()


def open_published() -> Corpus:
    """The published corpus, of which nothing is written before vectors are needed.

    Raises BadInputError if the installation has none.
    """
    source = _published()
    return open_corpus(source.root, source)


def _published_as(given: Path) -> Corpus | None:
    """The published corpus, if a folder has its manifests and nothing more: vectors are made then.

    In a checkout that is `vectors/standard`.
    """
    path = given / MANIFEST_FILE
    if not path.is_file() or any((given / kind).is_dir() for kind in KINDS):
        return None
    try:
        source = _published()
        if path.read_bytes() != (source.root / MANIFEST_FILE).read_bytes():
            return None
    except (BadInputError, OSError):
        return None
    return open_corpus(source.root, source)


class PublishedCorpus(Source, Protocol):
    """The result of the published corpus's entry point: a source, and its folder of manifests."""

    @property
    def root(self) -> Path:
        """The folder of the manifests and of requirements.json."""
        ...


def _published() -> PublishedCorpus:
    """The published corpus, from the installed package that registers itself as its maker.

    A maker is an entry point of the group `onnx_conformance.corpus`, named `published`: a function
    that takes a stream for messages and returns a PublishedCorpus.
    """
    lacking = (
        f"no vectors: ./{DEFAULT / MANIFEST_FILE} is not there: name a folder with --vectors;"
        " this installation has nothing that makes the published corpus"
    )
    try:
        make: Callable[[TextIO], PublishedCorpus] = installed(MAKERS, lacking)
        return make(sys.stderr)
    except ImportError as error:
        raise BadInputError(
            f"the published corpus cannot be written here: {error}; {ELSEWHERE}"
        ) from None


def _hint_at_manifest(given: Path) -> None:
    """Print a hint if `given` is a part of a corpus: it is opened alone, so nothing is verified."""
    if (given / MANIFEST_FILE).is_file() or not given.is_dir():
        return
    whole = next((item for item in given.resolve().parents if _holds_corpus(item)), None)
    if whole is not None:
        sys.stderr.write(
            f"note: {given} has no manifest, so its vectors are not verified and the corpus is"
            f" called unversioned; --vectors {whole} has one, and patterns select a part of it\n"
        )


def _say_how_many(corpus: Corpus) -> None:
    """Print how many vectors a folder without a manifest has: nothing else says it."""
    if corpus.digest is not None or not corpus.entries:
        return
    spoiled = [item for item in corpus.entries.values() if item.problem or item.nameless]
    more = f", {len(spoiled):,} of which cannot be read" if spoiled else ""
    count = quantity(len(corpus.entries), "vector")
    sys.stderr.write(f"note: {corpus.root} has no manifest; found in it: {count}{more}\n")


def _holds_corpus(folder: Path) -> bool:
    return (folder / MANIFEST_FILE).is_file() and (folder / KINDS[0]).is_dir()
