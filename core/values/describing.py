"""Values in words, for messages and results rows.

JSON has no NaN and no safe integer beyond 2**53, so such elements are given as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..limits import LISTED_VALUES
from .elements import element_type
from .floats import FLOAT_FORMATS, numbers
from .tensors import (
    ForeignValue,
    MapValue,
    NamedValue,
    OptionalValue,
    SequenceValue,
    Tensor,
    Value,
    shape_words,
)

if TYPE_CHECKING:
    import numpy as np


LISTED = 32
NAMED = 6
NAMED_VALUES = 8
_SAFE_INTEGER = 2**53
_TEXT_LIMIT = 60

_COMPLEX_PARTS = {"complex64": "float32", "complex128": "float64"}


def part_type(name: str) -> str:
    """The element type of each part of an element: float32 for complex64."""
    return _COMPLEX_PARTS.get(name, name)


def part_count(name: str) -> int:
    """How many numbers make one element: 2 for a complex one, else 1."""
    return 2 if name in _COMPLEX_PARTS else 1


def bit_patterns(tensor: Tensor, limit: int | None = None) -> np.ndarray[Any, Any]:
    """The elements as unsigned integers: two for a complex element, one for any other.

    With a limit, those of the first `limit` elements only. Not for strings.
    """
    import numpy as np

    if isinstance(tensor.data, tuple):
        raise TypeError("strings have no bit patterns")
    bits = element_type(part_type(tensor.type)).bits
    count = tensor.element_count * part_count(tensor.type)
    if limit is not None:
        count = min(count, limit * part_count(tensor.type))
    if bits >= 8:
        return np.frombuffer(tensor.data, f"<u{bits // 8}", count).astype(
            f"=u{bits // 8}", copy=False
        )
    packed = np.frombuffer(tensor.data, np.uint8)[: (count * bits + 7) // 8]
    each = np.unpackbits(packed, count=count * bits, bitorder="little").reshape(count, bits)
    weights = (1 << np.arange(bits)).astype(np.uint8)
    result: np.ndarray[Any, Any] = (each * weights).sum(axis=1, dtype=np.uint8)
    return result


def element_texts(type_name: str, bits: np.ndarray[Any, Any]) -> list[Any]:
    """Each element for JSON: as a number if JSON holds it safely, else as text."""
    part = part_type(type_name)
    values = [_plain(part, item) for item in _readable(part, bits)]
    if part_count(type_name) == 1:
        return values
    return [
        f"{real}{'' if str(imaginary).startswith('-') else '+'}{imaginary}i"
        for real, imaginary in zip(values[::2], values[1::2], strict=True)
    ]


def _readable(part: str, bits: np.ndarray[Any, Any]) -> Sequence[Any]:
    """NumPy scalars whose text is what a person expects."""
    import numpy as np

    element = element_type(part)
    if element.kind == "bool":
        return list(bits)
    if element.kind == "uint":
        return [int(item) for item in bits]
    if element.kind == "int":
        half = 1 << (element.bits - 1)
        return [int(item) - 2 * half if int(item) >= half else int(item) for item in bits]
    # float32 is printed with the digits that identify it among float32 values, not as a float64.
    shown = {"float64": np.float64, "float16": np.float16}.get(part, np.float32)
    values = numbers(bits, FLOAT_FORMATS[part])
    with np.errstate(all="ignore"):
        return list(values.astype(shown))


def _plain(part: str, item: Any) -> Any:  # noqa: ANN401  a NumPy scalar or an int
    kind = element_type(part).kind
    if kind == "bool":
        return bool(item) if item in (0, 1) else f"true (byte {int(item):#04x})"
    if kind != "float":
        return item if abs(item) <= _SAFE_INTEGER else str(item)
    text = str(item)
    number = float(text)
    safe = number == number and abs(number) != float("inf") and text != "-0.0"  # noqa: PLR0124  NaN
    return number if safe else text


def elements(tensor: Tensor, limit: int = LISTED) -> list[Any]:
    """The first elements of a tensor, ready for JSON."""
    if isinstance(tensor.data, tuple):
        return [string_text(item) for item in tensor.data[:limit]]
    return element_texts(tensor.type, bit_patterns(tensor, limit))


def string_text(item: bytes) -> str:
    """A string element for people: the text if it is UTF-8, shortened if it is long."""
    text = item.decode("utf-8", "backslashreplace")
    return text if len(text) <= _TEXT_LIMIT else text[: _TEXT_LIMIT - 1] + "…"


def text(value: Value) -> str:
    """A value on one line: `int64 [2] = [2, 3]`."""
    if isinstance(value, SequenceValue):
        inner = ", ".join(text(item) for item in value.items[:NAMED])
        more = ", …" if len(value.items) > NAMED else ""
        return f"sequence of {len(value.items)}" + (f" ({inner}{more})" if inner else "")
    if isinstance(value, OptionalValue):
        return "absent optional" if value.value is None else f"optional {text(value.value)}"
    if isinstance(value, MapValue):
        return f"map of {len(value.values)} (keys {text(value.keys)})"
    if isinstance(value, ForeignValue):
        return f"{value.description}, which is no ONNX value"
    return _tensor_text(value)


def _tensor_text(value: Tensor) -> str:
    start = f"{value.type} {shape_words(value.shape)}"
    count = value.element_count
    if count == 0:
        return start + ", empty"
    shown = [_quoted(item) for item in elements(value, NAMED)]
    if not value.shape:
        return f"{start} = {shown[0]}"
    more = f", … {count} elements" if count > NAMED else ""
    return f"{start} = [{', '.join(shown)}{more}]"


def _quoted(item: Any) -> str:  # noqa: ANN401  an element ready for JSON
    if isinstance(item, bool):
        return str(item).lower()
    return str(item) if not isinstance(item, str) or _is_number(item) else repr(item)


def _is_number(item: str) -> bool:
    try:
        complex(item.replace("i", "j") if item.endswith("i") else item)
    except ValueError:
        return item.startswith("true (byte ")
    return True


def texts(values: Sequence[NamedValue]) -> str:
    """The first of several values, each as `text` gives it, and the number of the others."""
    shown = [text(item.value) for item in values[:NAMED_VALUES]]
    more = len(values) - len(shown)
    return "; ".join([*shown, f"and {more:,} more"] if more else shown)


def row_values(values: Sequence[NamedValue]) -> list[dict[str, Any]]:
    """The first of several values for the `expected` and `got` of a results row."""
    return [row_value(item) for item in values[:LISTED_VALUES]]


def row_value(named: NamedValue) -> dict[str, Any]:
    """A value for the `expected` and `got` of a results row: {name, type, shape, values}.

    `elements` is only there if not all of them are listed. Values that are not tensors are given as
    the text of their items.
    """
    value = named.value
    if isinstance(value, Tensor):
        document: dict[str, Any] = {
            "name": named.name,
            "type": value.type,
            "shape": list(value.shape),
            "values": elements(value),
        }
        if value.element_count > LISTED:
            document["elements"] = value.element_count
        return document
    if isinstance(value, SequenceValue):
        kind, items = "sequence", [text(item) for item in value.items[:LISTED]]
        count = len(value.items)
    elif isinstance(value, OptionalValue):
        kind, items = "optional", [] if value.value is None else [text(value.value)]
        count = len(items)
    elif isinstance(value, ForeignValue):
        kind, items, count = "foreign", [value.description], 1
    else:
        kind = "map"
        keys = elements(value.keys)
        items = [f"{key}: {text(item)}" for key, item in zip(keys, value.values, strict=False)]
        count = len(value.values)
    return {"name": named.name, "type": kind, "shape": [count], "values": items}
