"""A tensor in ONNX's sparse form: the values that are not zero, and their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack
from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence


def sparse_proto(tensor: Tensor, name: str) -> onnx.SparseTensorProto:
    """The sparse tensor that stands for a dense one; -0 is a value, as its bits are not zero.

    Source: onnx.proto, SparseTensorProto: `indices` of shape [NNZ], in order, are the places in
    row-major order; `values` must have a name that is not empty.
    """
    if isinstance(tensor.data, tuple):
        kept = [place for place, item in enumerate(tensor.data) if item]
        values = Tensor(tensor.type, (len(kept),), tuple(tensor.data[place] for place in kept))
    else:
        codes = _codes(tensor)
        kept = [place for place, code in enumerate(codes) if code]
        packed = pack(element_type(tensor.type), [codes[place] for place in kept])
        values = Tensor(tensor.type, (len(kept),), packed)
    places = Tensor("int64", (len(kept),), pack(element_type("int64"), kept))
    return onnx.SparseTensorProto(
        values=to_proto(values, name), indices=to_proto(places, ""), dims=tensor.shape
    )


def _codes(tensor: Tensor) -> Sequence[int]:
    """The bit pattern of each element."""
    bits = element_type(tensor.type).bits
    packed = int.from_bytes(tensor.data if isinstance(tensor.data, bytes) else b"", "little")
    mask = (1 << bits) - 1
    return [packed >> (bits * place) & mask for place in range(tensor.element_count)]
