"""EyeLike 9 and 22: ones on a diagonal. Source: the EyeLike page, Summary and Attributes."""

from __future__ import annotations

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type_of_code

from ...arith.grid import from_function
from ...arith.numbers import ONE, Number
from ...arith.rounding import is_float, zero_of
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle

_RANK = 2
_BFLOAT16 = 22
_KINDS = ("float", "int", "uint", "bool")
_WIDTHS = (8, 16, 32, 64)


@oracle("EyeLike")
def eye_like(call: Call) -> Result:
    """A matrix of the input's shape, with ones on diagonal k and zeros elsewhere."""
    data = call.tensor("input")
    if len(data.shape) != _RANK:
        raise InvalidCallError(f"the input has rank {len(data.shape)}, not {_RANK}")
    name = _type(call) if "dtype" in call.attributes else data.type
    diagonal = call.int_attribute("k", 0)
    zero = zero_of(name)
    one: Number = ONE if is_float(name) else 1
    if name == "bool":
        one = True
    return (
        from_function(
            name, data.shape, lambda index: one if index[1] - index[0] == diagonal else zero
        ),
    )


def _type(call: Call) -> str:
    """The element type that dtype names; InvalidCallError for one that no output has."""
    try:
        element = element_type_of_code(call.int_attribute("dtype"))
    except BadInputError as error:
        raise InvalidCallError(str(error)) from None
    listed = element.kind in _KINDS and element.bits in _WIDTHS
    if element.kind == "float":
        listed = element.name in {"float16", "float32", "float64"} or (
            element.name == "bfloat16" and call.since_version >= _BFLOAT16
        )
    if not listed:
        raise InvalidCallError(f"no output of type {element.name}")
    return element.name
