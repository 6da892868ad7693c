"""Lists among inputs and attributes that follow from shapes: whether each still does.

Lengths make up the axis that they split, a batch has a length for each of it, axes have two pads
each, a shape has as many elements as the data, keys of a sparse map lie below its length, regions
are of images that are there, and an equation has a term for each operand. Each is known by its
name, and holds trivially in a call that has none such.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import (
    MapValue,
    SequenceValue,
    Tensor,
)

from ...oracle.arith.grid import Grid, grid_of, tensor_of_numbers
from ...oracle.arith.rationals import Fraction
from ...specs.model import GivenAttribute
from ..edits import with_attribute, with_input
from .facts import broadcast, is_integers, tensors_of

if TYPE_CHECKING:
    from ..calls import DrawnCall

    Shape = tuple[int, ...]

#: Names of what moves each place of a window, and weighs it.
MOVES = ("offset", "mask")
#: Names of what holds an angle for two elements.
CACHES = ("cos_cache", "sin_cache")
#: The name of what tells for each token which of them is its own.
POSITIONS = "position_ids"
# The rank of data whose heads lie side by side in one axis.
_PACKED = 3
# Numbers that a region has: that of its image, and two corners.
_REGION = 5


def value_of(call: DrawnCall, name: str) -> object:
    """An attribute, or its default; None if there is neither."""
    known = call.version.attributes.get(name)
    default = None if known is None else known.default
    return next((item.value for item in call.attributes if item.name == name), default)


def integer_of(call: DrawnCall, name: str) -> int:
    """An attribute that is an integer; 0 if there is none."""
    value = value_of(call, name)
    return value if isinstance(value, int) else 0


def list_of(call: DrawnCall, name: str) -> tuple[int, ...] | None:
    """A list of integers, whether an attribute or an input; None if there is none."""
    tensor = tensors_of(call).get(name)
    if tensor is None:
        value = next((item.value for item in call.attributes if item.name == name), None)
        return value if is_integers(value) else None  # type: ignore[return-value]
    if len(tensor.shape) != 1 or element_type(tensor.type).kind not in ("int", "uint", "float"):
        return None
    items = grid_of(tensor).items
    if not all(isinstance(item, (int, Fraction)) and item == int(item) for item in items):
        return None
    return tuple(int(item) for item in items)


def with_list(call: DrawnCall, name: str, numbers: tuple[int, ...]) -> DrawnCall:
    """The call with other numbers in such a list."""
    tensor = tensors_of(call).get(name)
    if tensor is None:
        return with_number(call, name, numbers)
    real = element_type(tensor.type).kind == "float"
    items = [Fraction(item) if real else item for item in numbers]
    return with_input(call, name, tensor_of_numbers(tensor.type, (len(items),), items))


def with_number(call: DrawnCall, name: str, value: int | tuple[int, ...]) -> DrawnCall:
    """The call with other numbers for an attribute of the operator."""
    return with_attribute(call, GivenAttribute(name, value, call.version.attributes[name].type))


def first_shape(call: DrawnCall) -> Shape:
    """The shape of the first input that is a tensor; of none, ()."""
    return next((item.shape for item in tensors_of(call).values()), ())


# --- lengths that make up an axis ---


def split_size(call: DrawnCall) -> int | None:
    """The size of the axis that is split; None if there is none."""
    shape, axis = first_shape(call), integer_of(call, "axis")
    return shape[axis] if -len(shape) <= axis < len(shape) else None


def lengths_fit(call: DrawnCall) -> bool:
    """Whether lengths make up the axis, and are none below 0."""
    lengths = list_of(call, "split")
    if lengths is None or "split" not in _names(call):
        return "split" not in {item.name for item in call.inputs}
    outputs = len(call.requested) or len(lengths)
    return (
        sum(lengths) == split_size(call)
        and min(lengths, default=0) >= 0
        and len(lengths) == outputs
    )


def _names(call: DrawnCall) -> set[str]:
    return {*(item.name for item in call.inputs), *(item.name for item in call.attributes)}


# --- a length for each of the batch ---


def batch_and_time(call: DrawnCall) -> tuple[int, int] | None:
    """The sizes of both axes that attributes name; None if they name none."""
    if "batch_axis" not in call.version.attributes:
        return None
    shape = first_shape(call)
    axes = [integer_of(call, name) for name in ("batch_axis", "time_axis")]
    if not all(0 <= axis < len(shape) for axis in axes):
        return None
    return shape[axes[0]], shape[axes[1]]


def batches_fit(call: DrawnCall) -> bool:
    """Whether there is a length for each of the batch, within the axis of time."""
    sizes, lengths = batch_and_time(call), list_of(call, "sequence_lens")
    if sizes is None or lengths is None:
        return "batch_axis" not in call.version.attributes
    return len(lengths) == sizes[0] and all(0 <= item <= sizes[1] for item in lengths)


# --- two pads for each axis ---


def padded_axes(call: DrawnCall) -> tuple[int, ...] | None:
    """The axes that are padded, counted from the front; None if the operator names none."""
    if not any(item.name == "axes" for item in call.version.inputs):
        return None
    rank = len(first_shape(call))
    if "axes" not in _names(call):
        return tuple(range(rank))
    axes = list_of(call, "axes")
    return None if axes is None or not rank else tuple(axis % rank for axis in axes)


def pads_fit(call: DrawnCall) -> bool:
    """Whether there are two pads for each axis that is padded."""
    pads, axes = list_of(call, "pads"), padded_axes(call)
    return pads is None or axes is None or len(pads) == 2 * len(axes)


# --- a shape of as many elements ---


def shape_fits(call: DrawnCall) -> bool:
    """Whether a shape that data takes has as many elements: 0 copies a size, -1 is inferred."""
    shape = list_of(call, "shape")
    if shape is None or not call.inputs or call.inputs[0].name != "data":
        return True
    data, copies = first_shape(call), not integer_of(call, "allowzero")
    if min(shape, default=0) < -1 or shape.count(-1) > 1 or (not copies and {0, -1} <= set(shape)):
        return False
    if copies and any(size == 0 and at >= len(data) for at, size in enumerate(shape)):
        return False
    sizes = [data[at] if copies and size == 0 else size for at, size in enumerate(shape)]
    known = prod(size for size in sizes if size >= 0)
    if -1 in sizes:
        return known > 0 and prod(data) % known == 0
    return known == prod(data)


# --- caches for the half of what turns ---


def turned(call: DrawnCall) -> int | None:
    """How many elements of a head turn; None if none do, or if there is no such number of heads."""
    if "rotary_embedding_dim" not in call.version.attributes:
        return None
    shape, heads = first_shape(call), integer_of(call, "num_heads")
    if len(shape) == _PACKED and (heads < 1 or shape[-1] % heads):
        return None
    head = shape[-1] if len(shape) != _PACKED else shape[-1] // heads
    part = integer_of(call, "rotary_embedding_dim") or head
    return part if head % 2 == part % 2 == 0 and 0 <= part <= head else None


def caches_fit(call: DrawnCall) -> bool:
    """Whether both caches have an angle for two of the elements that turn."""
    if "rotary_embedding_dim" not in call.version.attributes:
        return True
    part, tensors = turned(call), tensors_of(call)
    return part is not None and all(
        2 * tensors[name].shape[-1] == part for name in CACHES if name in tensors
    )


# --- what holds in some operators alone: `seen` says in which ---


def ones_fit(call: DrawnCall) -> bool:
    """Whether each of the axes has one element."""
    shape = first_shape(call)
    axes = list_of(call, "axes") or ()
    return all(-len(shape) <= axis < len(shape) and shape[axis] == 1 for axis in axes)


def spread_fits(call: DrawnCall) -> bool:
    """Whether the data broadcasts with the shape that it takes."""
    shape = list_of(call, "shape")
    return (
        shape is not None and min(shape, default=0) >= 0 and broadcast([first_shape(call), shape])
    )


# --- tensors of a sequence that are joined ---


def joins_fit(call: DrawnCall) -> bool:
    """Whether the tensors of a sequence differ in the axis along which they are joined alone."""
    if "new_axis" not in call.version.attributes:
        return True
    shapes = [
        item.shape
        for one in call.inputs
        if isinstance(one.value, SequenceValue)
        for item in one.value.items
        if isinstance(item, Tensor)
    ]
    rank, axis = len(shapes[0]) if shapes else 0, integer_of(call, "axis")
    if integer_of(call, "new_axis"):
        return len(set(shapes)) <= 1 and -rank - 1 <= axis <= rank
    if any(len(shape) != rank for shape in shapes) or not -rank <= axis < rank:
        return False
    at = axis % rank
    return len({(*shape[:at], *shape[at + 1 :]) for shape in shapes}) == 1


# --- moves of each place of a window ---


def places_of(call: DrawnCall) -> Shape | None:
    """How many places a window has on each axis, where each has a move; None if it has none."""
    tensors = tensors_of(call)
    if MOVES[0] not in tensors or not {"X", "W"} <= tensors.keys():
        return None
    sizes, window = tensors["X"].shape[2:], tensors["W"].shape[2:]
    rank = len(sizes)
    steps, wider = (list_of(call, name) or (1,) * rank for name in ("strides", "dilations"))
    pads = list_of(call, "pads") or (0,) * 2 * rank
    if not len(window) == len(steps) == len(wider) == rank or len(pads) != 2 * rank:
        return None
    if min((*window, *steps, *wider), default=1) < 1:
        return None
    extents = [width * (size - 1) + 1 for size, width in zip(window, wider, strict=True)]
    room = [sizes[at] + pads[at] + pads[at + rank] - extents[at] for at in range(rank)]
    return tuple(left // step + 1 for left, step in zip(room, steps, strict=True))


def moves_fit(call: DrawnCall) -> bool:
    """Whether there is a move for each place of the window, and a place."""
    tensors = tensors_of(call)
    if MOVES[0] not in tensors or "W" not in tensors:
        return True
    places = places_of(call)
    return (
        places is not None
        and min(places, default=1) > 0
        and all(tensors[name].shape[2:] == places for name in MOVES if name in tensors)
    )


# --- keys of a sparse map ---


def sparse_keys(call: DrawnCall) -> tuple[int, ...]:
    """The keys of a map whose values are placed by them."""
    if value_of(call, "map_form") != "SPARSE":
        return ()
    return tuple(
        key
        for item in call.inputs
        if isinstance(item.value, MapValue)
        for key in grid_of(item.value.keys).items
    )


def keys_fit(call: DrawnCall) -> bool:
    """Whether such keys lie below the length of what they are placed in."""
    if value_of(call, "map_form") != "SPARSE":
        return True
    length = integer_of(call, "max_map")
    return length >= 0 and all(0 <= key < length for key in sparse_keys(call))


# --- regions of images ---


def regions_of(call: DrawnCall) -> Grid | None:
    """Regions with the number of their image in front; None if there are none."""
    tensor = tensors_of(call).get("rois")
    if tensor is None or len(tensor.shape) != 2 or tensor.shape[1] != _REGION:
        return None
    return grid_of(tensor)


def images_fit(before: DrawnCall, after: DrawnCall) -> bool:
    """Whether regions are of images that regions were of before."""
    was, now = regions_of(before), regions_of(after)
    if was is None or now is None:
        return True
    return set(now.items[::_REGION]) <= set(was.items[::_REGION])


# --- a term for each operand ---


def equation_fits(call: DrawnCall) -> bool:
    """Whether an equation has a term for each operand, with a letter for each of its axes."""
    equation = value_of(call, "equation")
    if not isinstance(equation, str):
        return True
    terms = equation.replace(" ", "").split("->")[0].split(",")
    shapes = [item.shape for item in tensors_of(call).values()]
    if len(terms) != len(shapes):
        return False
    sizes: dict[str, set[int]] = {}
    batches = []
    for term, shape in zip(terms, shapes, strict=True):
        front, dots, behind = term.partition("...")
        letters, rest = front + behind, len(shape) - len(front) - len(behind)
        if rest < 0 or (rest and not dots):
            return False
        batches.append(shape[len(front) : len(front) + rest])
        own = (*shape[: len(front)], *shape[len(front) + rest :])
        for letter, size in zip(letters, own, strict=True):
            sizes.setdefault(letter, set()).add(size)
    return broadcast(batches) and all(len(found) == 1 for found in sizes.values())
