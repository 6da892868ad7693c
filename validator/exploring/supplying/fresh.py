"""The vectors of the corpus with their derived inputs drawn anew, made while others are judged.

Whoever has memorized the corpus does not know these. Their ids are those of the corpus, so that a
baseline says what is expected of them; their results are of another corpus, whose name says so.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.sources import Holder, Source, Supply
from onnx_conformance.core.corpus.vector_files import read_files
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.errors import cannot_write
from onnx_conformance.core.exploring.explorer import Explored
from onnx_conformance.core.text import one_line, quantity

from .makers import Makers, Task

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Corpus, Entry

# Whole models have texts of their own, and no derived inputs.
_WHOLE = ("graphs-", "ir-")
# Vectors that are made ahead of what is judged.
_AHEAD = 64


@dataclass
class Drawn:
    """What has become of the vectors.

    Attributes:
        anew: how many were drawn anew.
        written: how many have no derived values.
        reasons: why others could not be drawn anew, with how often.
    """

    anew: int = 0
    written: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, explored: Explored) -> None:
        """Count one."""
        if explored.edits:
            self.anew += 1
        elif explored.message:
            self.reasons[one_line(explored.message, 80)] += 1
        else:
            self.written += 1

    def __str__(self) -> str:
        """In words."""
        failed = self.reasons.total()
        more = f", {failed:,} could not be" if failed else ""
        return (
            f"{quantity(self.anew, 'vector')} drawn anew; {self.written:,} have all values written"
            f" out{more}"
        )


@dataclass(frozen=True)
class FreshHolder:
    """Has the files of fresh vectors, in a folder; a `sources.Holder`."""

    folder: Path

    @property
    def path(self) -> Path:
        """The folder."""
        return self.folder

    @property
    def restore(self) -> str:
        """What to do where a vector is not there."""
        return "run again"

    def files(self, place: str) -> dict[str, bytes]:
        """The files of a vector."""
        return read_files(str(self.folder / place))


class FreshSupply:
    """Makes vectors anew, in their order; a `sources.Supply`."""

    def __init__(self, source: FreshSource, ids: Iterable[str], others: Supply | None) -> None:
        """Make the vectors with these ids; `others` makes those that are not drawn anew."""
        self._source = source
        self._ids = list(ids)
        self._others = others
        self._at = 0
        self._makers = Makers(source.jobs)
        self._there: set[str] = set()
        self._failed: dict[str, str] = {}

    def start(self) -> None:
        """Begin."""
        if self._others is not None:
            self._others.start()
        self._feed()

    def _feed(self) -> None:
        while self._at < len(self._ids) and self._makers.open < _AHEAD:
            name = self._ids[self._at]
            self._at += 1
            key = name.split("/", 1)[0]
            self._makers.submit(Task(name, fresh=self._source.seed, key=key))
        for explored in self._makers.results():
            self._take(explored)

    def _take(self, explored: Explored) -> None:
        entry = self._source.entries[explored.id]
        place = relative_directory(entry.kind, entry.id)
        if explored.files is not None:
            folder = self._source.folder / place
            try:
                for name, content in explored.files.items():
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / name).write_bytes(content)
            except OSError as error:
                raise cannot_write(folder, error) from None
            self._source.drawn.add(explored)
        else:
            self._source.drawn.reasons[one_line(explored.message, 80)] += 1
        self._there.add(place)  # without files it is a bad vector, which the run says

    def is_there(self, operator_version: str, place: str) -> bool:
        """Whether a vector can be read now."""
        if operator_version.startswith(_WHOLE):
            return self._others is None or self._others.is_there(operator_version, place)
        if place not in self._there:
            self._feed()
        return place in self._there

    def wait(self) -> None:
        """Nothing is kept for the next run."""

    def close(self) -> None:
        """End what is under way."""
        self._makers.close()
        if self._others is not None:
            self._others.close()


@dataclass(frozen=True)
class FreshSource:
    """The corpus drawn anew; a `sources.Source`."""

    seed: str
    entries: Mapping[str, Entry]
    original: Source | None
    folder: Path
    jobs: int
    drawn: Drawn = field(default_factory=Drawn)

    def holder(self, operator_version: str) -> Holder:
        """What holds the vectors of an operator version."""
        del operator_version
        return FreshHolder(self.folder)

    def missing(self, operator_versions: Iterable[str]) -> Sequence[str]:
        """All of them: nothing is kept."""
        return tuple(operator_versions)

    def supply(self, operator_versions: Sequence[str]) -> FreshSupply:
        """Makes them."""
        wanted = set(operator_versions)
        ids = [
            name
            for name, entry in self.entries.items()
            if entry.operator_version in wanted and not name.startswith(_WHOLE)
        ]
        others = None
        whole = [name for name in operator_versions if name.startswith(_WHOLE)]
        if self.original is not None and whole:
            missing = self.original.missing(whole)
            others = self.original.supply(missing) if missing else None
        return FreshSupply(self, ids, others)


def fresh_corpus(
    corpus: Corpus, selected: Iterable[str], seed: str, jobs: int
) -> tuple[Corpus, FreshSource, tempfile.TemporaryDirectory[str]]:
    """A corpus with its derived inputs drawn anew, what makes it, and the folder of its files.

    Args:
        corpus: the corpus.
        selected: ids of the vectors that are run.
        seed: of the values.
        jobs: processes that make them.
    """
    folder = tempfile.TemporaryDirectory(prefix="onnx-validate-fresh-", ignore_cleanup_errors=True)
    holder = FreshHolder(Path(folder.name))
    entries = {
        name: entry
        if name.startswith(_WHOLE)
        else replace(entry, digest=None, holder=holder, location=f"{folder.name}/{_place(entry)}")
        for name, entry in corpus.entries.items()
    }
    wanted = {name: entries[name] for name in selected if name in entries}
    source = FreshSource(seed, wanted, corpus.source, Path(folder.name), jobs)
    version = f"{corpus.version}+fresh.{seed}"
    return (
        replace(corpus, version=version, digest=None, entries=entries, source=source),
        source,
        folder,
    )


def _place(entry: Entry) -> str:
    return relative_directory(entry.kind, entry.id)
