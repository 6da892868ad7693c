"""SwiGLU 28: the gate of a feed-forward block. Source: its page, Summary and Attributes."""

from __future__ import annotations

from ...accuracy.bounds import enclosed
from ...accuracy.steps import Steps
from ...arith.grid import EITHER_ZERO, Grid, Item
from ...arith.intervals import Interval
from ...arith.numbers import (
    NAN,
    ZERO,
    Real,
    is_finite,
    is_infinite,
    is_zero,
    less,
    mul,
)
from ...arith.rationals import Fraction
from ...attributes import finite
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle


@oracle("SwiGLU")
def swiglu(call: Call) -> Result:
    """A * sigmoid(alpha * A) * B, of inputs of one shape."""
    gate, value = call.grid("A"), call.grid("B")
    if gate.shape != value.shape:
        raise InvalidCallError(f"shapes {list(gate.shape)} and {list(value.shape)} differ")
    alpha = finite(call, "alpha")

    def formula(s: Steps, a: Interval, b: Interval) -> Interval:
        return s.mul(s.mul(a, s.sigmoid(s.mul(s.rounded(alpha), a))), b)

    def element(a: Real, b: Real) -> Item:
        if is_finite(a) and is_finite(b) and not is_zero(a) and not is_zero(b):
            return enclosed(gate.type, formula, a, b)
        return _at_an_end(call, alpha, a, b)

    items = [element(a, b) for a, b in zip(gate.items, value.items, strict=True)]
    return (Grid(gate.type, gate.shape, items),)


def _at_an_end(call: Call, alpha: Fraction, a: Real, b: Real) -> Item:
    """The element where a or b is zero, infinite or NaN."""
    closed = is_infinite(a) and less(ZERO, a) == (alpha < 0)
    if is_infinite(a) and (closed or alpha == 0):
        # An infinity times zero: in the product of the gate, or below its sigmoid.
        if call.choose("formula-or-limit", "formula", "limit") == "formula":
            return NAN
        closed = alpha != 0
    # A gate is as its own element but for its size: zero, or of its sign.
    found = mul(ZERO if closed else a, b)
    return EITHER_ZERO if is_zero(found) else found
