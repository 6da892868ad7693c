"""BitCast 26: the bits of each element as those of another type. Source: its page, Summary."""

from __future__ import annotations

from dataclasses import replace

from onnx_conformance.core.values.elements import element_type

from ...attributes import named_type
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle


@oracle("BitCast")
def bit_cast(call: Call) -> Result:
    """The input's bytes with the type that `to` names, which has elements of the same width."""
    data = call.tensor("input")
    target = named_type(call, "to")
    source = element_type(data.type)
    if "string" in (source.kind, target.kind):
        raise InvalidCallError("a string has no bits of a fixed number")
    if source.bits != target.bits:
        raise InvalidCallError(f"{source.bits} bits are not {target.bits}")
    return (replace(data, type=target.name),)
