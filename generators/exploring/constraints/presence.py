"""Which optional inputs and outputs go together, and with which ranks and words, in all vectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from .facts import tensors_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..calls import DrawnCall

# Vectors that must have both of two, or an input beside a word, before one is not drawn alone.
_VECTORS = 3


@dataclass(frozen=True)
class Presence:
    """What goes together in all vectors of an operator.

    Attributes:
        pairs: optional inputs, or optional outputs, of which each is there with the other alone.
        needed: an attribute, a word that it is, and an input that is always there with it.
        ranks: an optional input that is there or not, another input, and its ranks then.
    """

    pairs: frozenset[tuple[str, str]] = frozenset()
    needed: frozenset[tuple[str, str, str]] = frozenset()
    ranks: Mapping[tuple[str, bool, str], frozenset[int]] = field(default_factory=dict)

    def kept(self, before: DrawnCall, after: DrawnCall) -> bool:
        """Whether what held in a call holds after an edit."""
        return self._broken(after) <= self._broken(before)

    def _broken(self, call: DrawnCall) -> frozenset[object]:
        there, words = _there(call), _words(call).items()
        found: set[object] = {
            pair for pair in self.pairs if (pair[0] in there) != (pair[1] in there)
        }
        found.update(item for item in self.needed if item[:2] in words and item[2] not in there)
        ranks = {name: len(tensor.shape) for name, tensor in tensors_of(call).items()}
        for (name, given, other), known in self.ranks.items():
            if (name in there) == given and ranks.get(other, min(known)) not in known:
                found.add((name, given, other))
        return frozenset(found)


def gathered(calls: Sequence[DrawnCall]) -> Presence:
    """What goes together in all of some vectors."""
    known = [(_there(call), _words(call)) for call in calls]
    there = [names for names, _ in known]
    inputs, outputs = (
        {item.name for call in calls for item in getattr(call.version, kind) if item.optional}
        for kind in ("inputs", "outputs")
    )
    return Presence(
        _pairs(there, inputs) | _pairs(there, outputs),
        _needed(known, inputs),
        _ranks(calls, inputs),
    )


def _there(call: DrawnCall) -> frozenset[str]:
    """The inputs and outputs that a call has, by name."""
    outputs = call.requested or (item.name for item in call.version.outputs if not item.optional)
    return frozenset((*(item.name for item in call.inputs), *outputs))


def _words(call: DrawnCall) -> dict[str, str]:
    """The attributes that are words, those that are absent by their default."""
    given = {item.name: item.value for item in call.attributes}
    return {
        name: str(given.get(name, known.default))
        for name, known in call.version.attributes.items()
        if known.type == "string"
    }


def _pairs(known: Sequence[frozenset[str]], optional: set[str]) -> frozenset[tuple[str, str]]:
    """Two that are in some vectors both, in some none, and in no vector one alone."""
    found = []
    for pair in combinations(sorted(optional), 2):
        counts = [len(there.intersection(pair)) for there in known]
        if 1 not in counts and 0 in counts and counts.count(2) >= _VECTORS:
            found.append(pair)
    return frozenset(found)


def _needed(
    known: Sequence[tuple[frozenset[str], Mapping[str, str]]], optional: set[str]
) -> frozenset[tuple[str, str, str]]:
    found = set()
    pairs = {pair for _, words in known for pair in words.items()}
    for name in optional:
        if all(name in there for there, _ in known):
            continue
        for attribute, word in pairs:
            having = [there for there, words in known if words.get(attribute) == word]
            if len(having) >= _VECTORS and all(name in there for there in having):
                found.add((attribute, word, name))
    return frozenset(found)


def _ranks(
    calls: Sequence[DrawnCall], optional: set[str]
) -> dict[tuple[str, bool, str], frozenset[int]]:
    """The ranks of inputs that have other ones where something is there than where it is not."""
    known: dict[tuple[str, bool, str], list[int]] = {}
    for call in calls:
        there = _there(call)
        for other, tensor in tensors_of(call).items():
            for name in optional - {other}:
                known.setdefault((name, name in there, other), []).append(len(tensor.shape))
    return {
        key: frozenset(ranks)
        for key, ranks in known.items()
        if len(ranks) >= _VECTORS
        and not set(ranks) & set(known.get((key[0], not key[1], key[2]), ranks))
    }
