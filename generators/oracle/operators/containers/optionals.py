"""Optional, OptionalGetElement and OptionalHasElement, all versions. Source: their pages."""

from __future__ import annotations

from onnx_conformance.core.values.tensors import OptionalValue, Value

from ...arith.grid import scalar
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle

_TAKES_WHAT_IS_NO_OPTIONAL = 18


@oracle("Optional")
def optional(call: Call) -> Result:
    """An optional that holds the input; an absent one of the given type without an input."""
    value = _input(call)
    if value is None and "type" not in call.attributes:
        raise InvalidCallError("neither an input nor the type of an absent one is given")
    return (OptionalValue(value),)


@oracle("OptionalGetElement")
def get_element(call: Call) -> Result:
    """The value in the optional; since version 18 also a plain tensor or sequence."""
    value = _input(call)
    if not isinstance(value, OptionalValue):
        if value is None or call.since_version < _TAKES_WHAT_IS_NO_OPTIONAL:
            raise InvalidCallError("the input is no optional")
        return (value,)
    if value.value is None:
        raise InvalidCallError("the optional holds nothing")
    return (value.value,)


@oracle("OptionalHasElement")
def has_element(call: Call) -> Result:
    """Whether the optional holds a value; a plain tensor or sequence counts as one."""
    value = _input(call)
    if not isinstance(value, OptionalValue):
        if call.since_version < _TAKES_WHAT_IS_NO_OPTIONAL:
            raise InvalidCallError("the input is no optional")
        return (scalar("bool", value is not None),)
    return (scalar("bool", value.value is not None),)


def _input(call: Call) -> Value | None:
    value = call.inputs.get("input")
    if isinstance(value, tuple):
        raise TypeError("the input is not variadic")
    return value
