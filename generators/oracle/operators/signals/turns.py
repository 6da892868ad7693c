"""Sums of numbers times points of the unit circle, as Fourier transforms have them, and limits.

The exact sum takes cosines and sines of parts of a turn to 256 bits (MPFR), those of quarters and
of a twelfth's multiples exactly.

The limit is the greater one of two. Both are in units of the roundoff u of the type that sums are
kept in; x is the signal, n its length:

- the sum as the formula has it, in any order: a rounding for each term, and some for its factor,
  times the sum of all |x|. The parts of a complex product are not told apart, as a part that is
  zero is a difference of roundings.
- a fast transform: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
  theorem 24.2: the error as a whole is at most about 7 u for each halving, times the norm of the
  result, which is sqrt(n) times the norm of x. One element may have it all. Where n is no power of
  two the transform may be a convolution (Bluestein's): three transforms of two to four times the
  length, and twice the norm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from ...accuracy.bounds import dot_bound
from ...accuracy.profiles import accumulator
from ...accuracy.sums import scaled
from ...arith.elementary import enclosure
from ...arith.grid import Item
from ...arith.numbers import INF, NAN, Real, fraction, is_finite
from ...arith.rationals import Fraction
from ...arith.rounding import unit_roundoff

# The real and the imaginary part.
Point: TypeAlias = "tuple[Real, Real]"
_BITS = 256
# What a sum leaves that is zero: its factors are known to _BITS, its terms are few.
_NOTHING = Fraction(1, 1 << (_BITS - 64))
# A factor: its angle is below a turn, and 2 pi of it are 7 roundings; cosine and product.
_OF_A_FACTOR = 9
_OF_A_HALVING = 7


def transformed(
    name: str,
    line: Sequence[Point],
    bins: Iterable[int],
    *,
    inverse: bool = False,
    weighted: bool = False,
) -> list[tuple[Item, Item]]:
    """The discrete Fourier transform of a line at some bins: sum of x[n] e^(-2 pi i k n / N).

    The inverse has the angle of the other sign, and is divided by N. NaN for all bins where an
    element is an infinity or NaN: e^(...) has parts that are zero. Elements that are `weighted` are
    products, which may have been rounded to the type before they are summed in a wider one.
    """
    if not all(is_finite(part) for point in line for part in point):
        return [(NAN, NAN) for _ in bins]
    size = len(line)
    both = scaled([part for point in line for part in point])
    real, imaginary = both.integers[::2], both.integers[1::2]
    count, magnitude = _limit([*real, *imaginary], size)
    if weighted:
        count += int(unit_roundoff(name) / unit_roundoff(accumulator(name)))
    sign = -1 if inverse else 1
    unit = Fraction(1, 1 << (both.shift + _BITS))
    divisor = size if inverse else 1

    def item(total: int) -> Item:
        exact = total * unit / divisor
        most = magnitude / (1 << both.shift) / divisor
        return dot_bound(
            name,
            exact if abs(exact) > most * _NOTHING else Fraction(0),
            most,
            count,
            divisor=divisor,
        )

    found = []
    for place in bins:
        factors = [point_of(place * index % size, size) for index in range(size)]
        parts = zip(real, imaginary, factors, strict=True)
        pairs = [(a * c + sign * b * s, b * c - sign * a * s) for a, b, (c, s) in parts]
        found.append((item(sum(a for a, _ in pairs)), item(sum(b for _, b in pairs))))
    return found


def _limit(parts: Sequence[int], size: int) -> tuple[int, Fraction]:
    """How many roundings, of how great a sum, in units of the parts: the greater of two limits."""
    absolute = sum(abs(part) for part in parts)
    norm = math.isqrt(size * sum(part * part for part in parts)) + 1
    plain = 2 * size + _OF_A_FACTOR
    halvings = max(size - 1, 1).bit_length()
    fast = _OF_A_HALVING * halvings
    if size & (size - 1):
        fast = 2 * 3 * _OF_A_HALVING * (halvings + 2)
    if not absolute or plain * absolute >= fast * norm:
        return plain, Fraction(absolute)
    return fast, Fraction(norm)


@lru_cache(maxsize=1 << 12)
def point_of(part: int, whole: int) -> tuple[int, int]:
    """Cosine and sine of a part of a turn, times two to the power of _BITS."""
    return _cosine(Fraction(part, whole)), _cosine(Fraction(part, whole) - Fraction(1, 4))


def _cosine(turn: Fraction) -> int:
    """The cosine of a part of a turn, times two to the power of _BITS."""
    turn = abs(turn) % 1
    turn = min(turn, 1 - turn)  # now at most half a turn
    exact = {0: 2, Fraction(1, 6): 1, Fraction(1, 4): 0, Fraction(1, 3): -1, Fraction(1, 2): -2}
    if turn in exact:
        return exact[turn] << (_BITS - 1)
    bits = 2 * _BITS
    quarter = fraction(enclosure("atan", INF, bits).low)
    angle = Fraction(round(4 * quarter * turn * (1 << bits)), 1 << bits)
    return round(fraction(enclosure("cos", angle, bits).low) * (1 << _BITS))
