"""What the vectors of one operator version have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...situations.type_texts import is_sequence_of
from .domains import Domains, numbers_in
from .facts import (
    broadcast,
    counts_of,
    is_integers,
    keeps_width,
    names_of,
    rank_of_first,
    shapes_of_data,
    tensors_of,
    types_of,
    without_default,
)
from .lists import ones_fit, spread_fits
from .presence import Presence, gathered
from .relations import Relations, related

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..calls import DrawnCall

#: Ranks that an input has in vectors, from which on it may have any other.
_MANY_RANKS = 3


@dataclass(frozen=True)
class OfOperator:
    """What holds in all vectors of one operator, in all its versions.

    Attributes:
        elements: type variables of sequences, each with that of what goes into them.
        rules: those of `lists` that hold in all vectors of some operators alone.
        relations, presence, domains: as their modules say.
    """

    elements: frozenset[tuple[str, str]] = frozenset()
    rules: tuple[Callable[[DrawnCall], bool], ...] = ()
    relations: Relations = field(default_factory=Relations)
    presence: Presence = field(default_factory=Presence)
    domains: Domains = field(default_factory=Domains)


def held_in(calls: Sequence[DrawnCall]) -> OfOperator:
    """What holds in all vectors of an operator."""
    return OfOperator(
        _elements(calls),
        tuple(rule for rule in (ones_fit, spread_fits) if calls and all(map(rule, calls))),
        related(calls),
        gathered(calls),
        numbers_in(calls),
    )


@dataclass(frozen=True)
class Seen:
    """What vectors of one operator version have.

    Attributes:
        ranks: of each input, by its name.
        beside: by how much the rank of each input is above that of the first one.
        lengths: of each list among the attributes, beside the rank of the first input.
        together: names of attributes without a default that are given together.
        least: of each attribute of type int the least value.
        broadcasts: whether the shapes of the inputs that are data broadcast together in all.
        free: axes of inputs of which two vectors have different sizes, and all else alike.
        counts: of each variadic input the numbers of its values.
        typed: the attributes without a default that are given, beside the types of the inputs.
        alone: names of the attributes of calls without an input.
        widths: whether all types that an attribute sets have as many bits as the first input.
        of_operator: of all vectors of the operator.
    """

    ranks: Mapping[str, frozenset[int]]
    beside: Mapping[str, frozenset[int]]
    lengths: Mapping[str, frozenset[tuple[int, int]]]
    together: frozenset[frozenset[str]]
    least: Mapping[str, int]
    broadcasts: bool
    free: frozenset[tuple[str, int]] = frozenset()
    counts: Mapping[str, frozenset[int]] = field(default_factory=dict)
    typed: frozenset[tuple[frozenset[str], tuple[str, ...]]] = frozenset()
    alone: frozenset[frozenset[str]] = frozenset()
    widths: bool = False
    of_operator: OfOperator = field(default_factory=OfOperator)

    def permits_count(self, name: str, count: int) -> bool:
        """Whether a variadic input may have so many values."""
        known = self.counts.get(name, frozenset())
        return count in known or (len(known) >= _MANY_RANKS and count > min(known))

    def permits_types(self, call: DrawnCall) -> bool:
        """Whether some vector gives the same attributes beside inputs of these types."""
        return len(self.together) < 2 or types_of(call) in self.typed

    def permits_rank(self, name: str, rank: int, first: int) -> bool:
        """Whether an input may have a rank, where the first one has another."""
        known, beside = (kind.get(name, frozenset()) for kind in (self.ranks, self.beside))
        alone = rank in known or len(known) >= _MANY_RANKS
        return alone and (rank - first in beside or len(beside) >= _MANY_RANKS)

    def permits_length(self, name: str, length: int, first: int) -> bool:
        """Whether a list among the attributes may have a length, by the rank of the first input."""
        known = self.lengths.get(name, frozenset())
        at_this_rank = {size for rank, size in known if rank == first}
        return length in at_this_rank or len(at_this_rank) >= _MANY_RANKS


def seen_in(calls: Sequence[DrawnCall], of_operator: OfOperator | None = None) -> Seen:
    """What some vectors have.

    Args:
        calls: vectors of one operator version.
        of_operator: what holds in all vectors of the operator.
    """
    ranks: dict[str, set[int]] = {}
    beside: dict[str, set[int]] = {}
    lengths: dict[str, set[tuple[int, int]]] = {}
    least: dict[str, int] = {}
    for call in calls:
        tensors = tensors_of(call)
        first = rank_of_first(tensors)
        for name, tensor in tensors.items():
            ranks.setdefault(name, set()).add(len(tensor.shape))
            beside.setdefault(name, set()).add(len(tensor.shape) - first)
        for item in call.attributes:
            if isinstance(item.value, int):
                least[item.name] = min(item.value, least.get(item.name, item.value))
            elif isinstance(item.value, tuple):
                lengths.setdefault(item.name, set()).add((first, len(item.value)))
    return Seen(
        {name: frozenset(found) for name, found in ranks.items()},
        {name: frozenset(found) for name, found in beside.items()},
        {name: frozenset(found) for name, found in lengths.items()},
        frozenset(without_default(call) for call in calls),
        least,
        all(broadcast(shapes_of_data(call, tensors_of(call))) for call in calls),
        _free_axes(calls),
        _counts_in(calls),
        frozenset(types_of(call) for call in calls),
        frozenset(names_of(call) for call in calls if not call.inputs),
        all(map(keeps_width, calls)) and any(call.spec.type_attributes for call in calls),
        of_operator or OfOperator(),
    )


def _elements(calls: Sequence[DrawnCall]) -> frozenset[tuple[str, str]]:
    """Type variables of inputs of which one is a sequence of the other in all vectors."""
    found: frozenset[tuple[str, str]] | None = None
    for call in calls:
        fed = {item.type for item in call.version.inputs}
        types = {name: word for name, word in call.types.items() if name in fed}
        pairs = frozenset(
            (one, other)
            for one, word in types.items()
            for other, name in types.items()
            if is_sequence_of(word, name)
        )
        found = pairs if found is None else found & pairs
    return found or frozenset()


def _free_axes(calls: Sequence[DrawnCall]) -> frozenset[tuple[str, int]]:
    """The axes of inputs of which two calls have different sizes, and all other sizes alike."""
    known: dict[tuple[str, int, object], int] = {}
    free = set()
    for call in calls:
        shapes = [(name, item.shape) for name, item in tensors_of(call).items()]
        lists = tuple(sorted((i.name, i.value) for i in call.attributes if is_integers(i.value)))
        for place, (name, shape) in enumerate(shapes):
            for axis, size in enumerate(shape):
                rest = (*shapes[:place], shape[:axis], shape[axis + 1 :], *shapes[place + 1 :])
                if known.setdefault((name, axis, (rest, lists)), size) != size:
                    free.add((name, axis))
    return frozenset(free)


def _counts_in(calls: Sequence[DrawnCall]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for call in calls:
        for name, count in counts_of(call).items():
            found.setdefault(name, set()).add(count)
    return {name: frozenset(counts) for name, counts in found.items()}
