"""LabelEncoder, all versions. Source: its pages, Summary and Attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor

from ...arith.grid import Grid, grid_of, vector
from ...arith.numbers import NEG_ZERO, ZERO, from_float
from ...arith.rounding import encode
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .scaling import DOMAIN

_TENSORS = 4
_KINDS = {"floats": "float32", "int64s": "int64", "strings": "string"}
# What the schema of version 1 gives an attribute that is absent.
_ABSENT = {"default_int64": -1, "default_string": b"_Unused"}
_DEFAULTS = {"floats": "default_float", "int64s": "default_int64", "strings": "default_string"}


@oracle("LabelEncoder", domain=DOMAIN, versions=(1, 1))
def encode_classes(call: Call) -> Result:
    """A string as its index in classes_strings, an integer as the string at that index.

    Open: whether a default of the other direction may be given. One that is what an absent
    attribute stands for cannot be told from none.
    """
    classes = list(call.strings_attribute("classes_strings"))
    grid = call.grid("X")
    integers = call.int_attribute("default_int64")
    unknown = call.string_attribute("default_string").encode()
    given, name = (
        (unknown, "default_string") if grid.type == "string" else (integers, "default_int64")
    )
    if given != _ABSENT[name]:
        refuse_if_chosen(call, "default-of-the-other-direction", "by-the-input")
    if grid.type == "string":
        found = _table(call, classes, range(len(classes)), grid.items)
        return (grid.map(lambda item: found.get(item, integers), "int64"),)
    return (
        grid.map(
            lambda item: classes[item] if 0 <= item < len(classes) else unknown,
            "string",
        ),
    )


@oracle("LabelEncoder", domain=DOMAIN, versions=(2, None))
def encode_labels(call: Call) -> Result:
    """Each element that is a key as the value at the key's place, any other as the default."""
    keys, values = _only(call, "keys"), _only(call, "values")
    if keys[1].type != call.tensor("X").type:
        raise InvalidCallError(f"keys are {keys[1].type}, X is {call.tensor('X').type}")
    if len(keys[1].items) != len(values[1].items):
        raise InvalidCallError(f"{len(keys[1].items)} keys and {len(values[1].items)} values")
    otherwise = _default(call, *values)
    grid = call.grid("X")
    if call.since_version < _TENSORS:
        as_bits = _bits(call.tensor("X"))
        listed = [_key_bits(keys[1].type, item) for item in keys[1].items]
        table = _table(call, listed, values[1].items, as_bits)
        items = [table.get(item, otherwise) for item in as_bits]
    else:
        # The last of equal keys, and one NaN for all.
        table = dict(zip(keys[1].items, values[1].items, strict=True))
        find = _with_zeros(call, table, grid)
        items = [find(item, otherwise) for item in grid.items]
    return (Grid(values[1].type, grid.shape, items),)


def _table(
    call: Call, keys: Sequence[Any], values: Sequence[Any], items: Sequence[Any]
) -> dict[Any, Any]:
    """The value of each key; which one of equal keys counts is open before version 4."""
    first: dict[Any, Any] = {}
    for key, value in zip(keys, values, strict=True):
        first.setdefault(key, value)
    last = dict(zip(keys, values, strict=True))
    if all(first.get(item) == last.get(item) for item in items):
        return first
    return first if call.choose("repeated-key", "first", "last") == "first" else last


def _with_zeros(call: Call, table: dict[Any, Any], grid: Grid) -> Callable[[Any, Any], Any]:
    """How a key is looked up: whether 0 and -0 are one is open."""
    zeros = {item for item in grid.items if item in (ZERO, NEG_ZERO)}
    listed = {item for item in table if item in (ZERO, NEG_ZERO)}
    if grid.type == "string" or not zeros or not listed or zeros == listed == {ZERO}:
        return table.get
    if listed != {ZERO, NEG_ZERO} and zeros <= listed:
        return table.get
    if call.choose("zero-of-the-other-sign", "another-key", "the-same-key") == "another-key":
        return table.get
    last = next(value for key, value in reversed(table.items()) if key in listed)
    return lambda item, otherwise: last if item in zeros else table.get(item, otherwise)


def _only(call: Call, what: str) -> tuple[str, Grid]:
    """The one list of keys or values that is given, with the ending of its attribute."""
    found = [
        (ending, _content(call, f"{what}_{ending}", ending))
        for ending in (*_KINDS, "tensor")
        if f"{what}_{ending}" in call.attributes
    ]
    if len(found) != 1:
        raise InvalidCallError(f"{len(found)} lists of {what} are given, not one")
    return found[0]


def _content(call: Call, name: str, ending: str) -> Grid:
    if ending == "tensor":
        tensor = call.attribute(name)
        if not isinstance(tensor, Tensor) or len(tensor.shape) != 1:
            raise InvalidCallError(f"'{name}' is no tensor of one dimension")
        return grid_of(tensor)
    if ending == "strings":
        return vector("string", call.strings_attribute(name))
    if ending == "int64s":
        return vector("int64", call.ints_attribute(name))
    return vector("float32", map(from_float, call.floats_attribute(name)))


def _default(call: Call, ending: str, values: Grid) -> Any:  # noqa: ANN401  an element
    """What an element becomes that is no key."""
    if ending == "tensor":
        return _default_of_tensor(call, values.type)
    if ending == "strings":
        return call.string_attribute(_DEFAULTS[ending]).encode()
    if ending == "int64s":
        return call.int_attribute(_DEFAULTS[ending])
    return from_float(call.float_attribute(_DEFAULTS[ending]))


def _default_of_tensor(call: Call, name: str) -> Any:  # noqa: ANN401  an element
    if "default_tensor" not in call.attributes:
        return {"string": b"_Unused", "float32": NEG_ZERO, "float64": NEG_ZERO}.get(name, -1)
    tensor = call.attribute("default_tensor")
    if not isinstance(tensor, Tensor) or tensor.type != name or tensor.element_count != 1:
        raise InvalidCallError(f"'default_tensor' is not one element of {name}")
    return grid_of(tensor).items[0]


def _bits(tensor: Tensor) -> Sequence[Any]:
    """What versions 2 and 3 compare: the bits of each element, a string's bytes."""
    if isinstance(tensor.data, tuple):
        return tensor.data
    size = element_type(tensor.type).bits // 8
    return [tensor.data[at : at + size] for at in range(0, len(tensor.data), size)]


def _key_bits(name: str, item: Any) -> bytes:  # noqa: ANN401  an element
    if isinstance(item, bytes):
        return item
    if name == "int64":
        return int(item).to_bytes(8, "little", signed=True)
    return encode(name, item).to_bytes(4, "little")
