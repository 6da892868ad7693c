"""AffineGrid: positions in an image, moved by a matrix.

Source: its page, Summary and Inputs, and where that is silent the function body on the same page.
"""

from __future__ import annotations

import math

from ...arith.grid import Grid, Item, indices
from ...arith.numbers import ZERO
from ...arith.rationals import Fraction
from ...arith.rounding import unit_roundoff
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .averages import average
from .taps import Tap

# How many roundings a position has.
_ROUNDINGS = 4
_MOST_PLACES = 1 << 16
_SINGLE = {"first": Fraction(-1), "centre": ZERO, "last": Fraction(1)}


@oracle("AffineGrid")
def affine_grid(call: Call) -> Result:
    """For each place of an image the matrix times its position.

    theta is (N, 2, 3) for size (N, C, H, W), or (N, 3, 4) for (N, C, D, H, W); the output is (N, H,
    W, 2) or (N, D, H, W, 3). Positions run from -1 to 1, x before y before z, between the corners'
    centres or their outer edges. Refused: other shapes, a negative size.
    """
    theta = call.grid("theta")
    size = call.integers("size")
    axes = len(size) - 2
    if call.grid("size").rank != 1 or axes not in {2, 3}:
        raise InvalidCallError(f"size has {len(size)} elements, neither 4 nor 5")
    if theta.shape != (size[0], axes, axes + 1) or any(number < 0 for number in size):
        raise InvalidCallError(f"theta has shape {list(theta.shape)} for size {list(size)}")
    if math.prod((size[0], *size[2:])) > _MOST_PLACES or max(size[2:]) > _MOST_PLACES:
        raise InvalidCallError("the grid has more positions than can be held")
    if 0 in size[2:]:
        refuse_if_chosen(call, "size-of-0", "nothing")
    corners = call.int_attribute("align_corners", 0) != 0
    rows = [
        [_position(call, theta.type, place, length, corners=corners) for place in range(length)]
        for length in size[2:]
    ]
    items: list[Item] = []
    width = axes + 1
    for batch in range(size[0]):
        for index in indices(size[2:]):
            # The last axis of the image is the first coordinate.
            position = [row[place] for row, place in zip(rows, index, strict=True)][::-1]
            taps = [*position, Tap(0, Fraction(1))]
            for row in range(axes):
                start = (batch * axes + row) * width
                items.append(average(theta.type, theta.items[start : start + width], taps))
    return (Grid(theta.type, (size[0], *size[2:], axes), items),)


def _position(call: Call, name: str, place: int, length: int, *, corners: bool) -> Tap:
    """Where a place lies from -1 to 1: centres between the edges, or from the first to the last."""
    if not corners:
        exact = Fraction(2 * place + 1, length) - 1
    elif length > 1:
        exact = Fraction(2 * place, length - 1) - 1
    else:
        reading = call.choose("single-aligned", *_SINGLE)
        exact = _SINGLE[reading]
    # Runtimes space positions evenly from one end to the other, with a rounding at each step.
    return Tap(0, exact, _ROUNDINGS * unit_roundoff(name))
