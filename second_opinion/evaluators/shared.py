"""What evaluators of several families need: one rounded operation, broadcasting, axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..graphs.call import Call
from ..values.formats import FLOATS, LD, Array
from ..values.tensors import COMPLEX, Arr, CannotAnswerError, fit, storage


def rounded_once(name: str, operation: Callable[..., Any], *operands: Any) -> Arr:  # noqa: ANN401
    """One operation of IEEE 754, rounded once; integers modulo their width.

    For float64 the processor's own; for narrower types in long double and then rounded: with more
    than twice the digits and two, the second rounding changes nothing.
    """
    if name == "float64":
        narrow = [np.asarray(item).astype(np.float64) for item in operands]
        return Arr(name, np.asarray(operation(*narrow)).astype(LD))
    if name == "complex128":
        narrow = [np.asarray(item).astype(np.complex128) for item in operands]
        return Arr(name, np.asarray(operation(*narrow)).astype(np.clongdouble))
    return fit(name, operation(*operands))


def exactly(name: str, operation: Callable[..., Any], *operands: Any) -> Arr:  # noqa: ANN401
    """A result computed in long double, or in integers of any size, and rounded at the end."""
    if name in FLOATS or name in COMPLEX:
        return fit(name, operation(*operands))
    return fit(name, operation(*(np.asarray(item).astype(object) for item in operands)))


def legacy_broadcast(call: Call) -> tuple[Array, Array]:
    """The operands of a binary operator; before opset 7, B is aligned by `broadcast` and `axis`."""
    first, second = call.data(0), call.data(1)
    if call.version >= 7:
        return first, second
    if not call.attr("broadcast", 0):
        if first.shape != second.shape:
            raise CannotAnswerError("shapes differ without broadcast=1")
        return first, second
    if second.size == 1:
        return first, second.reshape((1,) * first.ndim)
    axis = call.attr("axis")
    start = first.ndim - second.ndim if axis is None else axis % first.ndim
    after = first.ndim - start - second.ndim
    return first, second.reshape((1,) * start + second.shape + (1,) * after)


def axes_of(given: Iterable[int] | None, rank: int) -> tuple[int, ...]:
    """Axes, negative ones counted from the back, in order."""
    return tuple(sorted({_one_axis(int(item), rank) for item in given or ()}))


def _one_axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise CannotAnswerError(f"axis {axis} of {rank} dimensions")
    return axis + rank if axis < 0 else axis


def type_of_code(code: int) -> str:
    """Our name of a TensorProto.DataType."""
    from onnx_conformance.core.values.elements import element_type_of_code

    return element_type_of_code(code).name


def whole(numbers: Any) -> Arr:  # noqa: ANN401  whatever NumPy takes
    """An int64 tensor."""
    return Arr("int64", np.asarray(numbers, np.int64))


def as_float32(call: Call, *names: str) -> list[Any]:
    """Attributes that are floats: float32, exactly as the model has them."""
    return [LD(call.attr(name)) for name in names]


def by_axis(call: Call, name: str, count: int, default: int = 1) -> list[int]:
    """An attribute with a number for each spatial axis, or the default for each."""
    return list(call.attr(name) or [default] * count)


def on_axis(values: Array, rank: int, axis: int) -> Array:
    """A vector as something that broadcasts along one axis of a tensor; of one number a scalar."""
    if values.ndim == 1 and values.size != 1:
        return values.reshape([-1 if place == axis % rank else 1 for place in range(rank)])
    return values.reshape(()) if values.size == 1 and values.ndim <= 1 else values


def lp_norm(values: Array, p: Any, axes: tuple[int, ...]) -> Array:  # noqa: ANN401  a number
    """The p-norm over axes, which stay."""
    if p == 1:
        return np.asarray(np.sum(np.abs(values), axes, keepdims=True))
    if p == 2:
        return np.asarray(np.sqrt(np.sum(values * values, axes, keepdims=True)))
    return np.asarray(np.sum(np.abs(values) ** LD(p), axes, keepdims=True) ** (1 / LD(p)))


def rows_of(data: Array) -> Array:
    """A vector as the one row of a matrix; a matrix as it is."""
    return data.reshape(1, -1) if data.ndim == 1 else data


def words(items: Sequence[Any]) -> Array:
    """Byte strings as an array."""
    made = np.empty(len(items), object)
    made[:] = items
    return made


def zeros(name: str, shape: Sequence[int]) -> Array:
    """A tensor of zeros, of empty strings or of false."""
    if name == "string":
        made = np.empty(tuple(shape), object)
        made[...] = b""
        return made
    return np.zeros(tuple(shape), storage(name))


def text(value: Any) -> str:  # noqa: ANN401  bytes or a text
    """A string attribute as text."""
    return value.decode() if isinstance(value, bytes) else str(value)
