"""Scaler, Normalizer: features as floats. Source: their pages, Summary and Attributes.

Both take numbers of any type and give float32. In which type they compute no page says: what steps
in float32 may give is permitted, the rounding of the input to it among them. An element of a
wider type may be an infinity then, and NaN what is divided by itself or multiplied by 0; so may be
a quotient of squares that overflow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...accuracy.bounds import enclosed, enclosed_all
from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item
from ...arith.intervals import Interval, hull
from ...arith.numbers import NAN, ZERO, Real, fraction, from_float, is_finite, is_negative
from ...arith.rounding import greatest
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

DOMAIN = "ai.onnx.ml"
RESULT = "float32"


@oracle("Scaler", domain=DOMAIN)
def scaler(call: Call) -> Result:
    """Each element less its feature's offset, times the feature's scale.

    A feature is a place of the last axis; one offset or scale serves all. The output is float32 in
    the shape of X. Refused: lists of different lengths, or for another number of features.
    """
    grid = call.grid("X")
    for name in ("offset", "scale"):
        if name not in call.attributes:
            refuse_if_chosen(call, "without-a-list", "left-out")
    offset = [from_float(item) for item in call.floats_attribute("offset", (0.0,))]
    scale = [from_float(item) for item in call.floats_attribute("scale", (1.0,))]
    given = "offset" in call.attributes and "scale" in call.attributes
    if given and len(offset) != len(scale):
        raise InvalidCallError(f"{len(offset)} offsets and {len(scale)} scales")
    width = grid.shape[-1] if grid.rank else 1
    for factors in (offset, scale):
        if len(factors) not in (1, width):
            raise InvalidCallError(f"{len(factors)} numbers for {width} features")
    if max(len(offset), len(scale)) > 1 and grid.rank != 2:
        refuse_if_chosen(call, "features-of-another-rank", "last-axis")

    def element(place: int, x: Real) -> Item:
        feature = place % width
        shift, factor = offset[feature % len(offset)], scale[feature % len(scale)]
        return enclosed(
            RESULT,
            lambda steps, given: steps.mul(
                steps.sub(steps.rounded(given), steps.exactly(shift)), steps.exactly(factor)
            ),
            x,
        )

    return (Grid(RESULT, grid.shape, [element(*item) for item in enumerate(grid.items)]),)


@oracle("Normalizer", domain=DOMAIN)
def normalizer(call: Call) -> Result:
    """Each row divided by its maximum, its sum, or the root of the sum of its squares."""
    grid = call.grid("X")
    norm = word(call, "norm", _NORMS)
    if grid.rank not in (1, 2):
        raise InvalidCallError(f"X has rank {grid.rank}, not 1 or 2")
    width = grid.shape[-1]
    items: list[Item] = []
    for start in range(0, math.prod(grid.shape), max(width, 1)):
        items += _NORMS[norm](call, grid.items[start : start + width])
    return (Grid(RESULT, grid.shape, items),)


def _is_signed(call: Call, row: Sequence[Real]) -> bool:
    """Whether a row keeps the signs that the page's formula takes and a norm would not."""
    if not any(map(is_negative, row)):
        return True
    return call.choose("formula-or-norm", "formula", "norm") == "formula"


def _by_maximum(call: Call, row: Sequence[Real]) -> Sequence[Item]:
    """The formula's divisor is max(X); a norm's the greatest absolute element."""
    signed = _is_signed(call, row)
    numbers = [item for item in row if item is not NAN]
    if len(numbers) < len(row) and (
        not numbers or call.choose("nan-in-maximum", "propagates", "ignored") == "propagates"
    ):
        return [NAN] * len(row)

    def divided(steps: Steps) -> list[Interval]:
        sizes = [steps.exactly(item) for item in numbers]
        chosen = [size if signed else steps.absolute(size) for size in sizes]
        return _divided(steps, row, steps.rounded(steps.greatest(chosen)))

    return enclosed_all(RESULT, divided, nan=_overflows(row))


def _overflows(row: Sequence[Real], power: int = 1) -> bool:
    """Whether the sum of powers may be beyond the type of the result, or an element is.

    A quotient may be NaN then, infinity by infinity. Where a divisor vanishes it may not: of a
    divisor of zero the page says what is due.
    """
    sizes = (abs(fraction(x)) ** power for x in row if is_finite(x))
    return sum(sizes, start=ZERO) >= greatest(RESULT)


def _by_sum(call: Call, row: Sequence[Real]) -> Sequence[Item]:
    """The formula's divisor is sum(X); that of a norm the sum of the absolute elements."""
    signed = _is_signed(call, row)

    def divided(steps: Steps) -> list[Interval]:
        given = steps.rounded_all(row)
        terms = given if signed else [steps.absolute(item) for item in given]
        return _divided(steps, row, steps.sum(terms))

    return enclosed_all(RESULT, divided, nan=_overflows(row))


def _by_squares(call: Call, row: Sequence[Real]) -> Sequence[Item]:
    """The formula is the root of X^2 / sum(X^2), which has no sign; a norm keeps it."""
    # Where all is positive the two are one.
    signless = any(map(is_negative, row)) and _is_signed(call, row)

    def of_quotient(steps: Steps) -> list[Interval]:
        given = steps.rounded_all(row)
        squares = [steps.square(item) for item in given]
        total = steps.sum(squares)
        if _is_zero(total):
            return given
        roots = [steps.sqrt(steps.div(square, total)) for square in squares]
        return [
            steps.neg(root) if is_negative(item) and not signless else root
            for item, root in zip(row, roots, strict=True)
        ]

    def of_root(steps: Steps) -> list[Interval]:
        given = steps.rounded_all(row)
        root = steps.sqrt(steps.sum([steps.square(item) for item in given]))
        if signless:
            given = [steps.absolute(item) for item in given]
        return (
            steps.rounded_all(row) if _is_zero(root) else [steps.div(item, root) for item in given]
        )

    return enclosed_all(RESULT, of_quotient, alternatives=[of_root], nan=_overflows(row, 2))


def _divided(steps: Steps, row: Sequence[Real], divisor: Interval) -> list[Interval]:
    given = steps.rounded_all(row)
    if _is_zero(divisor):
        return given
    quotients = [steps.div(item, divisor) for item in given]
    if steps.profile == REAL or ZERO not in divisor:
        return quotients
    # The divisor may vanish in float32, and is zero then, which leaves the row as it is.
    return [hull(*both) for both in zip(quotients, given, strict=True)]


def _is_zero(x: Interval) -> bool:
    return x.low == 0 == x.high


_NORMS = {"MAX": _by_maximum, "L1": _by_sum, "L2": _by_squares}
