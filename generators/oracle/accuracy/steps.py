"""A document's formula evaluated in intervals: all results of steps with the permitted errors.

A composite function has no bound in ulps that good implementations keep: 1 + erf(x) cancels, and so
does exp(x) - 1. What can be required is that the result comes from the formula by steps that are
each accurate enough. `Steps` does arithmetic on intervals; after each step it adds that step's
permitted error. A formula is written once, as a function of a `Steps` and of intervals, and
evaluated three times: without errors, to many bits (the exact value); with the errors of profile
ieee; and with those of profile gpu.

    def gelu(s: Steps, x: Interval) -> Interval:
        return s.mul(s.mul(Fraction(1, 2), x), s.add(1, s.erf(s.div(x, s.sqrt(2)))))

    item = enclosed("float32", gelu, x)   # bounds.py

Source of the method: Vulkan's appendix on precision ("inherited from" a formula), as its
conformance tests apply it; sources of the single errors: elementary.py and profiles.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeAlias

from ..arith import elementary
from ..arith.intervals import (
    NOTHING_BUT_NAN,
    Interval,
    chosen,
    coarse,
    corners,
    greater,
    hull,
    image,
    key,
    lesser,
    minus,
    outwards,
    plus,
    point,
    power,
    product_of,
    reciprocal,
    root,
)
from ..arith.numbers import INF, NAN, NEG_INF, ONE, ZERO, Real, Special, fraction
from ..arith.once import different, each_once
from ..arith.rationals import Fraction
from ..arith.rounding import Rounding, least_normal
from .partial_sums import above_and_below, overflows_against, with_partial_sums
from .profiles import GPU, HALF, IEEE, REAL, accumulated_error, accumulator, gpu_ulps, moved

# Limits are kept to this many bits, rounded outwards; any step's permitted error is far larger.
BITS = 192
_DOWN, _UP = Rounding.DOWN, Rounding.UP

# The argument of a step: an interval, or a number for a constant of the document.
Operand: TypeAlias = Interval | Real


class Steps:
    """Arithmetic on intervals; each step adds the error that it may have.

    Args:
        name: the floating-point type that the steps are rounded to. Steps that are rounded to a
            wider type, or not at all, are covered too.
        profile: IEEE or GPU; or REAL, for steps without any error.
        bits: how many bits of elementary functions are computed.
    """

    def __init__(self, name: str, profile: str = IEEE, bits: int = BITS) -> None:
        """Steps in a type and a profile."""
        self.name = name
        self.profile = profile
        self.bits = bits

    # --- what is given ---

    def exactly(self, x: Real) -> Interval:
        """An element of an input; in profile gpu a subnormal one may be treated as zero."""
        given = point(x)
        return self._flushed(given) if self.profile == GPU else given

    def constant(self, x: Real) -> Interval:
        """A constant of the document or an attribute, rounded to the type or more precise."""
        return self._widened(point(x), HALF)

    def rounded_all(self, items: Sequence[Real]) -> list[Interval]:
        """Elements of inputs of any type in the type of the steps, or in a higher precision."""
        return each_once(lambda item: self.rounded(self.exactly(item)), items)

    def in_type(self, name: str) -> Steps:
        """Steps as good as these in another type."""
        return type(self)(name, self.profile, self.bits)

    def _interval(self, x: Operand) -> Interval:
        return x if isinstance(x, Interval) else self.constant(x)

    # --- arithmetic ---

    def add(self, x: Operand, y: Operand) -> Interval:
        """The sum x + y."""
        return self._rounded(corners(plus, self._interval(x), self._interval(y)))

    def sub(self, x: Operand, y: Operand) -> Interval:
        """The difference x - y."""
        return self.add(x, self.neg(y))

    def neg(self, x: Operand) -> Interval:
        """-x, without error."""
        given = self._interval(x)
        if given.low is NAN:
            return given
        return Interval(minus(given.high), minus(given.low), given.nan)

    def mul(self, x: Operand, y: Operand) -> Interval:
        """The product x * y."""
        return self._rounded(product_of(self._interval(x), self._interval(y)))

    def square(self, x: Operand) -> Interval:
        """The square x * x, which is never below zero."""
        return self.mul(*[self.absolute(x)] * 2)

    def div(self, x: Operand, y: Operand) -> Interval:
        """The quotient x / y, divided or multiplied by the reciprocal; 2.5 ulp in profile gpu.

        Inside a formula both are common: onnxruntime computes Softsign by the second.
        """
        one, inverse = self._interval(x), reciprocal(self._interval(y))
        quotient = self._rounded(product_of(one, inverse), "div")
        if self.profile == REAL:
            return quotient
        return hull(quotient, self._rounded(product_of(one, self._rounded(inverse, "div"))))

    def reciprocal(self, x: Operand) -> Interval:
        """1 / x; 2.5 ulp in profile gpu."""
        return self.div(1, x)

    def sqrt(self, x: Operand) -> Interval:
        """The square root; 3 ulp in profile gpu."""
        exact = self._monotone(lambda at: root(at, self.bits), self._interval(x), ZERO, INF)
        return self._rounded(exact, "sqrt")

    def absolute(self, x: Operand) -> Interval:
        """|x|, without error."""
        given = self._interval(x)
        if given.low is NAN or (type(given.low) is Fraction and given.low >= 0):
            return given
        other = self.neg(given)
        low = greater(greater(given.low, other.low), ZERO)
        return Interval(low, greater(given.high, other.high), given.nan)

    def max(self, x: Operand, y: Operand) -> Interval:
        """The greater one, without error; NaN if either is."""
        return chosen(max, self._interval(x), self._interval(y))

    def min(self, x: Operand, y: Operand) -> Interval:
        """The smaller one, without error; NaN if either is."""
        return chosen(min, self._interval(x), self._interval(y))

    def greatest(self, items: Sequence[Interval]) -> Interval:
        """The greatest of one or more, without error; NaN if one is."""
        return reduce(self.max, different(items).values())

    def sum(self, terms: Sequence[Interval]) -> Interval:
        """The sum in any order; the error grows with their number and their absolute values."""
        return self._accumulated(*self._totals(terms), terms)

    def dot(self, x: Sequence[Interval], y: Sequence[Interval]) -> Interval:
        """The sum of products in any order, fused or not."""
        products = self._products(x, y)
        factors = [self.absolute(factor).high for factor in different((*x, *y)).values()]
        finite = [fraction(factor) for factor in factors if not isinstance(factor, Special)]
        return self._accumulated(*self._totals(products), products, max(finite, default=ONE))

    def _products(self, x: Sequence[Interval], y: Sequence[Interval]) -> list[Interval]:
        """The products of what stands side by side."""
        return [product_of(a, b) for a, b in zip(x, y, strict=True)]

    def _totals(self, terms: Sequence[Interval]) -> tuple[Interval, Interval]:
        """The sum of terms, and that of their absolute values."""
        total = magnitude = point(ZERO)
        for term in terms:
            total = corners(plus, total, term)
            magnitude = corners(plus, magnitude, self.absolute(term))
        return coarse(total, self.bits), magnitude

    def mean(self, terms: Sequence[Interval]) -> Interval:
        """The sum divided by the number of terms."""
        return self.div(self.sum(terms), len(terms))

    # --- functions ---

    def exp(self, x: Operand) -> Interval:
        """The power e ** x, never below zero."""
        return self._function("exp", x, least=ZERO)

    def expm1(self, x: Operand) -> Interval:
        """The power e ** x less 1, as one function, which does not cancel near 0."""
        return self._function("expm1", x, least=-ONE)

    def log(self, x: Operand) -> Interval:
        """The natural logarithm."""
        return self._function("log", x, (ZERO, INF))

    def sin(self, x: Operand) -> Interval:
        """The sine."""
        return self._wave("sin", x)

    def cos(self, x: Operand) -> Interval:
        """The cosine."""
        return self._wave("cos", x)

    def tanh(self, x: Operand) -> Interval:
        """The hyperbolic tangent; it has an absolute error too, see elementary.floor_of."""
        return self._function("tanh", x)

    def erf(self, x: Operand) -> Interval:
        """The error function."""
        return self._function("erf", x)

    def atan(self, x: Operand) -> Interval:
        """The inverse tangent."""
        return self._function("atan", x)

    def pow(self, x: Operand, y: Operand) -> Interval:
        """The power x ** y for x above zero, or for a y that is one whole number."""
        base, exponent = self._interval(x), self._interval(y)
        if base.low is NAN or exponent.low is NAN:
            return NOTHING_BUT_NAN
        ulps = elementary.ulps_of("pow", self.name)
        if exponent.is_point and not isinstance(exponent.low, Special):
            whole = fraction(exponent.low)
            if whole.denominator == 1:
                return self._widened(self._whole_power(base, int(whole)), ulps)
        if key(base.high) < key(ZERO):
            return NOTHING_BUT_NAN
        if key(base.low) < key(ZERO):
            positive = Interval(ZERO, greater(base.high, ZERO), nan=True)
            return self.pow(positive, exponent)
        # exp(y log x) is monotone in each of x and y; its own error is pow's.
        exact = Steps(self.name, REAL, self.bits)
        return self._widened(exact.exp(product_of(exponent, exact.log(base))), ulps, least=ZERO)

    def sigmoid(self, x: Operand) -> Interval:
        """1 / (1 + e^-x), by that formula, by e^x / (1 + e^x), or by (1 + tanh(x / 2)) / 2.

        All three are common; the last cannot be better than half an ulp of 1 far below zero.
        """
        power = self.exp(x)
        found = hull(
            self.reciprocal(self.add(1, self.exp(self.neg(x)))),
            self.mul(HALF, self.add(1, self.tanh(self.mul(HALF, x)))),
            # If e^x may overflow, its quotient gives no information; the other formulas do.
            *([] if INF in power else [self.div(power, self.add(1, power))]),
        )
        # A GPU's division may come out above 1.
        return self._within(found, ZERO, INF if self.profile == GPU else ONE)

    def softplus(self, x: Operand) -> Interval:
        """log(1 + e^x), by that formula or by max(x, 0) + log(1 + e^-|x|)."""
        safe = self.log(self.add(1, self.exp(self.neg(self.absolute(x)))))
        plain = self.log(self.add(1, self.exp(x)))
        return self._within(hull(plain, self.add(self.max(x, 0), safe)), ZERO, INF)

    # --- how a step is off ---

    def rounded(self, x: Operand) -> Interval:
        """The value rounded to the type, or in a higher precision."""
        return self._rounded(self._interval(x))

    def _rounded(self, exact: Interval, step: str = "") -> Interval:
        """All results that a step of arithmetic may give."""
        ulps = gpu_ulps(step, self.name) if self.profile == GPU else HALF
        return self._widened(exact, ulps)

    def _function(
        self,
        function: str,
        operand: Operand,
        domain: tuple[Real, Real] = (NEG_INF, INF),
        *,
        least: Real = NEG_INF,
    ) -> Interval:
        """A monotone function on its domain."""
        x = self._interval(operand)
        exact = self._monotone(lambda at: image(function, at, self.bits), x, *domain)
        if x.is_point and elementary.exact_value(function, x.low) is not None:
            return exact
        floor = elementary.floor_of(function, self.name, ONE)
        return self._widened(exact, elementary.ulps_of(function, self.name), floor, least)

    def _wave(self, function: str, operand: Operand) -> Interval:
        """The sine or cosine of the middle, widened by the width of the operand."""
        x = self._interval(operand)
        if isinstance(x.low, Special) or isinstance(x.high, Special):
            return NOTHING_BUT_NAN if x.is_point else Interval(-ONE, ONE, nan=True)
        low, high = fraction(x.low), fraction(x.high)
        middle = outwards((low + high) / 2, self.bits, _DOWN)
        around = max(high - middle, middle - low)
        found = elementary.enclosure(function, middle, self.bits)
        exact = Interval(fraction(found.low) - around, fraction(found.high) + around, x.nan)
        exact = self._within(coarse(exact, self.bits), -ONE, ONE)
        if x.is_point and elementary.exact_value(function, x.low) is not None:
            return exact
        floor = elementary.floor_of(function, self.name, max(abs(low), abs(high)))
        return self._widened(exact, elementary.ulps_of(function, self.name), floor)

    def _monotone(
        self, function: Callable[[Real], Interval], x: Interval, first: Real, last: Real
    ) -> Interval:
        """The image of the part of x between two numbers; NaN if x reaches beyond them."""
        if x.low is NAN or key(x.high) < key(first) or key(x.low) > key(last):
            return NOTHING_BUT_NAN
        outside = key(x.low) < key(first) or key(x.high) > key(last)
        low = function(greater(x.low, first))
        high = low if x.is_point else function(lesser(x.high, last))
        return coarse(Interval(low.low, high.high, x.nan or outside), self.bits)

    def _whole_power(self, x: Interval, exponent: int) -> Interval:
        if exponent < 0:
            return coarse(reciprocal(self._whole_power(x, -exponent)), self.bits)
        base = self.absolute(x) if exponent % 2 == 0 else x
        ends = [power(end, exponent) for end in (base.low, base.high)]
        return coarse(Interval(ends[0], ends[1], x.nan and exponent != 0), self.bits)

    def _accumulated(
        self,
        total: Interval,
        magnitude: Interval,
        terms: Sequence[Interval],
        largest: Fraction = ONE,
    ) -> Interval:
        """A sum with its roundings: (1 + u)^count - 1 times the absolute terms."""
        if self.profile == REAL or total.low is NAN:
            return total
        if isinstance(magnitude.high, Special):
            if not total.is_point:
                return hull(total, Interval(NEG_INF, INF, nan=True))
            return total._replace(nan=overflows_against(total.low, terms, self.name, self.profile))
        if len(terms) <= 1 and total.is_point:
            return self._rounded(total)
        kept_in = accumulator(self.name, self.profile)
        error = accumulated_error(
            kept_in, fraction(magnitude.high), len(terms), profile=self.profile, largest=largest
        )
        rounded = self._rounded(coarse(corners(plus, total, Interval(-error, error)), self.bits))
        above, below = above_and_below(terms)
        return with_partial_sums(rounded, above + error, below + error, kept_in)

    def _widened(
        self, exact: Interval, ulps: Fraction, floor: Fraction = ZERO, least: Real = NEG_INF
    ) -> Interval:
        """The interval with an error of this many ulps at either end, or of the floor if greater.

        An end that the type holds is not moved by half an ulp: rounding to the nearest is
        monotone, in this type and in each wider one.
        """
        if self.profile == REAL or exact.low is NAN:
            return coarse(exact, self.bits)
        low = moved(self.name, exact.low, ulps, _DOWN, floor)
        high = moved(self.name, exact.high, ulps, _UP, floor)
        if least is not NEG_INF and key(low) < key(least):
            low = least
        found = coarse(Interval(low, high, exact.nan), self.bits)
        return self._flushed(found) if self.profile == GPU else found

    def _flushed(self, x: Interval) -> Interval:
        """The interval with zero added, if it includes a subnormal number."""
        if x.low is NAN:
            return x
        edge = least_normal(self.name)
        low, high = x.low, x.high
        if type(low) is Fraction and 0 < low < edge:
            low = ZERO
        if type(high) is Fraction and -edge < high < 0:
            high = ZERO
        return Interval(low, high, x.nan)

    def _within(self, x: Interval, low: Real, high: Real) -> Interval:
        """The part of x that lies in the range of the function."""
        if x.low is NAN:
            return x
        ends = [lesser(greater(end, low), high) for end in (x.low, x.high)]
        return Interval(ends[0], ends[1], x.nan)
