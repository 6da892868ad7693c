"""GatherElements, ScatterElements and Scatter: an index for each element, along one axis.

Sources: the pages of the three, Summary, Attributes and Inputs. Scatter-9 says nothing of indices
below 0; reductions were added in ScatterElements-16.
"""

from __future__ import annotations

from ...arith.grid import Grid, inside, normalize_axis, places, strides
from ...arith.numbers import Number
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .scattering import reduced, reductions_of


@oracle("GatherElements")
def gather_elements(call: Call) -> Result:
    """At each place the element of the data whose place along the axis is the index there."""
    data, indices = call.grid("data"), call.grid("indices")
    named = _places(call, data, indices)
    return (data.take(named, indices.shape),)


@oracle("ScatterElements")
@oracle("Scatter", versions=(9, 10))
def scatter_elements(call: Call) -> Result:
    """The data, with each place that an index names replaced by, or reduced with, its update."""
    data, indices, updates = call.grid("data"), call.grid("indices"), call.grid("updates")
    reduction = word(call, "reduction", reductions_of(call.since_version), "none")
    if updates.type != data.type or updates.shape != indices.shape:
        raise InvalidCallError(
            f"updates have shape {list(updates.shape)}, indices {list(indices.shape)}"
        )
    named = _places(call, data, indices)
    if call.operator == "Scatter" and any(index < 0 for index in indices.items):
        refuse_if_chosen(call, "negative-index", "from-the-back")
    groups: dict[int, list[Number]] = {}
    for place, update in zip(named, updates.items, strict=True):
        groups.setdefault(place, []).append(update)
    items = list(data.items)
    for place, given in groups.items():
        items[place] = reduced(call, data.type, reduction, items[place], given)
    return (Grid(data.type, data.shape, items),)


def _places(call: Call, data: Grid, indices: Grid) -> list[int]:
    """For each index the place of the data that it names.

    InvalidCallError for a rank of 0, ranks that differ, and what lies outside of the data.
    """
    if data.rank < 1 or indices.rank != data.rank:
        raise InvalidCallError(f"data of rank {data.rank}, indices of rank {indices.rank}")
    axis = normalize_axis(call.int_attribute("axis"), data.rank)
    size = data.shape[axis]
    others = zip(indices.shape, data.shape, strict=True)
    if any(own > most for place, (own, most) in enumerate(others) if place != axis):
        if indices.items:
            raise InvalidCallError(f"{list(indices.shape)} lies outside of {list(data.shape)}")
        refuse_if_chosen(call, "empty-indices-beyond", "nothing")
    steps = strides(data.shape)
    starts = places(indices.shape, [*steps[:axis], 0, *steps[axis + 1 :]])
    return [
        start + inside(index, size) * steps[axis]
        for start, index in zip(starts, indices.items, strict=True)
    ]
