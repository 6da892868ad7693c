"""RMSNormalization 23. Source: its page, the equations of the Summary.

The first stage is computed in the type that stash_type names and cast to the type of X, the second
in that of scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...accuracy.bounds import enclosed_all
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item, Shape, broadcast_to, normalize_axis, unidirectional
from ...arith.intervals import Interval
from ...arith.numbers import Real, from_float
from ...arith.once import each_once, each_pair_once
from ...attributes import float_type
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("RMSNormalization")
def rms_normalization(call: Call) -> Result:
    """Each row divided by the root of the mean of its squares, and scaled.

    A row is all elements of the axes from `axis` on; the scale broadcasts to X. Mean and root are
    computed in the type that `stash_type` names, the quotient is rounded to the type of X, the
    product to that of the scale, which Y has. Refused: a stash_type that is no floating-point type,
    a scale that does not broadcast.
    """
    x, factors = call.grid("X"), call.grid("scale")
    axis = normalize_axis(call.int_attribute("axis"), x.rank)
    stash = float_type(call, "stash_type")
    epsilon = from_float(call.float_attribute("epsilon"))
    scale = broadcast_to(factors, unidirectional(factors.shape, x.shape))
    if not _fits_a_row(factors.shape, x.shape[axis:]):
        # The Summary lets it broadcast to X, the description of the input to a row.
        refuse_if_chosen(call, "scale-beyond-the-row", "broadcast")
    if x.type != factors.type:
        # Y has the type of the scale, and yet Mul has one type.
        refuse_if_chosen(call, "types-that-differ", "type-of-the-scale")
    width = math.prod(x.shape[axis:])
    if not width:
        refuse_if_chosen(call, "nothing-to-normalize", "empty")
    items: list[Item] = []
    for start in range(0, len(x.items), width or 1):
        part = slice(start, start + width)

        def formula(
            steps: Steps,
            row: Sequence[Real] = x.items[part],
            numbers: Sequence[Real] = scale.items[part],
        ) -> list[Interval]:
            first, own = steps.in_type(stash), steps.in_type(x.type)
            given = first.rounded_all(row)
            mean = first.mean(each_once(first.square, given))
            root = first.sqrt(first.add(mean, epsilon))
            found = each_once(lambda item: own.rounded(first.div(item, root)), given)
            return each_pair_once(steps.mul, found, each_once(steps.exactly, numbers))

        items += enclosed_all(factors.type, formula)
    return (Grid(factors.type, x.shape, items),)


def _fits_a_row(shape: Shape, row: Shape) -> bool:
    """Whether a shape that broadcasts to X has nothing but ones beyond the axes of a row."""
    return all(size == 1 for size in shape[: max(len(shape) - len(row), 0)])
