"""Abs, Sign, Floor, Ceil, Round, Relu, Not, IsNaN, IsInf: exact functions of one element.

Sources: their pages, Summary. The sign of a new zero is left open: no page gives it.
"""

from __future__ import annotations

from ...arith import numbers
from ...arith.grid import EITHER_ZERO, Item
from ...arith.numbers import INF, NAN, NEG_INF, NEG_ZERO, ONE, ZERO, Real, is_nan, is_zero
from ...arith.rounding import is_float
from ...registry import Call, Result, oracle
from .arithmetic import held


@oracle("Abs")
def absolute(call: Call) -> Result:
    """The absolute value; that of the least integer exceeds its type."""
    grid = call.grid("X")
    if is_float(grid.type):
        return (grid.map(numbers.absolute),)
    return (grid.map(lambda item: held(call, grid.type, abs(item), "least-integer")),)


@oracle("Sign")
def sign(call: Call) -> Result:
    """1 above zero, -1 below, 0 at zero; the page does not say what NaN gives."""
    grid = call.grid("input")
    if is_float(grid.type):
        return (grid.map(lambda item: _sign(call, item)),)
    return (grid.map(lambda item: (item > 0) - (item < 0)),)


def _sign(call: Call, x: Real) -> Item:
    if is_nan(x):
        return NAN if call.choose("sign-of-nan", "propagates", "zero") == "propagates" else ZERO
    if is_zero(x):
        return EITHER_ZERO
    return ONE if numbers.less(ZERO, x) else -ONE


_WHOLE = {"Floor": numbers.floor, "Ceil": numbers.ceil, "Round": numbers.round_half_even}


@oracle("Floor")
@oracle("Ceil")
@oracle("Round")
def to_whole(call: Call) -> Result:
    """The next whole number below, above, or the nearest one, of two the even one.

    Whole and non-finite elements stay.
    """
    function = _WHOLE[call.operator]

    def rounded(x: Real) -> Item:
        whole = function(x)
        return EITHER_ZERO if is_zero(whole) and not is_zero(x) else whole

    return (call.grid("X").map(rounded),)


@oracle("Relu")
def relu(call: Call) -> Result:
    """The greater of 0 and the element; max(0, NaN) and the sign of max(0, -0) are left open."""
    grid = call.grid("X")
    if is_float(grid.type):
        return (grid.map(lambda item: _relu(call, item)),)
    return (grid.map(lambda item: max(item, 0)),)


def _relu(call: Call, x: Real) -> Item:
    if is_nan(x):
        return NAN if call.choose("relu-of-nan", "propagates", "zero") == "propagates" else ZERO
    if x is NEG_ZERO:
        return EITHER_ZERO
    return x if numbers.less(ZERO, x) else ZERO


@oracle("Not")
def logical_not(call: Call) -> Result:
    """True if the element is false."""
    return (call.grid("X").map(lambda item: not item),)


@oracle("IsNaN")
def is_not_a_number(call: Call) -> Result:
    """True if the element is NaN."""
    return (call.grid("X").map(is_nan, "bool"),)


@oracle("IsInf")
def is_infinite(call: Call) -> Result:
    """True if the element is an infinity with a sign that is to be detected."""
    wanted = set()
    if call.int_attribute("detect_positive"):
        wanted.add(INF)
    if call.int_attribute("detect_negative"):
        wanted.add(NEG_INF)
    return (call.grid("X").map(lambda item: item in wanted, "bool"),)
