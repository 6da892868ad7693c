"""Shrink: elements moved nearer to zero by a bias, and those within a threshold set to zero.

Sources: the Shrink page, Summary, Attributes and function body. `lambd` and `bias` are float32 for
every type of elements. The page's formula uses them unchanged; its function body casts them to the
element type first. The two differ if that type cannot hold the number.
"""

from __future__ import annotations

import math

from ...accuracy.bounds import enclosed, rounded
from ...accuracy.steps import Steps
from ...arith.grid import EITHER_ZERO, Item
from ...arith.intervals import Interval
from ...arith.numbers import (
    Real,
    add,
    fraction,
    from_float,
    is_finite,
    less,
    neg,
    real,
)
from ...arith.rationals import Fraction
from ...arith.rounding import is_float, round_to
from ...attributes import finite
from ...registry import Call, Result, oracle
from .arithmetic import held


@oracle("Shrink")
def shrink(call: Call) -> Result:
    """X + bias below -lambd, else x - bias above lambd, else 0: NaN is neither below nor above."""
    grid = call.grid("input")
    if is_float(grid.type):
        return (grid.map(lambda x: _float_element(call, grid.type, x)),)
    return (grid.map(lambda x: _integer_element(call, grid.type, x)),)


def _side(x: Real, lambd: Real) -> int:
    """-1 below the threshold, 1 above it, 0 between; where it is both, the first line counts."""
    if less(x, real(neg(lambd))):
        return -1
    return 1 if less(lambd, x) else 0


def _float_element(call: Call, name: str, x: Real) -> Item:
    lambd = _number(call, "lambd")
    narrow = real(round_to(name, lambd))
    side = _side(x, lambd)
    if _side(x, narrow) != side:
        chosen = call.choose("attribute-in-narrow-type", "as-given", "cast-first")
        side = side if chosen == "as-given" else _side(x, narrow)
    if side == 0:
        return EITHER_ZERO
    bias = _number(call, "bias")
    added = bias if side < 0 else real(neg(bias))
    if real(round_to(name, added)) == added or not is_finite(x):
        return rounded(name, add, x, added)
    step = fraction(added)

    def formula(s: Steps, v: Interval) -> Interval:
        return s.add(v, s.rounded(step))

    return enclosed(name, formula, x)


def _integer_element(call: Call, name: str, x: int) -> int:
    lambd, bias = finite(call, "lambd"), finite(call, "bias")
    whole = (Fraction(math.trunc(lambd)), Fraction(math.trunc(bias)))
    as_given, cast = _shrunk(x, lambd, bias), _shrunk(x, *whole)
    result = as_given
    if as_given != cast:
        chosen = call.choose("attribute-in-narrow-type", "as-given", "cast-first")
        result = as_given if chosen == "as-given" else cast
    return held(call, name, result, "integer-overflow")


def _shrunk(x: int, lambd: Fraction, bias: Fraction) -> int:
    side = _side(x, lambd)
    return math.trunc(x - side * bias) if side else 0


def _number(call: Call, name: str) -> Real:
    return from_float(call.float_attribute(name))
