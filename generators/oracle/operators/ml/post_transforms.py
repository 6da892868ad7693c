"""What predictors of ai.onnx.ml make of a row of scores: the attribute post_transform.

The pages list the names NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO and PROBIT, and no formula. LOGISTIC
and SOFTMAX have one meaning; what the last two are is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...accuracy.bounds import enclosed_all
from ...accuracy.ends import any_number
from ...accuracy.profiles import REAL, moved
from ...accuracy.steps import Steps
from ...arith.elementary import enclosure
from ...arith.grid import Item
from ...arith.intervals import Interval, greater, hull, key, lesser, point
from ...arith.numbers import INF, NAN, NEG_INF, ONE, ZERO, fraction
from ...arith.rationals import Fraction
from ...arith.rounding import Rounding
from ...arith.rules import CHOICE
from ...errors import InvalidCallError
from ...registry import Call
from ..rows.softmax import powers_of

Scores = Callable[[Steps], Sequence[Interval]]
Function = Callable[[Steps, Interval], Interval]

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
_FURTHEST = 64  # erf is 1 there to more bits than are asked
_STEPS = 160
_ULPS = Fraction(16)
_NEAR_ZERO = Interval(-Fraction(1001, 10**10), Fraction(1001, 10**10))  # 10^-7 in float32


def transformed(call: Call, name: str, scores: Scores, transform: str) -> list[Item]:
    """A row of scores after the transform, as elements of a type.

    InvalidCallError where the transform is none of those that the pages list.
    """
    if transform not in TRANSFORMS:
        raise InvalidCallError(f"post_transform '{transform}' is none of {', '.join(TRANSFORMS)}")
    if transform == "NONE":
        return enclosed_all(name, scores)
    return _transformed(call, name, scores, transform)


def _transformed(call: Call, name: str, scores: Scores, transform: str) -> list[Item]:
    if transform == "LOGISTIC":
        return enclosed_all(name, lambda steps: list(map(steps.sigmoid, scores(steps))))
    if transform == "PROBIT":
        reading = call.choose("probit", "quantile", "approximation")
        function = _quantile if reading == "quantile" else _approximation
        return _probit(name, scores, function)
    exact = scores(Steps(name, REAL))
    if any(score.low is NAN for score in exact):
        return [NAN] * len(exact)
    if len(exact) == 1 and call.choose("softmax-of-one", "one", "as-it-is") == "as-it-is":
        return enclosed_all(name, scores)
    if transform == "SOFTMAX":
        return enclosed_all(name, lambda steps: _softmax(steps, scores(steps)))
    return _softmax_zero(call, name, scores, exact)


def _softmax(steps: Steps, scores: Sequence[Interval]) -> list[Interval]:
    """The powers of e over their sum; the greatest score is subtracted first."""
    _, powers, total = powers_of(steps, scores)
    return [steps.div(power, total) for power in powers]


def _softmax_zero(call: Call, name: str, scores: Scores, exact: Sequence[Interval]) -> list[Item]:
    """A softmax of the scores that are not zero, beside which zeros stay zero."""
    kept = [place for place, score in enumerate(exact) if not score.low == 0 == score.high]
    if not kept:
        reading = call.choose("softmax-of-zeros", "no-number", "halves", "zeros")
        found: dict[str, Item] = {"no-number": NAN, "halves": Fraction(1, 2), "zeros": ZERO}
        return [found[reading]] * len(exact)

    def formula(steps: Steps) -> list[Interval]:
        given = scores(steps)
        found = _softmax(steps, [given[place] for place in kept])
        # Software multiplies the zeros by what divides the powers, which may be NaN.
        zero = point(ZERO)._replace(nan=any(item.nan for item in found))
        powers = iter(found)
        return [next(powers) if place in kept else zero for place in range(len(given))]

    far = [place for place in kept if not _is_near_zero(exact[place])]
    if not far:
        # Taken for zeros they are no powers, and what they are divided by is 0.
        return [any_number(Fraction(1, len(kept)), CHOICE)] * len(exact)
    if far == kept:
        return enclosed_all(name, formula)

    def near_as_zeros(steps: Steps) -> list[Interval]:
        given = scores(steps)
        powers = _softmax(steps, [given[place] for place in far])
        nan = any(item.nan for item in powers)
        found = iter(powers)
        return [
            next(found) if place in far else hull(given[place], point(ZERO))._replace(nan=nan)
            for place in range(len(given))
        ]

    return enclosed_all(name, formula, alternatives=[near_as_zeros])


def _is_near_zero(score: Interval) -> bool:
    """Whether onnxruntime and onnx.reference take a score for a zero, of which no page speaks."""
    return score.low in _NEAR_ZERO and score.high in _NEAR_ZERO


# --- PROBIT ----------------------------------------------------------------------------------


def _probit(name: str, scores: Scores, function: Function) -> list[Item]:
    """The transform of a row, and any number where a score is no probability.

    No page has a formula, and the distribution has no quantile for less than 0 or more than 1:
    software gives NaN, or takes the nearest probability, or leaves the score. At 0 and 1 it is an
    infinity, the limit of the quantiles.
    """
    items = enclosed_all(
        name, lambda steps: [_of_probability(steps, x, function) for x in scores(steps)]
    )
    exact = scores(Steps(name, REAL))
    return [
        any_number(ONE, CHOICE) if item is NAN and score.low is not NAN else item
        for item, score in zip(items, exact, strict=True)
    ]


def _of_probability(steps: Steps, score: Interval, function: Function) -> Interval:
    """The transform of the part of a score from 0 to 1, and NaN where it may be beyond."""
    if score.low is NAN:
        return score
    low, high = greater(score.low, ZERO), lesser(score.high, ONE)
    if key(low) > key(high):
        return point(NAN)
    found = function(steps, Interval(low, high))
    outside = key(score.low) < ZERO or key(score.high) > ONE
    return found._replace(nan=found.nan or score.nan or outside)


def _quantile(steps: Steps, score: Interval) -> Interval:
    """The number below which the standard normal distribution has this probability."""
    found = hull(*(_quantile_of(steps, fraction(end)) for end in (score.low, score.high)))
    if steps.profile == REAL:
        return found
    return Interval(
        moved(steps.name, found.low, _ULPS, Rounding.DOWN),
        moved(steps.name, found.high, _ULPS, Rounding.UP),
    )


def _quantile_of(steps: Steps, x: Fraction) -> Interval:
    if x in (0, 1):
        return point(INF if x == 1 else NEG_INF)
    inside = 2 * x - 1
    low, high = Fraction(-_FURTHEST), Fraction(_FURTHEST)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        found = enclosure("erf", middle, 2 * _STEPS)
        if fraction(found.high) < inside:
            low = middle
        elif fraction(found.low) > inside:
            high = middle
        else:
            low = high = middle
            break
    exact = Steps(steps.name, REAL, steps.bits)
    return exact.mul(exact.sqrt(2), Interval(low, high))


def _approximation(steps: Steps, score: Interval) -> Interval:
    """S. Winitzki's approximation of the inverse of erf, with 0.147, as two runtimes have it.

    https://en.wikipedia.org/wiki/Error_function, Approximation with elementary functions.
    """
    inside = steps.sub(steps.mul(2, score), 1)
    logarithm = steps.log(steps.mul(steps.sub(1, inside), steps.add(1, inside)))
    constant = Fraction(147, 1000)
    first = steps.add(steps.div(2, steps.mul(_PI, constant)), steps.mul(Fraction(1, 2), logarithm))
    second = steps.div(logarithm, constant)
    inner = steps.sub(steps.square(first), second)
    root = steps.sqrt(steps.max(steps.sub(steps.sqrt(steps.max(inner, 0)), first), 0))
    size = steps.mul(_ROOT_OF_TWO, root)
    if score.low == score.high == Fraction(1, 2):
        return point(ZERO)
    if key(inside.low) < 0 < key(inside.high):
        return hull(steps.neg(size), size)
    return size if key(inside.high) > 0 else steps.neg(size)


_PI = Fraction(314159265358979323846, 10**20)
_ROOT_OF_TWO = Fraction(141421356237309504880, 10**20)
