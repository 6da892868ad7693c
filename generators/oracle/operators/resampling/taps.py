"""Which elements of an axis an output takes, and with which weights.

Sources: Resize's page, mode, nearest_mode, cubic_coeff_a, exclude_outside and antialias. What lies
outside the tensor has the value of its edge, as ONNX's examples show, unless it is excluded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...accuracy.profiles import HALF
from ...arith.numbers import ZERO
from ...arith.rationals import Fraction
from ...arith.rounding import unit_roundoff
from ...errors import InvalidCallError
from .coordinates import WORKING, Coordinate

# A weight that is a multiple of this is found without rounding, and so are its parts.
_GRAIN = Fraction(1, 1 << 18)
# How many roundings a weight has.
_ROUNDINGS = 8


@dataclass(frozen=True)
class Tap:
    """An element of an axis in an average.

    Attributes:
        index: of the element.
        weight: what it is multiplied by.
        error: how far off a runtime's weight may be.
        beyond: whether it is so far off that it has no weight however places are rounded.
    """

    index: int
    weight: Fraction
    error: Fraction = ZERO
    beyond: bool = False


@dataclass(frozen=True)
class Kernel:
    """A function of the distance, by which elements are weighted.

    Attributes:
        reach: the distance from which on it is 0.
        cubic: the coefficient of the cubic one; None for the linear one.
    """

    reach: int
    cubic: Fraction | None = None

    def at(self, distance: Fraction) -> Fraction:
        """The weight of an element at a distance."""
        t = abs(distance)
        if t >= self.reach:
            return ZERO
        if self.cubic is None:
            return 1 - t
        a = self.cubic
        if t <= 1:
            return ((a + 2) * t - (a + 3)) * t * t + 1
        return ((t - 5) * t + 8) * t * a - 4 * a

    def slope(self) -> Fraction:
        """The greatest change of the weight with the distance."""
        if self.cubic is None:
            return Fraction(1)
        a = self.cubic
        steepest = [abs(a)]
        if a != -2 and 0 < (a + 3) / (3 * (a + 2)) < 1:
            steepest.append(abs((a + 3) ** 2 / (3 * (a + 2))))
        return max(steepest)


def nearest(mode: str, at: Coordinate, size: int) -> tuple[int, ...]:
    """The elements that a runtime may take for the nearest one; one where the page settles it."""
    return tuple(sorted({min(max(_nearest(mode, x), 0), size - 1) for x in at.found}))


def _nearest(mode: str, x: Fraction) -> int:
    if mode == "round_prefer_floor":
        return math.ceil(x - HALF)
    if mode == "round_prefer_ceil":
        return math.floor(x + HALF)
    if mode == "floor":
        return math.floor(x)
    if mode == "ceil":
        return math.ceil(x)
    raise InvalidCallError(f"nearest_mode '{mode}' is none that the page lists")


def weighted(
    kernel: Kernel, at: Coordinate, size: int, *, stretch: Fraction, exclude: bool
) -> tuple[Tap, ...]:
    """The elements of an axis with their weights, which sum to one.

    Args:
        kernel: by which they are weighted.
        at: the place in the axis.
        size: of the axis.
        stretch: what the kernel is stretched by, 1 for none: max(1, 1 / scale) to antialias.
        exclude: whether elements outside the tensor have no weight; else the edge has theirs.
    """
    reach = kernel.reach * stretch + at.error
    # The ends have no weight; they are there for runtimes that multiply them by zero.
    first, last = math.floor(at.exact - reach), math.ceil(at.exact + reach)
    found = {index: kernel.at((index - at.exact) / stretch) for index in range(first, last + 1)}
    if exclude:
        found = {index: weight for index, weight in found.items() if 0 <= index < size}
    total = sum(found.values(), ZERO)
    if not total:
        raise InvalidCallError("no element has a weight")
    lost = kernel.slope() * at.error / stretch
    if at.error or not _is_exact(list(found.values()), total):
        lost += _ROUNDINGS * unit_roundoff(WORKING)
    if total != 1:
        lost = (lost + lost * len(found) / abs(total)) / abs(total)
    # One that stands for several neighbours is there as often: a runtime may add them one by one.
    return tuple(
        Tap(
            min(max(index, 0), size - 1),
            weight / total,
            lost,
            beyond=abs(index - at.exact) > kernel.reach * stretch + at.error,
        )
        for index, weight in found.items()
    )


def _is_exact(weights: Sequence[Fraction], total: Fraction) -> bool:
    """Whether the weights are found without rounding: few bits, and a power of two to divide by."""
    few = all((weight / _GRAIN).denominator == 1 for weight in weights)
    return few and all(part & (part - 1) == 0 for part in (total.numerator, total.denominator))
