"""Gemm, all versions. Source: its page, Summary, Inputs and Attributes; Broadcasting.md.

Before version 7, C is broadcast only if the attribute `broadcast` says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...accuracy.bounds import dot_bound, or_nan
from ...accuracy.profiles import GPU, IEEE, accumulator
from ...accuracy.sums import dot_value, scaled
from ...arith.grid import (
    AnyOf,
    Enclosed,
    Grid,
    Item,
    Shape,
    any_of,
    broadcast_to,
    transpose,
    unidirectional,
    value_of,
)
from ...arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    ZERO,
    Number,
    Real,
    add,
    fraction,
    from_float,
    is_finite,
    is_zero,
    mul,
    real,
)
from ...arith.rationals import Fraction
from ...arith.rounding import is_float, overflow, round_to, unit_roundoff
from ...arith.rules import rule
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..elementwise.arithmetic import held

_NUMPY_BROADCASTING = 7


@oracle("Gemm")
def general_product(call: Call) -> Result:
    """Alpha * A' * B' + beta * C.

    A' is (M, K), B' (K, N), each transposed where its attribute is not 0; C broadcasts to (M, N),
    the shape of Y. Refused: another rank than 2, inner sizes that differ, a C that does not
    broadcast.
    """
    a, b = _matrix(call, "A", "transA"), _matrix(call, "B", "transB")
    if a.shape[1] != b.shape[0]:
        raise InvalidCallError(f"{list(a.shape)} by {list(b.shape)}")
    shape = (a.shape[0], b.shape[1])
    c = _added(call, shape)
    alpha = from_float(call.float_attribute("alpha", 1.0))
    beta = from_float(call.float_attribute("beta", 1.0))
    items = []
    inner, columns = b.shape
    for row in range(shape[0]):
        line = a.items[row * inner : (row + 1) * inner]
        for column in range(columns):
            stack = [b.items[place * columns + column] for place in range(inner)]
            third = None if c is None else c.items[row * columns + column]
            items.append(_element(call, a.type, line, stack, third, alpha, beta))
    return (Grid(a.type, shape, items),)


def _matrix(call: Call, name: str, flag: str) -> Grid:
    """A factor, transposed if the attribute says so; InvalidCallError if it is not a matrix."""
    grid = call.grid(name, rank=2)
    return transpose(grid, (1, 0)) if call.int_attribute(flag, 0) else grid


def _added(call: Call, shape: Shape) -> Grid | None:
    """C in the shape of the product."""
    c = call.optional_grid("C")
    if c is None or c.shape == shape:
        return c
    if call.since_version < _NUMPY_BROADCASTING:
        if not call.int_attribute("broadcast", 0):
            raise InvalidCallError(f"C has shape {list(c.shape)}, not {list(shape)}")
        if c.shape != shape[2 - c.rank :]:
            refuse_if_chosen(call, "broadcast-of-ones", "repeated")
    return broadcast_to(c, unidirectional(c.shape, shape))


def _element(  # noqa: PLR0913, PLR0917  what one element is made of
    call: Call,
    name: str,
    line: Sequence[Any],
    stack: Sequence[Any],
    third: Any,  # noqa: ANN401  an element or None
    alpha: Real,
    beta: Real,
) -> Item:
    if is_float(name):
        return _float(call, name, line, stack, third, alpha, beta)
    total = fraction(alpha) * sum(x * y for x, y in zip(line, stack, strict=True))
    total += fraction(beta) * (third or 0)
    if fraction(alpha).denominator != 1 or fraction(beta).denominator != 1:
        refuse_if_chosen(call, "fraction-of-integers", "cut-off")
    return held(call, name, math.trunc(total), "integer-overflow")


def _float(  # noqa: PLR0913, PLR0917  what one element is made of
    call: Call,
    name: str,
    line: Sequence[Real],
    stack: Sequence[Real],
    third: Real | None,
    alpha: Real,
    beta: Real,
) -> Item:
    if _is_read(call, alpha, (*line, *stack)):
        finite = all(map(is_finite, (*line, *stack, alpha)))
    else:
        line, stack, finite = (), (), True
    if third is None or not _is_read(call, beta, (third,)):
        third, beta = ZERO, ZERO
    if not finite or not is_finite(third) or not is_finite(beta):
        added = mul(beta, third)
        if finite:
            sums = [added, *(add(end, added) for end in _overflowing(name, line, stack, alpha))]
        else:
            sums = [add(mul(alpha, total), added) for total in _infinite(name, line, stack)]
        return any_of(round_to(name, item) for item in sums)
    one, other = scaled(line), scaled(stack)
    exact, magnitude = one.dot(other)
    factor, weight = fraction(alpha), fraction(beta)
    more = weight * fraction(third)
    quantum = min(
        one.quantum() * other.quantum() * scaled([factor]).quantum(),
        scaled([weight]).quantum() * scaled([third]).quantum(),
    )
    # A factor for the elements of both matrices, and the rounding of the product and of the sum.
    item = dot_bound(
        name,
        factor * exact + more,
        abs(factor) * magnitude + abs(more),
        len(line) + 4,
        largest=max(one.largest(), other.largest(), abs(factor), abs(weight), Fraction(1)),
        quantum=quantum,
    )
    return _with_overflow(
        item,
        _overflowing(name, line, stack, alpha),
        _overflowing(name, line, stack, alpha, GPU),
    )


def _with_overflow(item: Item, ends: Sequence[Number], gpu: Sequence[Number]) -> Item:
    """The item, or the infinities and NaN that it may be instead where something overflows."""
    if not gpu or isinstance(item, AnyOf):
        return item
    if not isinstance(item, Enclosed):
        number = real(item)
        item = Enclosed(number, number, number, number, number, rule("sum"))
    if NEG_INF in gpu:
        item = replace(item, low=NEG_INF if NEG_INF in ends else item.low, gpu_low=NEG_INF)
    if INF in gpu:
        item = replace(item, high=INF if INF in ends else item.high, gpu_high=INF)
    return or_nan(item) if NAN in ends else item


def _overflowing(
    name: str, line: Sequence[Real], stack: Sequence[Real], alpha: Real, profile: str = IEEE
) -> Sequence[Number]:
    """What alpha times the product may be where A' * B' or alpha * A' overflows before the rest.

    The page writes alpha * A' * B' without saying which of the products is first: an infinity of
    the first one remains, and times a zero it is NaN.
    """
    one, other = scaled(line), scaled(stack)
    _, magnitude = one.dot(other)
    kept_in = accumulator(name, profile)
    most = overflow(kept_in) / (1 + (len(line) + 1) * unit_roundoff(kept_in))
    factor = fraction(alpha)
    if magnitude >= most:
        (low, high), ways = _signs(line, stack), (NEG_INF, INF)
        found = [mul(alpha, end) for end, may in zip(ways, (low, high), strict=True) if may]
        return [*found, NAN] if low and high else found
    if any(abs(factor) * most_of >= most for most_of in (one.largest(), other.largest())):
        return (NEG_INF, INF, NAN)
    return ()


def _signs(line: Sequence[Real], stack: Sequence[Real]) -> tuple[bool, bool]:
    """Whether a product is below zero, and whether one is above."""
    products = [fraction(x) * fraction(y) for x, y in zip(line, stack, strict=True)]
    return any(x < 0 for x in products), any(x > 0 for x in products)


def _infinite(name: str, line: Sequence[Real], stack: Sequence[Real]) -> Sequence[Number]:
    """The sums of products that may be if some factor of the formula is infinite or NaN."""
    if all(map(is_finite, (*line, *stack))):
        one, other = scaled(line), scaled(stack)
        return (one.dot(other)[0],)
    total = dot_value(name, line, stack)
    return total.numbers if isinstance(total, AnyOf) else (value_of(total),)


def _is_read(call: Call, factor: Real, elements: Sequence[Real]) -> bool:
    """Whether elements count: with a factor of 0 a BLAS does not read them."""
    if not is_zero(factor) or all(map(is_finite, elements)):
        return True
    return call.choose("zero-times-infinity", "formula", "not-read") == "formula"
