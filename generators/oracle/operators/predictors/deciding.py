"""The class that a row of scores decides for.

The pages ask for one class an example, and have a score for each class. They do not say whether the
class is decided before the transform of the scores or after it, which of equal scores is the top,
nor what NaN beside numbers decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...accuracy.ends import is_any_number
from ...arith.grid import Item, value_of
from ...arith.intervals import Interval, key
from ...arith.numbers import NAN, Real, equal, order
from ...arith.rounding import round_to
from ...registry import Call


def decided(
    call: Call,
    before: Sequence[Real],
    after: Sequence[Real],
    limits: Sequence[Interval] | None = None,
) -> int:
    """The place of the class with the highest score.

    Args:
        call: whose readings say what the page leaves open.
        before: the exact scores before the transform.
        after: what the transform makes of them.
        limits: what careful software may have as the scores before the transform. Scores of which
            either may be the higher one there are equal.
    """
    both = _top_places(call, before, limits), _top_places(call, after)
    places = both[0]
    if both[0] != both[1] and call.choose("decided-by", "scores", "transformed") == "transformed":
        places = both[1]
    if len(places) > 1 and call.choose("equal-scores", "first", "last") == "last":
        return places[-1]
    return places[0]


def rounded_numbers(name: str, items: Sequence[Item]) -> list[Real]:
    """The nearest numbers of a type to elements with limits; NaN for one that may be anything."""
    return [
        NAN if is_any_number(item) else round_to(name, value_of(item))  # type: ignore[misc]
        for item in items
    ]


def _top_places(
    call: Call, scores: Sequence[Real], limits: Sequence[Interval] | None = None
) -> list[int]:
    """The places of the highest score."""
    numbers = [place for place, score in enumerate(scores) if score is not NAN]
    if len(numbers) < len(scores):
        return [_beside_nan(call, scores, numbers)]
    if limits is None:
        return _highest(scores, numbers)
    perhaps = [place for place, item in enumerate(limits) if item.nan]
    if perhaps:
        # An infinity of careful software may have met a zero or another infinity.
        found = {"number": None, "no-number": perhaps[0], "first": 0, "last": len(scores) - 1}
        place = found[call.choose("label-beside-nan", *found)]
        if place is not None:
            return [place]
    least = max(key(item.low) for item in limits if item.low is not NAN)
    return [place for place in numbers if key(limits[place].high) >= least]


def _highest(scores: Sequence[Real], places: Sequence[int]) -> list[int]:
    best = max((scores[place] for place in places), key=order)
    return [place for place in places if equal(scores[place], best)]


def _beside_nan(call: Call, scores: Sequence[Real], numbers: Sequence[int]) -> int:
    """The place that a row with NaN decides for."""
    last = len(scores) - 1
    if not numbers:
        return {"first": 0, "last": last}[call.choose("nothing-but-nan", "first", "last")]
    found = {
        "no-number": next(place for place in range(len(scores)) if place not in numbers),
        "number": _highest(scores, numbers)[0],
        "first": 0,
        "last": last,
    }
    return found[call.choose("label-beside-nan", *found)]
