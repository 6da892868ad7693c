"""Exact numbers that carry a derivative: v + s e with e * e = 0.

A number is a Fraction, or a `Dual` of two numbers. Each derivative that is taken has an e of its
own, its level; the number of a higher level holds those of lower ones, so that derivatives of
derivatives come out by the same rules. Nothing is rounded: where a function has no exact value,
there is no answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from onnx_conformance.core.errors import BadInputError

from ...arith.rationals import Fraction

Slope: TypeAlias = "Fraction | Dual"


@dataclass(frozen=True)
class Dual:
    """A number and how fast it changes.

    Attributes:
        level: of the e that it is a multiple of.
        value: the number itself, of lower levels.
        slope: its derivative by e's variable, of lower levels.
    """

    level: int
    value: Slope
    slope: Slope


def value_of(x: Slope) -> Fraction:
    """The number without any derivative."""
    while isinstance(x, Dual):
        x = x.value
    return x


def parts(x: Slope, level: int) -> tuple[Slope, Slope]:
    """Value and slope at a level; a number that does not depend on its variable has slope 0."""
    if isinstance(x, Dual) and x.level == level:
        return x.value, x.slope
    return x, Fraction(0)


def plus(x: Slope, y: Slope) -> Slope:
    """The sum."""
    level = _level(x, y)
    if not level:
        return value_of(x) + value_of(y)
    (a, da), (b, db) = parts(x, level), parts(y, level)
    return Dual(level, plus(a, b), plus(da, db))


def times(x: Slope, y: Slope) -> Slope:
    """The product: (a b)' = a' b + a b'."""
    level = _level(x, y)
    if not level:
        return value_of(x) * value_of(y)
    (a, da), (b, db) = parts(x, level), parts(y, level)
    return Dual(level, times(a, b), plus(times(da, b), times(a, db)))


def minus(x: Slope) -> Slope:
    """The negative."""
    return times(Fraction(-1), x)


def inverse(x: Slope) -> Slope:
    """1 / x: (1 / a)' = -a' / a^2."""
    if not isinstance(x, Dual):
        if not x:
            raise BadInputError("a quotient by zero has no exact derivative")
        return 1 / x
    found = inverse(x.value)
    return Dual(x.level, found, minus(times(x.slope, times(found, found))))


def power(x: Slope, exponent: int) -> Slope:
    """A whole power, by products."""
    if exponent < 0:
        return inverse(power(x, -exponent))
    found: Slope = Fraction(1)
    for _ in range(exponent):
        found = times(found, x)
    return found


def function(name: str, x: Slope) -> Slope:
    """An elementary function; BadInputError where its value is no rational number."""
    if not isinstance(x, Dual):
        return _exact(name, x)
    return Dual(x.level, function(name, x.value), times(_DERIVATIVES[name](x.value), x.slope))


def _exact(name: str, x: Fraction) -> Fraction:
    if name == "Sqrt" and x > 0:
        above, below = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if above**2 == x.numerator and below**2 == x.denominator:
            return Fraction(above, below)
    if name not in _KNOWN or x != _KNOWN[name][0]:
        raise BadInputError(f"{name} of {x} is no rational number that has a derivative")
    return _KNOWN[name][1]


def _level(x: Slope, y: Slope) -> int:
    return max(item.level if isinstance(item, Dual) else 0 for item in (x, y))


def _sigmoid(x: Slope) -> Slope:
    found = function("Sigmoid", x)
    return times(found, plus(Fraction(1), minus(found)))


def _tanh(x: Slope) -> Slope:
    found = function("Tanh", x)
    return plus(Fraction(1), minus(times(found, found)))


# Where each function is rational: at one place, with its value there.
_KNOWN = {
    "Exp": (0, Fraction(1)),
    "Log": (1, Fraction(0)),
    "Sigmoid": (0, Fraction(1, 2)),
    "Tanh": (0, Fraction(0)),
    "Sin": (0, Fraction(0)),
    "Cos": (0, Fraction(1)),
}
_DERIVATIVES: dict[str, Callable[[Slope], Slope]] = {
    "Exp": lambda x: function("Exp", x),
    "Log": inverse,
    "Sqrt": lambda x: times(Fraction(1, 2), inverse(function("Sqrt", x))),
    "Sigmoid": _sigmoid,
    "Tanh": _tanh,
    "Sin": lambda x: function("Cos", x),
    "Cos": lambda x: minus(function("Sin", x)),
}
FUNCTIONS = tuple(_DERIVATIVES)
