"""Tensors as ONNX's TensorProto: written as raw_data, read from any field that holds data."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BadInputError
from .elements import element_type, element_type_of_code
from .tensors import Tensor, check_tensor

if TYPE_CHECKING:
    import onnx


def to_proto(tensor: Tensor, name: str = "") -> onnx.TensorProto:
    """The TensorProto of a tensor: raw_data, or string_data for strings."""
    import onnx

    proto = onnx.TensorProto()
    proto.dims.extend(tensor.shape)
    proto.data_type = element_type(tensor.type).code
    proto.name = name
    if isinstance(tensor.data, tuple):
        proto.string_data.extend(tensor.data)
    else:
        proto.raw_data = tensor.data
    return proto


def from_proto(proto: onnx.TensorProto, folder: Path | None = None) -> Tensor:
    """The tensor in a TensorProto, from the field that holds its data.

    Raises BadInputError if the fields contradict each other.
    """
    element = element_type_of_code(proto.data_type)
    shape = tuple(proto.dims)
    data: bytes | tuple[bytes, ...]
    if element.kind == "string":
        data = tuple(proto.string_data)
    elif proto.HasField("raw_data"):
        data = proto.raw_data
    else:
        data = _typed_field(proto, folder)
    tensor = Tensor(element.name, shape, data)
    check_tensor(tensor)
    return tensor


def _typed_field(proto: onnx.TensorProto, folder: Path | None) -> bytes:
    """Elements from float_data, int32_data and the like, in the form of raw_data.

    Source of which field holds which types, and that int32_data holds 16-bit and smaller types by
    their bits: onnx.proto, TensorProto. numpy_helper is not used: its results changed between
    versions.
    """
    if proto.data_location == proto.EXTERNAL:
        return _external_data(proto, folder)
    element = element_type_of_code(proto.data_type)
    try:
        if element.name in ("float32", "complex64"):
            return struct.pack(f"<{len(proto.float_data)}f", *proto.float_data)
        if element.name in ("float64", "complex128"):
            return struct.pack(f"<{len(proto.double_data)}d", *proto.double_data)
        if element.name == "int64":
            return struct.pack(f"<{len(proto.int64_data)}q", *proto.int64_data)
        if element.name in ("uint32", "uint64"):
            code = "I" if element.name == "uint32" else "Q"
            return struct.pack(f"<{len(proto.uint64_data)}{code}", *proto.uint64_data)
    except struct.error as error:
        raise BadInputError(f"tensor '{proto.name}' cannot be read: {error}") from None
    # One element at a time; 4- and 2-bit elements are packed already, and come byte by byte.
    size = max(element.bits, 8) // 8
    mask = (1 << 8 * size) - 1
    return b"".join((item & mask).to_bytes(size, "little") for item in proto.int32_data)


def _external_data(proto: onnx.TensorProto, folder: Path | None) -> bytes:
    import onnx.external_data_helper

    if folder is None:
        raise BadInputError(f"tensor '{proto.name}' keeps its data in another file")
    try:
        onnx.external_data_helper.load_external_data_for_tensor(proto, str(folder))
    except Exception as error:
        raise BadInputError(f"tensor '{proto.name}' cannot be read: {error}") from None
    data: bytes = proto.raw_data
    return data
