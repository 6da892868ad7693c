"""Constant 1 to 25: a value that stands in an attribute. Source: the Constant page, Attributes.

A sparse value is given as the dense tensor that it stands for: whoever reads models makes it one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from onnx_conformance.core.values.tensors import Tensor

from ...arith.grid import Grid, scalar, vector
from ...arith.numbers import from_float
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle

_KINDS = (
    "value",
    "sparse_value",
    "value_int",
    "value_ints",
    "value_float",
    "value_floats",
    "value_string",
    "value_strings",
)


@oracle("Constant")
def constant(call: Call) -> Result:
    """The one attribute that is given, as a tensor: a scalar or a vector for the plain kinds."""
    given = [name for name in _KINDS if name in call.attributes]
    if len(given) != 1:
        raise InvalidCallError(f"{len(given)} of the attributes that hold a value are given, not 1")
    name = given[0]
    if name in _PLAIN:
        return (_PLAIN[name](call, name),)
    tensor = call.attributes[name]
    if not isinstance(tensor, Tensor):
        raise InvalidCallError(f"attribute '{name}' is no tensor")
    return (tensor,)


def _string(call: Call, name: str) -> Tensor:
    value = call.attributes[name]
    text = value.encode() if isinstance(value, str) else value
    if not isinstance(text, bytes):
        raise InvalidCallError(f"attribute '{name}' is no string")
    return Tensor("string", (), (text,))


def _strings(call: Call, name: str) -> Tensor:
    strings = call.strings_attribute(name)
    return Tensor("string", (len(strings),), strings)


def _floats(call: Call, name: str) -> Grid:
    return vector("float32", [from_float(item) for item in call.floats_attribute(name)])


_PLAIN: Mapping[str, Callable[[Call, str], Grid | Tensor]] = {
    "value_int": lambda call, name: scalar("int64", call.int_attribute(name)),
    "value_ints": lambda call, name: vector("int64", call.ints_attribute(name)),
    "value_float": lambda call, name: scalar("float32", from_float(call.float_attribute(name))),
    "value_floats": _floats,
    "value_string": _string,
    "value_strings": _strings,
}
