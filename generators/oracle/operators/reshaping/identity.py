"""Identity 1 to 25: the input, whatever kind of value it is. Source: the Identity page, Summary."""

from __future__ import annotations

from ...errors import InvalidCallError
from ...registry import Call, Result, oracle


@oracle("Identity")
def identity(call: Call) -> Result:
    """The input itself: the same bits, so that a NaN keeps its payload."""
    value = call.inputs.get("input")
    if value is None or isinstance(value, tuple):
        raise InvalidCallError("input 'input' is absent")
    return (value,)
