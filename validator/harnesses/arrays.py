"""Values to NumPy arrays and back, bit for bit.

For values that NumPy cannot hold (bfloat16 and smaller types without ml_dtypes, zero-size arrays
with huge dimensions) UnsupportedError is raised with that reason; nothing is approximated.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from .element_types import BITS, ML_TYPES, NUMPY_TYPES, PACKED_BITS, SIGNED_PACKED
from .kit import UnsupportedError
from .values import ForeignValue, MapValue, OptionalValue, SequenceValue, Tensor, Value

_ELEMENT_TYPES = {
    **{name: name for name in NUMPY_TYPES},
    **{ml_name: name for name, ml_name in ML_TYPES.items()},
}


def byte_count(type_name: str, elements: int) -> int:
    """The number of bytes in raw_data of elements with a fixed width."""
    return (elements * BITS[type_name] + 7) // 8


@functools.lru_cache(maxsize=None)  # noqa: UP033  Python 3.8
def dtype_of(type_name: str) -> np.dtype[Any]:
    """The dtype that holds an element type; UnsupportedError if there is none here."""
    if type_name in NUMPY_TYPES:
        return np.dtype(type_name)
    if type_name == "string":
        return np.dtype(object)
    if type_name not in ML_TYPES:
        raise UnsupportedError(f"NumPy has no {type_name}")
    try:
        import ml_dtypes
    except ImportError:
        raise UnsupportedError(f"NumPy has no {type_name} without ml_dtypes") from None
    found = getattr(ml_dtypes, ML_TYPES[type_name], None)
    if found is None:
        raise UnsupportedError(f"ml_dtypes {ml_dtypes.__version__} has no {type_name}")
    result: np.dtype[Any] = np.dtype(found)
    return result


def to_numpy(value: Value) -> Any:  # noqa: ANN401  an array, a list, a dict or None
    """The Python form of a value: array, list for a sequence, dict for a map, None for absent.

    The items of a map are scalars, NumPy's or `str`, as in the operators that have maps as inputs.
    """
    if isinstance(value, Tensor):
        return to_array(value)
    if isinstance(value, SequenceValue):
        return [to_numpy(item) for item in value.items]
    if isinstance(value, OptionalValue):
        return None if value.value is None else to_numpy(value.value)
    if isinstance(value, ForeignValue):
        raise TypeError("only a runtime returns foreign values")
    keys = to_array(value.keys).tolist()
    return {key: _scalar(to_numpy(item)) for key, item in zip(keys, value.values)}  # noqa: B905  Python 3.8


def _scalar(value: Any) -> Any:  # noqa: ANN401  an array, a list, a dict or None
    """The element of an array without dimensions; anything else as it is."""
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def to_array(tensor: Tensor) -> np.ndarray[Any, Any]:
    """The array of a tensor; the caller may write to it.

    Strings become an object array of `str`, because NumPy's own string types drop trailing NULs.
    """
    dtype = dtype_of(tensor.type)
    if not isinstance(tensor.data, bytes):
        return _string_array(tensor.data, tensor.shape)
    if tensor.size == 0:
        return empty(tensor.shape, dtype)
    if tensor.type in PACKED_BITS:
        flat = unpack(tensor.data, tensor.size, tensor.type)
        if tensor.type.startswith("float"):
            return flat.astype(np.uint8).view(dtype).reshape(tensor.shape)
        return flat.astype(dtype).reshape(tensor.shape)
    little = dtype if sys.byteorder == "little" else dtype.newbyteorder("<")
    flat = np.frombuffer(bytearray(tensor.data), little).astype(dtype, copy=False)
    return flat.reshape(tensor.shape)


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array without elements; UnsupportedError if NumPy does not permit its dimensions."""
    try:
        return np.empty(shape, dtype)
    except (ValueError, OverflowError, MemoryError) as error:
        raise UnsupportedError(
            f"NumPy cannot hold a zero-size array of shape {list(shape)}: {error}"
        ) from None


def _string_array(items: list[bytes], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    array = np.empty(len(items), dtype=object)
    for index, item in enumerate(items):
        try:
            array[index] = item.decode("utf-8")
        except UnicodeDecodeError:
            raise UnsupportedError(f"{item!r} is not UTF-8, which str must be") from None
    return array.reshape(shape)


def unpack(data: bytes, count: int, type_name: str) -> np.ndarray[Any, Any]:
    """One int8 for each packed element: the first element is in the lowest bits of its byte."""
    bits = PACKED_BITS[type_name]
    stream = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")[: count * bits]
    places = stream.reshape(count, bits) << np.arange(bits, dtype=np.uint8)
    elements: np.ndarray[Any, Any] = places.sum(axis=1).astype(np.int8)
    if type_name in SIGNED_PACKED:
        half = 1 << (bits - 1)
        elements = ((elements ^ half) - half).astype(np.int8)
    return elements


def pack(elements: np.ndarray[Any, Any], type_name: str) -> bytes:
    """The bytes of raw_data from one byte for each packed element; unused bits are 0."""
    flat = elements.reshape(-1, 1).astype(np.uint8)
    stream = (flat >> np.arange(PACKED_BITS[type_name], dtype=np.uint8)) & 1
    return np.packbits(stream.reshape(-1), bitorder="little").tobytes()


def clear_unused_bits(data: bytes, shape: tuple[int, ...], type_name: str) -> bytes:
    """Packed data with the bits after the last element set to 0: their content is undefined."""
    bits = int(np.prod(shape, dtype=np.int64)) * PACKED_BITS[type_name]
    last = bits % 8
    if not data or last == 0:
        return data
    return data[:-1] + bytes([data[-1] & ((1 << last) - 1)])


def from_numpy(result: Any) -> Value:  # noqa: ANN401  whatever a runtime returned
    """The value that a runtime returned.

    Nothing is corrected: element type and shape are those of the array, and a result that is not a
    value of ONNX becomes a ForeignValue.
    """
    if isinstance(result, (np.ndarray, np.generic)):
        return from_array(np.asarray(result))
    if result is None:
        return OptionalValue(None)
    if isinstance(result, (list, tuple)):
        return SequenceValue([from_numpy(item) for item in result])
    if isinstance(result, dict):
        keys = list(result)
        key_tensor = _keys(keys)
        if key_tensor is None:
            return ForeignValue("a dict whose keys are neither all str nor all int")
        return MapValue(key_tensor, [from_numpy(result[key]) for key in keys])
    return ForeignValue(f"a Python {type(result).__name__}")


def _keys(keys: list[Any]) -> Tensor | None:
    """The keys of a map, as ONNX strings or integers; an empty map is given integer keys."""
    if all(isinstance(key, (int, np.integer)) for key in keys):
        key_tensor = from_array(np.array(keys, dtype=np.int64))
    elif all(isinstance(key, str) for key in keys):
        key_tensor = from_array(np.array(keys, dtype=object))
    else:
        return None
    return key_tensor if isinstance(key_tensor, Tensor) else None


def from_array(array: np.ndarray[Any, Any]) -> Tensor | ForeignValue:
    """The tensor of an array, in row-major order for any strides."""
    dtype = array.dtype
    if dtype.kind in "OUST":
        return _from_strings(array)
    name = _ELEMENT_TYPES.get(dtype.name)
    if name is None:
        return ForeignValue(f"a NumPy array of {dtype}")
    if name in PACKED_BITS:
        elements = array.view(np.uint8) if name.startswith("float") else array.astype(np.int8)
        return Tensor(name, array.shape, pack(elements, name))
    if dtype.byteorder == ">" or (sys.byteorder == "big" and dtype.byteorder == "="):
        array = array.astype(dtype.newbyteorder("<"))
    return Tensor(name, array.shape, array.tobytes())


def _from_strings(array: np.ndarray[Any, Any]) -> Tensor | ForeignValue:
    items = []
    for item in array.reshape(-1).tolist():
        if not isinstance(item, (bytes, str)):
            return ForeignValue(f"a NumPy array of objects with a {type(item).__name__} in it")
        items.append(item if isinstance(item, bytes) else item.encode("utf-8", "surrogatepass"))
    return Tensor("string", array.shape, items)
