"""Einsum, all versions. Source: its page, Summary.

An equation names the axes of each operand: an element of the output is the sum, over the axes that
its term lacks, of the products of the operands' elements at these indices.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...accuracy.bounds import dot_bound, or_nan
from ...accuracy.profiles import accumulator
from ...accuracy.sums import exact_dot, ieee_sum, infinite_sum, scaled
from ...arith.grid import AnyOf, Grid, broadcast_shape, places, strides, value_of
from ...arith.numbers import NAN, fraction, is_finite, mul
from ...arith.rationals import Fraction
from ...arith.rounding import is_float
from ...errors import InvalidCallError
from ...registry import oracle, refuse_if_chosen
from ..elementwise.arithmetic import held

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...arith.grid import Item, Shape
    from ...arith.numbers import Number, Real
    from ...registry import Call, Result

_ELLIPSIS = "..."
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
    items = list(
        sums.elements(_Terms(tuple(map(tuple, axes)), tuple(operands), out, summed), sizes)
    )
    if not joined and is_float(sums.type) and not all(map(_holds_numbers, operands)):
        before = _summed_before(axes, operands, out, summed)
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


def _holds_numbers(grid: Grid) -> bool:
    return all(map(is_finite, grid.items))


def _summed_before(
    axes: Sequence[Sequence[str]],
    operands: Sequence[Grid],
    out: Sequence[str],
    summed: Sequence[str],
) -> _Terms:
    """The same terms with each operand summed over the axes that it alone has.

    The same numbers, and yet 0 * inf + 1 * inf is NaN, and (0 + 1) * inf is not.
    """
    new_axes, new_operands = [], []
    done = []
    for place, (labels, grid) in enumerate(zip(axes, operands, strict=True)):
        elsewhere = {label for other in (*axes[:place], *axes[place + 1 :]) for label in other}
        own = [label for label in dict.fromkeys(labels) if label in set(summed) - elsewhere]
        kept = [label for label in dict.fromkeys(labels) if label not in own]
        done += own
        sizes = dict(zip(labels, grid.shape, strict=True))
        terms = _Terms((tuple(labels),), (grid,), kept, own)
        items = [_plain_sum(row) for (row,) in terms.factors(sizes)]
        new_axes.append(tuple(kept))
        new_operands.append(Grid(grid.type, tuple(sizes[label] for label in kept), items))
    left = [label for label in summed if label not in done]
    return _Terms(tuple(new_axes), tuple(new_operands), out, left)


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
    found = tuple(dict.fromkeys((*first, *second)))
    return found[0] if len(found) == 1 else AnyOf(found)


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
            total = sum(_product(terms) for terms in zip(*factors, strict=True))
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
        return dot_bound(
            self.type,
            fraction(exact),  # type: ignore[arg-type]  # finite
            magnitude,
            len(terms) + 2 * len(others),
            kept_in=accumulator(self.type) if self.in_one_go else self.type,
            largest=max((scaled(items).largest() for items in factors), default=Fraction(1)),
            quantum=quantum,
        )


def _product(terms: Sequence[int]) -> int:
    found = 1
    for item in terms:
        found *= item
    return found


def _real_product(terms: Sequence[Any]) -> Any:  # noqa: ANN401  a real number
    found, *others = terms
    for item in others:
        found = mul(found, item)
    return found
