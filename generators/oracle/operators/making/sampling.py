"""Multinomial: outcomes drawn by their log-probabilities, and what holds for every draw.

Source: the Multinomial page. A result is a `Drawn` with laws of core/values/laws.py, by the rules
that drawing.py states: each bound is broken by a right generator with a chance of at most 10^-12.
The probabilities are those of exact numbers, e^x over the sum of e^x along a row.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from onnx_conformance.core.values.tensors import Drawn

from ...arith.elementary import enclosure, exact_value
from ...arith.grid import Grid, tensor_of
from ...arith.numbers import INF, NAN, NEG_INF, Real, fraction
from ...arith.rationals import Fraction
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .drawing import HOEFFDING, Law, count_law, numbers_of

_TYPES = {6: "int32", 7: "int64"}  # by TensorProto.DataType
_NEVER = Fraction(1, 10**18)  # the chance that even a corpus of draws sees nothing of
_FAR = -100  # the exponent of e below which a chance is never seen
_APART = 8  # outcomes that are counted each on its own; more are counted in so many parts
# What computing the probabilities in the input's type moves the chance of some outcomes.
_SLACK = {"float16": 2**-6, "bfloat16": 2**-6, "float32": 2**-12, "float64": 2**-12}
_STEPS = 2**32  # of the numbers that are drawn


@oracle("Multinomial")
def multinomial(call: Call) -> Result:
    """For each row of log-probabilities so many outcomes, each drawn with its probability."""
    grid = call.grid("input")
    if grid.type not in _SLACK or grid.rank != 2:
        raise InvalidCallError(f"the input is {grid.type} {list(grid.shape)}, no matrix of floats")
    name, count = _output_type(call), call.int_attribute("sample_size")
    if count < 0:
        raise InvalidCallError(f"sample_size is {count}")
    if count == 0:
        refuse_if_chosen(call, "no-draws", "nothing-drawn")
    rows, size = grid.shape
    items: list[int] = []
    laws: list[Law] = [{"law": "range", "low": 0, "high": max(size - 1, 0)}]
    for row in range(rows):
        chances = _chances(call, grid.items[row * size : (row + 1) * size])
        if chances:
            place = _Place(row * count, count, _SLACK[grid.type])
            laws.extend(_counts(chances, place))
        items += _draws(call, row, chances, count)
    tensor = tensor_of(Grid(name, (rows, count), items))
    return (Drawn(tensor.type, tensor.shape, tensor.data, tuple(laws)),)


def _output_type(call: Call) -> str:
    code = call.int_attribute("dtype")
    if code not in _TYPES:
        raise InvalidCallError(f"dtype is {code}, neither int32 nor int64")
    return _TYPES[code]


def _chances(call: Call, logs: Sequence[Real]) -> list[Fraction]:
    """The probabilities of a row; none where its numbers are no distribution, which is open."""
    finite = [fraction(item) for item in logs if item not in (NAN, INF, NEG_INF)]
    if not finite or NAN in logs or INF in logs:
        refuse_if_chosen(call, "no-distribution", "drawn")
        return []
    greatest = max(finite)
    weights = [Fraction(0) if x is NEG_INF else _power(fraction(x) - greatest) for x in logs]
    total = sum(weights)
    return [weight / total for weight in weights]


def _power(exponent: Fraction) -> Fraction:
    """The power of e, to far more digits than any law has."""
    if exponent < _FAR:
        return Fraction(0)
    exact = exact_value("exp", exponent)
    return fraction(enclosure("exp", exponent).low if exact is None else exact)


# --- laws ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """Where the draws of a row are: the first, how many; and the slack of their chances."""

    #: The position of its first draw in the flat output.
    start: int
    #: How many draws it has.
    count: int
    #: By how much a chance may be off, because a runtime rounds it.
    slack: float


def _counts(chances: Sequence[Fraction], place: _Place) -> Iterator[Law]:
    """How often each outcome comes, or each part of many outcomes; and which never do."""
    size = len(chances)
    parts = min(size, _APART)
    for part in range(parts):
        first, end = size * part // parts, size * (part + 1) // parts
        yield from _count(chances, first, end, place)
    if size > _APART:
        for never, run in groupby(range(size), lambda outcome: chances[outcome] < _NEVER):
            if never:
                outcomes = list(run)
                yield from _count(chances, outcomes[0], outcomes[-1] + 1, place)


def _count(chances: Sequence[Fraction], first: int, end: int, place: _Place) -> Iterator[Law]:
    """How many draws lie among the outcomes from `first` to before `end`."""
    inside = sum(chances[first:end])
    outside = sum(chances[:first]) + sum(chances[end:])
    reach = Fraction(math.sqrt(place.count * HOEFFDING) + place.count * place.slack)
    least = max(math.ceil(place.count * inside - reach), 0)
    most = min(math.floor(place.count * inside + reach), place.count)
    if inside < _NEVER:
        most = 0
    if outside < _NEVER:
        least = place.count
    if (least, most) != (0, place.count):
        places = place.start, place.start + place.count
        yield count_law(places, (first - 0.5, end - 0.5), (least, most))


# --- a draw that keeps them ------------------------------------------------------------------


def _draws(call: Call, row: int, chances: Sequence[Fraction], count: int) -> list[int]:
    """Outcomes that look random and follow from seed and row alone, everywhere."""
    if not chances:
        return [0] * count
    ends = [math.floor(total * _STEPS) for total in accumulate(chances)]
    last = max(outcome for outcome, chance in enumerate(chances) if chance >= _NEVER)
    seed = call.float_attribute("seed") if "seed" in call.attributes else None
    numbers = numbers_of(f"multinomial:{seed}:{row}", count)
    return [min(bisect_right(ends, number), last) for number in numbers]
