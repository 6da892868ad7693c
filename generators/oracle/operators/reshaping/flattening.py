"""Flatten, all versions: a matrix of the same elements. Source: its page, Summary and Attributes.

Negative axes count from the back since version 11; before, the range of an axis begins at 0.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ...errors import InvalidCallError
from ...registry import Call, Result, oracle

_NEGATIVE_AXES = 11


@oracle("Flatten")
def flatten(call: Call) -> Result:
    """The dimensions before the axis as rows, the others as columns."""
    data = call.tensor("input")
    rank = len(data.shape)
    axis = call.int_attribute("axis")
    least = -rank if call.since_version >= _NEGATIVE_AXES else 0
    if not least <= axis <= rank:
        raise InvalidCallError(f"axis {axis} is outside [{least}, {rank}]")
    place = axis + rank if axis < 0 else axis
    shape = (math.prod(data.shape[:place]), math.prod(data.shape[place:]))
    return (replace(data, shape=shape),)
