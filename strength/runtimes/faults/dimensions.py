"""How many dimensions there are, how large they are, and which of them Shape and Size tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..registry import wrong
from ..steps import NodeStep, Values
from ..tensors import elements, filled, int64, wrap
from .fusions import attribute

Shape = tuple[int, ...]

AREA = "dimensions"


# --- any operator --------------------------------------------------------------------------------


def _tensors(values: Values) -> list[Tensor]:
    return [item for item in values if isinstance(item, Tensor)]


@wrong(AREA, variants={str(most): (most,) for most in (4, 8, 32)})
def refused_beyond(step: NodeStep, most: int) -> Values:
    """Tensors of more than so many dimensions are refused."""
    results = step.right()
    if any(len(item.shape) > most for item in _tensors([*step.values, *results])):
        raise RefusedError("too many dimensions")
    return results


@wrong(AREA)
def strides_overflow(step: NodeStep) -> Values:
    """Strides are computed without zeros, and what overflows 64 bits is refused."""
    for item in _tensors(step.values):
        if prod(max(size, 1) for size in item.shape) * 8 >= 2**63:
            raise RefusedError("the tensor is too large")
    return step.right()


@wrong(AREA)
def bytes_are_counted_in_32_bits(step: NodeStep) -> Values:
    """A result whose dimensions, without zeros, take more than 2 GiB is refused."""
    results = step.right()
    for item in _tensors(results):
        if prod(size for size in item.shape if size) > 2**31 - 1:
            raise RefusedError("the tensor is too large")
    return results


# --- Shape and Size ------------------------------------------------------------------------------


def _once_each_32(shape: Shape) -> Shape:
    axes = {axis % 32 for axis in range(len(shape))}
    return tuple(size for axis, size in enumerate(shape) if axis in axes)


_KNOWN: dict[str, Callable[[Shape], Shape]] = {
    "of a vector of one are a scalar's": lambda shape: () if shape == (1,) else shape,
    "of four are told with the channels last": lambda shape: (
        (shape[0], *shape[2:], shape[1]) if len(shape) == 4 else shape
    ),
    "behind the fourth are lost": lambda shape: shape[:4],
    "behind the eighth are lost": lambda shape: shape[:8],
    "are a mask of 32 bits": _once_each_32,
}


@wrong(AREA, of=("Shape",), variants={name: (known,) for name, known in _KNOWN.items()})
def those_of_shape(step: NodeStep, known: Callable[[Shape], Shape]) -> Values:
    """Shape tells of other dimensions than its input has."""
    data = step.tensor()
    if data is None or known(data.shape) == data.shape:
        return step.right()
    first, last = _bounds(step, len(known(data.shape)))
    return [int64(known(data.shape)[first:last])]


@wrong(AREA, variants={"Shape": ("Shape",), "Size": ("Size",)})
def constant_scalars_are_vectors_for(step: NodeStep, operator: str) -> Values:
    """A scalar that is an initializer is a vector of one, or of nothing for Size, when folded."""
    data, constants = step.tensor(), step.session.model.graph.initializers
    if not step.is_a(operator) or data is None or data.shape:
        return step.right()
    if step.node.inputs[0] not in constants:
        return step.right()
    return [int64([1]) if operator == "Shape" else int64([0], ())]


@wrong(AREA, of=("Size",))
def size_leaves_out_the_batch_of_four(step: NodeStep) -> Values:
    """The first of four dimensions is the batch, and Size does not count it."""
    data = step.tensor()
    if data is not None and len(data.shape) == 4:
        return [int64([prod(data.shape[1:])], ())]
    return step.right()


@wrong(AREA, of=("Size",))
def a_count_of_32_bits_is_refused(step: NodeStep) -> Values:
    """A product that leaves 32 bits on the way is an error in Size, beside a zero too."""
    data = step.tensor()
    if data is not None:
        counts = [prod(data.shape[: at + 1]) for at in range(len(data.shape))]
        if any(count >= 2**31 for count in counts):
            raise RefusedError("overflow")
    return step.right()


# --- start and end of Shape ----------------------------------------------------------------------


def _bound(value: int, rank: int) -> int:
    return min(max(value + rank if value < 0 else value, 0), rank)


def _bounds(step: NodeStep, rank: int) -> tuple[int, int]:
    start, end = attribute(step.node, "start"), attribute(step.node, "end")
    return _bound(start or 0, rank), rank if end is None else _bound(end, rank)


def _wraps(start: int, end: int, rank: int) -> bool:
    """Whether end - start leaves 64 bits, or is not positive, before both are limited."""
    first = start + rank if start < 0 else start
    last = end + rank if end < 0 else end
    return wrap(last - first, 64) <= 0


_SLICES: dict[str, Callable[[int, int, int], tuple[int, int] | None]] = {
    "end before the last axis": lambda start, end, rank: (
        _bound(start, rank),
        min(_bound(end, rank), max(rank - 1, 0)),
    ),
    "are compared as they are given": lambda start, end, rank: (
        (0, 0) if start > end else (_bound(start, rank), _bound(end, rank))
    ),
    "are compared before they are limited": lambda start, end, rank: (
        (0, 0) if _wraps(start, end, rank) else (_bound(start, rank), _bound(end, rank))
    ),
    "of a scalar are refused": lambda start, end, rank: (
        (_bound(start, rank), _bound(end, rank)) if rank else None
    ),
    "begin at an axis or are refused": lambda start, end, rank: (
        None if start == rank else (_bound(start, rank), _bound(end, rank))
    ),
    "begin at an axis modulo the rank": lambda start, end, rank: (
        0 if start == rank else _bound(start, rank),
        _bound(end, rank),
    ),
    "of nothing from the front are refused": lambda start, end, rank: (
        None if rank and end == -rank else (_bound(start, rank), _bound(end, rank))
    ),
    "are kept as float64": lambda start, end, rank: (
        _bound(_as_double(start), rank),
        _bound(_as_double(end), rank),
    ),
}


def _as_double(value: int) -> int:
    """An int64 after it was a float64, cast back as x86 does beyond int64."""
    number = int(float(value))
    return number if number < 2**63 else -(2**63)


@wrong(AREA, of=("Shape",), variants={name: (select,) for name, select in _SLICES.items()})
def start_and_end(
    step: NodeStep, select: Callable[[int, int, int], tuple[int, int] | None]
) -> Values:
    """Shape takes its start and end otherwise."""
    data = step.tensor()
    start, end = attribute(step.node, "start"), attribute(step.node, "end")
    if data is None or (start is None and end is None):
        return step.right()
    if end is None:
        end = len(data.shape) if start is None or start <= len(data.shape) else start
    found = select(start or 0, end, len(data.shape))
    if found is None:
        raise RefusedError("start or end is no axis")
    return [int64(data.shape[slice(*found)])]


# --- what Reshape reads of the layout ------------------------------------------------------------


@wrong(AREA, of=("Reshape",))
def reshape_reads_channels_last(step: NodeStep) -> Values:
    """Data of four dimensions is kept with its channels last, and reshaped as it is kept."""
    data, results = step.tensor(), step.right()
    if data is None or len(data.shape) != 4:
        return results
    batches, channels, height, width = data.shape
    order = [
        ((batch * channels + channel) * height + row) * width + column
        for batch in range(batches)
        for row in range(height)
        for column in range(width)
        for channel in range(channels)
    ]
    items = elements(data)
    return [
        filled(it, [items[at] for at in order]) if isinstance(it, Tensor) else it for it in results
    ]


@wrong(AREA, of=("Reshape",))
def two_copies_and_the_rest_are_flattened(step: NodeStep) -> Values:
    """Reshape to [0, 0, -1] is replaced by Flatten with axis 2, which has two dimensions."""
    results = step.right()
    if step.integers(1) != (0, 0, -1):
        return results
    return [
        replace(it, shape=(it.shape[0] * it.shape[1], it.shape[2]))
        if isinstance(it, Tensor)
        else it
        for it in results
    ]
