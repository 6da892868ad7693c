"""Random operators: what holds for every draw, and one that keeps it. Source: their pages.

A result is a `Drawn` with laws of core/values/laws.py. A correct generator breaks each bound of a
law with a chance of at most 10^-12, so that a corpus with a thousand of them fails no correct
runtime. For draws within an interval of length r that is Hoeffding's inequality: the sum of n of
them is farther than t from its expectation with a chance of at most 2 exp(-2 t^2 / (n r^2)). For a
normal distribution it is the tail beyond 7.2 standard deviations, and for its sum of squares the
bounds of Laurent and Massart (2000, lemma 1). All bounds are functions of square roots alone, which
every machine computes in the same way.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Drawn

from ...arith.grid import Grid, tensor_of
from ...arith.numbers import fraction, from_float, is_finite
from ...arith.rationals import Fraction
from ...arith.rounding import decode, encode, ulp
from ...arith.rounding import greatest as greatest_of
from ...attributes import FLOATS, named_type
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

Law = dict[str, Any]

HOEFFDING = 14.17  # ln(2 / 10^-12) / 2, rounded up
_TAIL = 28.35  # ln(2 / 10^-12), rounded up
_DEVIATIONS = 7.2  # beyond which a normal distribution has less than 10^-12
_FARTHEST = 9  # standard deviations that no draw of a corpus leaves: 2 * 10^-19 for each
_QUARTILE = 0.6744897501960817  # half of a normal distribution lies within so many deviations
_ROUNDING = 2**-7  # of the range: what rounding to a narrow type moves an element at most
_DISTINCT = 256  # draws that are computed; what follows repeats them


@oracle("Bernoulli")
def bernoulli(call: Call) -> Result:
    """1 with the probability of the input's element, else 0."""
    grid = call.grid("input")
    name = _output_type(call, grid.type)
    if grid.type not in FLOATS or element_type(name).kind in ("string", "complex"):
        raise InvalidCallError(f"the input is {grid.type}, the output {name}")
    chances = [_chance(call, item) for item in grid.items]
    ones: list[Law] = [{"law": "values", "of": [0, 1]}, *_runs(chances)]
    draws = _uniform(call, "bernoulli", len(chances))
    items = [int(draws[place % _DISTINCT] < chance) for place, chance in enumerate(chances)]
    return (_drawn(name, grid.shape, items, ones),)


def _chance(call: Call, item: Any) -> Fraction:  # noqa: ANN401  a number or a special one
    """A probability; what one outside [0, 1] means is open."""
    if is_finite(item) and 0 <= fraction(item) <= 1:
        return fraction(item)
    refuse_if_chosen(call, "probability-outside-the-range", "drawn")
    return Fraction(1, 2)


def _runs(chances: Sequence[Fraction]) -> Iterator[Law]:
    """The number of ones among neighbours of one probability, and among all."""
    start = 0
    for place in range(1, len(chances) + 1):
        if place == len(chances) or chances[place] != chances[start]:
            yield from _ones(chances[start:place], start)
            start = place
    if chances and chances[0] != chances[-1]:
        yield from _ones(chances, 0)


def _ones(chances: Sequence[Fraction], start: int) -> Iterator[Law]:
    count, mean = len(chances), sum(chances, Fraction(0))
    open_ones = [item for item in chances if item not in (0, 1)]
    reach = Fraction(math.sqrt(len(open_ones) * HOEFFDING))
    certain = sum(1 for item in chances if item == 1)
    low = max(math.ceil(mean - reach), certain)
    high = min(math.floor(mean + reach), certain + len(open_ones))
    if (low, high) != (0, count):
        yield _sum(start, start + count, 0, 1, (low, high))


@oracle("RandomUniform")
@oracle("RandomUniformLike")
def random_uniform(call: Call) -> Result:
    """Numbers between low and high, each as probable as any other."""
    name, shape = _form(call)
    low, high = call.float_attribute("low"), call.float_attribute("high")
    if not low <= high:
        refuse_if_chosen(call, "boundaries-in-wrong-order", "drawn")
        low, high = high, low
    count, span = math.prod(shape), high - low
    ends = sorted([low, high, *(_nearest(name, item) for item in (low, high))])
    laws: list[Law] = [{"law": "range", "low": ends[0], "high": ends[-1]}]
    if count and span and math.sqrt(HOEFFDING / count) < 0.25:
        middle, reach = low + span / 2, math.sqrt(count * HOEFFDING)
        slack = count * (_ROUNDING + _coarseness(name, max(-ends[0], ends[-1]), span))
        deviation = span * (reach + slack)
        laws.append(_sum(0, count, middle, 1, (-deviation, deviation)))
        square, deviation = count * span**2 / 12, span**2 * (reach / 4 + slack)
        laws.append(_sum(0, count, middle, 2, (max(square - deviation, 0), square + deviation)))
        for quarter in range(4):
            cuts = low + span * quarter / 4, low + span * (quarter + 1) / 4
            least, most = count / 4 - reach - slack, count / 4 + reach + slack
            laws.append(_count(count, cuts, (least, most), last=quarter == 3))
    items = [Fraction(low) + item * Fraction(span) for item in _uniform(call, "uniform", count)]
    return (_drawn(name, shape, items, laws),)


@oracle("RandomNormal")
@oracle("RandomNormalLike")
def random_normal(call: Call) -> Result:
    """Numbers of a normal distribution with a mean and a standard deviation."""
    name, shape = _form(call)
    mean, scale = call.float_attribute("mean"), call.float_attribute("scale")
    if scale < 0:
        refuse_if_chosen(call, "negative-deviation", "drawn")
        scale = -scale
    count, reach = math.prod(shape), _FARTHEST * scale
    ends = sorted(
        [mean - reach, mean + reach, *(_nearest(name, mean + item) for item in (-reach, reach))]
    )
    laws: list[Law] = [{"law": "range", "low": ends[0], "high": ends[-1]}]
    if count and scale and math.sqrt(HOEFFDING / count) < 0.25:
        # Rounding moves an element by its own size, of which the mean is a part.
        slack = count * _ROUNDING * (scale + abs(mean) / 8)
        deviation = scale * _DEVIATIONS * math.sqrt(count) + slack
        laws.append(_sum(0, count, mean, 1, (-deviation, deviation)))
        below = 2 * math.sqrt(count * _TAIL)
        squares = [(count - below) * scale**2, (count + below + 2 * _TAIL) * scale**2]
        coarse = _coarseness(name, abs(mean) + reach, scale)
        room = 2 * slack * scale + count * (coarse * scale) ** 2
        laws.append(_sum(0, count, mean, 2, (max(squares[0] - room, 0), squares[1] + room)))
        half = math.sqrt(count * HOEFFDING) + count * (_ROUNDING + coarse)
        cuts = mean - _QUARTILE * scale, mean + _QUARTILE * scale
        laws.append(_count(count, cuts, (count / 2 - half, count / 2 + half), last=False))
    columns = [_uniform(call, f"normal {part}", count) for part in range(12)]
    sums = [sum(item) - 6 for item in zip(*columns, strict=True)]
    items = [Fraction(mean) + Fraction(scale) * item for item in sums]
    return (_drawn(name, shape, items, laws),)


def _form(call: Call) -> tuple[str, tuple[int, ...]]:
    """Element type and shape: of attributes, or of the input that the output is like."""
    if not call.has("input"):
        shape = call.ints_attribute("shape")
        if any(size < 0 for size in shape):
            raise InvalidCallError(f"shape {list(shape)} has a negative dimension")
        return _float_type(_output_type(call, "float32")), shape
    tensor = call.tensor("input")
    return _float_type(_output_type(call, tensor.type)), tensor.shape


def _float_type(name: str) -> str:
    if name not in FLOATS:
        raise InvalidCallError(f"the output cannot be {name}")
    return name


def _output_type(call: Call, otherwise: str) -> str:
    """The element type that `dtype` names, or the other one where it is absent."""
    return named_type(call, "dtype").name if "dtype" in call.attributes else otherwise


def _nearest(name: str, number: float) -> float:
    """A boundary as the output's type rounds it."""
    nearest = decode(name, encode(name, from_float(number)))
    return float(nearest) if isinstance(nearest, Fraction) else number


def _coarseness(name: str, greatest: float, size: float) -> float:
    """The step of a type at the greatest element, in parts of what elements are spread over.

    It is how many of them rounding may move over a cut, at most; 0 where _ROUNDING has room for it.
    """
    step = float(ulp(name, min(Fraction(min(greatest, sys.float_info.max)), greatest_of(name))))
    return step / size if step > _ROUNDING * size else 0.0


def _sum(start: int, end: int, about: float, power: int, limits: tuple[float, float]) -> Law:
    return {
        "law": "sum",
        "from": start,
        "to": end,
        "about": about,
        "power": power,
        "low": limits[0],
        "high": limits[1],
    }


def _count(
    count: int, cuts: tuple[float, float], limits: tuple[float, float], *, last: bool
) -> Law:
    """How many of `count` elements lie between two cuts; the last interval holds its end."""
    low, high = cuts
    ends = max(math.floor(limits[0]), 0), min(math.ceil(limits[1]), count)
    return count_law((0, count), (low, high + abs(high - low) if last else high), ends)


def count_law(places: tuple[int, int], cuts: tuple[float, float], limits: tuple[int, int]) -> Law:
    """The law of how many elements at these places lie between two cuts."""
    return {
        "law": "count",
        "from": places[0],
        "to": places[1],
        "above": cuts[0],
        "below": cuts[1],
        "least": limits[0],
        "most": limits[1],
    }


def _uniform(call: Call, purpose: str, count: int) -> list[Fraction]:
    """Numbers in [0, 1) that look random and follow from the seed alone, everywhere.

    At most `_DISTINCT`: `_drawn` repeats them, as one draw is as good as another.
    """
    count = min(count, _DISTINCT)
    seed = call.float_attribute("seed") if "seed" in call.attributes else None
    return [Fraction(number, 2**32) for number in numbers_of(f"{purpose}:{seed}", count)]


def numbers_of(text: str, count: int) -> list[int]:
    """Numbers below 2^32 that look random and follow from a text."""
    stream = hashlib.shake_256(text.encode()).digest(count * 4)
    return [int.from_bytes(stream[at : at + 4], "little") for at in range(0, len(stream), 4)]


def _drawn(name: str, shape: tuple[int, ...], items: Sequence[Any], laws: Sequence[Law]) -> Drawn:
    """The tensor of these elements, repeated until it is full, with its laws."""
    numbers: Callable[[Any], Any] = Fraction if name in FLOATS else int
    count = math.prod(shape)
    tensor = tensor_of(Grid(name, (len(items),), [_element(name, numbers(item)) for item in items]))
    if not isinstance(tensor.data, bytes):
        raise TypeError("a draw is a number")
    size = element_type(name).bits // 8 * count
    data = tensor.data * (count // max(len(items), 1) + 1) if items else b""
    return Drawn(tensor.type, shape, data[:size], tuple(laws))


def _element(name: str, number: Any) -> Any:  # noqa: ANN401  as a Grid of this type has it
    return bool(number) if name == "bool" else number
