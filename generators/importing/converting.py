"""Converts values of ONNX's code into values that can be written: bit for bit, or not at all."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type, element_type_of_code
from onnx_conformance.core.values.onnx_values import MAP, OPTIONAL, SEQUENCE, kind_of
from onnx_conformance.core.values.protos import from_proto
from onnx_conformance.core.values.tensors import (
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
    Value,
    check_tensor,
)

if TYPE_CHECKING:
    import numpy as np
    import onnx


def to_value(declared: onnx.TypeProto, made: Any) -> Value:  # noqa: ANN401  an array, a list, a dict, None
    """The value that ONNX's code made for an input or output of a declared type.

    Raises BadInputError if it is not of that type, or cannot be written unchanged.
    """
    kind = kind_of(declared)
    if kind == OPTIONAL:
        if made is None:
            return OptionalValue(None)
        return OptionalValue(to_value(declared.optional_type.elem_type, made))
    if kind == SEQUENCE:
        if not isinstance(made, (list, tuple)):
            raise BadInputError(f"a sequence is declared, {type(made).__name__} was made")
        inner = declared.sequence_type.elem_type
        return SequenceValue(tuple(to_value(inner, item) for item in made))
    if kind == MAP:
        return _map(declared.map_type, made)
    return _tensor(declared.tensor_type, made)


def _map(declared: onnx.TypeProto.Map, made: Any) -> MapValue:  # noqa: ANN401  see to_value
    import numpy as np

    if not isinstance(made, dict):
        raise BadInputError(f"a map is declared, {type(made).__name__} was made")
    element = element_type_of_code(declared.key_type)
    array = np.array(list(made), object if element.kind == "string" else element.name)
    keys = _from_array(array, element.name)
    return MapValue(keys, tuple(to_value(declared.value_type, item) for item in made.values()))


def _tensor(declared: onnx.TypeProto.Tensor, made: Any) -> Tensor:  # noqa: ANN401  see to_value
    import numpy as np
    import onnx

    name = element_type_of_code(declared.elem_type).name
    if isinstance(made, onnx.TensorProto):
        tensor = from_proto(made)
    elif isinstance(made, (np.ndarray, np.generic)):
        tensor = _from_array(np.asarray(made), name)
    else:
        raise BadInputError(f"a tensor is declared, {type(made).__name__} was made")
    if tensor.type != name:
        raise BadInputError(f"{name} is declared, {tensor.type} was made")
    return tensor


def _from_array(array: np.ndarray[Any, Any], declared: str) -> Tensor:
    if array.dtype.kind in "OSU":
        # No numpy_helper, and no fixed-width arrays: both drop trailing NULs.
        if array.dtype.kind != "O":
            raise BadInputError("an array of fixed-width strings may have lost trailing NULs")
        return Tensor("string", array.shape, tuple(_bytes(item) for item in array.reshape(-1)))
    if array.dtype.name == declared or _holds_bits_of(declared, array):
        return Tensor(declared, array.shape, _raw(array))
    from onnx import numpy_helper

    # A type that NumPy itself does not have, or another than the declared one.
    try:
        tensor = from_proto(numpy_helper.from_array(array))
    except Exception as error:
        raise BadInputError(f"an array of {array.dtype} cannot be written: {error}") from None
    check_tensor(tensor)
    return tensor


def _holds_bits_of(declared: str, array: np.ndarray[Any, Any]) -> bool:
    """Whether an array of unsigned integers is a type that NumPy does not have.

    onnx up to 1.18 builds bfloat16 in this way; the declared type tells what it is.
    """
    element = element_type(declared)
    return (
        element.kind == "float"
        and element.bits in (8, 16)
        and declared != "float16"
        and array.dtype.name == f"uint{element.bits}"
    )


def _raw(array: np.ndarray[Any, Any]) -> bytes:
    """The elements in row-major order, little-endian, for any strides of the array."""
    swapped = array.dtype.byteorder == ">" or (
        array.dtype.byteorder == "=" and sys.byteorder == "big"
    )
    return (array.astype(array.dtype.newbyteorder("<")) if swapped else array).tobytes()


def _bytes(item: Any) -> bytes:  # noqa: ANN401  an element of an object array
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        return item.encode("utf-8", "surrogatepass")
    raise BadInputError(f"a string tensor holds a {type(item).__name__}")
