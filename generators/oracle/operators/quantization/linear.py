"""QuantizeLinear and DequantizeLinear, all versions.

Source: their pages, Summary, with the tables of Cast for float 8. `y = saturate(x / scale + zero)`
and `y = (x - zero) * scale`: a page names the precision of the division and of the product, which
is that of the scale or of the result; a quotient within its error of a tie may go either way.
"""

from __future__ import annotations

from dataclasses import dataclass

from onnx_conformance.core.values.elements import element_type_of_code

from ...arith.grid import AnyOf, Enclosed, Grid, Item, any_of
from ...arith.numbers import (
    NAN,
    NEG_ZERO,
    ZERO,
    Real,
    add,
    as_float,
    div,
    fraction,
    is_finite,
    is_infinite,
    is_negative,
    is_zero,
    mul,
    real,
    sub,
)
from ...arith.rationals import Fraction
from ...arith.rounding import (
    float_format,
    greatest,
    is_float,
    is_power_of_two,
    limits,
    round_to,
    saturate,
    unit_roundoff,
)
from ...arith.rules import rule
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..conversion.casting import to_float
from .granularity import check_zero_point, places_of_scales

_POWERS_OF_TWO = "float8e8m0"


@oracle("QuantizeLinear")
def quantize(call: Call) -> Result:
    """X / scale + zero point, rounded to nearest, ties to even, and clamped to the range."""
    data, scale = call.grid("x"), call.grid("y_scale")
    zero_point = call.optional_grid("y_zero_point")
    target = _quantized_type(call, zero_point)
    check_zero_point(call, scale, zero_point)
    precision = _precision(call, scale.type)
    powers = precision == _POWERS_OF_TWO
    way = Quantizing(call, target, data.type if powers else precision, powers=powers)
    places = places_of_scales(call, data, scale)
    zeros = (0,) * len(scale.items) if zero_point is None else zero_point.items
    return (
        Grid(
            target,
            data.shape,
            [
                way.element(item, scale.items[place], zeros[place])
                for item, place in zip(data.items, places, strict=True)
            ],
        ),
    )


def _quantized_type(call: Call, zero_point: Grid | None) -> str:
    code = call.int_attribute("output_dtype", 0)
    named = element_type_of_code(code).name if code else None
    if zero_point is None:
        return named or "uint8"
    if named not in (None, zero_point.type):
        raise InvalidCallError(f"output_dtype is {named}, the zero point {zero_point.type}")
    return zero_point.type


def _precision(call: Call, scale: str) -> str:
    """The type whose precision the division has."""
    code = call.int_attribute("precision", 0)
    return element_type_of_code(code).name if code else scale


@dataclass(frozen=True)
class Quantizing:
    """How elements become those of a quantized type.

    Attributes:
        call: what is asked where a page leaves something open, and `saturate`.
        target: the quantized type.
        precision: the type in whose precision the quotient is computed.
        powers: whether the page names float8e8m0 for that, and `precision` is the type of the data.
    """

    call: Call
    target: str
    precision: str
    powers: bool = False

    def element(self, item: Real, scale: Real, zero: Real) -> Item:
        """One element: exact where the quotient is a tie, or further from one than its error."""
        if isinstance(item, int) and isinstance(scale, int) and not is_float(self.precision):
            return self._of_integers(item, scale, zero)
        if is_zero(scale) and not is_zero(item):
            refuse_if_chosen(self.call, "division-by-zero", "ends")
        quotient = real(div(as_float(item), as_float(scale)))
        if self.powers:
            quotient = self._in_powers_of_two(quotient)
        if not is_float(self.precision) and is_finite(quotient):
            quotient = self._in_integers(fraction(quotient))
        if is_float(self.target):
            return self.floating(quotient, self._zero_of_floats(zero))
        exact = fraction(quotient) if is_finite(quotient) else Fraction(0)
        slack = _slack(exact, self.precision, item)
        rounded = round_to(self.precision, exact) if is_float(self.precision) else exact
        stepwise = rounded if isinstance(rounded, Fraction) else exact
        # A quotient by a power of two is exact, whether it is divided or multiplied.
        plain = (2 * exact).denominator == 1 or (
            is_finite(scale) and is_power_of_two(fraction(scale))
        )
        sure = plain and stepwise == exact
        return self.whole(quotient, stepwise, zero, Fraction(0) if sure else slack)

    def _zero_of_floats(self, zero: Real) -> Real:
        """The zero point in float8, or 0: the pages say that it is usually not used."""
        if is_zero(zero):
            return zero
        added = self.call.choose("zero-point-in-floats", "added", "ignored") == "added"
        return zero if added else ZERO

    def _in_powers_of_two(self, quotient: Real) -> Real:
        """A quotient in the precision of float8e8m0, which holds powers of two and nothing else."""
        above = is_finite(quotient) and fraction(quotient) > 0
        if not above:
            nearest = quotient
        else:
            nearest = real(round_to(_POWERS_OF_TWO, quotient, saturate=True))
            if nearest == quotient:
                return quotient
        chosen = self.call.choose("power-of-two-scale", "of-the-data", "of-the-scale")
        return quotient if chosen == "of-the-data" else nearest

    def whole(self, quotient: Real, stepwise: Fraction, zero: Real, slack: Fraction) -> Item:
        """A quotient and its zero point in an integer type.

        Args:
            quotient: of the real numbers.
            stepwise: a finite one as the document's own steps have it: the first choice.
            zero: the zero point.
            slack: by how much a runtime's quotient may be off.
        """
        low, high = limits(self.target)
        offset = int(fraction(zero))
        if quotient is NAN:
            chosen = self.call.choose("nan-to-integer", "zero-point", "lowest")
            return offset if chosen == "zero-point" else low
        if not is_finite(quotient):
            return low if is_negative(quotient) else high
        exact = fraction(quotient)
        first = saturate(self.target, round(stepwise) + offset)
        least, most = (
            saturate(self.target, round(end) + offset) for end in (exact - slack, exact + slack)
        )
        return any_of((first, *range(least, most + 1)))

    def _of_integers(self, item: int, scale: int, zero: Real) -> Item:
        """Integers by an integer scale: the page has its type as the precision of the division."""
        if not scale:
            refuse_if_chosen(self.call, "division-by-zero", "ends")
            ends = (-1, 1) if is_float(self.target) else limits(self.target)
            return self._held(Fraction(ends[item > 0]), 0)
        return self._held(self._in_integers(Fraction(item, scale)), zero)

    def _in_integers(self, exact: Fraction) -> Fraction:
        """A quotient whose precision is that of an integer type: as it is, or without its part."""
        if exact.denominator == 1:
            return exact
        chosen = self.call.choose("integer-scale", "rounded", "truncated")
        return exact if chosen == "rounded" else Fraction(int(exact))

    def _held(self, exact: Fraction, zero: Real) -> Item:
        if is_float(self.target):
            return self.floating(exact, self._zero_of_floats(zero))
        return saturate(self.target, round(exact) + int(fraction(zero)))

    def floating(self, quotient: Real, zero: Real, slack: Fraction | None = None) -> Item:
        """A quotient and its zero point in float8, float6 or float4, as Cast has it.

        `slack` is by how much a runtime's quotient may be off: by its precision, unless given.
        """
        # Where the zero point is 0, and so not used, -0 may stay.
        whole = quotient if is_zero(zero) else real(add(quotient, as_float(zero)))
        first = to_float(self.call, self.target, whole)
        if first is NEG_ZERO:
            return AnyOf((NEG_ZERO, ZERO))
        if is_infinite(whole) and first is NAN and self.call.int_attribute("saturate", 1):
            # The tables of Cast say so before version 24; this page names tables that it lacks.
            most = greatest(self.target)
            return AnyOf((NAN, -most if is_negative(whole) else most))
        if not is_finite(whole) or isinstance(first, (AnyOf, Enclosed)):
            return first
        if slack is None:
            sure = not is_float(self.precision) or round_to(self.precision, whole) == whole
            slack = Fraction(0) if sure else _slack(fraction(whole), self.precision, quotient)
        if not slack:
            return first
        near = [
            to_float(self.call, self.target, fraction(whole) + sign * slack) for sign in (-1, 1)
        ]
        return any_of((first, *(x for x in near if not isinstance(x, (AnyOf, Enclosed)))))


def _slack(exact: Fraction, precision: str, item: Real) -> Fraction:
    """By how much a quotient of this precision may be off: the division and the operands."""
    if not is_float(precision):
        return Fraction(0)
    roundings = 3 if isinstance(item, int) else 2
    return abs(exact) * roundings * unit_roundoff(precision)


# --- back ------------------------------------------------------------------------------------


@oracle("DequantizeLinear")
def dequantize(call: Call) -> Result:
    """(x - zero point) * scale in the type of the scale, or in that which output_dtype names."""
    data, scale = call.grid("x"), call.grid("x_scale")
    zero_point = call.optional_grid("x_zero_point")
    code = call.int_attribute("output_dtype", 0)
    target = element_type_of_code(code).name if code else scale.type
    if target == _POWERS_OF_TWO:
        raise InvalidCallError("a result in float8e8m0: output_dtype must say another type")
    if not is_float(target):
        raise InvalidCallError(f"output_dtype is {target}, no type of floats")
    check_zero_point(call, scale, zero_point)
    if data.type == "int32" and zero_point is not None and any(zero_point.items):
        refuse_if_chosen(call, "int32-zero-point", "formula")
    places = places_of_scales(call, data, scale)
    zeros = (0,) * len(scale.items) if zero_point is None else zero_point.items
    same = scale.type in (target, _POWERS_OF_TWO)
    items = [
        _dequantized(target, item, scale.items[place], zeros[place], same=same)
        for item, place in zip(data.items, places, strict=True)
    ]
    return (Grid(target, data.shape, items),)


def _dequantized(target: str, item: Real, scale: Real, zero: Real, *, same: bool) -> Item:
    """One product: rounded once where both factors are numbers of the result's type."""
    difference = real(sub(as_float(item), as_float(zero)))
    product = real(mul(difference, scale))
    if not is_finite(product) or not is_finite(difference):
        return round_to(target, product)
    if same and round_to(target, difference) == difference:
        return round_to(target, product)
    # A factor is rounded first, and then the product; or the product alone, in a wider type.
    roundings = 1 + (not same) + (round_to(target, difference) != difference)
    exact = fraction(product)
    slack = abs(exact) * roundings * unit_roundoff(target) * Fraction(1025, 1024)
    slack += Fraction(1, 1 << (float_format(target).bias + float_format(target).mantissa))
    low, high = exact - slack, exact + slack
    return Enclosed(product, low, high, low, high, rule("formula", steps_in=target))
