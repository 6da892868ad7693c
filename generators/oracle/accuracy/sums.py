"""Exact sums and dot products of many elements, and the results that a runtime may get.

Elements are binary fractions: with a common denominator a dot product is one of integers, about
thirty times as fast as with Fractions. That matters for a MatMul with 4096 products for an element.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from operator import mul as times
from operator import or_

from ..arith.grid import AnyOf, Item
from ..arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Number,
    Real,
    Special,
    add,
    fraction,
    is_finite,
    mul,
    real,
)
from ..arith.once import Same
from ..arith.rationals import Fraction
from ..arith.rounding import overflow, round_to, unit_roundoff
from .bounds import dot_bound
from .profiles import accumulator

# 2,048 rows of this length take some 70 MB.
_REMEMBERED = 600
# Of longer ones as many are remembered as a product of large matrices has columns; of this length
# they take some 50 MB. Longer ones are not remembered.
_LONG = 4_200
_OF_LONG = 72


@dataclass(frozen=True)
class Scaled:
    """Finite numbers as integers with one denominator.

    Attributes:
        integers: the numerators.
        shift: the denominator is 2**shift.
    """

    integers: tuple[int, ...]
    shift: int

    def total(self) -> tuple[Fraction, Fraction]:
        """The exact sum, and the sum of the absolute numbers."""
        return self._ratio(sum(self.integers)), self._ratio(sum(map(abs, self.integers)))

    def dot(self, other: Scaled) -> tuple[Fraction, Fraction]:
        """The exact sum of the products with the other's numbers, and that of the absolute ones."""
        if len(self.integers) != len(other.integers):
            raise ValueError(f"{len(self.integers)} factors for {len(other.integers)}")
        products = list(map(times, self.integers, other.integers))
        both = Scaled((), self.shift + other.shift)
        return both._ratio(sum(products)), both._ratio(sum(map(abs, products)))

    def largest(self) -> Fraction:
        """The greatest absolute number, 0 where there is none."""
        return self._largest

    def quantum(self) -> Fraction:
        """The greatest power of two of which every number is a multiple; of zeros alone any is."""
        return self._quantum

    @cached_property
    def _largest(self) -> Fraction:
        return self._ratio(max(map(abs, self.integers), default=0))

    @cached_property
    def _quantum(self) -> Fraction:
        together = reduce(or_, self.integers, 0)
        return self._ratio(together & -together or 1)

    def _ratio(self, numerator: int) -> Fraction:
        return Fraction(numerator, 1 << self.shift)


def scaled(numbers: Iterable[Real]) -> Scaled:
    """Finite binary fractions over their common denominator; ValueError for other numbers."""
    found = _finite(numbers)
    if found is None:
        raise ValueError("a number is no finite number")
    return found


def _finite(numbers: Iterable[Real]) -> Scaled | None:
    """The same, and None where a number is not finite."""
    same = Same(numbers)
    count = len(same.items)
    if count <= _REMEMBERED:
        return _scaled_once(same)
    return _long_scaled_once(same) if count <= _LONG else _scaled(same)


@lru_cache(maxsize=1 << 11)
def _scaled_once(same: Same) -> Scaled | None:
    """The same once for rows and windows that meet many others."""
    return _scaled(same)


@lru_cache(maxsize=_OF_LONG)
def _long_scaled_once(same: Same) -> Scaled | None:
    """The same of long rows."""
    return _scaled(same)


def _scaled(same: Same) -> Scaled | None:
    # Elements that are equal are mostly one object: each is looked at once.
    known = dict(zip(same.ids, same.items, strict=True))
    if not all(map(is_finite, known.values())):
        return None
    fractions = {key: fraction(number) for key, number in known.items()}
    widths = {key: one.denominator.bit_length() - 1 for key, one in fractions.items()}
    if any(one.denominator & (one.denominator - 1) for one in fractions.values()):
        raise ValueError("a number is no binary fraction")
    shift = max(widths.values(), default=0)
    integers = {key: one.numerator << shift - widths[key] for key, one in fractions.items()}
    return Scaled(tuple(map(integers.__getitem__, same.ids)), shift)


def sum_value(
    name: str, terms: Sequence[Real], *, divisor: int = 1, kept_in: str | None = None
) -> Item:
    """The sum of elements of a type in any order, as in ReduceSum; see bounds.dot_bound.

    With a divisor it is a mean. Infinities and NaN are added by IEEE 754's rules. A sum of zeros
    alone may be either zero: no document says with which one a sum starts. `kept_in` is the type of
    partial sums, if that is not the accumulator of a reduction.
    """
    one = _finite(terms)
    if one is None:
        return infinite_sum(name, terms, kept_in)
    exact, magnitude = one.total()
    roundings = len(terms) + (divisor != 1)  # including that of the division
    return dot_bound(
        name,
        exact / divisor,
        magnitude / divisor,
        roundings,
        kept_in=kept_in,
        quantum=one.quantum() / divisor,
        divisor=divisor,
    )


def dot_value(name: str, first: Sequence[Real], second: Sequence[Real]) -> Item:
    """The sum of the products of elements of a type in any order, as in MatMul."""
    one, other = _finite(first), _finite(second)
    if one is None or other is None:
        return infinite_sum(name, [mul(x, y) for x, y in zip(first, second, strict=True)])
    exact, magnitude = one.dot(other)
    largest = max(one.largest(), other.largest())
    return dot_bound(
        name,
        exact,
        magnitude,
        len(first),
        largest=largest,
        quantum=one.quantum() * other.quantum(),
    )


def exact_dot(first: Sequence[Real], second: Sequence[Real]) -> tuple[Number, Fraction, Fraction]:
    """The sum of the products without a rounding, for a caller with limits of its own.

    Returns:
        the sum; the sum of the absolute products; and a power of two that divides each product.
        If an infinity or NaN is among the factors, the last two are 0 and 1.
    """
    one, other = _finite(first), _finite(second)
    if one is None or other is None:
        total = ieee_sum([mul(x, y) for x, y in zip(first, second, strict=True)])
        return total, Fraction(0), Fraction(1)
    exact, magnitude = one.dot(other)
    return exact, magnitude, one.quantum() * other.quantum()


def infinite_sum(name: str, terms: Sequence[Number], kept_in: str | None = None) -> Item:
    """A sum with an infinity or NaN; NaN, too, where the other terms may overflow against it."""
    total = ieee_sum(terms)
    if total is INF or total is NEG_INF:
        finite = [fraction(real(x)) for x in terms if is_finite(x)]
        most = sum((abs(x) for x in finite if (x < 0) != (total is NEG_INF)), start=ZERO)
        if most * (1 + len(terms) * unit_roundoff(name)) >= overflow(kept_in or accumulator(name)):
            return AnyOf((total, NAN))
    return round_to(name, total)


def ieee_sum(terms: Iterable[Number]) -> Number:
    """The sum if some term is an infinity or NaN; the finite terms do not matter then."""
    total: Number = ZERO
    for term in terms:
        if isinstance(term, Special) and term is not NEG_ZERO:
            total = add(total, term)
    return total
