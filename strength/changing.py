"""Values with something in them changed; what does not change stays the very same object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import is_
from typing import Any

import numpy as np

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack_bits, unpack_bits
from onnx_conformance.core.values.tensors import MapValue, OptionalValue, SequenceValue, Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid

from .interfaces import Change

#: In a list of places: nothing is taken for this element.
NOTHING = -1
_BYTE = 8
# What holds other values, with the name of what it holds.
_HELD: dict[type, str] = {SequenceValue: "items", OptionalValue: "value", MapValue: "values"}


def each_of(value: Any, change: Change) -> Any:  # noqa: ANN401  as it came
    """A tensor, or each of the several of a variadic parameter, changed; not what others hold."""
    if isinstance(value, tuple):
        return _kept(value, tuple(each_of(item, change) for item in value))
    return change(value) if isinstance(value, (Grid, Tensor)) else value


def each_within(value: Any, change: Change) -> Any:  # noqa: ANN401  as it came
    """A value with each tensor in it changed, that of sequences, optionals and maps too."""
    if isinstance(value, tuple):
        return _kept(value, tuple(each_within(item, change) for item in value))
    name = _HELD.get(type(value))
    if name is None:
        return each_of(value, change)
    inside = getattr(value, name)
    new = each_within(inside, change)
    return value if new is inside else replace(value, **{name: new})


def _kept(items: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    return items if all(map(is_, items, new)) else new


def taken_from(
    tensor: Tensor,
    places: Sequence[int] | np.ndarray[Any, Any],
    shape: tuple[int, ...] | None = None,
    nothing: int = 0,
) -> Tensor:
    """The elements of a tensor at some places.

    Args:
        tensor: has the elements.
        places: where each is taken from, in row-major order; `NOTHING` where none is.
        shape: of what is taken, if it is another one.
        nothing: the byte that stands where nothing is taken; there strings are empty.
    """
    shape = tensor.shape if shape is None else shape
    taken = np.asarray(places, np.int64)
    if isinstance(tensor.data, tuple):
        words = tensor.data
        texts = (b"" if at == NOTHING else words[at] for at in taken.tolist())
        return Tensor(tensor.type, shape, tuple(texts))
    bits = element_type(tensor.type).bits
    if bits < _BYTE:
        codes = np.array(unpack_bits(tensor.data, bits, tensor.element_count), np.uint8)[taken]
        codes[taken == NOTHING] = nothing & ((1 << bits) - 1)
        return Tensor(tensor.type, shape, pack_bits(codes.tolist(), bits))
    rows = np.frombuffer(tensor.data, np.uint8).reshape(-1, bits // _BYTE)[taken]
    rows[taken == NOTHING] = nothing
    return Tensor(tensor.type, shape, rows.tobytes())


def shortened(tensor: Tensor, most: int) -> Tensor:
    """A tensor of strings, each of which has so many bytes at most; any other as it is."""
    if not isinstance(tensor.data, tuple) or all(len(item) <= most for item in tensor.data):
        return tensor
    return replace(tensor, data=tuple(item[:most] for item in tensor.data))
