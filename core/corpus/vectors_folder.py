"""Where the vectors are, when nobody says so."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BadInputError
from .corpus import MANIFEST_FILE
from .vectors import KINDS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import TextIO

# In a checkout: the standard corpus, which `make vectors` writes, and its core, which is in git.
STANDARD = Path("build/vectors")
DEFAULT = Path("vectors")
MAKERS = "onnx_conformance.corpus"
PUBLISHED = "published"
# What helps where this environment cannot write the corpus; reading it takes much less.
ELSEWHERE = (
    "write it in another environment (`onnx-vectors generate --output DIR`), and name that folder"
    " with --vectors, or --onnx-vectors of pytest"
)


def add_vectors_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--vectors DIR` to a command."""
    parser.add_argument(
        "--vectors",
        type=Path,
        metavar="DIR",
        help="the vectors folder (default: ./build/vectors or ./vectors, the first that holds a"
        " manifest, as in a checkout; else the published corpus, which is written into your cache"
        " on first use)",
    )


def vectors_folder(given: Path | None, before_making: Callable[[], object] | None = None) -> Path:
    """The folder that was given, else ./build/vectors or ./vectors, else the published corpus.

    Args:
        given: what `--vectors` says, or None.
        before_making: called before the published corpus is written, which takes long; what it
            raises keeps the corpus from being written.

    Raises BadInputError where the published corpus cannot be made, or comes out differently.
    """
    if given is not None:
        _hint_at_manifest(given)
        return given
    for folder in (STANDARD, DEFAULT):
        if (folder / MANIFEST_FILE).is_file():
            return folder
    return _published(before_making)


def _published(before_making: Callable[[], object] | None) -> Path:
    """The folder of the published corpus, from whoever registers itself as its maker.

    A maker is an entry point of the group `onnx_conformance.corpus`, named `published`: a function
    that takes a stream for messages and returns the folder, which it writes where it is missing. It
    says so on the stream first.
    """
    from importlib.metadata import entry_points

    makers = entry_points(group=MAKERS, name=PUBLISHED)
    if not makers:
        raise BadInputError(
            f"no vectors: ./{DEFAULT / MANIFEST_FILE} is not there, and this installation has"
            f" nothing that makes the published corpus (entry point '{PUBLISHED}' of the group"
            f" '{MAKERS}'); name a folder with --vectors, or install onnx-conformance again"
        )
    make: Callable[[_Messages], Path] = next(iter(makers)).load()
    try:
        return make(_Messages(sys.stderr, before_making))
    except ImportError as error:
        raise BadInputError(
            f"the published corpus cannot be written here: {error}; {ELSEWHERE}"
        ) from None


class _Messages:
    """A stream for what the maker says; before it says the first thing, something is done."""

    def __init__(self, stream: TextIO, first: Callable[[], object] | None) -> None:
        self._stream = stream
        self._first = first

    def write(self, text: str) -> int:
        """Write, as a stream does."""
        first, self._first = self._first, None
        if first is not None:
            first()
        return self._stream.write(text)

    def flush(self) -> None:
        """Flush, as a stream does."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Whether a person watches."""
        return self._stream.isatty()


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
