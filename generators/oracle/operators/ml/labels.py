"""The labels of a classifier: one list of them, and the one with the highest score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arith.grid import Grid, vector
from ...arith.intervals import Interval
from ...arith.numbers import NAN, order
from ...errors import InvalidCallError
from ...registry import Call


def labels_of(call: Call, strings: str, integers: str) -> Grid:
    """The one of two lists that is given, as a vector; InvalidCallError for both or neither."""
    given = [name for name in (strings, integers) if call.attributes.get(name)]
    if len(given) != 1:
        raise InvalidCallError(f"{len(given)} of {strings} and {integers} are given, not one")
    if given == [integers]:
        return vector("int64", call.ints_attribute(integers))
    return vector("string", call.strings_attribute(strings))


def top(call: Call, labels: Grid, scores: Sequence[Interval]) -> Any:  # noqa: ANN401  a label
    """The label of the class with the highest score; which of equal ones no page says.

    The scores are exact: points, but for functions that have no exact value.
    """
    if any(score.low is NAN for score in scores):
        reading = call.choose("label-beside-nan", "first", "last")
        return labels.items[0 if reading == "first" else -1]
    best = max((score.low for score in scores), key=order)
    places = [place for place, score in enumerate(scores) if score.low == best]
    if len(places) > 1 and call.choose("equal-scores", "first", "last") == "last":
        return labels.items[places[-1]]
    return labels.items[places[0]]
