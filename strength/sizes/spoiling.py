"""Values with a fault of size in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack_bits, unpack_bits
from onnx_conformance.core.values.tensors import (
    MapValue,
    OptionalValue,
    Sampled,
    SequenceValue,
    Tensor,
)

from .places import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from onnx_conformance.core.values.tensors import Value

    from .places import Fault, Places

    Array = np.ndarray[Any, Any]

_BYTE = 8


def each_tensor(value: Value, change: Callable[[Tensor], Tensor]) -> Value:
    """A value with each tensor in it changed."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, SequenceValue):
        return SequenceValue(tuple(each_tensor(item, change) for item in value.items))
    if isinstance(value, OptionalValue) and value.value is not None:
        return OptionalValue(each_tensor(value.value, change))
    if isinstance(value, MapValue):
        return MapValue(value.keys, tuple(each_tensor(item, change) for item in value.values))
    return value


def is_touched(before: Value | None, after: Value | None) -> bool:
    """Whether a fault met something in a value, though what it made may be the same in the end."""
    if isinstance(before, SequenceValue) and isinstance(after, SequenceValue):
        same = len(before.items) == len(after.items)
        return not same or any(map(is_touched, before.items, after.items))
    if isinstance(before, OptionalValue) and isinstance(after, OptionalValue):
        return is_touched(before.value, after.value)
    if isinstance(before, MapValue) and isinstance(after, MapValue):
        return any(map(is_touched, before.values, after.values))
    return before is not after


def moved(tensor: Tensor, fault: Fault, nothing: int = 0) -> Tensor:
    """A tensor whose elements stand where a fault puts them; the same one if it is too small.

    Args:
        tensor: the right one.
        fault: where its elements come from.
        nothing: the byte that memory holds where nothing was written.
    """
    places = fault(tensor.shape)
    if places is None:
        return tensor
    if isinstance(tensor, Sampled):
        places = _known(tensor, places)
    if isinstance(tensor.data, tuple):
        return Tensor(tensor.type, tensor.shape, _texts(tensor.data, places))
    bits = element_type(tensor.type).bits
    if bits < _BYTE:
        codes = np.array(unpack_bits(tensor.data, bits, tensor.element_count), dtype=np.uint8)
        found = codes[places]
        found[places == NOTHING] = nothing & ((1 << bits) - 1)
        return Tensor(tensor.type, tensor.shape, pack_bits(found.tolist(), bits))
    width = bits // _BYTE
    rows: Array = np.frombuffer(tensor.data, dtype=np.uint8).reshape(-1, width)
    found = rows[places]
    found[places == NOTHING] = nothing
    return Tensor(tensor.type, tensor.shape, found.tobytes())


def _known(tensor: Sampled, places: Places) -> Places:
    """The map without what comes from a position whose element is not known."""
    known = np.zeros(len(places), dtype=bool)
    known[list(tensor.positions)] = True
    own = np.arange(len(places), dtype=np.int64)
    return np.where((places == NOTHING) | known[places], places, own)


def _texts(items: Sequence[bytes], places: Places) -> tuple[bytes, ...]:
    return tuple(b"" if place == NOTHING else items[place] for place in places.tolist())


def shortened(tensor: Tensor, most: int) -> Tensor:
    """A tensor of strings, each of which has so many bytes at most; any other as it is."""
    if not isinstance(tensor.data, tuple) or all(len(item) <= most for item in tensor.data):
        return tensor
    return Tensor(tensor.type, tensor.shape, tuple(item[:most] for item in tensor.data))


def begun_again(value: Value, most: int) -> Value:
    """A sequence whose items beyond some are the first ones again; any other value as it is."""
    if not isinstance(value, SequenceValue) or len(value.items) <= most:
        return value
    return SequenceValue(tuple(value.items[at % most] for at in range(len(value.items))))


def cut_to_16_bits(tensor: Tensor) -> Tensor:
    """A tensor of int64 or int32 whose elements keep their lowest 16 bits; any other as it is."""
    if tensor.type not in ("int64", "int32") or isinstance(tensor.data, tuple):
        return tensor
    numbers: Array = np.frombuffer(tensor.data, dtype=f"<i{element_type(tensor.type).bits // 8}")
    kept = np.where(numbers < 0, numbers, numbers & 0xFFFF).astype(numbers.dtype)
    if np.array_equal(kept, numbers):
        return tensor
    return Tensor(tensor.type, tensor.shape, kept.tobytes())
