"""Whether a value is right where a document leaves each of its elements open.

Several results are permitted, and every element may come from any of them: a runtime that returns
NaN here and 0 there is as right as one that returns the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .comparing import (
    SHAPE,
    TYPE,
    VALUE,
    Comparison,
    Difference,
    compare,
    contained,
    in_whole,
    position_of,
)
from .describing import bit_patterns, element_texts, part_count, text
from .nearness import nearness
from .sampling import elements_at
from .tensors import Sampled, SequenceValue, Tensor, Value
from .tolerance import Tolerance


@dataclass(frozen=True)
class Choice:
    """One permitted value; with `any`, every value of the same type and shape is permitted."""

    #: The permitted value.
    value: Value
    #: Whether any value of its type and shape is permitted as well.
    any: bool = False


def compare_choices(choices: Sequence[Choice], got: Value, tolerance: Tolerance) -> Comparison:
    """Compare a value with the permitted ones, element by element.

    An element is right if it is near enough to the element at its place in at least one choice of
    the same type and shape. Sequences are compared item by item; maps and absent optionals as a
    whole. The measurements (`max_ulp`, `used`, `met`) refer to one result, so a mixture has none.
    """
    got = contained(got)
    options = [Choice(contained(item.value), item.any) for item in choices]
    if isinstance(got, SequenceValue):
        return _compare_items(options, got, tolerance)
    if not isinstance(got, Tensor):
        found = [compare(item.value, got, tolerance) for item in options]
        return next((item for item in found if item.difference is None), found[0])
    typed = [
        (item.value, item.any)
        for item in options
        if isinstance(item.value, Tensor) and item.value.type == got.type
    ]
    if not typed:
        return _differ(TYPE, options, got)
    fitting = [(value, free) for value, free in typed if value.shape == got.shape]
    if not fitting:
        return _differ(SHAPE, options, got)
    if any(free for _, free in fitting):
        return Comparison()
    return _compare_tensors([value for value, _ in fitting], got, tolerance)


def _compare_tensors(values: Sequence[Tensor], got: Tensor, tolerance: Tolerance) -> Comparison:
    first = values[0]
    if isinstance(first, Sampled):
        # The positions are those of the output, whichever of its permitted results it is.
        parts = [item.compared for item in values if isinstance(item, Sampled)]
        taken = elements_at(got, first.positions)
        return in_whole(_compare_elements(parts, taken, tolerance), first)
    return _compare_elements(values, got, tolerance)


def _compare_items(
    choices: Sequence[Choice], got: SequenceValue, tolerance: Tolerance
) -> Comparison:
    sequences = [
        (item.value.items, item.any) for item in choices if isinstance(item.value, SequenceValue)
    ]
    if not sequences:
        return _differ(TYPE, choices, got)
    fitting = [(items, free) for items, free in sequences if len(items) == len(got.items)]
    if not fitting:
        return _differ(SHAPE, choices, got)
    for index, item in enumerate(got.items):
        here = [Choice(items[index], free) for items, free in fitting]
        difference = compare_choices(here, item, tolerance).difference
        if difference is not None:
            place = f"item {index} {difference.place}".rstrip()
            return Comparison(
                Difference(
                    difference.aspect,
                    place,
                    difference.expected,
                    difference.got,
                    facts=difference.facts,
                )
            )
    return Comparison()


def _compare_elements(values: Sequence[Tensor], got: Tensor, tolerance: Tolerance) -> Comparison:
    import numpy as np

    near = np.zeros(got.element_count, bool)
    for value in values:
        near |= value.data == got.data or nearness(value, got, tolerance).near
    if near.all():
        return Comparison()
    wrong = np.flatnonzero(~near)
    index = int(wrong[0])
    position = position_of(index, got.shape)
    facts = {"index": position, "differing": len(wrong), "elements": got.element_count}
    permitted = " or ".join(dict.fromkeys(_element(value, index) for value in values))
    return Comparison(
        Difference(VALUE, str(position), permitted, _element(got, index), facts=facts)
    )


def _element(tensor: Tensor, index: int) -> str:
    """One element in words."""
    if isinstance(tensor.data, tuple):
        return repr(tensor.data[index])
    parts = part_count(tensor.type)
    here = bit_patterns(tensor)[index * parts : (index + 1) * parts]
    texts: list[Any] = element_texts(tensor.type, here)
    return str(texts[0])


def _differ(aspect: str, choices: Sequence[Choice], got: Value) -> Comparison:
    expected = " or ".join(dict.fromkeys(text(item.value) for item in choices))
    return Comparison(Difference(aspect, "", expected, text(got)))
