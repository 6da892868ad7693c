"""Drawn calls as vectors: in memory, for the engine, and for commands that are given their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from onnx_conformance.core.corpus.corpus import Corpus, Entry
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.exploring.explorer import Explored
from onnx_conformance.core.exploring.ids import is_explored


@dataclass(frozen=True)
class DrawnFiles:
    """The files of one drawn call; a `sources.Holder`."""

    name: str
    content: Mapping[str, bytes]

    @property
    def path(self) -> Path:
        """Its id, which names it in messages."""
        return Path(self.name)

    @property
    def restore(self) -> str:
        """What to do where it cannot be used."""
        return "draw it again with the version of this program that found it"

    def files(self, place: str) -> dict[str, bytes]:
        """The files of the call."""
        del place
        return dict(self.content)


def entry_of(explored: Explored) -> Entry:
    """A drawn call as an entry of a corpus; ValueError if it was refused."""
    if explored.files is None:
        raise ValueError(f"{explored.id} was refused: {explored.message}")
    files = DrawnFiles(explored.id, explored.files)
    return Entry(explored.id, Kind(explored.kind), explored.id, None, holder=files)


def with_explored(corpus: Corpus, ids: Iterable[str]) -> Corpus:
    """A corpus with the drawn calls among some ids, each drawn from its id.

    Raises BadInputError for an id that names no call, or one that nothing is said of.
    """
    wanted = [item for item in ids if is_explored(item)]
    if not wanted:
        return corpus
    from onnx_conformance.core.exploring.explorer import find_explorer

    explorer = find_explorer()
    calls = []
    for name in wanted:
        found = explorer.draw(name)
        if found.files is None:
            raise BadInputError(
                f"{name}: there is no such call ({found.refusal}: {found.message or 'no reason'});"
                " ids hold within one version of this program"
            )
        calls.append(found)
    return with_entries(corpus, calls)


def with_entries(corpus: Corpus, calls: Iterable[Explored]) -> Corpus:
    """A corpus with drawn calls among its vectors."""
    entries = {item.id: entry_of(item) for item in calls}
    return replace(corpus, entries={**corpus.entries, **entries})
