"""QLinearMatMul and QLinearConv: sums of products of quantized elements, quantized again.

Sources: their pages, Summary and Inputs; that of Conv for the windows, and of QuantizeLinear for
what quantization is, which the page of QLinearConv does not repeat.

y = saturate(round(x / y_scale) + y_zero_point), where x is the product of the real numbers that the
elements stand for. The pages do not say in which steps it is computed: with the scales joined to
one factor first, or of real numbers. A quotient within the error of any of these of a tie may go
either way; where none of them rounds, it may not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul as times
from typing import Any

from ...accuracy.profiles import accumulator
from ...accuracy.sums import exact_dot
from ...arith.grid import AnyOf, Grid, Item, filled
from ...arith.numbers import Real, as_float, div, fraction, is_finite, is_zero, mul, sub
from ...arith.rationals import Fraction
from ...arith.rounding import (
    fits,
    is_float,
    is_power_of_two,
    least_subnormal,
    saturate,
    unit_roundoff,
    wrap,
)
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..contraction.products import products_by
from ..windows.convolution import bias_of, placement_of, products
from .granularity import check_zero_point
from .linear import Quantizing
from .products import differences, per_kernel, spread_over

_SUMS_IN = "int32"
# The factor of the scales, the sum in its type, their product: each may be rounded twice.
_ROUNDINGS = 6
# What reaches the integers on both sides of a tie, and no other.
_EITHER_SIDE = Fraction(1, 4)
# What is open where one scale of rank 1 stands for several kernels.
_ONE_SCALE = "one-element-scale", "per-tensor"


@oracle("QLinearMatMul")
def quantized_matrix_product(call: Call) -> Result:
    """The quantized products of the matrices in the last two axes."""
    a, b = _input(call, "a", -2), _input(call, "b", -1)
    way = _output(call, (a, b))
    product = products_by(way.element, a.real_numbers(), b.real_numbers())
    return (Grid(way.quantizing.target, product.shape, product.items),)


@dataclass(frozen=True)
class Quantized:
    """A quantized tensor with the scale and the zero point of each element.

    Attributes:
        data, scales, zeros: all of the same shape.
        least: the least absolute scale that is not 0, or 1.
    """

    data: Grid
    scales: Grid
    zeros: Grid
    least: Fraction

    def real_numbers(self) -> Grid:
        """What the elements stand for: (element - zero point) * scale."""
        items = [
            mul(sub(as_float(item), as_float(zero)), scale)
            for item, zero, scale in zip(
                self.data.items, self.zeros.items, self.scales.items, strict=True
            )
        ]
        return Grid(self.scales.type, self.data.shape, items)


def _input(call: Call, name: str, kept: int) -> Quantized:
    """An input of QLinearMatMul; InvalidCallError where a scale has another shape than may be."""
    data = call.grid(name)
    scale, zero = call.grid(f"{name}_scale"), call.grid(f"{name}_zero_point")
    check_zero_point(call, scale, zero)
    return Quantized(
        data,
        spread_over(scale, data.shape, kept),
        spread_over(zero, data.shape, kept),
        _least(scale),
    )


def _least(scale: Grid) -> Fraction:
    sizes = [abs(fraction(item)) for item in scale.items if is_finite(item) and not is_zero(item)]
    return min(sizes, default=Fraction(1))


# --- the output ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Requantizing:
    """How a sum of products becomes an element of the output.

    Attributes:
        call: what is asked where the page leaves something open.
        quantizing: to the type of the output.
        scale, zero: of the output.
        unit: the least product of two scales that are not 0.
        ties_even: whether the page says what becomes of a tie.
    """

    call: Call
    quantizing: Quantizing
    scale: Real
    zero: Real
    unit: Fraction
    ties_even: bool = True

    def element(self, first: Sequence[Real], second: Sequence[Real]) -> Item:
        """The sum of products of real numbers, quantized."""
        total, magnitude, quantum = exact_dot(first, second)
        if is_zero(self.scale) and not is_zero(total):
            refuse_if_chosen(self.call, "division-by-zero", "ends")
        quotient: Any = div(total, self.scale)
        if not is_finite(quotient) or is_zero(self.scale) or not is_finite(self.scale):
            slack = Fraction(0)
        else:
            slack = self._slack(magnitude, quantum, len(first))
        if is_float(self.quantizing.target):
            return self.quantizing.floating(quotient, self.zero, slack)
        exact = fraction(quotient) if is_finite(quotient) else Fraction(0)
        item = self.quantizing.whole(quotient, exact, self.zero, slack)
        if self.ties_even or slack or exact.denominator != 2 or isinstance(item, AnyOf):
            return item
        return self.quantizing.whole(quotient, exact, self.zero, _EITHER_SIDE)

    def _slack(self, magnitude: Fraction, quantum: Fraction, count: int) -> Fraction:
        """By how much a quotient may be off; 0 where no step of any order can round."""
        name = self.quantizing.precision
        step, own = unit_roundoff(name), abs(fraction(self.scale))
        held = magnitude * step <= quantum and quantum >= least_subnormal(name)
        if held and is_power_of_two(own):
            return Fraction(0)
        sums = (count + 2) * unit_roundoff(accumulator(name))
        small = least_subnormal(name) / self.unit
        return magnitude / own * (sums + _ROUNDINGS * step + small) + least_subnormal(name)


def _output(
    call: Call, factors: tuple[Quantized, Quantized], *, ties_even: bool = True
) -> Requantizing:
    scale, zero = _single(call, "y_scale"), _single(call, "y_zero_point")
    check_zero_point(call, call.grid("y_scale"), call.grid("y_zero_point"))
    one, other = factors
    kind = call.grid("y_zero_point").type
    quantizing = Quantizing(call, kind, one.scales.type)
    return Requantizing(call, quantizing, scale, zero, one.least * other.least, ties_even)


def _single(call: Call, name: str) -> Any:  # noqa: ANN401  an element
    grid = call.grid(name)
    if grid.shape not in ((), (1,)):
        raise InvalidCallError(f"{name} has shape {list(grid.shape)}, and is no scalar")
    return grid.items[0]


# --- windows ---------------------------------------------------------------------------------


@oracle("QLinearConv")
def quantized_convolution(call: Call) -> Result:
    """The quantized sums of products of each window with each kernel, and the bias."""
    x, w = call.grid("x"), call.grid("w")
    placement = placement_of(call, x.shape, w.shape)
    image, kernel = _image(call, x), _kernels(call, w)
    way = _output(call, (image, kernel), ties_even=False)
    bias = bias_of(call, placement.maps)
    scale = _single(call, "x_scale")
    scales = per_kernel(call, call.grid("w_scale"), (placement.maps,), *_ONE_SCALE).items
    wholes = products(placement, *(differences(one.data, one.zeros) for one in (image, kernel)))
    factors = products(placement, image.real_numbers(), kernel.real_numbers())
    items = []
    for (out, whole, _), (_, (first, second), _) in zip(wholes, factors, strict=True):
        total = sum(map(times, *whole)) + (bias[out] or 0)
        added = () if bias[out] is None else (bias[out],)
        own = [scales[out]]
        if fits(_SUMS_IN, total):
            scaled: list[Any] = [mul(as_float(item), scale) for item in added]
            items.append(way.element([*first, *scaled], [*second, *own * len(added)]))
        else:
            kept: Any = mul(Fraction(_in_32_bits(call, total)), scale)
            items.append(way.element([kept], own))
    return (Grid(way.quantizing.target, placement.shape, items),)


def _in_32_bits(call: Call, total: int) -> int:
    """What a sum is that 32 bits do not hold: the page names no type for it."""
    reading = call.choose("sum-beyond-32-bits", "wide", "wraps", "saturates")
    if reading == "wide":
        return total
    return wrap(_SUMS_IN, total) if reading == "wraps" else saturate(_SUMS_IN, total)


def _image(call: Call, x: Grid) -> Quantized:
    """X with its scale and its zero point, both scalars."""
    scale, zero = _single(call, "x_scale"), _single(call, "x_zero_point")
    check_zero_point(call, call.grid("x_scale"), call.grid("x_zero_point"))
    scales = filled("float32", x.shape, scale)
    return Quantized(x, scales, filled(x.type, x.shape, zero), _least(call.grid("x_scale")))


def _kernels(call: Call, w: Grid) -> Quantized:
    """W with the scale and the zero point of each kernel."""
    scale, zero = call.grid("w_scale"), call.grid("w_zero_point")
    check_zero_point(call, scale, zero)
    scales, zeros = (per_kernel(call, one, w.shape, *_ONE_SCALE) for one in (scale, zero))
    return Quantized(w, scales, zeros, _least(scale))
