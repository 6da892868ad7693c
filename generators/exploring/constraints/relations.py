"""What is the same between sizes, attributes and single integers in all vectors of an operator.

A call has quantities: the sizes of its inputs' axes, counted from the last one, its attributes of
type int, and its inputs of one integer. Two are tied of which one is as much more than the other,
or as many times the other, in every vector although they vary: the channels of a window and of
what it slides over, the length of a state and of the window that leaves it over, the rows of gates
and the hidden size. So is a size that is a multiple of the number of heads or groups, and so are
heads that are equally wide.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TYPE_CHECKING, NamedTuple

from onnx_conformance.core.values.elements import element_type

from ...oracle.arith.grid import grid_of, tensor_of_numbers
from ..edits import with_input
from ..elements import reshaped
from .facts import tensors_of
from .lists import with_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from ..calls import DrawnCall

    _Pair: TypeAlias = "tuple[Quantity, Quantity]"


class Quantity(NamedTuple):
    """A number in a call.

    Attributes:
        kind: the size of an axis, an attribute, or the one element of an input.
        name: of the input or attribute.
        axis: of a size, from behind: -1 is the last one; 0 of others.
        rank: of the input that has the axis; 0 of others.
    """

    kind: str
    name: str
    axis: int = 0
    rank: int = 0

    @property
    def is_last(self) -> bool:
        """Whether it is the size of a last axis."""
        return self.kind == SIZE and self.axis == -1


class Tie(NamedTuple):
    """Two quantities: the first is the second times a factor, and a number."""

    one: Quantity
    other: Quantity
    factor: int
    number: int


#: The kinds of quantities: the size of an axis, an attribute, the one element of an input.
SIZE, ATTRIBUTE, VALUE = "size", "attribute", "value"
# Vectors that must show two quantities tied, and the different values that they must have in them.
_VECTORS = 10
_VALUES = 3
# Vectors of which all have one size for an axis before no other size is drawn.
_ALL_ALIKE = 20
# How often what follows is looked for, and the greatest size that follows.
_ROUNDS = 3
_GREATEST = 128
# Attributes that say into how many equal parts a size is taken apart.
_HEADS = "heads"
_PARTS = (_HEADS, "group", "groups")
# Sizes of a last axis that holds a real number, or a real and an imaginary part.
_PARTS_OF_A_NUMBER = {1, 2}


@dataclass(frozen=True)
class Relations:
    """What holds in all vectors of an operator.

    Attributes:
        ties: two quantities, and how many times the second one, and how much more, the first is.
        parts: a size or an attribute, and the attribute that divides it.
        alike: two sizes, each with the attribute that divides it, whose parts are equal.
        fixed: the only size that an axis has, or both of one for real and complex numbers.
    """

    ties: tuple[Tie, ...] = ()
    parts: tuple[_Pair, ...] = ()
    alike: tuple[tuple[Quantity, Quantity, Quantity, Quantity], ...] = ()
    fixed: tuple[tuple[Quantity, frozenset[int]], ...] = ()

    def kept(self, before: DrawnCall, after: DrawnCall) -> bool:
        """Whether what held in a call holds after an edit."""
        old, new = quantities(before), quantities(after)
        return old == new or self._broken(new) <= self._broken(old)

    def _broken(self, known: Mapping[Quantity, int]) -> frozenset[object]:
        """What does not hold among some quantities."""
        found: set[object] = {tie for tie in self.ties if not _tied(known, tie)}
        for whole, divisor in self.parts:
            if whole in known and divisor in known and not _divides(known, whole, divisor):
                found.add((whole, divisor))
        for four in self.alike:
            if all(item in known for item in four) and not _equal_parts(known, *four):
                found.add(four)
        for item, sizes in self.fixed:
            if item in known and known[item] not in sizes:
                found.add(item)
        return frozenset(found)


def quantities(call: DrawnCall) -> dict[Quantity, int]:
    """The quantities of a call."""
    found: dict[Quantity, int] = {}
    for name, tensor in tensors_of(call).items():
        rank = len(tensor.shape)
        for axis, size in enumerate(tensor.shape):
            found[Quantity(SIZE, name, axis - rank, rank)] = size
        if tensor.element_count == 1 and element_type(tensor.type).kind in ("int", "uint"):
            found[Quantity(VALUE, name)] = int(grid_of(tensor).items[0])
    given = {item.name: item.value for item in call.attributes}
    for name, known in call.version.attributes.items():
        value = given.get(name, known.default)
        if known.type == "int" and isinstance(value, int):
            found[Quantity(ATTRIBUTE, name)] = value
    return found


def restored(relations: Relations, before: DrawnCall, after: DrawnCall) -> DrawnCall:
    """The edited call with the quantities that follow from the changed ones; at most some rounds.

    The edited call itself where one of them would be below 0, or great.
    """
    old, call = quantities(before), after
    for _ in range(_ROUNDS):
        changes = _followers(relations, old, quantities(call))
        if not changes:
            return call
        if any(not 0 <= number <= _GREATEST for number in changes.values()):
            return after
        for item, number in changes.items():
            call = _with(call, item, number)
    return call


def _followers(
    relations: Relations, old: Mapping[Quantity, int], new: Mapping[Quantity, int]
) -> dict[Quantity, int]:
    """What the quantities are that no longer go with the changed ones."""
    changes: dict[Quantity, int] = {}

    def both(*items: Quantity) -> bool:
        return all(item in old and item in new for item in items)

    for tie in relations.ties:
        if both(tie.one, tie.other) and _tied(old, tie) and not _tied(new, tie):
            changes.update(_following(old, new, tie))
    broken = [
        (whole, divisor)
        for whole, divisor in relations.parts
        if both(whole, divisor) and divisor.name.endswith(_HEADS)
        if _divides(old, whole, divisor) and not _divides(new, whole, divisor)
    ]
    for one, first, other, second in relations.alike:
        four = (one, first, other, second)
        if both(*four) and _equal_parts(old, *four) and not _equal_parts(new, *four):
            broken.append((one, first) if new[first] != old[first] else (other, second))
    for whole, divisor in broken:
        if new[divisor] > 0:
            changes[whole] = _scaled(old, new, whole, divisor)
    return changes


def _following(
    old: Mapping[Quantity, int], new: Mapping[Quantity, int], tie: Tie
) -> dict[Quantity, int]:
    """The one of two that was not changed as it follows from the other; none if it does not."""
    one, other, factor, number = tie
    if new[one] == old[one]:
        return {one: factor * new[other] + number}
    return {} if (new[one] - number) % factor else {other: (new[one] - number) // factor}


def _scaled(
    old: Mapping[Quantity, int], new: Mapping[Quantity, int], whole: Quantity, divisor: Quantity
) -> int:
    """A whole of so many parts: each as great as before where their number is another one."""
    if new[divisor] != old[divisor] and old[divisor] > 0:
        return old[whole] // old[divisor] * new[divisor]
    return new[whole] * new[divisor]


def _with(call: DrawnCall, item: Quantity, number: int) -> DrawnCall:
    """The call with another number for a quantity."""
    if item.kind == ATTRIBUTE:
        return with_number(call, item.name, number)
    tensor = tensors_of(call)[item.name]
    if item.kind == VALUE:
        return with_input(call, item.name, tensor_of_numbers(tensor.type, tensor.shape, [number]))
    place = item.axis % len(tensor.shape)
    shape = (*tensor.shape[:place], number, *tensor.shape[place + 1 :])
    return with_input(call, item.name, reshaped(tensor, shape))


def related(calls: Sequence[DrawnCall]) -> Relations:
    """What holds in all of some vectors."""
    every = [quantities(call) for call in calls]
    parts = _parts(every)
    return Relations(_apart(every) + _times(every), parts, _alike(every, parts), _fixed(every))


def _tied(known: Mapping[Quantity, int], tie: Tie) -> bool:
    """Whether two quantities are what ties them, or one of them is not there."""
    one, other, factor, number = tie
    return one not in known or other not in known or known[one] == factor * known[other] + number


def _apart(every: Sequence[Mapping[Quantity, int]]) -> tuple[Tie, ...]:
    """Quantities of which one is as much greater than another in every vector."""
    differences = _alike_in_all(
        (pair, known[pair[0]] - known[pair[1]], known[pair[0]])
        for known in every
        for pair in combinations(known, 2)
    )
    return tuple(Tie(*pair, 1, number) for pair, number in differences.items())


def _times(every: Sequence[Mapping[Quantity, int]]) -> tuple[Tie, ...]:
    """Quantities of which one is as many times another in every vector, and not once."""
    factors = _alike_in_all(
        (pair, _factor(known[pair[0]], known[pair[1]]), known[pair[1]])
        for known in every
        for pair in permutations(known, 2)
        if known[pair[0]] or known[pair[1]]
    )
    return tuple(Tie(*pair, factor, 0) for pair, factor in factors.items())


def _factor(one: int, other: int) -> int | None:
    """How many times a number another one is, if that is more than once."""
    return one // other if other > 0 and one % other == 0 and one > other else None


def _alike_in_all(shown: Iterable[tuple[_Pair, int | None, int]]) -> dict[_Pair, int]:
    """What is between two quantities wherever both are, in vectors enough that vary.

    Args:
        shown: of each vector two quantities, what is between them, None for nothing, and the value
            of one of them.
    """
    between: dict[_Pair, int | None] = {}
    values: dict[_Pair, list[int]] = {}
    for pair, number, value in shown:
        if between.setdefault(pair, number) != number:
            between[pair] = None
        values.setdefault(pair, []).append(value)
    return {
        pair: number
        for pair, number in between.items()
        if number is not None
        and len(values[pair]) >= _VECTORS
        and len(set(values[pair])) >= _VALUES
    }


def _parts(every: Sequence[Mapping[Quantity, int]]) -> tuple[_Pair, ...]:
    """Each size, or number of parts, with an attribute that divides it in every vector."""
    several: Counter[_Pair] = Counter()
    for known in every:
        for divisor, count in known.items():
            if divisor.kind == ATTRIBUTE and divisor.name.endswith(_PARTS) and count > 1:
                several.update(
                    (item, divisor)
                    for item in known
                    if item != divisor and (item.kind == SIZE or item.name.endswith(_PARTS))
                )
    return tuple(
        pair
        for pair, vectors in several.items()
        if vectors >= _VECTORS
        and all(_divides(known, *pair) for known in every if known.keys() >= set(pair))
    )


def _divides(known: Mapping[Quantity, int], whole: Quantity, divisor: Quantity) -> bool:
    """Whether a whole is so many parts; 0 and less are no count, as they are where it is absent."""
    count = known[divisor]
    if not count:
        return True
    return known[whole] % count == 0 and (whole.kind == SIZE or known[whole] > 0)


def _alike(
    every: Sequence[Mapping[Quantity, int]], parts: Sequence[_Pair]
) -> tuple[tuple[Quantity, Quantity, Quantity, Quantity], ...]:
    """Two last sizes whose parts are equal in every vector, as heads of queries and keys are."""
    sizes = [(whole, divisor) for whole, divisor in parts if whole.is_last]
    found = []
    for (one, first), (other, second) in combinations(sizes, 2):
        four = (one, first, other, second)
        having = [known for known in every if known.keys() >= set(four)]
        varied = {known[first] * known[second] for known in having}
        if len(varied) >= _VALUES and one != other and first != second:
            found += [four] if all(_equal_parts(known, *four) for known in having) else []
    return tuple(found)


def _equal_parts(
    known: Mapping[Quantity, int], one: Quantity, first: Quantity, other: Quantity, second: Quantity
) -> bool:
    """Whether one whole has parts as great as another has, each by its own divisor."""
    return known[one] * known[second] == known[other] * known[first]


def _fixed(
    every: Sequence[Mapping[Quantity, int]],
) -> tuple[tuple[Quantity, frozenset[int]], ...]:
    """Sizes that an axis has in all of many vectors, or both of one that holds a number's parts."""
    sizes: dict[Quantity, list[int]] = {}
    for known in every:
        for item, size in known.items():
            if item.kind == SIZE:
                sizes.setdefault(item, []).append(size)
    return tuple(
        (item, frozenset(found))
        for item, found in sizes.items()
        if len(found) >= _ALL_ALIKE
        and (len(set(found)) == 1 or (item.is_last and set(found) == _PARTS_OF_A_NUMBER))
    )
