"""ArgMax, ArgMin and Hardmax, all versions: where in a row the greatest or the least element is.

Sources: their pages, Summary and Attributes. No page says what NaN is in a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arith.grid import Grid, Item, each_group, lines, normalize_axis, reduced_shape
from ...arith.numbers import NEG_ZERO, ONE, ZERO, Real, is_nan, order
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..flags import is_set
from .axes import kept
from .softmax import rows_of

_AXIS_IN_RANGE = 11
# The first version that says which of several equal elements is meant.
_TIES_ARE_RULED = 12
# The version whose page has it that the input must not be empty.
_NOT_EMPTY = 11


@oracle("ArgMax")
@oracle("ArgMin")
def positions(call: Call) -> Result:
    """The position of the greatest or the least element in each line along the axis."""
    data = call.grid("data")
    keep = kept(call)
    axis = call.int_attribute("axis", 0)
    if data.rank == 0:
        # No number is in the range of the axis, and yet the default is not ruled out.
        refuse_if_chosen(call, "scalar", "one-element")
        return (Grid("int64", (), [0]),)
    if axis < 0 and call.since_version < _AXIS_IN_RANGE:
        refuse_if_chosen(call, "negative-axis", "from-the-back")
    axis = normalize_axis(axis, data.rank)
    last = _takes_last(call)
    if not data.items and call.since_version == _NOT_EMPTY:
        if data.shape[axis] == 0:
            raise InvalidCallError("the input is empty")
        refuse_if_chosen(call, "empty-input", "empty-output")
    shape = reduced_shape(data.shape, (axis,), keep=keep)
    greatest = call.operator == "ArgMax"
    found = []
    for line in lines(data.shape, axis):
        row = [data.items[place] for place in line]
        found.append(_position(call, row, greatest=greatest, last=last))
    return (Grid("int64", shape, found),)


def _takes_last(call: Call) -> bool:
    """Which of several equal elements is meant."""
    question = "select-beyond-1"
    return is_set(call, "select_last_index", 0, question=question, readings=("last", "first"))


def _position(call: Call, row: Sequence[Real], *, greatest: bool, last: bool) -> int:
    """The position of the greatest or the least element; of equal ones that of one end."""
    if not row:
        refuse_if_chosen(call, "no-element", "zero")
        return 0
    nans = [position for position, item in enumerate(row) if is_nan(item)]
    if len(nans) == len(row):
        return 0 if call.choose("only-nan", "first", "last") == "first" else len(row) - 1
    if nans:
        reading = call.choose("nan-in-a-row", "ignored", "first-nan", "last-nan")
        if reading != "ignored":
            return nans[0] if reading == "first-nan" else nans[-1]
    return _extreme(call, row, greatest=greatest, last=last)


def _extreme(call: Call, row: Sequence[Real], *, greatest: bool, last: bool) -> int:
    """The position among those that hold a number."""
    equal = True
    if any(item is NEG_ZERO for item in row) and any(item == 0 for item in row):
        equal = call.choose("zeros-of-both-signs", "equal", "ordered") == "equal"
    # Of a long row many elements are one object.
    keys = {
        id(item): order(ZERO if item is NEG_ZERO and equal else item)
        for item in {id(item): item for item in row}.values()
        if not is_nan(item)
    }
    extreme = (max if greatest else min)(keys.values())
    places = {place for place, key in keys.items() if key == extreme}
    held = [position for position, item in enumerate(row) if id(item) in places]
    if len(held) > 1 and _is_silent_on_ties(call):
        last = call.choose("equal-elements", "first", "last") == "last"
    return held[-1] if last else held[0]


def _is_silent_on_ties(call: Call) -> bool:
    """Whether the page does not say which of several equal elements is meant."""
    return call.operator != "Hardmax" and call.since_version < _TIES_ARE_RULED


@oracle("Hardmax")
def hardmax(call: Call) -> Result:
    """1 for the first greatest element of each row, 0 for the others."""
    grid = call.grid("input")

    def one_hot(row: Sequence[Real]) -> list[Item]:
        first = _first(call, row) if row else None
        return [ONE if place == first else ZERO for place in range(len(row))]

    return (each_group(grid, rows_of(call, grid.shape), one_hot),)


def _first(call: Call, row: Sequence[Real]) -> int | None:
    """The position of the first greatest element; None where a row with NaN has none."""
    nans = [position for position, item in enumerate(row) if is_nan(item)]
    if nans:
        reading = call.choose("nan-in-a-row", "nan-is-greatest", "ignored", "none")
        # Where NaN is not ignored no number is equal to it or above it.
        if reading == "none" or (reading == "ignored" and len(nans) == len(row)):
            return None
        if reading == "nan-is-greatest":
            return nans[0]
    return _extreme(call, row, greatest=True, last=False)
