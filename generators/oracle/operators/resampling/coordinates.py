"""Where in an axis of the input a place of the output lies.

Source: Resize's page, coordinate_transformation_mode. Its formulas are evaluated exactly, and
as runtimes evaluate them in float32: with a quotient, with a product by a rounded reciprocal,
fused or not. Where all of these agree, the coordinate is exact; where they do not, it is known to
within their distance, and what hangs on which side of a half it lies is left to the runtime.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ...accuracy.profiles import HALF
from ...arith.numbers import fraction
from ...arith.rationals import Fraction
from ...arith.rounding import overflow, round_to, ulp
from ...errors import UnansweredError

WORKING = "float32"


@dataclass(frozen=True)
class Coordinate:
    """A place in an axis.

    Attributes:
        exact: what the formula gives.
        found: what a runtime may find, in order; the exact one is among them.
    """

    exact: Fraction
    found: tuple[Fraction, ...]

    @property
    def error(self) -> Fraction:
        """How far off a runtime's may be; 0 where all ways to compute it agree."""
        furthest = max(abs(one - self.exact) for one in self.found)
        return furthest + ulp(WORKING, max(abs(self.exact), HALF)) if furthest else furthest


def coordinate(exact: Fraction, found: Iterable[Fraction] = ()) -> Coordinate:
    """A coordinate with what else may be found for it."""
    return Coordinate(exact, tuple(sorted({exact, *found})))


@dataclass(frozen=True)
class Length:
    """An axis before and after.

    Attributes:
        original: its length in the input.
        resized: its length in the output.
        scale: by what it is divided; that of the lengths, or the one that is given.
        given: whether the scale is a number of an input, which is a float32.
        full: the length in the output before it is rounded to a whole number.
        roi: the start and the end of the part that is resized.
    """

    original: int
    resized: int
    scale: Fraction
    given: bool
    full: Fraction
    roi: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1))


def rounded32(x: Fraction) -> Fraction:
    """The nearest float32; UnansweredError where it has none, as beside a roi of 10^38."""
    if abs(x) >= overflow(WORKING):
        raise UnansweredError("a coordinate is beyond float32, and what follows from it not known")
    return fraction(round_to(WORKING, x))  # type: ignore[arg-type]  # real, as x is


def half_pixel(x: int, length: Length) -> Coordinate:
    """`(x_resized + 0.5) / scale - 0.5`."""
    return _shifted(_divided(x + HALF, length), -HALF)


def half_pixel_symmetric(x: int, length: Length) -> Coordinate:
    """half_pixel, moved so that the middle of the input is the middle of the output."""
    centre = Fraction(length.original, 2)
    exact = centre * (1 - length.resized / length.full)
    found = {exact}
    for full in (length.full, rounded32(length.full)):
        part = rounded32(length.resized / full)
        found |= {centre * (1 - part), rounded32(centre * rounded32(1 - part))}
    moved = _divided(x + HALF, length)
    sums = [
        way
        for one in moved.found
        for offset in found
        for way in (
            one + offset - HALF,
            rounded32(rounded32(offset + one) - HALF),
            rounded32(offset + rounded32(one - HALF)),
        )
    ]
    return coordinate(moved.exact + exact - HALF, sums)


def pytorch_half_pixel(x: int, length: Length) -> Coordinate:
    """half_pixel where the output is longer than 1, else 0."""
    return half_pixel(x, length) if length.resized > 1 else coordinate(Fraction(0))


def align_corners(x: int, length: Length) -> Coordinate:
    """`x_resized * (length_original - 1) / (length_resized - 1)`; 0 for a length of 1."""
    if length.full == 1:
        return coordinate(Fraction(0))
    return _scaled(Fraction(x), Fraction(length.original - 1), length.full - 1)


def asymmetric(x: int, length: Length) -> Coordinate:
    """`x_resized / scale`."""
    return _divided(Fraction(x), length)


def tf_half_pixel_for_nn(x: int, length: Length) -> Coordinate:
    """`(x_resized + 0.5) / scale`; version 11 alone has it."""
    return _divided(x + HALF, length)


def tf_crop_and_resize(x: int, length: Length) -> Coordinate:
    """From the start of the roi to its end; the middle of it for a length of 1."""
    start, end = length.roi
    last = length.original - 1
    if length.full == 1:
        exact = HALF * (start + end) * last
        return coordinate(exact, [rounded32(rounded32(HALF * rounded32(start + end)) * last)])
    first, wide = start * last, end - start
    begins = (first, rounded32(first))
    across = _scaled(Fraction(x), wide * last, length.full - 1).found
    lost = _scaled(Fraction(x), rounded32(rounded32(wide) * last), length.full - 1).found
    sums = [rounded32(begin + one) for begin in begins for one in (*across, *lost)]
    return coordinate(first + x * wide * last / (length.full - 1), sums)


FORMULAS = {
    "half_pixel": half_pixel,
    "half_pixel_symmetric": half_pixel_symmetric,
    "pytorch_half_pixel": pytorch_half_pixel,
    "align_corners": align_corners,
    "asymmetric": asymmetric,
    "tf_half_pixel_for_nn": tf_half_pixel_for_nn,
    "tf_crop_and_resize": tf_crop_and_resize,
}
# The modes whose formula has the scale in it.
BY_SCALE = {
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "asymmetric",
    "tf_half_pixel_for_nn",
}


def _divided(x: Fraction, length: Length) -> Coordinate:
    """`x / scale`: by the number that is given, or by that of the lengths."""
    if length.given:
        return _scaled(x, Fraction(1), length.scale)
    return _scaled(x, Fraction(length.original), length.scale * length.original)


@lru_cache(maxsize=1 << 12)
def _scaled(x: Fraction, numerator: Fraction, denominator: Fraction) -> Coordinate:
    """`x * numerator / denominator` in every order."""
    exact = x * numerator / denominator
    factors = {rounded32(numerator / denominator)}
    ways = {rounded32(x * numerator / denominator), rounded32(x * numerator) / denominator}
    if numerator:
        divisor = rounded32(denominator / numerator)
        factors.add(rounded32(1 / divisor))
        ways.add(x / divisor)
    ways |= {x * factor for factor in factors}
    return coordinate(exact, {*ways, *(rounded32(way) for way in ways)})


def _shifted(one: Coordinate, by: Fraction) -> Coordinate:
    ways = [way + by for way in one.found]
    return coordinate(one.exact + by, [*ways, *(rounded32(way) for way in ways)])
