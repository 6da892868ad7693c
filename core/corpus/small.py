"""Which vectors of a corpus are small, see `listing.sizes`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import BadInputError
from .listing.sizes import SMALL_FILE, SMALL_KEY, listed_size, size_from
from .vectors import relative_directory

if TYPE_CHECKING:
    from .corpus import Corpus, Entry

#: What a selection can ask for: small vectors, or all of them.
SMALL = "small"
EVERY = "all"
SIZES = (SMALL, EVERY)


def small_entries(corpus: Corpus, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that are small, as is the control of those that have one.

    A manifest of ours says it; of other folders the files are looked at, and written first where
    they are not there. What cannot be read counts as small: its verdict is `bad-vector`, and no
    run hides it.
    """
    is_listed = corpus.manifest.get(SMALL_KEY) == SMALL_FILE
    if not is_listed:
        corpus.provide(entries)
    return [entry for entry in entries if not _size(entry, corpus, is_listed=is_listed)]


def _size(entry: Entry, corpus: Corpus, *, is_listed: bool) -> int:
    """Bytes of the largest file of a vector or of its control; 0 where both are small."""
    facts = entry.facts
    own = facts.size if is_listed and facts is not None else _size_of(entry)
    control = None if facts is None else corpus.entries.get(facts.control or "")
    return own if control is None else max(own, _size(control, corpus, is_listed=is_listed))


def _size_of(entry: Entry) -> int:
    """As `listed_size`, from the files of a vector; 0 where they cannot be read."""
    try:
        if entry.holder is not None:
            return listed_size(entry.holder.files(relative_directory(entry.kind, entry.id)))
        return size_from(max(_bytes_below(os.fspath(entry.location)), default=0))
    except (OSError, BadInputError):
        return 0


def _bytes_below(folder: str) -> Iterator[int]:
    """Bytes of each file below a folder."""
    for where, _folders, names in os.walk(folder):
        for name in names:
            yield os.stat(f"{where}/{name}").st_size  # noqa: PTH116  a Path costs more
