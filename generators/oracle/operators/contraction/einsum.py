"""Einsum, all versions. Source: its page, Summary.

An equation names the axes of each operand: an element of the output is the sum, over the axes that
its term lacks, of the products of the operands' elements at these indices.

More than 400 lines, as in which order factors may be multiplied belongs to how they are summed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import prod
from typing import Any

from ...accuracy.bounds import dot_bound, or_nan
from ...accuracy.ends import Ends, any_number, item_of
from ...accuracy.profiles import accumulator, moved
from ...accuracy.sums import exact_dot, ieee_sum, infinite_sum, scaled
from ...arith.grid import (
    AnyOf,
    Enclosed,
    Grid,
    Item,
    Shape,
    any_of,
    broadcast_shape,
    places,
    strides,
    value_of,
)
from ...arith.numbers import (
    NAN,
    ONE,
    ZERO,
    Number,
    Real,
    fraction,
    is_finite,
    is_infinite,
    mul,
    real,
)
from ...arith.rationals import Fraction
from ...arith.rounding import (
    Rounding,
    is_float,
    least_normal,
    least_subnormal,
    overflow,
    unit_roundoff,
)
from ...arith.rules import Rule
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..elementwise.arithmetic import held

_ELLIPSIS = "..."
# Operands whose products are tried in every order, where numbers are not finite.
_MOST_ORDERED = 4
_TERM = re.compile(r"[A-Za-z]*(\.\.\.[A-Za-z]*)?")


@oracle("Einsum")
def einstein_sum(call: Call) -> Result:
    """The sums of products that the equation asks for.

    One term for each operand; labels of one name have one size or broadcast from 1. The output has
    the axes behind `->`, or those that the document derives where there is no arrow. Each element
    is within the limits of a sum of products in any order. Refused: a wrong number of terms, sizes
    that do not fit, an output axis that no operand has, or that is named twice.
    """
    operands = call.grids("Inputs")
    equation = _equation(call)
    if len(equation.terms) != len(operands):
        raise InvalidCallError(f"{len(equation.terms)} terms for {len(operands)} operands")
    broadcast = _broadcast(equation, operands)
    axes = [
        _axes(term, grid, broadcast) for term, grid in zip(equation.terms, operands, strict=True)
    ]
    sizes = _sizes(call, axes, operands, broadcast)
    out = _axes_of_output(call, equation, broadcast)
    unknown = [label for label in out if label not in sizes]
    if unknown or len(set(out)) != len(out):
        raise InvalidCallError(f"the output has the axes {out}, the operands {sorted(sizes)}")
    summed = [label for label in sizes if label not in out]
    shape = tuple(sizes[label] for label in out)
    # Where an axis belongs to one of several operands, it may be summed before any product.
    joined = all(sum(label in own for own in axes) == len(axes) for label in summed)
    sums = _Sums(call, operands[0].type, in_one_go=joined and len(operands) < 3)
    given = _Terms(tuple(map(tuple, axes)), tuple(operands), out, summed)
    items = list(sums.elements(given, sizes))
    if is_float(sums.type) and not all(all(map(is_finite, grid.items)) for grid in operands):
        for before in _other_orders(given):
            others = sums.elements(before, sizes)
            items = [_either(*both) for both in zip(items, others, strict=True)]
    return (Grid(operands[0].type, shape, items),)


# --- the equation ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Equation:
    """What an equation says.

    Attributes:
        terms: of the operands, each with at most one ellipsis.
        output: the term behind the arrow, None where there is no arrow.
    """

    terms: tuple[str, ...]
    output: str | None


def _equation(call: Call) -> Equation:
    text = call.string_attribute("equation").replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = tuple(left.split(","))
    for term in (*terms, right):
        if not _TERM.fullmatch(term):
            raise InvalidCallError(f"'{term}' in the equation '{text}' is no term")
    return Equation(terms, right if arrow else None)


def _broadcast(equation: Equation, operands: Sequence[Grid]) -> Shape:
    """What the axes under ellipses broadcast to; InvalidCallError where their numbers differ."""
    found = []
    for term, grid in zip(equation.terms, operands, strict=True):
        first, dots, last = term.partition(_ELLIPSIS)
        count = grid.rank - len(first) - len(last)
        if count < 0 or (count and not dots):
            raise InvalidCallError(f"the term '{term}' for an operand of rank {grid.rank}")
        if dots:
            found.append(grid.shape[len(first) : len(first) + count])
    if len({len(shape) for shape in found}) > 1:
        raise InvalidCallError(f"the ellipses stand for {[len(shape) for shape in found]} axes")
    return broadcast_shape(*found)


def _axes(term: str, grid: Grid, broadcast: Shape) -> list[str]:
    """A label for each axis of an operand; those under an ellipsis are numbers."""
    first, dots, last = term.partition(_ELLIPSIS)
    count = grid.rank - len(first) - len(last)
    return [*first, *(_numbered(broadcast)[:count] if dots else ()), *last]


def _numbered(broadcast: Shape) -> list[str]:
    return [str(place) for place in range(len(broadcast))]


def _axes_of_output(call: Call, equation: Equation, broadcast: Shape) -> list[str]:
    """A label for each axis of the output."""
    numbered = _numbered(broadcast)
    if equation.output is None:
        letters = "".join(equation.terms).replace(".", "")
        return [*numbered, *sorted(item for item in letters if letters.count(item) == 1)]
    first, dots, last = equation.output.partition(_ELLIPSIS)
    if numbered and not dots:
        refuse_if_chosen(call, "ellipsis-not-in-output", "summed")
    if dots and not any(_ELLIPSIS in term for term in equation.terms):
        refuse_if_chosen(call, "ellipsis-in-output-alone", "no-axes")
    return [*first, *(numbered if dots else ()), *last]


def _sizes(
    call: Call, axes: Sequence[Sequence[str]], operands: Sequence[Grid], broadcast: Shape
) -> dict[str, int]:
    """The size of each label; InvalidCallError where one has two."""
    sizes = dict(zip(_numbered(broadcast), broadcast, strict=True))
    for labels, grid in zip(axes, operands, strict=True):
        for label, size in zip(labels, grid.shape, strict=True):
            known = sizes.setdefault(label, size)
            if known == size or (label.isdigit() and size == 1):
                continue
            if 1 not in {known, size}:
                raise InvalidCallError(f"'{label}' has the sizes {known} and {size}")
            refuse_if_chosen(call, "letter-of-size-1", "repeated")
            sizes[label] = size if known == 1 else known
    return sizes


def _steps(labels: Sequence[str], shape: Shape) -> Mapping[str, int]:
    """How far apart an operand's elements are along each label; 0 where its axis is repeated.

    A label that an operand has twice goes along the diagonal.
    """
    steps: dict[str, int] = {}
    for label, size, step in zip(labels, shape, strides(shape), strict=True):
        steps[label] = steps.get(label, 0) + (0 if size == 1 else step)
    return steps


# --- where the terms are ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Terms:
    """The products that are added up.

    Attributes:
        axes: a label for each axis of each operand.
        operands: the factors.
        out: the labels of the output.
        summed: those over which sums are taken.
    """

    axes: tuple[tuple[str, ...], ...]
    operands: tuple[Grid, ...]
    out: Sequence[str]
    summed: Sequence[str]

    def factors(self, sizes: Mapping[str, int]) -> Iterator[list[list[Any]]]:
        """For each element of the output what each operand has at each place of the sum."""
        shape = tuple(sizes[label] for label in self.out)
        inner = tuple(sizes[label] for label in self.summed)
        steps = [
            _steps(labels, grid.shape)
            for labels, grid in zip(self.axes, self.operands, strict=True)
        ]
        starts = [places(shape, [own.get(label, 0) for label in self.out]) for own in steps]
        within = [places(inner, [own.get(label, 0) for label in self.summed]) for own in steps]
        for at in zip(*starts, strict=True):
            yield [
                [grid.items[start + place] for place in offsets]
                for grid, start, offsets in zip(self.operands, at, within, strict=True)
            ]


def _other_orders(terms: _Terms) -> Iterator[_Terms]:
    """The same terms with other sums and products taken first.

    The same numbers, and yet 0 * inf + 1 * inf is NaN, and (0 + 1) * inf is not. An axis that one
    operand alone has may be summed first, and of three operands or more any two may be multiplied
    first and summed over what no other has.
    """
    before = _summed_before(terms)
    if before.summed != terms.summed:
        yield before
    if 2 < len(terms.operands) <= _MOST_ORDERED:
        for pair in combinations(range(len(terms.operands)), 2):
            first = _contracted(before, pair)
            yield first
            yield from _other_orders(first)


def _summed_before(terms: _Terms) -> _Terms:
    """The same terms with each operand summed over the axes that it alone has."""
    return _of(terms, [_summed_alone(terms, (place,)) for place in range(len(terms.operands))])


def _contracted(terms: _Terms, pair: tuple[int, ...]) -> _Terms:
    """The same terms with two operands multiplied, and summed over the axes that no other has."""
    others = [
        (labels, grid)
        for place, (labels, grid) in enumerate(zip(terms.axes, terms.operands, strict=True))
        if place not in pair
    ]
    return _of(terms, [_summed_alone(terms, pair), *others])


def _of(terms: _Terms, operands: Sequence[tuple[tuple[str, ...], Grid]]) -> _Terms:
    left = {label for labels, _ in operands for label in labels}
    summed = [label for label in terms.summed if label in left]
    axes, grids = zip(*operands, strict=True)
    return _Terms(axes, grids, terms.out, summed)


def _summed_alone(terms: _Terms, chosen: tuple[int, ...]) -> tuple[tuple[str, ...], Grid]:
    """The product of some operands, summed over the axes that no other operand and no output has.

    Returns its labels and its elements.
    """
    own = [terms.axes[place] for place in chosen]
    grids = tuple(terms.operands[place] for place in chosen)
    sizes: dict[str, int] = {}
    for labels, grid in zip(own, grids, strict=True):
        for label, size in zip(labels, grid.shape, strict=True):
            sizes[label] = size if sizes.get(label, 1) == 1 else sizes[label]
    elsewhere = {
        label for place, labels in enumerate(terms.axes) if place not in chosen for label in labels
    }
    done = [label for label in sizes if label in set(terms.summed) - elsewhere]
    kept = [label for label in sizes if label not in done]
    part = _Terms(tuple(own), grids, kept, done)
    items = [
        _plain_sum([_real_product(one) for one in zip(*factors, strict=True)])
        for factors in part.factors(sizes)
    ]
    return tuple(kept), Grid(grids[0].type, tuple(sizes[label] for label in kept), items)


def _plain_sum(items: Sequence[Real]) -> Number:
    """The sum of numbers and infinities."""
    if all(map(is_finite, items)):
        return sum(map(fraction, items), start=Fraction(0))
    return ieee_sum(items)


def _either(one: Item, other: Item) -> Item:
    """An element that either order of additions may give, where one of them is no number."""
    first, second = _numbers(one), _numbers(other)
    if all(map(is_finite, (*first, *second))):
        return one
    if second == (NAN,):
        return or_nan(one)
    return any_of((*first, *second))


def _numbers(item: Item) -> tuple[Number, ...]:
    return item.numbers if isinstance(item, AnyOf) else (value_of(item),)


# --- the sums --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sums:
    """Sums of products of the elements of one type.

    Attributes:
        call: what is asked where an integer type holds no result.
        type: of the elements.
        in_one_go: whether each operand is a factor of each term, and there are at most two: then
            nothing between has to be kept in the type.
    """

    call: Call
    type: str
    in_one_go: bool

    def elements(self, terms: _Terms, sizes: Mapping[str, int]) -> Iterator[Item]:
        """The elements of the output."""
        return map(self.element, terms.factors(sizes))

    def element(self, factors: Sequence[Sequence[Any]]) -> Item:
        """The sum, over places, of the products of what each operand has there."""
        first, *others = factors
        if not is_float(self.type):
            total = sum(prod(terms) for terms in zip(*factors, strict=True))
            return held(self.call, self.type, total, "integer-overflow")
        *between, last = others or [[Fraction(1)] * len(first)]
        terms = [_real_product(items) for items in zip(first, *between, strict=True)]
        if not all(is_finite(item) for item in (*terms, *last)):
            return infinite_sum(
                self.type,
                [mul(x, y) for x, y in zip(terms, last, strict=True)],
                accumulator(self.type) if self.in_one_go else self.type,
            )
        exact, magnitude, quantum = exact_dot(terms, last)
        found = dot_bound(
            self.type,
            fraction(exact),  # type: ignore[arg-type]  # finite
            magnitude,
            len(terms) + 2 * len(others),
            kept_in=accumulator(self.type) if self.in_one_go else self.type,
            largest=max((scaled(items).largest() for items in factors), default=Fraction(1)),
            quantum=quantum,
        )
        return _by_way_of(self.type, found, factors) if len(factors) > 2 else found


def _by_way_of(name: str, item: Item, factors: Sequence[Sequence[Fraction]]) -> Item:
    """An element whose terms have three factors or more, of which some may be multiplied first.

    Their product may overflow or lose its digits where that of all does not.
    """
    kept = (least_subnormal(name) / 2, least_normal(name))
    most, lost = ZERO, [ZERO for _ in kept]
    for one in zip(*factors, strict=True):
        sizes = [abs(fraction(factor)) for factor in one if factor != 0]
        above = prod([size for size in sizes if size > 1], start=ONE)
        below = prod([size for size in sizes if size < 1], start=ONE)
        if len(sizes) == len(one):
            # All of them together are the term itself.
            above /= max(min(sizes), ONE)
            below /= min(max(sizes), ONE)
            if below < least_normal(name):
                term = prod(sizes, start=ONE)
                shares = [min(ONE, least / below) for least in kept]
                lost = [own + term * share for own, share in zip(lost, shares, strict=True)]
        most += above
    if most * (1 + len(factors[0]) * unit_roundoff(name)) >= overflow(name):
        return any_number(real(value_of(item)), _rule_of(item))
    if not any(lost):
        return item
    ieee, gpu = (
        (
            low if is_infinite(low) else moved(name, low, ZERO, Rounding.DOWN, error),
            high if is_infinite(high) else moved(name, high, ZERO, Rounding.UP, error),
        )
        for error, (low, high) in zip(lost, _limits(item), strict=True)
    )
    return item_of(real(value_of(item)), ieee, gpu, _rule_of(item))


def _limits(item: Item) -> tuple[Ends, Ends]:
    """The limits of both profiles."""
    if isinstance(item, Enclosed):
        return (real(item.low), real(item.high)), (real(item.gpu_low), real(item.gpu_high))
    own = real(value_of(item))
    return (own, own), (own, own)


def _rule_of(item: Item) -> Rule | None:
    return item.rule if isinstance(item, Enclosed) else None


def _real_product(terms: Sequence[Any]) -> Any:  # noqa: ANN401  a real number
    return reduce(mul, terms)
