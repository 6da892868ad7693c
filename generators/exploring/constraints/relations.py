"""What is the same between sizes, attributes and single integers in all vectors of an operator.

A call has quantities: the sizes of its inputs' axes, counted from the last one, its attributes of
type int, and its inputs of one integer. Two that differ by one number in every vector, although
they vary, are tied: the channels of a window and of what it slides over, the length of a state and
of the window that leaves it over, the corners of a box. So is a size that is a multiple of the
number of heads or groups, and so are heads that are equally wide.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type

from ...oracle.arith.grid import grid_of
from .facts import tensors_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..calls import DrawnCall

#: What kind of quantity, the name of the input or attribute, the axis from behind, and the rank.
Quantity = tuple[str, str, int, int]

#: The kinds of quantities: the size of an axis, an attribute, the one element of an input.
SIZE, ATTRIBUTE, VALUE = "size", "attribute", "value"
# Vectors that must show two quantities tied, and the different values that they must have in them.
_VECTORS = 10
_VALUES = 3
# Vectors of which all have one size for an axis before no other size is drawn.
_ALL_ALIKE = 20
# Attributes that say into how many equal parts a size is taken apart.
_PARTS = ("heads", "group", "groups")
# Sizes of a last axis that holds a real number, or a real and an imaginary part.
_PARTS_OF_A_NUMBER = {1, 2}


@dataclass(frozen=True)
class Relations:
    """What holds in all vectors of an operator.

    Attributes:
        apart: two quantities, and by how much the first one is greater.
        parts: a size or an attribute, and the attribute that divides it.
        alike: two sizes, each with the attribute that divides it, whose parts are equal.
        fixed: the only size that an axis has, or both of one for real and complex numbers.
    """

    apart: tuple[tuple[Quantity, Quantity, int], ...] = ()
    parts: tuple[tuple[Quantity, Quantity], ...] = ()
    alike: tuple[tuple[Quantity, Quantity, Quantity, Quantity], ...] = ()
    fixed: tuple[tuple[Quantity, frozenset[int]], ...] = ()

    def kept(self, before: DrawnCall, after: DrawnCall) -> bool:
        """Whether what held in a call holds after an edit."""
        old, new = quantities(before), quantities(after)
        return old == new or self._broken(new) <= self._broken(old)

    def _broken(self, known: Mapping[Quantity, int]) -> frozenset[object]:
        """What does not hold among some quantities."""
        found: set[object] = set()
        for tie in self.apart:
            one, other, number = tie
            if one in known and other in known and known[one] - known[other] != number:
                found.add(tie)
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


def related(calls: Sequence[DrawnCall]) -> Relations:
    """What holds in all of some vectors."""
    every = [quantities(call) for call in calls]
    parts = _parts(every)
    return Relations(_apart(every), parts, _alike(every, parts), _fixed(every))


def _apart(every: Sequence[Mapping[Quantity, int]]) -> tuple[tuple[Quantity, Quantity, int], ...]:
    numbers: dict[tuple[Quantity, Quantity], int | None] = {}
    seen: dict[tuple[Quantity, Quantity], list[int]] = {}
    for known in every:
        for pair in combinations(known, 2):
            number = known[pair[0]] - known[pair[1]]
            if numbers.setdefault(pair, number) != number:
                numbers[pair] = None
            seen.setdefault(pair, []).append(known[pair[0]])
    return tuple(
        (*pair, number)
        for pair, number in numbers.items()
        if number is not None and len(seen[pair]) >= _VECTORS and len(set(seen[pair])) >= _VALUES
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
