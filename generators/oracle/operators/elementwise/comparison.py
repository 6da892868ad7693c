"""Equal, Less, Greater and the like, And, Or, Xor: truth values of two elements; all versions.

Sources: their pages, Summary; IEEE 754-2019, 5.11: NaN is unordered, and zeros of both signs are
equal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...arith.grid import combine
from ...arith.numbers import Number, equal, is_nan, less
from ...registry import Call, Result, oracle
from .arithmetic import operands


def _equal(x: Number, y: Number) -> bool:
    """Strings are compared byte for byte."""
    return x == y if isinstance(x, bytes) else equal(x, y)


def _unordered(x: Number, y: Number) -> bool:
    return is_nan(x) or is_nan(y)


_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "Equal": _equal,
    "Less": less,
    "Greater": lambda x, y: less(y, x),
    "LessOrEqual": lambda x, y: not _unordered(x, y) and not less(y, x),
    "GreaterOrEqual": lambda x, y: not _unordered(x, y) and not less(x, y),
    "And": lambda x, y: x and y,
    "Or": lambda x, y: x or y,
    "Xor": lambda x, y: x != y,
}


@oracle("Equal")
@oracle("Less")
@oracle("Greater")
@oracle("LessOrEqual")
@oracle("GreaterOrEqual")
@oracle("And")
@oracle("Or")
@oracle("Xor")
def compared(call: Call) -> Result:
    """Whether the relation that gives the operator its name holds between the elements."""
    one, other = operands(call)
    return (combine("bool", _RELATIONS[call.operator], one, other),)
