"""Sequences and optionals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.tensors import Arr, CannotAnswerError, Opt, Seq
from ..shared import whole


def _sequence(call: Call, place: int) -> Seq:
    value = call.raw(place)
    if not isinstance(value, Seq):
        raise CannotAnswerError(f"input {place} of {call.operator} is no sequence")
    return value


@evaluates("SequenceConstruct")
def construct(call: Call) -> Seq:
    """`SequenceConstruct`: the inputs in order."""
    return Seq(call.inputs)


@evaluates("SequenceEmpty")
def empty(call: Call) -> Seq:
    """`SequenceEmpty`: no item."""
    del call
    return Seq(())


@evaluates("SequenceLength")
def length(call: Call) -> Arr:
    """`SequenceLength`: how many items."""
    return whole(np.int64(len(_sequence(call, 0).items)).reshape(()))


def _place(call: Call, place: int, count: int) -> int:
    found = int(call.arr(place).item)
    return found + count if found < 0 else found


@evaluates("SequenceAt")
def at(call: Call) -> Any:  # noqa: ANN401  an item
    """`SequenceAt`: the item at a position, from the back if it is negative."""
    items = _sequence(call, 0).items
    return items[_place(call, 1, len(items))]


@evaluates("SequenceErase")
def erase(call: Call) -> Seq:
    """`SequenceErase`: without the item at a position, by default the last."""
    items = list(_sequence(call, 0).items)
    del items[_place(call, 1, len(items)) if call.has(1) else -1]
    return Seq(tuple(items))


@evaluates("SequenceInsert")
def insert(call: Call) -> Seq:
    """`SequenceInsert`: with a tensor before a position, by default at the end."""
    items = list(_sequence(call, 0).items)
    items.insert(_place(call, 2, len(items)) if call.has(2) else len(items), call.raw(1))
    return Seq(tuple(items))


@evaluates("ConcatFromSequence")
def concat(call: Call) -> Arr:
    """`ConcatFromSequence`: the items along an axis, or along a new one."""
    items = _sequence(call, 0).items
    if not items:
        raise CannotAnswerError("nothing to concatenate")
    parts = [item.data for item in items]
    axis = call.attr("axis")
    if call.attr("new_axis"):
        return Arr(items[0].type, np.stack(parts, axis))
    return Arr(items[0].type, np.concatenate(parts, axis))


@evaluates("SplitToSequence")
def split(call: Call) -> Seq:
    """`SplitToSequence`: parts of one, of one length, or of these lengths."""
    data, axis = call.data(0), call.attr("axis")
    size = data.shape[axis]
    if not call.has(1):
        parts = [np.take(data, [place], axis) for place in range(size)]
        if not call.attr("keepdims", 1):
            parts = [item.squeeze(axis) for item in parts]
        return Seq(tuple(Arr(call.type, item) for item in parts))
    given = call.arr(1)
    if given.data.ndim == 0:
        step = int(given.item)
        ends = [*range(0, size, step), size]
    else:
        ends = [0, *np.cumsum(given.data).tolist()]
    return Seq(
        tuple(Arr(call.type, np.take(data, np.arange(a, b), axis)) for a, b in pairwise(ends))
    )


@evaluates("SequenceMap")
def mapped(call: Call) -> tuple[Seq, ...]:
    """`SequenceMap`: a graph on each item; tensors beside are the same for all."""
    count = len(_sequence(call, 0).items)
    rows = []
    for place in range(count):
        inputs = [item.items[place] if isinstance(item, Seq) else item for item in call.inputs]
        rows.append(call.bodies["body"](inputs))
    return tuple(Seq(tuple(row[place] for row in rows)) for place in range(len(call.outputs)))


@evaluates("Optional")
def optional(call: Call) -> Any:  # noqa: ANN401  what it holds
    """`Optional`: with the input inside, or empty."""
    return call.raw(0) if call.has(0) else Opt()


@evaluates("OptionalHasElement")
def has_element(call: Call) -> Arr:
    """`OptionalHasElement`: whether something is there."""
    found = call.has(0) and not (isinstance(call.raw(0), Opt) and call.raw(0).value is None)
    return Arr("bool", np.asarray(found))


@evaluates("OptionalGetElement")
def get_element(call: Call) -> Any:  # noqa: ANN401  what it holds
    """`OptionalGetElement`: what is inside."""
    value = call.raw(0)
    if isinstance(value, Opt):
        if value.value is None:
            raise CannotAnswerError("nothing is inside, which is undefined")
        return value.value
    return value
