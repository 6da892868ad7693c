"""Puts every runtime that is wrong, and every correct one, before the vectors of a corpus."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import IncompleteError

from .backend import Backend
from .judging import Trial, convicts, open_trial, own_verdicts, verdicts
from .registry import all_mutants, touched_operators
from .strategies import INNOCENTS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .registry import Mutant

_OPERATORS = ("reshape", "shape", "size")
# Vectors that are tried before it is seen whether one of them catches.
_AT_ONCE = 150


@dataclass(frozen=True)
class ByHand:
    """What became of the runtimes that were written by hand.

    Attributes:
        vectors: how many they were put before.
        tried: how many wrong ones there are.
        living: those that no vector catches.
        convicted: of correct backends, the first vector that catches one, by its name.
    """

    vectors: int
    tried: int
    living: tuple[Mutant, ...]
    convicted: dict[str, str]


def measure_by_hand(vectors: Path) -> ByHand:
    """Put all of them before the vectors of Shape, Size and Reshape in a folder.

    Raises IncompleteError where it has none.
    """
    corpus = open_corpus(vectors)
    entries = {
        name: entry
        for name, entry in corpus.entries.items()
        if name.partition("/")[0].rpartition("-")[0] in _OPERATORS
    }
    if not entries:
        raise IncompleteError(f"{vectors} has no vector of Shape, Size or Reshape")
    trial = open_trial(replace(corpus, entries=entries), Backend())
    convicted = {
        name: next(iter(own_verdicts(trial) if name == PLAIN else verdicts(trial, make())), "")
        for name, make in INNOCENTS.items()
    }
    living = tuple(item for item in all_mutants().values() if not _is_convicted(trial, item))
    return ByHand(
        len(entries),
        len(all_mutants()),
        living,
        {name: first for name, first in convicted.items() if first},
    )


def _is_convicted(trial: Trial, mutant: Mutant) -> bool:
    return any(
        convicts(verdict)
        for part in _parts(trial, mutant)
        for verdict in verdicts(part, mutant.backend()).values()
    )


def _parts(trial: Trial, mutant: Mutant) -> Iterator[Trial]:
    """The trial a part at a time, what the bug is in first; controls beside what needs them."""
    touched = touched_operators(mutant.backend)
    by_id = {exhibit.id: exhibit for exhibit in trial.exhibits}
    ordered = sorted(
        trial.exhibits,
        key=lambda exhibit: exhibit.expectation.vector.operator not in touched,
    )
    for start in range(0, len(ordered), _AT_ONCE):
        part = {exhibit.id: exhibit for exhibit in ordered[start : start + _AT_ONCE]}
        controls = {item.control: by_id[item.control] for item in part.values() if item.control}
        yield replace(trial, exhibits=tuple({**controls, **part}.values()))
