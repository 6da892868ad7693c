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
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type

from ...oracle.arith.grid import grid_of, tensor_of_numbers
from ..edits import with_input
from ..elements import reshaped
from .facts import tensors_of
from .lists import with_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..calls import DrawnCall

#: What kind of quantity, the name of the input or attribute, the axis from behind, and the rank.
Quantity = tuple[str, str, int, int]

#: Two quantities: the first is the second times a factor, and a number.
Tie = tuple[Quantity, Quantity, int, int]

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
    parts: tuple[tuple[Quantity, Quantity], ...] = ()
    alike: tuple[tuple[Quantity, Quantity, Quantity, Quantity], ...] = ()
    fixed: tuple[tuple[Quantity, frozenset[int]], ...] = ()

    def kept(self, before: DrawnCall, after: DrawnCall) -> bool:
        """Whether what held in a call holds after an edit."""
        old, new = quantities(before), quantities(after)
        return old == new or self._broken(new) <= self._broken(old)

    def _broken(self, known: Mapping[Quantity, int]) -> frozenset[object]:
        """What does not hold among some quantities."""
        found: set[object] = {tie for tie in self.ties if not _tied(known, tie)}
        for pair in self.parts:
            if pair[0] in known and pair[1] in known and not _divides(known, *pair):
                found.add(pair)
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
            found[SIZE, name, axis - rank, rank] = size
        if tensor.element_count == 1 and element_type(tensor.type).kind in ("int", "uint"):
            found[VALUE, name, 0, 0] = int(grid_of(tensor).items[0])
    given = {item.name: item.value for item in call.attributes}
    for name, known in call.version.attributes.items():
        value = given.get(name, known.default)
        if known.type == "int" and isinstance(value, int):
            found[ATTRIBUTE, name, 0, 0] = value
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
        if both(*tie[:2]) and _tied(old, tie) and not _tied(new, tie):
            changes.update(_following(old, new, tie))
    broken = [
        pair
        for pair in relations.parts
        if both(*pair) and _divides(old, *pair) and not _divides(new, *pair)
        if pair[1][1].endswith(_HEADS)
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
    kind, name, axis, _ = item
    if kind == ATTRIBUTE:
        return with_number(call, name, number)
    tensor = tensors_of(call)[name]
    if kind == VALUE:
        return with_input(call, name, tensor_of_numbers(tensor.type, tensor.shape, [number]))
    place = axis % len(tensor.shape)
    shape = (*tensor.shape[:place], number, *tensor.shape[place + 1 :])
    return with_input(call, name, reshaped(tensor, shape))


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
    numbers: dict[tuple[Quantity, Quantity], int | None] = {}
    seen: dict[tuple[Quantity, Quantity], list[int]] = {}
    for known in every:
        for pair in combinations(known, 2):
            number = known[pair[0]] - known[pair[1]]
            if numbers.setdefault(pair, number) != number:
                numbers[pair] = None
            seen.setdefault(pair, []).append(known[pair[0]])
    return tuple(
        (*pair, 1, number)
        for pair, number in numbers.items()
        if number is not None and len(seen[pair]) >= _VECTORS and len(set(seen[pair])) >= _VALUES
    )


def _times(every: Sequence[Mapping[Quantity, int]]) -> tuple[Tie, ...]:
    """Quantities of which one is as many times another in every vector, and not once."""
    factors: dict[tuple[Quantity, Quantity], int | None] = {}
    seen: dict[tuple[Quantity, Quantity], list[int]] = {}
    for known in every:
        for pair in permutations(known, 2):
            one, other = known[pair[0]], known[pair[1]]
            factor = one // other if other > 0 and one % other == 0 and one > other else None
            if one or other:
                if factors.setdefault(pair, factor) != factor:
                    factors[pair] = None
                seen.setdefault(pair, []).append(other)
    return tuple(
        (*pair, factor, 0)
        for pair, factor in factors.items()
        if factor is not None and len(seen[pair]) >= _VECTORS and len(set(seen[pair])) >= _VALUES
    )


def _parts(every: Sequence[Mapping[Quantity, int]]) -> tuple[tuple[Quantity, Quantity], ...]:
    several: Counter[tuple[Quantity, Quantity]] = Counter()
    for known in every:
        for divisor, count in known.items():
            if divisor[0] == ATTRIBUTE and divisor[1].endswith(_PARTS) and count > 1:
                several.update(
                    (item, divisor)
                    for item in known
                    if item != divisor and (item[0] == SIZE or item[1].endswith(_PARTS))
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
    return known[whole] % count == 0 and (whole[0] == SIZE or known[whole] > 0) if count else True


def _alike(
    every: Sequence[Mapping[Quantity, int]], parts: Sequence[tuple[Quantity, Quantity]]
) -> tuple[tuple[Quantity, Quantity, Quantity, Quantity], ...]:
    sizes = [(whole, divisor) for whole, divisor in parts if whole[0] == SIZE and whole[2] == -1]
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
    return known[one] * known[second] == known[other] * known[first]


def _fixed(
    every: Sequence[Mapping[Quantity, int]],
) -> tuple[tuple[Quantity, frozenset[int]], ...]:
    sizes: dict[Quantity, list[int]] = {}
    for known in every:
        for item, size in known.items():
            if item[0] == SIZE:
                sizes.setdefault(item, []).append(size)
    return tuple(
        (item, frozenset(found))
        for item, found in sizes.items()
        if len(found) >= _ALL_ALIKE
        and (len(set(found)) == 1 or (item[2] == -1 and set(found) == _PARTS_OF_A_NUMBER))
    )
