"""HannWindow, HammingWindow and BlackmanWindow 17: weights of a signal.

Sources: the pages of the three, the paper that they name (Harris, Proceedings of the IEEE 66(1),
1978) for the formulas, and the operators' function bodies for their coefficients. The pages give no
formula of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...accuracy.bounds import enclosed_all
from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.grid import Enclosed, Item, any_of, value_of, vector
from ...arith.intervals import Interval, hull
from ...arith.numbers import NAN, ONE, ZERO, fraction, real
from ...arith.rationals import Fraction
from ...arith.rounding import float_format, is_float, round_signed
from ...attributes import number_type
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from ...scalars import require_scalar
from ..conversion.casting import FRACTIONS

# Longer windows are in no vector; forms and samples of calls try numbers at random.
_MOST = 1 << 10
# The function bodies compute in it, whatever the type of the output; a narrower type may do itself.
_WORKING = "float32"
_TAU = 2 * Fraction("3.14159265358979323846264338327950288419716939937510582097494459230781640629")


_HALF = Fraction(1, 2)
_COEFFICIENTS = {
    "HannWindow": {"exact": (_HALF, _HALF, ZERO)},
    "HammingWindow": {
        "exact": (Fraction(25, 46), Fraction(21, 46), ZERO),
        "rounded": (Fraction(54, 100), Fraction(46, 100), ZERO),
    },
    "BlackmanWindow": {
        "rounded": (Fraction(42, 100), _HALF, Fraction(8, 100)),
        "exact": (Fraction(3969, 9304), Fraction(1155, 2326), Fraction(715, 9304)),
    },
}


@oracle("HannWindow")
@oracle("HammingWindow")
@oracle("BlackmanWindow")
def window(call: Call) -> Result:
    """a0 - a1 cos(t) + a2 cos(2 t), with t = 2 pi n / N.

    N is the size of a periodic window, and one less for a symmetric one. The coefficients of two
    of them are in the paper as fractions, and with the two places that it rounds these to.
    """
    coefficients = _COEFFICIENTS[call.operator]
    name = number_type(call, "output_datatype")
    size = call.integer("size")
    if not 0 <= size <= _MOST:
        raise InvalidCallError(f"a window of {size}")
    require_scalar(call, "size", "one-element-tensor")
    whole = _turn(call, size)
    if not size:
        return (vector(name, []),)
    if whole == 0:
        if size > 1:  # a turn by 0 is an infinity, of which no cosine is a number
            if not is_float(name):
                raise InvalidCallError("a window of a turn of no steps, in integers")
            return (vector(name, [NAN] * size),)
        return (vector(name, [_of_one(call, name)]),)
    readings = tuple(coefficients)
    reading = call.choose("coefficients", *readings) if len(readings) > 1 else readings[0]
    kept = name if is_float(name) else _WORKING
    items = _weights(kept, size, whole, coefficients[reading])
    return (vector(name, items if is_float(name) else _integers(call, items)),)


def _turn(call: Call, size: int) -> int:
    """The steps of a whole turn: as many as weights in a periodic window, else one less.

    The function body multiplies the one by `periodic`, the other by what is left of 1, and adds.
    """
    periodic = call.int_attribute("periodic")
    if periodic not in (0, 1):
        reading = call.choose("periodic-of-neither", "periodic", "symmetric", "counted")
        if reading != "counted":
            periodic = int(reading == "periodic")
    return size - 1 + periodic


def _weights(name: str, size: int, whole: int, coefficients: Sequence[Fraction]) -> list[Item]:
    first, second, third = coefficients

    def angles(steps: Steps) -> list[Interval]:
        if steps.profile == REAL:  # the same numbers, and 0 where the angle is a whole turn
            return [steps.mul(_TAU, _part(place, whole)) for place in range(size)]
        increment = steps.div(_TAU, whole)
        return [steps.mul(place, increment) for place in range(size)]

    def cosines(steps: Steps) -> list[Interval]:
        found = []
        for angle in angles(steps):
            item = steps.sub(first, steps.mul(second, steps.cos(angle)))
            if third:
                item = steps.add(item, steps.mul(third, steps.cos(steps.mul(2, angle))))
            found.append(item)
        return found

    def of_waves(steps: Steps) -> list[Interval]:
        found = []
        for angle in angles(steps):
            waves = steps.mul(second, steps.cos(angle))
            other = steps.mul(third, steps.cos(steps.mul(2, angle)))
            found.append(
                hull(
                    steps.sub(first, steps.sub(waves, other)),
                    steps.sub(steps.add(first, other), waves),
                )
            )
        return found

    def squares(steps: Steps) -> list[Interval]:
        return [steps.square(steps.sin(steps.div(angle, 2))) for angle in angles(steps)]

    # No page says in which order the three are added; near 0, where they cancel, it shows.
    alternatives = [of_waves] if third else []
    if (first, third) == (Fraction(1, 2), ZERO):
        alternatives = [squares]
    working = name if float_format(name).width < float_format(_WORKING).width else _WORKING
    return enclosed_all(name, cosines, alternatives=alternatives, working=working)


def _part(place: int, whole: int) -> Fraction:
    """How much of a turn an angle is, from -1/2 to 1/2."""
    part = Fraction(place % whole, whole)
    return part - 1 if part > Fraction(1, 2) else part


def _integers(call: Call, items: Sequence[Item]) -> list[Item]:
    """Weights as integers, as Cast has them: the pages say nothing of their fractions."""
    ends = [(item.low, item.high) if isinstance(item, Enclosed) else (item,) * 2 for item in items]
    spans = [tuple(fraction(real(value_of(end))) for end in both) for both in ends]
    if all(low == high and low.denominator == 1 for low, high in spans):
        return [int(low) for low, _ in spans]
    rounding = FRACTIONS[call.choose("fraction-to-integer", *FRACTIONS)]
    found: list[Item] = []
    for item, both in zip(items, spans, strict=True):
        exact = fraction(real(value_of(item))) + Fraction(1, 2**40)
        low, high, nearest = (round_signed(end, rounding) for end in (*both, exact))
        found.append(any_of((nearest, *range(low, high + 1))))
    return found


def _of_one(call: Call, name: str) -> Item:
    """The only weight of a symmetric window: the formula divides 0 by 0."""
    reading = call.choose("symmetric-window-of-one", "one", "not-a-number")
    if not is_float(name):
        return 1
    return ONE if reading == "one" else NAN
