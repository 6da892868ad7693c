"""Equal, Less, Greater and the like, And, Or, Xor: truth values of two elements; all versions.

Sources: their pages, Summary; IEEE 754-2019, 5.11: NaN is unordered, and zeros of both signs are
equal.
"""

from __future__ import annotations

from collections.abc import Callable

from ...arith import numbers
from ...arith.grid import combine
from ...arith.numbers import Number, is_nan
from ...registry import Call, Result, oracle
from .arithmetic import operands


def _compared(call: Call, function: Callable[..., bool]) -> Result:
    one, other = operands(call)
    return (combine("bool", function, one, other),)


@oracle("Equal")
def equal(call: Call) -> Result:
    """True if the elements are equal; strings are compared byte for byte."""
    return _compared(call, _equal)


def _equal(x: Number, y: Number) -> bool:
    return x == y if isinstance(x, bytes) else numbers.equal(x, y)


@oracle("Less")
def less(call: Call) -> Result:
    """True if the element of A is below that of B."""
    return _compared(call, numbers.less)


@oracle("Greater")
def greater(call: Call) -> Result:
    """True if the element of A is above that of B."""
    return _compared(call, lambda x, y: numbers.less(y, x))


@oracle("LessOrEqual")
def less_or_equal(call: Call) -> Result:
    """True if the element of A is below or equal to that of B."""
    return _compared(call, lambda x, y: not _unordered(x, y) and not numbers.less(y, x))


@oracle("GreaterOrEqual")
def greater_or_equal(call: Call) -> Result:
    """True if the element of A is above or equal to that of B."""
    return _compared(call, lambda x, y: not _unordered(x, y) and not numbers.less(x, y))


def _unordered(x: Number, y: Number) -> bool:
    return is_nan(x) or is_nan(y)


@oracle("And")
def logical_and(call: Call) -> Result:
    """True if both are true."""
    return _compared(call, lambda x, y: x and y)


@oracle("Or")
def logical_or(call: Call) -> Result:
    """True if one or both are true."""
    return _compared(call, lambda x, y: x or y)


@oracle("Xor")
def logical_xor(call: Call) -> Result:
    """True if exactly one is true."""
    return _compared(call, lambda x, y: x != y)
