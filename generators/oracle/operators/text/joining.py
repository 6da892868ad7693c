"""StringConcat: strings of two tensors joined. Source: the StringConcat page, Summary."""

from __future__ import annotations

from ...arith.grid import combine
from ...registry import Call, Result, oracle
from .encoding import strings


@oracle("StringConcat")
def string_concat(call: Call) -> Result:
    """Each string of X with that of Y behind it; shapes broadcast in both directions."""
    first, second = strings(call, "X"), strings(call, "Y")
    return (combine("string", lambda x, y: x + y, first, second),)
