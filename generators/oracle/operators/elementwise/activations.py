"""Activations that are formulas of one element: judged by the formula, evaluated in intervals.

Where a formula has e^x - 1, software takes either that difference or `expm1`, which OpenCL bounds
like exp; each is permitted, with its own error.

Sources: their pages, Summary and Attributes. An attribute of type float is a float32 and may be
rounded to the type of the element. The values at NaN and infinities follow from the formula's
steps; if a step gives NaN although a limit exists (minus infinity times zero), the page leaves it
open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...accuracy.bounds import enclosed, rounded
from ...accuracy.steps import Steps
from ...arith.grid import EITHER_ZERO, Grid, Item, broadcast_to, combine, unidirectional
from ...arith.intervals import Interval, point
from ...arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ONE,
    ZERO,
    Real,
    is_nan,
    is_zero,
    less,
    mul,
)
from ...arith.rationals import Fraction
from ...arith.rounding import wrap
from ...attributes import finite, word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle

HALF = Fraction(1, 2)
# 2 / pi and 0.044715 in float32, as the function body of Gelu has them.
_TWO_OVER_PI = Fraction(float.fromhex("0x1.45f306p-1"))
_SMALL_FACTOR = Fraction(float.fromhex("0x1.6e4e26p-5"))
_SIXTH_OF_FLOAT32 = Fraction(11184811, 1 << 26)


def _each(grid: Grid, function: Callable[[Real], Item]) -> Result:
    """NaN for NaN, the function for everything else."""
    return (grid.map(lambda x: NAN if is_nan(x) else function(x)),)


def _at_minus_infinity(call: Call) -> Item:
    """Minus infinity times a value that tends to zero: NaN by the steps, zero as the limit."""
    reading = call.choose("formula-or-limit", "formula", "limit")
    return NAN if reading == "formula" else EITHER_ZERO


@oracle("Sigmoid")
def sigmoid(call: Call) -> Result:
    """1 / (1 + e^-x)."""
    grid = call.grid("X")
    return _each(grid, lambda x: enclosed(grid.type, Steps.sigmoid, x))


@oracle("Softplus")
def softplus(call: Call) -> Result:
    """ln(e^x + 1)."""
    grid = call.grid("X")
    return _each(grid, lambda x: x if x is INF else enclosed(grid.type, Steps.softplus, x))


@oracle("Softsign")
def softsign(call: Call) -> Result:
    """X / (1 + |x|); at infinities the steps give NaN, the limit is 1 or -1."""
    grid = call.grid("input")

    def element(x: Real) -> Item:
        if x in {INF, NEG_INF}:
            if call.choose("formula-or-limit", "formula", "limit") == "formula":
                return NAN
            return Fraction(1 if x is INF else -1)
        if is_zero(x):
            return x
        return enclosed(grid.type, lambda s, v: s.div(v, s.add(1, s.absolute(v))), x)

    return _each(grid, element)


@oracle("Elu")
def elu(call: Call) -> Result:
    """X from zero on, alpha * (e^x - 1) below."""
    grid, alpha = call.grid("X"), finite(call, "alpha")

    def below(s: Steps, v: Interval) -> Interval:
        return s.mul(s.rounded(alpha), s.sub(s.exp(v), 1))

    def at_once(s: Steps, v: Interval) -> Interval:
        return s.mul(s.rounded(alpha), s.expm1(v))

    def element(x: Real) -> Item:
        if less(x, ZERO):
            return enclosed(grid.type, below, x, alternatives=(at_once,))
        return _kept(x)

    return _each(grid, element)


def _kept(x: Real) -> Item:
    """An element that is returned unchanged; for a zero either side's formula may be used."""
    return EITHER_ZERO if x is NEG_ZERO else x


@oracle("Selu")
def selu(call: Call) -> Result:
    """Gamma * x above zero, gamma * (alpha * e^x - alpha) elsewhere."""
    grid, alpha, gamma = call.grid("X"), finite(call, "alpha"), finite(call, "gamma")

    def below(s: Steps, v: Interval) -> Interval:
        scale = s.rounded(alpha)
        return s.mul(s.rounded(gamma), s.sub(s.mul(scale, s.exp(v)), scale))

    def factored(s: Steps, v: Interval) -> Interval:
        return s.mul(s.mul(s.rounded(gamma), s.rounded(alpha)), s.sub(s.exp(v), 1))

    def at_once(s: Steps, v: Interval) -> Interval:
        return s.mul(s.rounded(gamma), s.mul(s.rounded(alpha), s.expm1(v)))

    def factored_at_once(s: Steps, v: Interval) -> Interval:
        return s.mul(s.mul(s.rounded(gamma), s.rounded(alpha)), s.expm1(v))

    def element(x: Real) -> Item:
        if is_zero(x):
            return EITHER_ZERO
        if less(ZERO, x):
            return enclosed(grid.type, lambda s, v: s.mul(s.rounded(gamma), v), x)
        others = (factored, at_once, factored_at_once)
        return enclosed(grid.type, below, x, alternatives=others)

    return _each(grid, element)


@oracle("Celu")
def celu(call: Call) -> Result:
    """max(0, x) + min(0, alpha * (e^(x / alpha) - 1)), of NaN whatever the two make of it.

    The function body says alpha * Elu(x / alpha), another function where alpha is below 0: there
    the spec asks which.
    """
    grid, alpha = call.grid("X"), finite(call, "alpha")
    if alpha == 0:
        raise InvalidCallError("alpha is 0, and x is divided by it")

    def curved(s: Steps, v: Interval) -> Interval:
        scale = s.rounded(alpha)
        return s.mul(scale, s.sub(s.exp(s.div(v, scale)), 1))

    def at_once(s: Steps, v: Interval) -> Interval:
        scale = s.rounded(alpha)
        return s.mul(scale, s.expm1(s.div(v, scale)))

    def straight(s: Steps, v: Interval) -> Interval:
        scale = s.rounded(alpha)
        return s.mul(scale, s.div(v, scale))

    def bent(x: Real) -> Item:
        return enclosed(grid.type, curved, x, alternatives=(at_once,))

    def by_body(x: Real) -> Item:
        if is_zero(x):
            return EITHER_ZERO
        return enclosed(grid.type, straight, x) if less(x, ZERO) else bent(x)

    if alpha < 0 and call.choose("alpha-below-0", "formula", "body") == "body":
        return _each(grid, by_body)
    return (grid.map(lambda x: bent(x) if less(x, ZERO) else _celu_from_0(call, x)),)


def _celu_from_0(call: Call, x: Real) -> Item:
    """An element from 0 on as it is, or what maximum and minimum make of NaN."""
    if is_nan(x):
        return EITHER_ZERO if call.choose("celu-of-nan", "propagates", "zero") == "zero" else NAN
    return _kept(x)


@oracle("LeakyRelu")
def leaky_relu(call: Call) -> Result:
    """X from zero on, alpha * x below."""
    grid, alpha = call.grid("X"), finite(call, "alpha")
    return _each(
        grid,
        lambda x: (
            enclosed(grid.type, lambda s, v: s.mul(s.rounded(alpha), v), x)
            if less(x, ZERO)
            else _kept(x)
        ),
    )


@oracle("PRelu")
def prelu(call: Call) -> Result:
    """X from zero on, slope * x below; slope is repeated to the shape of x."""
    grid, slope = call.grid("X"), call.grid("slope")
    if call.since_version >= 7:
        unidirectional(slope.shape, grid.shape)
        slope = broadcast_to(slope, grid.shape)
    elif len(slope.items) == 1:
        slope = broadcast_to(slope.reshaped(()), grid.shape)
    elif slope.shape != grid.shape:
        raise InvalidCallError("before version 7 slope has one element or the shape of X")
    if slope.type != grid.type:
        raise InvalidCallError(f"X is {grid.type} and slope is {slope.type}")
    return (combine(grid.type, lambda x, factor: _prelu(grid.type, x, factor), grid, slope),)


def _prelu(name: str, x: Any, slope: Any) -> Item:  # noqa: ANN401  integers or reals
    if is_nan(x):
        return NAN
    if isinstance(x, int):
        return wrap(name, x * slope) if x < 0 else x
    if not less(x, ZERO):
        return _kept(x)
    return rounded(name, mul, slope, x)


@oracle("HardSigmoid")
def hard_sigmoid(call: Call) -> Result:
    """max(0, min(1, alpha * x + beta))."""
    grid, alpha, beta = call.grid("X"), finite(call, "alpha"), finite(call, "beta")

    def formula(s: Steps, v: Interval) -> Interval:
        return s.max(0, s.min(1, s.add(s.mul(s.rounded(alpha), v), s.rounded(beta))))

    def value(x: Real) -> Item:
        if is_nan(x):
            reading = call.choose("hardsigmoid-of-nan", "propagates", "one", "zero")
            return NAN if reading == "propagates" else ONE if reading == "one" else ZERO
        return enclosed(grid.type, formula, x)

    return (grid.map(value),)


@oracle("HardSwish")
def hard_swish(call: Call) -> Result:
    """X * max(0, min(1, x / 6 + 1/2)).

    The page also says x * HardSigmoid<1/6, 1/2>(x), whose attributes are float32: for float64 the
    two are different numbers, and the spec asks which.
    """
    grid = call.grid("X")

    def element(x: Real) -> Item:
        if x is NEG_INF:
            return _at_minus_infinity(call)
        if x is INF or is_zero(x):
            return x if x is INF else EITHER_ZERO
        if not less(Fraction(-3), x):
            return EITHER_ZERO  # x times a gate that is exactly zero
        if grid.type == "float64" and less(x, Fraction(3)):
            chosen = call.choose("sixth-in-float64", "sixth", "attribute")
            if chosen == "attribute":
                return enclosed(grid.type, _gated_by_float32, x)
        return enclosed(grid.type, _gated, x, alternatives=(_gated_over_6,))

    return _each(grid, element)


def _gated(s: Steps, v: Interval, sixth: Fraction = Fraction(1, 6)) -> Interval:
    return s.mul(v, s.max(0, s.min(1, s.add(s.mul(s.rounded(sixth), v), HALF))))


def _gated_by_float32(s: Steps, v: Interval) -> Interval:
    return _gated(s, v, _SIXTH_OF_FLOAT32)


def _gated_over_6(s: Steps, v: Interval) -> Interval:
    return s.div(s.mul(v, s.max(0, s.min(6, s.add(v, 3)))), 6)


@oracle("Mish")
def mish(call: Call) -> Result:
    """X * tanh(ln(1 + e^x))."""
    grid = call.grid("X")

    def formula(s: Steps, v: Interval) -> Interval:
        return s.mul(v, s.tanh(s.softplus(v)))

    def element(x: Real) -> Item:
        if x is NEG_INF:
            return _at_minus_infinity(call)
        if x is INF or is_zero(x):
            return x if x is INF else EITHER_ZERO
        return enclosed(grid.type, formula, x)

    return _each(grid, element)


@oracle("Swish")
def swish(call: Call) -> Result:
    """X * sigmoid(alpha * x)."""
    grid, alpha = call.grid("X"), finite(call, "alpha")

    def formula(s: Steps, v: Interval) -> Interval:
        return s.mul(v, s.sigmoid(s.mul(s.rounded(alpha), v)))

    def at_infinity(x: Real) -> Item:
        if alpha == 0:  # the sigmoid of zero times an infinity: NaN by the steps, 1/2 as the limit
            return NAN if call.choose("formula-or-limit", "formula", "limit") == "formula" else x
        return x if (x is INF) == (alpha > 0) else _at_minus_infinity(call)

    def element(x: Real) -> Item:
        if x in {INF, NEG_INF}:
            return at_infinity(x)
        return EITHER_ZERO if is_zero(x) else enclosed(grid.type, formula, x)

    return _each(grid, element)


@oracle("ThresholdedRelu")
def thresholded_relu(call: Call) -> Result:
    """X where it is above alpha, 0 elsewhere; NaN is above nothing."""
    grid, alpha = call.grid("X"), finite(call, "alpha")

    def element(x: Real) -> Item:
        if is_nan(x):
            return NAN if call.choose("threshold-of-nan", "propagates", "zero") != "zero" else ZERO
        return x if less(alpha, x) else EITHER_ZERO

    return (grid.map(element),)


@oracle("Gelu")
def gelu(call: Call) -> Result:
    """X / 2 * (1 + erf(x / sqrt 2)), or its approximation by tanh."""
    grid = call.grid("X")
    approximate = word(call, "approximate", ("none", "tanh"))
    formula = _gelu_by_tanh if approximate == "tanh" else _gelu_by_erf

    def element(x: Real) -> Item:
        if x is NEG_INF:
            return _at_minus_infinity(call)
        if x is INF or is_zero(x):
            return x
        if approximate == "tanh" and grid.type == "float64":
            # The function body has the constants in float32, whatever the type of X.
            return enclosed(grid.type, formula, x, alternatives=[_gelu_by_tanh_of_the_body])
        return enclosed(grid.type, formula, x)

    return _each(grid, element)


def _gelu_by_erf(s: Steps, v: Interval) -> Interval:
    return s.mul(s.mul(HALF, v), s.add(1, s.erf(s.div(v, s.sqrt(2)))))


def _gelu_by_tanh(s: Steps, v: Interval) -> Interval:
    pi = s.mul(4, s.atan(1))
    return _by_tanh(s, v, s.div(2, pi), s.rounded(Fraction(44715, 1000000)))


def _gelu_by_tanh_of_the_body(s: Steps, v: Interval) -> Interval:
    """With 2 / pi and 0.044715 as numbers of float32, as the function body has them."""
    return _by_tanh(s, v, point(_TWO_OVER_PI), point(_SMALL_FACTOR))


def _by_tanh(s: Steps, v: Interval, two_over_pi: Interval, factor: Interval) -> Interval:
    cube = s.mul(s.mul(v, v), v)
    inner = s.mul(s.sqrt(two_over_pi), s.add(v, s.mul(factor, cube)))
    return s.mul(s.mul(HALF, v), s.add(1, s.tanh(inner)))
