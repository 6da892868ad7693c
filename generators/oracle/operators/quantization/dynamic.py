"""DynamicQuantizeLinear 11: to uint8 by the scale and the zero point that the data asks for.

Source: its page, Summary. Its formulas are computed in float32: the scale must keep to the error of
two roundings, and what is rounded to an integer within that of a tie may go either way.
"""

from __future__ import annotations

from ...arith.grid import Enclosed, Grid, Item, any_of, scalar
from ...arith.numbers import fraction, is_finite
from ...arith.rationals import Fraction
from ...arith.rounding import (
    greatest,
    least_subnormal,
    limits,
    round_to,
    saturate,
    unit_roundoff,
)
from ...arith.rules import rule
from ...registry import Call, Result, oracle, refuse_if_chosen

_TYPE, _TARGET = "float32", "uint8"
# The range, the scale, the quotient, and the operation before it.
_ROUNDINGS = 4


@oracle("DynamicQuantizeLinear")
def quantize_by_range(call: Call) -> Result:
    """The quantized elements, the scale and the zero point.

    y is uint8 in the shape of x; the scale, float32, is the range of x and 0, divided by 255; the
    zero point, uint8, is where 0 lies. A step of the formula may be rounded to float32 or not, so
    that a tie may go both ways: both are permitted.
    """
    data = call.grid("x")
    # What is no finite number is ignored: the page says nothing of it, and anything is permitted.
    numbers = [fraction(item) if is_finite(item) else Fraction(0) for item in data.items]
    low, high = min((*numbers, Fraction(0))), max((*numbers, Fraction(0)))
    if not all(map(is_finite, data.items)) or high - low > greatest(_TYPE):
        refuse_if_chosen(call, "range-not-finite", "ignored")
    if low == high:
        one = call.choose("no-range", "one", "zero") == "one"
        zeros = Grid(_TARGET, data.shape, [0] * len(numbers))
        return (zeros, scalar(_TYPE, Fraction(one)), scalar(_TARGET, 0))
    least, most = limits(_TARGET)
    exact = (high - low) / (most - least)
    stepwise = _in_float32(_in_float32(high - low) / (most - least))
    if not stepwise:  # the range is there, and the scale underflows to 0
        refuse_if_chosen(call, "no-range", "one")
        stepwise = exact
    zeros_near = [
        saturate(_TARGET, whole) for whole in _wholes(-low / exact, _in_float32(-low / stepwise))
    ]
    zeros_near = list(dict.fromkeys(zeros_near))
    items = [
        _sum(_wholes(number / exact, _in_float32(number / stepwise)), zeros_near)
        for number in numbers
    ]
    return (
        Grid(_TARGET, data.shape, items),
        scalar(_TYPE, _rounded_twice(exact)),
        scalar(_TARGET, any_of(zeros_near)),
    )


def _rounded_twice(scale: Fraction) -> Enclosed:
    slack = scale * 2 * unit_roundoff(_TYPE) * Fraction(1025, 1024) + least_subnormal(_TYPE) / 2
    low, high = scale - slack, scale + slack
    return Enclosed(scale, low, high, low, high, rule("formula", steps_in=_TYPE))


def _in_float32(exact: Fraction) -> Fraction:
    """A step of the formula as float32 has it; the exact number beyond its range."""
    found = round_to(_TYPE, exact)
    return found if isinstance(found, Fraction) else exact


def _wholes(exact: Fraction, stepwise: Fraction) -> list[int]:
    """The integer of the formula in float32, then those that its errors lead to."""
    slack = abs(exact) * _ROUNDINGS * unit_roundoff(_TYPE)
    numbers = (stepwise, exact, exact - slack, exact + slack)
    return list(dict.fromkeys(round(number) for number in numbers))


def _sum(wholes: list[int], zeros: list[int]) -> Item:
    return any_of(saturate(_TARGET, whole + zero) for zero in zeros for whole in wholes)
