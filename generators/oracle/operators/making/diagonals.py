"""EyeLike 9 and 22: ones on a diagonal. Source: the EyeLike page, Summary and Attributes."""

from __future__ import annotations

from ...arith.grid import from_function
from ...arith.numbers import ONE, Number
from ...arith.rounding import is_float, zero_of
from ...attributes import named_type, number_type
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle

_BFLOAT16 = 22


@oracle("EyeLike")
def eye_like(call: Call) -> Result:
    """A matrix of the input's shape, with ones on diagonal k and zeros elsewhere."""
    data = call.tensor("input")
    if len(data.shape) != 2:
        raise InvalidCallError(f"the input has rank {len(data.shape)}, not 2")
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
    name = named_type(call, "dtype").name
    if name == "bfloat16" and call.since_version < _BFLOAT16:
        raise InvalidCallError(f"no output of type {name}")
    return name if name == "bool" else number_type(call, "dtype")
