"""ArrayFeatureExtractor, FeatureVectorizer, OneHotEncoder: features selected, joined, spread.

Source: their pages, Summary, Inputs, Outputs and Attributes.
"""

from __future__ import annotations

import math
from typing import Any

from ...arith.grid import Grid
from ...arith.numbers import ONE, ZERO, Real, as_float, fraction, is_finite
from ...arith.rounding import Rounding, fits, limits, round_signed, round_to, wrap
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .scaling import DOMAIN, RESULT

_ROUNDINGS = {"truncated": Rounding.TOWARD_ZERO, "nearest": Rounding.NEAREST_EVEN}


@oracle("ArrayFeatureExtractor", domain=DOMAIN)
def array_feature_extractor(call: Call) -> Result:
    """The elements of the last axis that the indices name, in their order."""
    grid, indices = call.grid("X"), call.integers("Y")
    if not grid.rank:
        raise InvalidCallError("X is a scalar, which has no last axis")
    if call.tensor("Y").shape not in {(len(indices),), (1, len(indices))}:
        refuse_if_chosen(call, "indices-of-another-rank", "in-order")
    width = grid.shape[-1]
    if any(not -width <= index < width for index in indices):
        raise InvalidCallError(f"an index of {list(indices)} is beyond {width} features")
    if min(indices, default=0) < 0:
        refuse_if_chosen(call, "negative-index", "from-the-back")
    starts = range(0, math.prod(grid.shape), width) if grid.items else ()
    taken = [start + index % width for start in starts for index in indices]
    shape = (*grid.shape[:-1], len(indices))
    if grid.rank == 1 and call.choose("shape-of-a-row", "matrix", "row") == "matrix":
        shape = (1, *shape)
    return (grid.take(taken, shape),)


@oracle("FeatureVectorizer", domain=DOMAIN)
def feature_vectorizer(call: Call) -> Result:
    """The columns of all inputs one after the other, as float32.

    An input is (rows, columns), or one row; `inputdimensions` cuts each or fills it with zeros. The
    output is (rows, sum of the widths). Refused: inputs of different types or numbers of rows,
    another rank.
    """
    grids = call.grids("X")
    if len({grid.type for grid in grids}) > 1:
        raise InvalidCallError("the inputs have different element types")
    if any(grid.rank not in (1, 2) for grid in grids):
        raise InvalidCallError("an input has neither one dimension nor two")
    tables = [Grid(item.type, (1, *item.shape)[-2:], item.items) for item in grids]
    rows = {table.shape[0] for table in tables}
    if len(rows) > 1:
        raise InvalidCallError(f"the inputs have {sorted(rows)} rows")
    widths = _widths(call, [table.shape[1] for table in tables])
    items = [
        ZERO
        if column >= table.shape[1]
        else round_to(RESULT, as_float(table.items[row * table.shape[1] + column]))
        for row in range(next(iter(rows)))
        for table, width in zip(tables, widths, strict=True)
        for column in range(width)
    ]
    return (Grid(RESULT, (next(iter(rows)), sum(widths)), items),)


def _widths(call: Call, sizes: list[int]) -> list[int]:
    """How many columns each input has in the output."""
    if "inputdimensions" not in call.attributes:
        refuse_if_chosen(call, "without-sizes", "of-the-inputs")
        return sizes
    listed = list(call.ints_attribute("inputdimensions"))
    if len(listed) != len(sizes) or min(listed, default=0) < 0:
        raise InvalidCallError(f"inputdimensions {listed} for {len(sizes)} inputs")
    if listed != sizes:
        refuse_if_chosen(call, "other-sizes", "cut-or-padded")
    return listed


@oracle("OneHotEncoder", domain=DOMAIN)
def one_hot_encoder(call: Call) -> Result:
    """Each element as zeros with a one at the place of its category.

    The output is float32, with the shape of X and one axis more for the categories. An element that
    is none of them is zeros alone if `zeros` permits it, else refused. Refused too: both lists of
    categories, or neither.
    """
    grid = call.grid("X")
    strings = call.attributes.get("cats_strings")
    integers = call.attributes.get("cats_int64s")
    if bool(strings) == bool(integers):
        raise InvalidCallError("one of cats_strings and cats_int64s must be given")
    if bool(strings) != (grid.type == "string"):
        refuse_if_chosen(call, "categories-of-another-type", "none-matches")
    categories: list[Any] = list(
        call.strings_attribute("cats_strings") if strings else call.ints_attribute("cats_int64s")
    )
    items: list[Real] = []
    for item in grid.items:
        place = _place(call, categories, item)
        if place is None and not call.int_attribute("zeros"):
            raise InvalidCallError(f"{item!r} is no category")
        items += [ONE if at == place else ZERO for at in range(len(categories))]
    return (Grid(RESULT, (*grid.shape, len(categories)), items),)


def _place(call: Call, categories: list[Any], item: Any) -> int | None:  # noqa: ANN401
    """Where the category of an element stands, None where it has none."""
    if not isinstance(item, (int, bytes)) and isinstance(categories[0], int):
        item = _integer(call, categories, item)
    places = [at for at, category in enumerate(categories) if category == item]
    if len(places) > 1:
        return places[0 if call.choose("repeated-category", "first", "last") == "first" else -1]
    return places[0] if places else None


def _integer(call: Call, categories: list[int], item: Real) -> int | None:
    """A float cast to int64; what Cast leaves open of a fraction, or of a number out of range.

    None where no reading of the cast makes it a category.
    """
    if not is_finite(item) or not fits("int64", math.trunc(fraction(item))):
        low, high = limits("int64")
        whole = wrap("int64", math.trunc(fraction(item))) if is_finite(item) else 0
        results = {"least": low, "greatest": high, "lower-bits": whole}
        if not any(result in categories for result in results.values()):
            return None
        return results[call.choose("float-beyond-integer", *results)]
    number = fraction(item)
    if number.denominator == 1:
        return int(number)
    rounding = _ROUNDINGS[call.choose("fraction-to-integer", *_ROUNDINGS)]
    return round_signed(number, rounding)
