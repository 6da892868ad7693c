"""Values with a fault of size in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Sampled, SequenceValue, Tensor, Value

from ..changing import NOTHING, taken_from
from .places import Fault, Places

Array = np.ndarray[Any, Any]


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
    return taken_from(tensor, places, nothing=nothing)


def _known(tensor: Sampled, places: Places) -> Places:
    """The map without what comes from a position whose element is not known."""
    known = np.zeros(len(places), dtype=bool)
    known[list(tensor.positions)] = True
    own = np.arange(len(places), dtype=np.int64)
    return np.where((places == NOTHING) | known[places], places, own)


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
