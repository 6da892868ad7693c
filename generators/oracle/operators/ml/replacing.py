"""Imputer, Binarizer: elements replaced by a comparison. Source: their pages."""

from __future__ import annotations

from ...arith.grid import Grid
from ...arith.numbers import NAN, ONE, ZERO, Real, equal, from_float, less
from ...arith.rounding import fits, is_float
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .forests import beside_threshold
from .scaling import DOMAIN

_FLOATS, _INTEGERS = "imputed_value_floats", "imputed_value_int64s"


@oracle("Imputer", domain=DOMAIN)
def imputer(call: Call) -> Result:
    """Elements that equal one value become another, one for all features or one for each."""
    grid = call.grid("X")
    values = _values(call, grid.type)
    replaced = _replaced(call, grid.type)
    width = grid.shape[-1] if grid.rank else 1
    if len(values) not in (1, width):
        raise InvalidCallError(f"{len(values)} values for {width} features")
    if grid.rank not in (1, 2):
        refuse_if_chosen(call, "another-rank", "last-axis")
        if grid.rank > 1 and len(values) not in (1, grid.shape[1]):
            refuse_if_chosen(call, "features-of-another-rank", "last-axis")

    def element(place: int, x: Real) -> Real:
        # NaN is one of the page's examples of a missing value, so that here it equals itself.
        missing = x is NAN if replaced is NAN else equal(x, replaced)
        return values[place % width % len(values)] if missing else x

    return (Grid(grid.type, grid.shape, [element(*item) for item in enumerate(grid.items)]),)


def _values(call: Call, name: str) -> list[Real]:
    """What missing elements become, of the kind of the input's type."""
    given = [item for item in (_FLOATS, _INTEGERS) if call.attributes.get(item)]
    if given != [_FLOATS if is_float(name) else _INTEGERS]:
        raise InvalidCallError(f"{' and '.join(given) or 'no values'} for elements of {name}")
    if is_float(name):
        return [from_float(item) for item in call.floats_attribute(_FLOATS)]
    values = call.ints_attribute(_INTEGERS)
    if not all(fits(name, item) for item in values):
        raise InvalidCallError(f"a value of {list(values)} is no {name}")
    return list(values)


def _replaced(call: Call, name: str) -> Real:
    if is_float(name):
        return from_float(call.float_attribute("replaced_value_float"))
    return call.int_attribute("replaced_value_int64")


@oracle("Binarizer", domain=DOMAIN)
def binarizer(call: Call) -> Result:
    """1 for what is greater than the threshold, 0 for the others."""
    grid = call.grid("X")
    threshold = from_float(call.float_attribute("threshold"))
    if NAN in grid.items:
        refuse_if_chosen(call, "not-a-number", "not-greater")
    zero, one = (ZERO, ONE) if is_float(grid.type) else (0, 1)

    def is_greater(x: Real) -> bool:
        return beside_threshold(call, "float32", x, lambda item: less(threshold, item))

    return (grid.map(lambda item: one if is_greater(item) else zero),)
