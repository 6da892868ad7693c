"""A baseline beside a corpus that is newer: what was added since it was made, and what is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.model import Withdrawn
from onnx_conformance.core.corpus.listing.releases import is_release, release_key
from onnx_conformance.core.corpus.patterns import IdIndex

from .entries import BaselineEntry

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Entry


def newer_than(version: str | None, corpus: Mapping[str, Entry]) -> dict[str, str]:
    """The release of each vector that is newer than a version of the corpus, by id.

    There is none if the version is not known, or if the corpus does not say since when they stand.
    """
    if not is_release(version):
        return {}
    known = release_key(str(version))
    found = {}
    later: dict[str, bool] = {}  # thousands of vectors have one of a few releases
    for entry in corpus.values():
        if entry.since is not None:
            if entry.since not in later:
                later[entry.since] = release_key(entry.since) > known
            if later[entry.since]:
                found[entry.id] = entry.since
    return found


@dataclass(frozen=True)
class Past:
    """What a baseline may still list though the corpus no longer has it.

    Attributes:
        withdrawn: what the corpus held before, by id.
        version: the corpus that the baseline was made with, if it says so.
        met: a line for each pattern that was found to match nothing else.
    """

    withdrawn: Mapping[str, Withdrawn] = field(default_factory=dict)
    version: str | None = None
    met: list[str] = field(default_factory=list)

    @cached_property
    def _index(self) -> IdIndex:
        return IdIndex(self.withdrawn)

    def matching(self, pattern: str) -> tuple[Withdrawn, ...]:
        """The withdrawn vectors that a pattern matches."""
        return tuple(self.withdrawn[item] for item in self._index.matching(pattern))

    def excuses(self, entry: BaselineEntry, pattern: str) -> bool:
        """Whether a pattern matches vectors that were withdrawn after the baseline was made."""
        gone = self.matching(pattern)
        if not gone or not is_release(self.version):
            return False
        made = release_key(str(self.version))
        if not all(made < release_key(item.release) for item in gone):
            return False
        self.met.append(f"{entry.where}: {withdrawn_in_words(gone)}")
        return True


def withdrawn_in_words(gone: Sequence[Withdrawn]) -> str:
    """`'clip-13/a/float32' was withdrawn in 0.3.0: no page says so`, and how many more."""
    more = f", as {len(gone) - 1} more were" if len(gone) > 1 else ""
    return f"'{gone[0].id}' was withdrawn in {gone[0].release}{more}: {gone[0].reason}"
