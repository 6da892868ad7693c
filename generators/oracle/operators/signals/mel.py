"""MelWeightMatrix. Source: its page, Summary, Inputs and Outputs, and its example.

The page has the mel scale and the shape of the matrix; that bands are triangles over whole bins of
the spectrum, and which bin a frequency is in, is what its example test_melweightmatrix shows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...accuracy.bounds import rounded
from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item
from ...arith.numbers import ONE, ZERO, div, fraction, is_finite
from ...arith.rationals import Fraction
from ...arith.rounding import is_float, unit_roundoff, zero_of
from ...attributes import number_type
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ...scalars import require_scalar

# mel(f) = 2595 log10(1 + f/700): equal steps in mel are equal factors of 700 + f.
_PIVOT = 700
_MOST_ELEMENTS = 1 << 14
# How many roundings a frequency may be off, with a logarithm and a power in them.
_ROUNDINGS = 16
_BITS = 96
# What the page leaves open; see specs/melweightmatrix.yaml.
_STEPS = ("bands-and-2", "bands-and-1")
_SIDES = ("below", "above")


@oracle("MelWeightMatrix")
def mel_weight_matrix(call: Call) -> Result:
    """A column for each band: a triangle over the bins of the spectrum, 1 in its middle."""
    bands = _integer(call, "num_mel_bins")
    length, rate = _integer(call, "dft_length"), _integer(call, "sample_rate")
    low, high = _frequency(call, "lower_edge_hertz"), _frequency(call, "upper_edge_hertz")
    rows = length // 2 + 1
    if bands < 0 or rows < 0 or rate == 0:
        raise InvalidCallError(f"{bands} bands of a DFT of {length} at {rate} samples a second")
    name = number_type(call, "output_datatype", 1)
    if max(rows, 1) * bands > _MOST_ELEMENTS:
        raise InvalidCallError(f"{rows} times {bands} elements are more than can be held")
    weights: Mapping[tuple[int, int], Item] = {}
    if low is None or high is None or high < low:
        call.choose("edges-turned-round", "zeros", "anything")
    elif bands:
        edges = _edges(call, bands, (low, high), Fraction(length + 1, rate), rows)
        weights = _triangles(call, name, edges, rows)
    zero = zero_of(name)
    places = [(row, band) for row in range(rows) for band in range(bands)]
    return (Grid(name, (rows, bands), [weights.get(place, zero) for place in places]),)


# --- inputs and attributes -------------------------------------------------------------------


def _integer(call: Call, name: str) -> int:
    require_scalar(call, name)
    return call.integer(name)


def _frequency(call: Call, name: str) -> Fraction | None:
    """A frequency; None for what has no mel."""
    value = require_scalar(call, name)
    return fraction(value) if is_finite(value) and fraction(value) > -_PIVOT else None


# --- bands -----------------------------------------------------------------------------------


def _edges(
    call: Call,
    bands: int,
    ends: tuple[Fraction, Fraction],
    bins_of_a_hertz: Fraction,
    rows: int,
) -> list[int]:
    """The bins where bands begin, have their middle and end: each is an edge of three bands."""
    parts = bands + (2 if call.choose("steps", *_STEPS) == _STEPS[0] else 1)
    low, high = ends
    steps = Steps("float64", REAL, _BITS)
    whole = steps.log(Fraction(_PIVOT + high) / (_PIVOT + low))
    # No page says in which type: in float32, or in that of the edges where it is a narrower one.
    types = (call.grid("lower_edge_hertz").type, "float32")
    error = _ROUNDINGS * max(map(unit_roundoff, types))
    sides: list[tuple[int, int]] = []
    for index in range(bands + 2):
        factor = steps.exp(steps.mul(Fraction(index, parts), whole))
        frequency = fraction(factor.low) * (_PIVOT + low) - _PIVOT if index else low
        # The lowest edge is given; at 0 it is in bin 0, whatever is computed of it.
        off = error * (abs(frequency) + _PIVOT) if index or low else ZERO
        # Of what is beyond the spectrum on either side it does not matter how far.
        below, above = (
            min(max(math.floor((frequency + way) * bins_of_a_hertz), -1), rows)
            for way in (-off, off)
        )
        sides.append((below, above))
    doubts = sum(above - below for below, above in sides)
    if doubts > 1:
        # Each edge may be in any of some bins: more results than can be listed.
        call.choose("beside-several-bins", "below", "anything")
    elif doubts and call.choose("beside-a-bin", *_SIDES) == _SIDES[1]:
        return [above for _, above in sides]
    return [below for below, _ in sides]


def _triangles(
    call: Call, name: str, edges: list[int], rows: int
) -> Mapping[tuple[int, int], Item]:
    """The elements that are not zero, by row and band."""
    found: dict[tuple[int, int], Item] = {}
    for band in range(len(edges) - 2):
        left, middle, right = edges[band : band + 3]
        found[middle, band] = ONE if is_float(name) else 1
        for row in range(left + 1, middle):
            found[row, band] = _weight(name, row - left, middle - left)
        for row in range(middle + 1, right):
            found[row, band] = _weight(name, right - row, right - middle)
    if edges[0] < 0 or edges[-1] >= rows:
        refuse_if_chosen(call, "beyond-the-spectrum", "cut-off")
    return found


def _weight(name: str, part: int, whole: int) -> Item:
    """A part of a side of a triangle; integers have nothing between 0 and 1."""
    if not is_float(name):
        return 0
    return rounded(name, div, Fraction(part), Fraction(whole), step="div")
