"""The labels of a classifier: one list of them, and the one with the highest score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...arith.intervals import Interval
from ...arith.numbers import NAN, order
from ...errors import InvalidCallError
from ...registry import Call


@dataclass(frozen=True)
class Labels:
    """What classes are called.

    Attributes:
        type: `string` or `int64`.
        items: the labels, as a Grid has them.
    """

    type: str
    items: Sequence[Any]


def labels_of(call: Call, integers: str) -> Labels:
    """The labels of a call; InvalidCallError unless exactly one of the two lists is given."""
    given = [name for name in ("classlabels_strings", integers) if call.attributes.get(name)]
    if len(given) != 1:
        raise InvalidCallError(f"{len(given)} lists of class labels are given, not one")
    if given == [integers]:
        return Labels("int64", call.ints_attribute(integers))
    return Labels("string", call.strings_attribute("classlabels_strings"))


def top(call: Call, labels: Labels, scores: Sequence[Interval]) -> Any:  # noqa: ANN401  a label
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
