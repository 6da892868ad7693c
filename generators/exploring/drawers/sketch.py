"""A call as it is being drawn: types first, then inputs and attributes that fit each other.

Element types, special values and the form are drawn independently of shapes and attributes: it is
their combination that nobody wrote down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import NamedValue, SequenceValue, Tensor, Value

from ...oracle.arith.grid import tensor_of_numbers
from ...oracle.arith.numbers import Number, from_float
from ...oracle.arith.rationals import Fraction
from ...signatures.model import Parameter
from ...specs.model import AttributeValue, GivenAttribute, OperatorVersion, Spec
from ..drawing import NotDrawnError
from ..elements import filled, with_specials
from .values import exact, extreme

if TYPE_CHECKING:
    import random


Shape = tuple[int, ...]
Item = TypeVar("Item")

# 0 and 1, primes, and sizes beyond the widths of SIMD registers.
_SIZES = (1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 5, 7, 8, 9, 13, 16, 17, 33)
_EMPTY = 0.03
_SPECIALS = 0.35
#: Elements of an input; a family that is slow to answer takes fewer.
ELEMENTS = 160


class Sketch:
    """What was drawn so far of one call.

    Attributes:
        chance: where all of it is drawn from.
        version: the operator version.
        types: the element type of each type variable.
        inputs: by the names of the document.
        attributes: of the node.
        requested: the outputs that the node has; empty means all.
        choices: what was chosen, in words.
        most: how many elements an input may have.
    """

    def __init__(self, spec: Spec, version: OperatorVersion, chance: random.Random) -> None:
        """Types are drawn at once."""
        self.chance = chance
        self.spec = spec
        self.version = version
        self.inputs: dict[str, Value] = {}
        self.attributes: dict[str, GivenAttribute] = {}
        self.requested: tuple[str, ...] = ()
        self.choices: list[str] = []
        self.most = ELEMENTS
        self.types = self._types()

    def _types(self) -> dict[str, str]:
        found = {}
        for name, listed in self.version.types.items():
            plain = [item for item in listed if "(" not in item]
            if plain:
                found[name] = self.pick(*plain)
        return found

    # --- chance ---

    def pick(self, *items: Item) -> Item:
        """One of some things."""
        return self.chance.choice(items)

    def often(self, share: float = 0.5) -> bool:
        """Whether something of that probability happens."""
        return self.chance.random() < share

    def size(self, most: int = 33) -> int:
        """A dimension; 0 rarely."""
        if self.often(_EMPTY):
            return 0
        return self.pick(*[item for item in _SIZES if item <= most])

    def some(self, most: int = 33) -> int:
        """A dimension above 0."""
        return self.pick(*[item for item in _SIZES if item <= most])

    def shape(self, *ranks: int) -> Shape:
        """Dimensions of one of some ranks (0 to 4 without any), few enough elements together."""
        rank = self.pick(*(ranks or (0, 1, 1, 2, 2, 3, 4)))
        found: list[int] = []
        room = self.most
        for _ in range(rank):
            size = self.size(max(1, min(33, room)))
            found.append(size)
            room //= max(size, 1)
        self.chance.shuffle(found)
        return tuple(found)

    def full(self, *ranks: int) -> Shape:
        """As `shape`, without dimensions of 0."""
        return tuple(max(1, item) for item in self.shape(*ranks))

    def axis(self, rank: int) -> int:
        """An axis of that many, from the front or, since version 11, from the back."""
        axis = self.chance.randrange(-rank, rank)
        return axis if self.version.since_version >= 11 else axis % rank

    def axes(self, rank: int, least: int = 0) -> Shape:
        """Different axes of that many, in any order; as of `axis`."""
        taken = self.chance.sample(range(rank), self.chance.randint(min(least, rank), rank))
        back = self.often(0.3) and self.version.since_version >= 11
        return tuple(item - rank if back and self.often() else item for item in taken)

    # --- what the version has ---

    def parameter(self, name: str) -> Parameter | None:
        """The input of that name; None if the version has none."""
        return next((item for item in self.version.inputs if item.name == name), None)

    def takes(self, *names: str) -> str | None:
        """The first of some names that an input of the version has."""
        known = {item.name for item in self.version.inputs}
        return next((name for name in names if name in known), None)

    def type_of(self, name: str) -> str:
        """The element type of an input."""
        parameter = self.version.parameter_of(name)
        if parameter is None:
            raise NotDrawnError(f"version {self.version.since_version} has no input {name}")
        if parameter.type in self.types:
            return self.types[parameter.type]
        listed = self.version.types.get(parameter.type, (parameter.type,))
        plain = [item for item in listed if "(" not in item]
        if not plain:
            raise NotDrawnError(f"{name} is no tensor")
        return self.pick(*plain)

    def retype(self, variable: str, *names: str) -> None:
        """Limit a type variable to some types, where the version lists any of them."""
        listed = [item for item in self.version.types.get(variable, ()) if item in names]
        if listed and self.types.get(variable) not in names:
            self.types[variable] = self.pick(*listed)

    # --- inputs ---

    def data(self, name: str, shape: Shape, *, least: float | None = None) -> Shape:
        """An input of drawn values, ordinary, exact, special or extreme ones; above `least`."""
        kind = self.type_of(name)
        if least is not None:
            self.inputs[name] = self.positive(kind, shape)
            return shape
        self.inputs[name] = self.values(name, kind, shape)
        return shape

    def values(self, name: str, kind: str, shape: Shape) -> Tensor:
        """A tensor of drawn values of some profile, which is told."""
        way = self.chance.random()
        if way < 0.25:
            return exact(kind, shape, self.chance)
        if way < 0.25 + _SPECIALS:
            self.choices.append(f"special values in {name}")
            return with_specials(filled(kind, shape, self.chance), self.chance)
        if way < 0.7:
            self.choices.append(f"extreme values in {name}")
            return extreme(kind, shape, self.chance)
        return filled(kind, shape, self.chance)

    def positive(self, kind: str, shape: Shape) -> Tensor:
        """Numbers between 1/4 and 4, exact in every type that has such."""
        numbers = (1, 2, 1, 3, 4)
        count = math.prod(shape)
        return tensor_of_numbers(
            kind, shape, [_number(kind, self.pick(*numbers)) for _ in range(count)]
        )

    def whole(self, name: str, values: Sequence[int], shape: Shape | None = None) -> None:
        """An input of given integers, of a list's shape unless another one is said."""
        kind = self.type_of(name)
        dims = (len(values),) if shape is None else shape
        self.inputs[name] = tensor_of_numbers(kind, dims, [_number(kind, v) for v in values])

    def floats(self, name: str, values: Sequence[float]) -> None:
        """An input that is a list of given numbers."""
        numbers = [from_float(item) for item in values]
        self.inputs[name] = tensor_of_numbers(self.type_of(name), (len(values),), numbers)

    def sequence(self, name: str, items: Sequence[Tensor]) -> None:
        """An input that is a sequence."""
        self.inputs[name] = SequenceValue(tuple(items))

    def many(self, name: str, tensors: Sequence[Tensor]) -> None:
        """The values of a variadic input."""
        parameter = self.parameter(name)
        if parameter is None:
            raise NotDrawnError(f"no input {name}")
        for index, tensor in enumerate(tensors):
            self.inputs[parameter.instance(index)] = tensor

    # --- attributes ---

    def has(self, name: str) -> bool:
        """Whether the version has an attribute."""
        return name in self.version.attributes

    def give(self, name: str, value: AttributeValue) -> None:
        """An attribute, where the version has it."""
        known = self.version.attributes.get(name)
        if known is not None:
            if known.type == "float" and isinstance(value, int):
                value = float(value)  # a norm's p is an integer in some versions, not in the first
            self.attributes[name] = GivenAttribute(name, value, known.type)

    def sometimes(self, name: str, value: AttributeValue, share: float = 0.5) -> bool:
        """An attribute that may be left out; whether it is there."""
        if not self.has(name) or not self.often(share):
            return False
        self.give(name, value)
        return True

    def flag(self, name: str, share: float = 0.4) -> bool:
        """An attribute of 0 or 1 that is not given, or given; whether it is 1."""
        known = self.version.attributes.get(name)
        if known is None:
            return False
        default = known.default == 1
        if self.often(0.4):
            return default
        value = self.often(share)
        self.give(name, int(value))
        return value

    def number(self, name: str, *values: float) -> None:
        """A float attribute, of some values or usual ones; left out half of the time."""
        self.sometimes(name, self.pick(*(values or (0.0, 1.0, -1.0, 0.5, 2.0, 0.1, 1e-5, 3.5))))

    def listed(self, name: str, values: Sequence[int]) -> None:
        """A list of integers: an input in newer versions, an attribute in older ones."""
        if self.takes(name):
            self.whole(name, values)
        elif self.has(name):
            self.give(name, tuple(values))

    def named(self) -> tuple[NamedValue, ...]:
        """The inputs in the order of the node."""
        order = {}
        for place, parameter in enumerate(self.version.inputs):
            for name in self.inputs:
                if parameter.has_instance(name):
                    number = name.rpartition("_")[2] if parameter.variadic else "0"
                    order[name] = (place, int(number))
        names = sorted(order, key=order.__getitem__)
        return tuple(NamedValue(name, self.inputs[name]) for name in names)


def _number(kind: str, value: int) -> Number:
    """An integer as a number of a type."""
    found = element_type(kind).kind
    if found == "float":
        return Fraction(value)
    return bool(value) if found == "bool" else value
