"""Dropout, all versions. Source: its page, Summary, Inputs, Outputs and Attributes.

Versions 1 and 6 have the attribute is_test, 7 and 10 have no switch for training, and 12 and later
have the input training_mode. Nobody can predict what is dropped in training: if all data are equal,
output and mask are `Drawn` (see drawing.py); otherwise each element has the two numbers that it may
be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from onnx_conformance.core.values.tensors import Drawn

from ...accuracy.bounds import enclosed
from ...accuracy.limits import ends_of
from ...accuracy.profiles import IEEE
from ...accuracy.steps import Steps
from ...arith.grid import AnyOf, Enclosed, Grid, filled, tensor_of
from ...arith.intervals import Interval
from ...arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Real,
    fraction,
    from_float,
    is_finite,
    is_infinite,
    is_nan,
    is_negative,
    is_zero,
    neg,
    real,
)
from ...arith.rationals import Fraction
from ...arith.rounding import decode, encode, greatest, round_to
from ...errors import InvalidCallError, UnansweredError
from ...registry import Call, Result, oracle
from ...scalars import require_scalar
from .drawing import HOEFFDING, Law, count_law

_TRAINS_UNLESS_TOLD = 6
_MOST_BETWEEN = 64
_MASK_OF_NUMBERS = 7
_RATIO_OR_ITS_DEFAULT = 22


@oracle("Dropout", versions=(1, 10))
def dropout_10(call: Call) -> Result:
    """The data unchanged; in training, for is_test 0, each element is dropped or scaled."""
    data = call.grid("data")
    if call.since_version <= _TRAINS_UNLESS_TOLD and not call.int_attribute("is_test"):
        ratio = fraction(from_float(call.float_attribute("ratio")))
        if not 0 <= ratio < 1:
            raise InvalidCallError("no such part of the elements can be dropped")
        return _trained(data, ratio, data.type, 0)
    if not call.wants("mask"):
        return data, None
    kept = call.choose("mask-of-a-copy", "ones", "zeros") == "ones"
    if call.since_version <= _MASK_OF_NUMBERS:
        return data, filled(data.type, data.shape, fraction(int(kept)))
    return data, filled("bool", data.shape, kept)


@oracle("Dropout", versions=(12, None))
def dropout(call: Call) -> Result:
    """The data unchanged; in training each element is dropped or scaled."""
    data = call.grid("data")
    ratio = _scalar(call, "ratio", fraction(1) / 2)
    kept = filled("bool", data.shape, True)  # noqa: FBT003  an element
    if not _scalar(call, "training_mode", False):  # noqa: FBT003  an element
        return data, kept
    if not is_finite(ratio) or not 0 <= fraction(ratio) < 1:
        raise InvalidCallError("ratio is outside [0, 1)")
    if is_zero(ratio):
        return data, kept
    if not call.has("ratio") and call.since_version < _RATIO_OR_ITS_DEFAULT:
        reading = call.choose("training-without-ratio", "ratio-of-a-half", "copied")
        if reading == "copied":
            return data, kept
    seed = call.int_attribute("seed") if "seed" in call.attributes else 0
    return _trained(data, fraction(ratio), "bool", seed)


def _scalar(call: Call, name: str, otherwise: Real) -> Real:
    """The only element of an optional input."""
    given = call.has(name)
    return require_scalar(call, name, "axes-of-a-scalar", "ignored") if given else otherwise


def _trained(data: Grid, ratio: Fraction, mask_type: str, seed: int) -> Result:
    """A draw: each element is 0 with the probability `ratio`, and scaled otherwise."""
    count = len(data.items)
    kept = [_fraction_of(place + seed) >= ratio for place in range(count)]
    numbers = {item: _scaled(data.type, item, ratio) for item in set(data.items)}
    as_number = bool if mask_type == "bool" else fraction
    results = [number for item in numbers.values() for number in item]
    if len(numbers) != 1 or not all(map(is_finite, (*numbers, *results))):
        output = data.map(lambda item: AnyOf((*numbers[item], *_dropped(item))))
        either = [AnyOf((as_number(item), as_number(not item))) for item in kept]
        return output, Grid(mask_type, data.shape, either)
    laws = [{"law": "values", "of": [0, 1]}, *_between(count, 1 - ratio, (0.5, 2))]
    mask = Grid(mask_type, data.shape, [as_number(item) for item in kept])
    return _alike(data, next(iter(numbers.values())), kept, ratio), _drawn(mask, laws)


def _alike(data: Grid, numbers: Sequence[Real], kept: Sequence[bool], ratio: Fraction) -> Drawn:
    """The output for data that are all equal: laws bound how many are dropped."""
    given = [float(fraction(item)) for item in numbers]
    laws: list[Law] = [{"law": "values", "of": [0, *given]}]
    size = min(map(abs, given))
    if size:
        low, high = min(given) - size / 4, max(given) + size / 4
        laws += _between(len(data.items), 1 - ratio, (low, high))
    if given == [1]:
        laws.append({"law": "same", "as": "mask"})
    items = [numbers[0] if item else fraction(0) for item in kept]
    return _drawn(Grid(data.type, data.shape, items), laws)


def _between(count: int, chance: Fraction, cuts: tuple[float, float]) -> list[Law]:
    """A law: about this part of the elements lies between two numbers."""
    middle, reach = float(count * chance), math.sqrt(count * HOEFFDING)
    least, most = max(math.floor(middle - reach), 0), min(math.ceil(middle + reach), count)
    if (least, most) == (0, count):
        return []
    return [count_law((0, count), cuts, (least, most))]


def _scaled(name: str, item: Real, ratio: Fraction) -> tuple[Real, ...]:
    """The values that data / (1 - ratio) may have, the nearest number first."""

    def formula(steps: Steps, x: Interval) -> Interval:
        return steps.mul(steps.div(1, steps.sub(1, ratio)), x)

    if is_finite(item) and round_to(name, fraction(item) / (1 - ratio)) is NAN:
        # Beyond a type without infinities, of which the page says no end.
        most = greatest(name)
        return (NAN, -most if is_negative(item) else most)
    found = enclosed(name, formula, item)
    if not isinstance(found, Enclosed):
        return (found,)  # type: ignore[return-value]  # a number
    low, high = map(real, ends_of(name, found, IEEE))
    nearest = real(round_to(name, found.value))
    return (nearest, *(number for number in _from_to(name, low, high) if number != nearest))


def _from_to(name: str, low: Real, high: Real) -> Iterator[Real]:
    """The numbers of a type from one to another of the same sign.

    Beyond the greatest number is infinity, or NaN where the type has none.
    UnansweredError where they are many: a vector would have as many tensors.
    """
    negative = is_negative(low)
    sizes = [greatest(name) if is_infinite(end) else abs(fraction(end)) for end in (low, high)]
    first, last = sorted(encode(name, size) for size in sizes)
    if last - first > _MOST_BETWEEN:
        raise UnansweredError(f"an element in training may be any of {last - first + 1} numbers")
    numbers = (real(decode(name, code)) for code in range(first, last + 1))
    yield from (real(neg(number)) if negative else number for number in numbers)
    if is_infinite(low) or is_infinite(high):
        beyond = NEG_INF if negative else INF
        yield NAN if is_nan(round_to(name, beyond)) else beyond


def _dropped(item: Real) -> tuple[Real, ...]:
    """The values of a dropped element: the page multiplies it by 0."""
    return (ZERO, NEG_ZERO) if is_finite(item) else (ZERO, NEG_ZERO, NAN)


def _fraction_of(place: int) -> Fraction:
    """Numbers in [0, 1) that fill it evenly: multiples of the golden ratio."""
    return Fraction(place * 0x9E3779B1 % 2**32, 2**32)


def _drawn(grid: Grid, laws: Sequence[Law]) -> Drawn:
    tensor = tensor_of(grid)
    return Drawn(tensor.type, tensor.shape, tensor.data, tuple(laws))
