"""A tensor as a flat list of exact numbers with a shape, and functions on places of elements.

Everything that moves elements works on linear indices, the places in row-major order, so that an
oracle reads as arithmetic on positions and not on bytes. NumPy is not used: the oracle must not
share its rules of shapes. Sources: onnx docs Broadcasting.md; IR.md, Static tensor shapes.

A zero-size tensor may have dimensions of any size: no function here takes memory or time for
elements that do not exist.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack_bits, unpack_bits
from onnx_conformance.core.values.tensors import Tensor

from ..errors import InvalidCallError
from .numbers import NEG_ZERO, ZERO, Number
from .once import each_once
from .rounding import decode_all, encode
from .rules import Rule

Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class AnyOf:
    """An element for which the document permits several numbers; the first is preferred.

    It is for a choice that each element has separately, such as the sign of zero of Max(-0, 0). If
    the whole result depends on how the document is read, use `Call.choose`.
    """

    #: The permitted numbers, the preferred one first.
    numbers: tuple[Number, ...]

    def __post_init__(self) -> None:
        """ValueError for fewer than two numbers."""
        if len(self.numbers) < 2:
            raise ValueError("AnyOf needs two numbers or more")


@dataclass(frozen=True)
class Enclosed:
    """An element that may be any number of the type within limits; see bounds.py.

    Acceptance: low <= got <= high in the order in which -0 is before +0.

    Attributes:
        value: the exact number; a tensor holds the nearest one of its type.
        low, high: the limits in profile ieee.
        gpu_low, gpu_high: the limits in profile gpu.
        rule: the origin of the limits; equality ignores it.
        or_nan: whether NaN is accepted beside them, which limits cannot say.
    """

    value: Number
    low: Number
    high: Number
    gpu_low: Number
    gpu_high: Number
    rule: Rule | None = field(default=None, compare=False)
    or_nan: bool = False


Item: TypeAlias = Number | AnyOf | Enclosed
# A zero whose sign no page says.
EITHER_ZERO = AnyOf((ZERO, NEG_ZERO))


@dataclass(frozen=True)
class Grid:
    """A tensor of exact numbers.

    Attributes:
        type: the element type.
        shape: the dimensions; () is a scalar.
        items: the elements in row-major order, each an Item. Results of `grid_of` only hold
            numbers. (Declared as Any, because the kind of number depends on the element type.)
    """

    type: str
    shape: Shape
    items: Sequence[Any]

    def __post_init__(self) -> None:
        """ValueError if shape and elements disagree."""
        if math.prod(self.shape) != len(self.items):
            raise ValueError(f"{len(self.items)} elements do not fill shape {list(self.shape)}")

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def map(self, function: Callable[[Any], Item], type: str | None = None) -> Grid:  # noqa: A002  as the field
        """The grid of the function's results for each element; of another type if given."""
        return Grid(type or self.type, self.shape, [function(item) for item in self.items])

    def take(self, places: Sequence[int], shape: Shape) -> Grid:
        """The elements at these linear indices, as a grid of this shape."""
        items = self.items
        return Grid(self.type, shape, [items[place] for place in places])

    def reshaped(self, shape: Shape) -> Grid:
        """The same elements in another shape of the same size."""
        return Grid(self.type, shape, self.items)


# --- to and from tensors ---------------------------------------------------------------------


def grid_of(tensor: Tensor) -> Grid:
    """The elements of a tensor as exact numbers; strings as bytes."""
    if isinstance(tensor.data, tuple):
        return Grid(tensor.type, tensor.shape, tensor.data)
    codes = unpack_bits(tensor.data, element_type(tensor.type).bits, tensor.element_count)
    return Grid(tensor.type, tensor.shape, tuple(decode_all(tensor.type, codes)))


def tensor_of(grid: Grid) -> Tensor:
    """The tensor with each element rounded once to the nearest of the type.

    For an AnyOf it is the first number, for an Enclosed its value.
    """
    numbers = grid.items if is_plain(grid) else [value_of(item) for item in grid.items]
    return tensor_of_numbers(grid.type, grid.shape, numbers)


def tensor_of_numbers(name: str, shape: Shape, numbers: Sequence[Number]) -> Tensor:
    """The tensor of an element type with these numbers, each rounded once."""
    if element_type(name).kind == "string":
        strings = tuple(number for number in numbers if isinstance(number, bytes))
        if len(strings) != len(numbers):
            raise TypeError("an element of a string tensor is bytes")
        return Tensor(name, shape, strings)
    codes = each_once(lambda number: encode(name, number), numbers)
    return Tensor(name, shape, pack_bits(codes, element_type(name).bits))


def any_of(numbers: Iterable[Number]) -> Item:
    """An element that may be any of one number or more, the first preferred."""
    each = tuple(dict.fromkeys(numbers))
    return AnyOf(each) if len(each) > 1 else each[0]


def is_plain(grid: Grid) -> bool:
    """Whether each element is a number: none is AnyOf or Enclosed."""
    return {AnyOf, Enclosed}.isdisjoint(map(type, grid.items))


def value_of(item: Item) -> Number:
    """The number that represents an element if only one can be used."""
    if isinstance(item, AnyOf):
        return item.numbers[0]
    return item.value if isinstance(item, Enclosed) else item


# --- shapes and places -----------------------------------------------------------------------


def strides(shape: Shape) -> Shape:
    """How many places lie between neighbours along each axis, in row-major order."""
    result = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        result[axis] = result[axis + 1] * shape[axis + 1]
    return tuple(result)


def places(shape: Sequence[int], steps: Sequence[int], start: int = 0) -> list[int]:
    """The linear index start + sum(index * step) of each multi-index of a shape, in its order.

    With the strides of another grid, permuted, zeroed (for broadcasting) or negated, these are the
    places of that grid's elements.
    """
    if 0 in shape:
        return []
    result = [start]
    for dimension, step in zip(shape, steps, strict=True):
        if dimension != 1:
            along = [step * index for index in range(dimension)]
            result = [place + offset for place in result for offset in along]
    return result


def indices(shape: Shape) -> Iterator[Shape]:
    """The multi-indices of a shape in row-major order; one, (), for a scalar."""
    if 0 in shape:  # product() would first expand the other ranges
        return iter(())
    return product(*(range(dimension) for dimension in shape))


def place_of(shape: Shape, index: Sequence[int]) -> int:
    """The linear index of a multi-index; IndexError outside the shape."""
    if len(index) != len(shape):
        raise IndexError(f"index {list(index)} for shape {list(shape)}")
    place = 0
    for dimension, position in zip(shape, index, strict=True):
        if not 0 <= position < dimension:
            raise IndexError(f"index {list(index)} outside shape {list(shape)}")
        place = place * dimension + position
    return place


def at(grid: Grid, index: Sequence[int]) -> Any:  # noqa: ANN401  follows from the element type
    """The element at a multi-index; IndexError outside the shape, also for negative ones."""
    return grid.items[place_of(grid.shape, index)]


def inside(index: int, size: int) -> int:
    """An index counted from the front; InvalidCallError outside [-size, size - 1]."""
    if not -size <= index < size:
        raise InvalidCallError(f"index {index} is outside [{-size}, {size - 1}]")
    return index % size


def slices(grid: Grid, axis: int, indices: Sequence[int]) -> list[int]:
    """The places of the slices at these indices along an axis, as they stand in one grid."""
    steps = strides(grid.shape)
    outer = places(grid.shape[:axis], steps[:axis])
    inner = places(grid.shape[axis + 1 :], steps[axis + 1 :])
    along = [index * steps[axis] for index in indices]
    return [start + place + offset for start in outer for place in along for offset in inner]


def from_function(name: str, shape: Shape, function: Callable[[Shape], Item]) -> Grid:
    """The grid whose element at each multi-index is the function's result."""
    return Grid(name, shape, [function(index) for index in indices(shape)])


def filled(name: str, shape: Shape, item: Item) -> Grid:
    """A grid with the same element everywhere; MemoryError for more than can be counted."""
    count = math.prod(shape)
    if count > sys.maxsize:
        raise MemoryError(f"{count} elements")
    return Grid(name, shape, (item,) * count)


def scalar(name: str, item: Item) -> Grid:
    """A grid of shape []."""
    return Grid(name, (), (item,))


def vector(name: str, items: Iterable[Item]) -> Grid:
    """A grid of rank 1."""
    elements = tuple(items)
    return Grid(name, (len(elements),), elements)


# --- broadcasting ----------------------------------------------------------------------------


def broadcast_shape(*shapes: Shape) -> Shape:
    """The shape that all of them broadcast to, in both directions (Broadcasting.md).

    InvalidCallError if two dimensions differ and neither is 1.
    """
    rank = max((len(shape) for shape in shapes), default=0)
    result = []
    for axis in range(-rank, 0):
        sizes = {shape[axis] for shape in shapes if -axis <= len(shape)} - {1}
        if len(sizes) > 1:
            listed = ", ".join(str(list(shape)) for shape in shapes)
            raise InvalidCallError(f"shapes {listed} do not broadcast")
        result.append(sizes.pop() if sizes else 1)
    return tuple(result)


def unidirectional(shape: Shape, target: Shape) -> Shape:
    """The target, if the shape broadcasts to it (Broadcasting.md); else InvalidCallError."""
    try:
        fits = broadcast_shape(shape, target) == target
    except InvalidCallError:
        fits = False
    if not fits:
        raise InvalidCallError(f"shape {list(shape)} does not broadcast to {list(target)}")
    return target


def broadcast_places(shape: Shape, target: Shape) -> list[int]:
    """For each element of the target its place in a grid of `shape`, which broadcasts to it."""
    unidirectional(shape, target)
    missing = len(target) - len(shape)
    own = [
        0 if dimension == 1 else step for dimension, step in zip(shape, strides(shape), strict=True)
    ]
    return places(target, [0] * missing + own)


def broadcast_to(grid: Grid, shape: Shape) -> Grid:
    """The grid repeated to a shape; InvalidCallError if it does not broadcast."""
    if grid.shape == shape:
        return grid
    return grid.take(broadcast_places(grid.shape, shape), shape)


def broadcast(*grids: Grid) -> tuple[Grid, ...]:
    """All grids repeated to the shape that they broadcast to, in both directions."""
    shape = broadcast_shape(*(grid.shape for grid in grids))
    return tuple(broadcast_to(grid, shape) for grid in grids)


def combine(name: str, function: Callable[..., Item], *grids: Grid) -> Grid:
    """The function of the elements of grids of any shapes that broadcast to each other.

    `combine(type, lambda x, y: round_to(type, add(x, y)), a, b)` is Add.
    """
    equal = broadcast(*grids)
    return Grid(
        name,
        equal[0].shape,
        [function(*items) for items in zip(*(grid.items for grid in equal), strict=True)],
    )


# --- rows ------------------------------------------------------------------------------------


def each_group(
    grid: Grid, groups: Iterable[Sequence[int]], function: Callable[[list[Any]], Iterable[Item]]
) -> Grid:
    """The grid with the elements at the places of each group made into others, as many."""
    items = list(grid.items)
    for group in groups:
        found = function([grid.items[place] for place in group])
        for place, item in zip(group, found, strict=True):
            items[place] = item
    return Grid(grid.type, grid.shape, items)


# --- axes ------------------------------------------------------------------------------------


def normalize_axis(axis: int, rank: int) -> int:
    """An axis counted from the front; InvalidCallError outside [-rank, rank - 1]."""
    if not -rank <= axis < rank:
        raise InvalidCallError(f"axis {axis} is outside [-{rank}, {rank - 1}]")
    return axis + rank if axis < 0 else axis


def normalize_axes(axes: Iterable[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the front, in the given order; InvalidCallError for one given twice."""
    result = tuple(normalize_axis(axis, rank) for axis in axes)
    if len(set(result)) != len(result):
        raise InvalidCallError(f"an axis is given twice in {list(result)}")
    return result


def transpose(grid: Grid, order: Sequence[int]) -> Grid:
    """The grid with its axis `order[k]` as axis k; each axis is used once."""
    if sorted(order) != list(range(grid.rank)):
        raise InvalidCallError(f"{list(order)} is no permutation of {grid.rank} axes")
    steps = strides(grid.shape)
    shape = tuple(grid.shape[axis] for axis in order)
    return grid.take(places(shape, [steps[axis] for axis in order]), shape)


def reduced_shape(shape: Shape, axes: Iterable[int], *, keep: bool) -> Shape:
    """The shape without the axes (counted from the front), or with 1 in their place."""
    gone = set(axes)
    if keep:
        return tuple(1 if axis in gone else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in gone)


def reduce_groups(shape: Shape, axes: Iterable[int]) -> list[list[int]]:
    """For each element of the reduced grid the places of the elements that it is computed from.

    Both are in row-major order; `axes` count from the front. A group is empty if one of the axes
    has size 0.
    """
    gone = set(axes)
    steps = strides(shape)
    inside = [axis for axis in range(len(shape)) if axis in gone]
    outside = [axis for axis in range(len(shape)) if axis not in gone]
    within = places([shape[axis] for axis in inside], [steps[axis] for axis in inside])
    starts = places([shape[axis] for axis in outside], [steps[axis] for axis in outside])
    return [[start + offset for offset in within] for start in starts]


def lines(shape: Shape, axis: int) -> list[list[int]]:
    """The places of the elements along an axis, for each position on the other axes."""
    return reduce_groups(shape, (axis,))
