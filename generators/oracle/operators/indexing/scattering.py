"""ScatterND 11 to 18: a tensor with slices of it replaced, or reduced with others.

Source: the ScatterND page, Summary and Attributes. Reductions add and mul were added in
version 16, max and min in version 18.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

from ...accuracy.bounds import rounded
from ...accuracy.factors import product_bound
from ...accuracy.sums import sum_value
from ...arith.grid import Grid, Item, any_of, inside, strides
from ...arith.numbers import (
    Complex,
    Number,
    Real,
    Special,
    add,
    fraction,
    is_finite,
    is_nan,
    is_zero,
    less,
    mul,
)
from ...arith.rationals import Fraction
from ...arith.rounding import is_float, round_to, wrap
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

_ADD_AND_MUL = 16
_MAX_AND_MIN = 18


@oracle("ScatterND", versions=(11, None))
def scatter_nd(call: Call) -> Result:
    """The data, with each slice that an index names replaced by, or reduced with, its update."""
    data, indices, updates = call.grid("data"), call.grid("indices"), call.grid("updates")
    reduction = word(call, "reduction", reductions_of(call.since_version), "none")
    if data.rank < 1 or indices.rank < 1:
        raise InvalidCallError("data or indices have rank 0")
    depth = indices.shape[-1]
    if depth > data.rank:
        raise InvalidCallError(f"indices of {depth} numbers for data of rank {data.rank}")
    shape = (*indices.shape[:-1], *data.shape[depth:])
    if updates.type != data.type or updates.shape != shape:
        raise InvalidCallError(f"updates have shape {list(updates.shape)}, not {list(shape)}")
    groups = _groups(data, indices, updates)
    if depth == 0 and groups:
        refuse_if_chosen(call, "index-of-no-numbers", "all-of-the-data")
    items = list(data.items)
    for place, given in groups.items():
        items[place] = reduced(call, data.type, reduction, items[place], given)
    return (Grid(data.type, data.shape, items),)


def reductions_of(version: int) -> tuple[str, ...]:
    """The reductions that the pages of ScatterND and ScatterElements list at a version."""
    added = ("add", "mul") if version >= _ADD_AND_MUL else ()
    return ("none", *added, *(("max", "min") if version >= _MAX_AND_MIN else ()))


def _groups(data: Grid, indices: Grid, updates: Grid) -> dict[int, list[Number | bytes]]:
    """For each place of the data that is named the elements that come there."""
    depth = indices.shape[-1]
    steps = strides(data.shape)
    length = math.prod(data.shape[depth:])
    groups: dict[int, list[Number | bytes]] = {}
    for row in range(math.prod(indices.shape[:-1])):
        start = 0
        for axis, index in enumerate(indices.items[row * depth : (row + 1) * depth]):
            start += inside(index, data.shape[axis]) * steps[axis]
        for offset in range(length):
            groups.setdefault(start + offset, []).append(updates.items[row * length + offset])
    return groups


def reduced(
    call: Call, name: str, reduction: str, old: Number | bytes, given: Sequence[Number | bytes]
) -> Item:
    """What stands at a place that these elements come to.

    Asks `repeated-index`, `reduction-of-no-numbers`, `integer-overflow` and `extreme-of-nan` where
    the pages are silent.
    """
    if reduction == "none":
        return _replaced(call, given)
    ordered = reduction in {"max", "min"}
    if isinstance(old, bytes) or name == "bool" or (ordered and isinstance(old, Complex)):
        refuse_if_chosen(call, "reduction-of-no-numbers", "data-stays")
        return old
    terms: list[Number] = [old, *given]
    reals = [term for term in terms if isinstance(term, int | Fraction | Special)]
    if ordered:
        return _extreme(call, reduction, reals)
    step = add if reduction == "add" else mul
    if not is_float(name):
        return _whole(call, name, reduce(step, terms))
    if len(reals) == 2:
        return rounded(name, step, *reals)
    return _product(name, reals) if reduction == "mul" else sum_value(name, reals)


def _replaced(call: Call, given: Sequence[Number | bytes]) -> Number | bytes:
    """Which of the updates of a place stays."""
    if len(given) == 1:
        return given[0]
    reading = call.choose("repeated-index", "last-one-stays", "first-one-stays")
    return given[-1] if reading == "last-one-stays" else given[0]


def _whole(call: Call, name: str, total: Number) -> Item:
    """An exact integer in its type; of complex numbers each part is rounded."""
    if not isinstance(total, int):
        return round_to(name, total)
    result = wrap(name, total)
    if result != total:
        refuse_if_chosen(call, "integer-overflow", "wraps")
    return result


def _product(name: str, terms: Sequence[Real]) -> Item:
    exact: Number = Fraction(1)
    for term in terms:
        exact = mul(exact, term)
    if isinstance(exact, int | Fraction | Special) and all(is_finite(term) for term in terms):
        return product_bound(name, fraction(exact), len(terms))
    return round_to(name, exact)


def _extreme(call: Call, reduction: str, terms: Sequence[Real]) -> Item:
    """The greatest or the least; a zero of either sign where there are both."""
    numbers = [term for term in terms if not is_nan(term)]
    if len(numbers) < len(terms):
        reading = call.choose("extreme-of-nan", "nan-stays", "number-stays")
        if reading == "nan-stays" or not numbers:
            return next(term for term in terms if is_nan(term))
    best = numbers[0]
    for term in numbers[1:]:
        if less(best, term) if reduction == "max" else less(term, best):
            best = term
    return any_of(term for term in numbers if is_zero(term)) if is_zero(best) else best
