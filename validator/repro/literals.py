"""Values and models as Python source that a person can read and change.

Each text is evaluated and compared with the original value before it is returned.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.protos import from_proto, to_proto
from onnx_conformance.core.values.tensors import Tensor, Value

if TYPE_CHECKING:
    import numpy as np
    import onnx


# Values with more elements than a person reads are written as hexadecimal digits.
MOST_ELEMENTS = 64
# The largest value or model that is written into a script, in bytes.
MOST_BYTES = 16 * 1024
# Types that NumPy itself has under these names: every runtime's Python API accepts them.
NUMPY_TYPES = frozenset(
    (
        *("bool", "complex64", "complex128", "float16", "float32", "float64"),
        *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    )
)


class NoLiteralError(Exception):
    """A value or a model that cannot be written into a script of a few lines."""


def array_source(value: Value) -> str:
    """A tensor as an expression with `numpy`; NoLiteralError if NumPy has nothing like it."""
    import numpy as np

    if not isinstance(value, Tensor):
        raise NoLiteralError("a value that is no tensor")
    array = _array(value)
    for source in _sources(value, array):
        try:
            found = eval(source, {"numpy": np})  # noqa: S307  our own text, from numbers alone
        except Exception:  # noqa: S112  the next form may do
            continue
        if found.dtype == array.dtype and found.shape == array.shape and _same(found, array):
            return source
    raise NoLiteralError(f"{value.type} of shape {list(value.shape)}")


def has_nan(value: Value) -> bool:
    """Whether an element of a tensor is NaN."""
    import numpy as np

    return (
        isinstance(value, Tensor)
        and element_type(value.type).kind in ("float", "complex")
        and bool(np.isnan(_array(value)).any())
    )


def model_source(model: bytes) -> str:
    """A model as an expression with `onnx`: its text if that is complete, else base64."""
    import onnx
    import onnx.parser
    import onnx.printer

    try:
        proto = onnx.load_model_from_string(model)
        proto.ClearField("producer_name")  # only tells which program made it
        text = _shortened(onnx.printer.to_text(proto))
        again = onnx.parser.parse_model(text)
    except Exception:
        return _model_bytes(model)
    if not _same_model(proto, again) or "'''" in text:
        return _model_bytes(model)
    raw = "r" if "\\" in text else ""
    return f"onnx.parser.parse_model({raw}'''{text.rstrip()}''')"


def _shortened(text: str) -> str:
    """The text of a model with everything before the graph on one line."""
    text = "\n".join(line.rstrip() for line in text.splitlines())
    head, end, graph = text.partition("\n>\n")
    if not (end and head.startswith("<")):
        return text
    return f"<{' '.join(head[1:].split())}>\n{graph}"


def _same_model(one: onnx.ModelProto, other: onnx.ModelProto) -> bool:
    """Whether two models mean the same; the field in which a tensor keeps its data is ignored."""
    pair = []
    for model in (one, other):
        copy = type(model)()
        copy.CopyFrom(model)
        try:
            _say_alike(copy)
        except BadInputError:
            return False
        pair.append(copy.SerializeToString(deterministic=True))
    return pair[0] == pair[1]


def _say_alike(message: Any) -> None:  # noqa: ANN401  any message of onnx.proto
    """Move each tensor's data to raw_data and clear empty texts, so that equal models are equal."""
    import onnx

    for field, value in message.ListFields():
        if value == "":  # empty and absent mean the same
            message.ClearField(field.name)
            continue
        for item in value if isinstance(value, Iterable) else (value,):
            if isinstance(item, onnx.TensorProto):
                item.CopyFrom(to_proto(from_proto(item), item.name))
            elif field.message_type is not None:
                _say_alike(item)


def _model_bytes(model: bytes) -> str:
    if len(model) > MOST_BYTES:
        raise NoLiteralError(f"a model of {len(model)} bytes")
    return f'onnx.load_model_from_string(base64.b64decode("{base64.b64encode(model).decode()}"))'


def _array(tensor: Tensor) -> np.ndarray[Any, Any]:
    import numpy as np

    if isinstance(tensor.data, tuple):
        array = np.empty(len(tensor.data), object)
        try:
            array[:] = [item.decode() for item in tensor.data]
        except UnicodeDecodeError:
            raise NoLiteralError("a string that is not UTF-8") from None
        return array.reshape(tensor.shape)
    if tensor.type not in NUMPY_TYPES:  # np.dtype knows more types once ml_dtypes is imported
        raise NoLiteralError(tensor.type)
    try:
        dtype = np.dtype(tensor.type)
        return (
            np.frombuffer(tensor.data, dtype.newbyteorder("<")).astype(dtype).reshape(tensor.shape)
        )
    except (TypeError, ValueError):
        raise NoLiteralError(f"{tensor.type} of shape {list(tensor.shape)}") from None


def _sources(tensor: Tensor, array: np.ndarray[Any, Any]) -> list[str]:
    """Source texts of an array, the most readable first."""
    shape, dtype = tuple(map(int, array.shape)), f'"{array.dtype.name}"'
    if isinstance(tensor.data, tuple):
        return [f"numpy.array({array.tolist()!r}, object)"] if array.size else _empty(shape, dtype)
    if not array.size:
        return _empty(shape, dtype)
    found = []
    if not any(tensor.data) and array.size > 1:
        found.append(f"numpy.zeros({shape}, {dtype})")
    if array.size <= MOST_ELEMENTS:
        listed = _listed(array)
        # The texts of NaN and infinity are not Python.
        for word in ("nan", "inf"):
            listed = listed.replace(word, f"numpy.{word}")
        found.append(f"numpy.array({listed}, {dtype})")
    if len(tensor.data) <= MOST_BYTES:
        digits = bytes(tensor.data).hex()
        found.append(f'numpy.frombuffer(bytes.fromhex("{digits}"), {dtype}).reshape({shape})')
    return found


def _listed(array: np.ndarray[Any, Any]) -> str:
    """Nested lists; a float has enough digits to identify it in its own type."""
    if array.ndim:
        return "[" + ", ".join(_listed(item) for item in array) + "]"
    return str(array[()])


def _empty(shape: tuple[int, ...], dtype: str) -> list[str]:
    return [f"numpy.array([], {dtype})" if shape == (0,) else f"numpy.empty({shape}, {dtype})"]


def _same(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    if not one.size:
        return True
    return (
        one.tolist() == other.tolist() if one.dtype == object else one.tobytes() == other.tobytes()
    )
