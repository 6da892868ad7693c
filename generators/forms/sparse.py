"""A tensor in ONNX's sparse form: the values that are not zero, and their places."""

from __future__ import annotations

import onnx

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack, unpack_bits
from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import Tensor


def sparse_proto(tensor: Tensor, name: str) -> onnx.SparseTensorProto:
    """The sparse tensor that stands for a dense one; -0 is a value, as its bits are not zero.

    Source: onnx.proto, SparseTensorProto: `indices` of shape [NNZ], in order, are the places in
    row-major order; `values` must have a name that is not empty.
    """
    if isinstance(tensor.data, tuple):
        kept = [place for place, item in enumerate(tensor.data) if item]
        values = Tensor(tensor.type, (len(kept),), tuple(tensor.data[place] for place in kept))
    else:
        element = element_type(tensor.type)
        codes = unpack_bits(tensor.data, element.bits, tensor.element_count)
        kept = [place for place, code in enumerate(codes) if code]
        packed = pack(element, [codes[place] for place in kept])
        values = Tensor(tensor.type, (len(kept),), packed)
    places = Tensor("int64", (len(kept),), pack(element_type("int64"), kept))
    return onnx.SparseTensorProto(
        values=to_proto(values, name), indices=to_proto(places, ""), dims=tensor.shape
    )
