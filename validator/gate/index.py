"""The vectors of a corpus, found as an entry of a baseline says: by pattern, and by kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.vectors import Kind

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Entry


class VectorIndex(IdIndex):
    """All vectors of a corpus."""

    def __init__(self, corpus: Mapping[str, Entry]) -> None:
        """Index vectors by id."""
        super().__init__(corpus)
        self._corpus = corpus

    def of_kind(self, pattern: str, kind: Kind | None) -> tuple[str, ...]:
        """The ids that a pattern matches among those of one kind; None for all."""
        found = self.matching(pattern)
        if kind is None:
            return found
        return tuple(item for item in found if self._corpus[item].kind == kind)
