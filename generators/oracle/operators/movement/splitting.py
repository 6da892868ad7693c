"""Split 1 to 18: a tensor in parts along an axis. Source: the Split page, Summary and Attributes.

The lengths of the parts are an attribute or an input of floats in version 1, an attribute up to 12,
an input of int64 since 13. Without them the parts are equal: as many as the node has outputs, and
since 18 as many as `num_outputs` says, where the last one may be smaller.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arith.grid import Grid, normalize_axis, places, strides
from ...arith.rationals import Fraction
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

_NEGATIVE_AXES = 11
_SUM_IS_STATED = 13
_NUM_OUTPUTS = 18


@oracle("Split")
def split(call: Call) -> Result:
    """The parts, one after the other along the axis.

    The lengths come from `split`, or the axis is divided evenly among the outputs, or by
    num_outputs with a shorter last part. Refused: lengths that do not add up to the axis, more
    outputs than parts.
    """
    data = call.grid("input")
    axis = call.int_attribute("axis", 0)
    place = normalize_axis(axis, data.rank)
    lengths = _lengths(call, data.shape[place])
    count = len(call.outputs) or len(lengths)
    if count > len(lengths):
        raise InvalidCallError(f"{count} outputs for {len(lengths)} parts")
    if count < len(lengths):
        refuse_if_chosen(call, "fewer-outputs-than-parts", "first-parts")
    if axis < 0 and call.since_version < _NEGATIVE_AXES:
        refuse_if_chosen(call, "negative-axis", "from-the-back")
    return tuple(parts_along(data, place, lengths))[:count]


def parts_along(data: Grid, axis: int, lengths: Sequence[int]) -> list[Grid]:
    """Parts of these lengths along an axis, one behind the other."""
    parts = []
    steps = strides(data.shape)
    begin = 0
    for length in lengths:
        shape = (*data.shape[:axis], length, *data.shape[axis + 1 :])
        parts.append(data.take(places(shape, steps, begin * steps[axis]), shape))
        begin += length
    return parts


def _lengths(call: Call, size: int) -> tuple[int, ...]:
    """How long each part is; InvalidCallError where the lengths do not make up the axis."""
    given = _given(call)
    if call.since_version >= _NUM_OUTPUTS:
        counted = "num_outputs" in call.attributes
        if counted and given is not None:
            raise InvalidCallError("both 'split' and 'num_outputs' are given")
        if counted:
            return _chunks(call, size)
        if given is None:
            refuse_if_chosen(call, "neither-split-nor-num-outputs", "equal-parts")
    return _equal(call, size) if given is None else _checked(call, given, size)


def _given(call: Call) -> tuple[int, ...] | None:
    """The lengths that the call gives, as attribute or as input."""
    if "split" in call.attributes:
        return call.ints_attribute("split")
    if not call.has("split"):
        return None
    lengths = []
    for item in call.grid("split", rank=1).items:
        if not isinstance(item, int | Fraction) or item != int(item):
            raise InvalidCallError(f"{item} is no length")
        lengths.append(int(item))
    return tuple(lengths)


def _checked(call: Call, lengths: tuple[int, ...], size: int) -> tuple[int, ...]:
    if any(length < 0 for length in lengths):
        raise InvalidCallError(f"a length below 0 in {list(lengths)}")
    if call.outputs and len(call.outputs) != len(lengths):
        raise InvalidCallError(f"{len(lengths)} lengths for {len(call.outputs)} outputs")
    total = sum(lengths)
    if total > size or (total < size and call.since_version >= _SUM_IS_STATED):
        raise InvalidCallError(f"lengths {list(lengths)} do not make up {size}")
    if total < size:
        refuse_if_chosen(call, "lengths-fall-short", "rest-is-left-out")
    return lengths


def _equal(call: Call, size: int) -> tuple[int, ...]:
    """Equal parts, one for each output of the node."""
    count = len(call.outputs) or 1
    if size % count:
        refuse_if_chosen(call, "not-divisible", "last-is-smaller")
        return _ceiling(size, count)
    return (size // count,) * count


def _chunks(call: Call, size: int) -> tuple[int, ...]:
    """As many parts as num_outputs says, equal but for a smaller last one."""
    count = call.int_attribute("num_outputs")
    if count < 1:
        raise InvalidCallError(f"num_outputs is {count}")
    if size and -(-size // count) * (count - 1) >= size:
        refuse_if_chosen(call, "several-smaller-parts", "parts-run-out")
    return _ceiling(size, count)


def _ceiling(size: int, count: int) -> tuple[int, ...]:
    """Parts of the least whole length that suffices; what is left goes to the last ones."""
    length = -(-size // count)
    return tuple(min(length, max(size - length * place, 0)) for place in range(count))
