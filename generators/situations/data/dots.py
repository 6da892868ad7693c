"""Factors of dot products: six sets that find careless sums, after TOSA's.

TOSA 1.0, appendix A, "Floating-Point Test Data Generator", has six sets for the two factors of a
dot product; these have their aims, with numbers of our own. With `n` terms, the term `k` has

| set    | first factor                | second factor               | finds                   |
|--------|-----------------------------|-----------------------------|-------------------------|
| `dot0` | 0 in some of the terms      | 0 in the others             | zeros that sum to more  |
| `dot1` | nearly B / sqrt(n)          | nearly B / sqrt(n)          | overflow on the way     |
| `dot2` | 1, then up to 1 / sqrt(n)   | 1, then up to 1 / sqrt(n)   | small terms that vanish |
| `dot3` | 16, then up to 8 in seven   | 16, then up to 8 in seven   | the same, uneven        |
|        | powers                      | powers                      |                         |
| `dot4` | 0, or large; halfway 1/2    | large, or 0; halfway -1/2   | zeros beside large ones |
| `dot5` | up to B / sqrt(n)           | up to B / sqrt(n)           | cancellation            |

where B is the largest number of the type whose square it holds. Signs are hashed but where `dot0`
and `dot4` say otherwise.

A layout says which factor a tensor is and along which axis its terms lie: `first1` is the first
factor, its terms along axis 1. In `second1x3` they lie along axis 1 and all axes after it, of those
in tiles of 3, as a kernel of 3 meets them whose stride is 3.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from onnx_conformance.core.values.floats import FLOAT_FORMATS

from ...oracle.arith.numbers import fraction
from ...oracle.arith.rationals import Fraction
from ...oracle.arith.rounding import Rounding, greatest, round_to

DOT_SETS = tuple(f"dot{number}" for number in range(6))
_LAYOUT = re.compile(r"(first|second)([0-9])(?:x([1-9]))?")


@dataclass(frozen=True)
class Layout:
    """Where the terms of a factor lie."""

    #: Whether it is the second factor.
    second: bool
    #: The axis along which the terms lie, or the first of those.
    axis: int
    #: The size of the tiles of the axes after it, or None if the terms lie along one axis.
    tile: int | None

    def terms(self, shape: Sequence[int]) -> Iterator[int]:
        """For each element of a tensor of this shape, in order, the number of its term."""
        sizes = self._sizes(shape)
        for place in range(math.prod(shape)):
            rest, term, step = place, 0, 1
            for size, run in zip(reversed(shape), reversed(sizes), strict=True):
                rest, index = divmod(rest, size)
                term += index % run * step
                step *= run
            yield term

    def count(self, shape: Sequence[int]) -> int:
        """How many terms there are."""
        return math.prod(self._sizes(shape))

    def _sizes(self, shape: Sequence[int]) -> list[int]:
        """Along each axis the number of different terms."""
        if self.tile is None:
            return [size if axis == self.axis else 1 for axis, size in enumerate(shape)]
        before = [1] * self.axis
        tiles = [min(self.tile, size) for size in shape[self.axis + 1 :]]
        return [*before, shape[self.axis], *tiles]


def dot_layout(text: str) -> Layout | None:
    """The layout that a text names, or None if it names none."""
    found = _LAYOUT.fullmatch(text)
    if found is None:
        return None
    factor, axis, tile = found.groups()
    return Layout(factor == "second", int(axis), int(tile) if tile else None)


def dot_factors(
    set_name: str, layout: Layout, type_name: str, shape: Sequence[int], seed: str
) -> list[Fraction]:
    """The elements of a factor, before they are rounded to the type.

    Args:
        set_name: one of DOT_SETS.
        layout: which factor it is, and where its terms lie.
        type_name: the element type; the sets with B are for floating-point types.
        shape: dimensions; the layout's axis is one of them.
        seed: what the hashed numbers depend on.
    """
    count = layout.count(shape)
    terms = list(layout.terms(shape))
    numbers = _hashed(f"{seed}:{set_name}:{layout.second}", len(terms))
    large = largest_factor(type_name) if type_name in FLOAT_FORMATS else Fraction(4)
    root = _root_above(count)
    reach = large / root

    def factor(term: int, number: Fraction) -> Fraction:
        sign = 1 if number > 0 else -1
        other = _of_second(term) != layout.second
        if set_name == "dot0":
            return Fraction(0) if other else number
        if set_name == "dot1":
            # Between a half and all of what it may be: the sum of all terms is still finite.
            return reach * (Fraction(3, 4) * sign + number / 4)
        if set_name == "dot2":
            return number / root if term else Fraction(1)
        if set_name == "dot3":
            # The last bits of the hashed number choose the power, the number the significand.
            return (
                number * Fraction(2) ** (number.numerator % 7 - 3) if term else Fraction(16 * sign)
            )
        if set_name == "dot4" and term == count // 2:
            return Fraction(-1 if layout.second else 1, 2)
        return Fraction(0) if set_name == "dot4" and other else reach * number

    return [factor(term, number) for term, number in zip(terms, numbers, strict=True)]


def _of_second(term: int) -> bool:
    """Whether the second factor of this term is the one that is not zero."""
    return hashlib.sha256(f"term {term}".encode()).digest()[0] % 2 == 1


def _hashed(seed: str, count: int) -> list[Fraction]:
    """Numbers between -1 and 1, none of them 0."""
    stream = hashlib.shake_256(seed.encode()).digest(4 * count)
    whole = [int.from_bytes(stream[at : at + 4], "little") for at in range(0, len(stream), 4)]
    return [Fraction(2 * item + 1 - 2**32, 2**32) for item in whole]


@lru_cache(maxsize=16)
def largest_factor(type_name: str) -> Fraction:
    """The largest number of a type whose square is finite in it."""
    root = Fraction(math.isqrt(int(greatest(type_name) * 2**20)), 2**10)
    found = round_to(type_name, root, rounding=Rounding.DOWN)
    return fraction(found)  # type: ignore[arg-type]


def _root_above(count: int) -> Fraction:
    """The square root of `count` + 1, a little above it."""
    return Fraction(math.isqrt((count + 1) << 40) + 1, 2**20)
