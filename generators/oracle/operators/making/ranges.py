"""Range 11 and 27: numbers at equal distances. Source: the Range page, Summary and Attributes.

How many numbers there are follows from a quotient; the page does not say whether it is rounded.
Version 27 has float16 and bfloat16, whose steps are those of the type that stash_type names.
"""

from __future__ import annotations

from math import ceil

from ...accuracy.bounds import enclosed_all
from ...accuracy.steps import Steps
from ...arith.grid import vector
from ...arith.intervals import Interval
from ...arith.numbers import Real, fraction, is_finite, is_zero, real
from ...arith.rationals import Fraction
from ...arith.rounding import is_float, round_to
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ...scalars import require_scalar

_NARROW = ("float16", "bfloat16")
_FLOAT = 1
_EXACT = "exact"
# More elements are in no vector; forms and samples of calls try numbers at random.
_MOST = 1 << 14


@oracle("Range")
def range_(call: Call) -> Result:
    """start, start + delta, ... up to the limit, which is not reached.

    One axis of max(ceil((limit - start) / delta), 0) elements. Floats are within the limits of
    start + i * delta, or of the sum that a loop makes; where rounding makes the number of elements
    another, that is asked. Refused: a delta of 0, what is not finite, more elements than can be
    held.
    """
    start, limit, delta = (
        require_scalar(call, name, "one-element-tensor") for name in ("start", "limit", "delta")
    )
    name = call.tensor("start").type
    if is_zero(delta):
        raise InvalidCallError("a delta of 0")
    if not all(is_finite(item) for item in (start, limit, delta)):
        raise InvalidCallError("a range without end, or of what is no number")
    if not is_float(name):
        first, last, step = (int(fraction(item)) for item in (start, limit, delta))
        count = _held(max(-((first - last) // step), 0))
        return (vector(name, [first + place * step for place in range(count)]),)
    working = "float32" if name in _NARROW else name
    if name in _NARROW and call.int_attribute("stash_type") != _FLOAT:
        refuse_if_chosen(call, "another-stash-type", "float32")
    counts = _counts(working, start, limit, delta)
    count = counts[_EXACT]
    if len(set(counts.values())) > 1:
        count = counts[call.choose("number-of-elements", *counts)]
    _held(count)

    def products(steps: Steps) -> list[Interval]:
        first, step = steps.exactly(start), steps.exactly(delta)
        return [steps.add(first, steps.mul(place, step)) for place in range(count)]

    def sums(steps: Steps) -> list[Interval]:
        found, step = [steps.exactly(start)], steps.exactly(delta)
        for _ in range(count - 1):
            found.append(steps.add(found[-1], step))
        return found[:count]

    return (vector(name, enclosed_all(name, products, alternatives=[sums], working=working)),)


def _held(count: int) -> int:
    if count > _MOST:
        raise InvalidCallError(f"{count} elements, which nobody has the memory for")
    return count


def _counts(name: str, start: Real, limit: Real, delta: Real) -> dict[str, int]:
    """The number of elements: exactly, or by a difference, or a quotient too, rounded to a type."""
    step = fraction(delta)
    exact = fraction(limit) - fraction(start)
    difference = _rounded(name, exact)
    return {
        _EXACT: _whole(exact / step),
        "difference-rounded": _whole(difference / step),
        "rounded": _whole(_rounded(name, difference / step)),
    }


def _rounded(name: str, exact: Fraction) -> Fraction:
    """A number rounded to a type; itself where it is beyond the type."""
    found = real(round_to(name, exact))
    return fraction(found) if is_finite(found) else exact


def _whole(quotient: Fraction) -> int:
    return max(ceil(quotient), 0)
