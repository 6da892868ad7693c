"""Mutants of numbers near the ends of their type: an intermediate that is beyond it, and ties.

A formula may need a number that is twice, or the square, or the exponential of what it begins or
ends with. A runtime that computes it as written gives an infinity or 0 where the result is neither.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction as PlainFraction
from functools import partial
from typing import Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators import oracle
from onnx_conformance.generators.oracle.arith import rounding
from onnx_conformance.generators.oracle.arith.grid import (
    Grid,
    grid_of,
    tensor_of,
    tensor_of_numbers,
    value_of,
)
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Complex,
    is_finite,
    is_zero,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import (
    Rounding,
    greatest,
    least_subnormal,
)
from onnx_conformance.generators.oracle.errors import OpenError
from onnx_conformance.generators.oracle.registry import Call, Result
from onnx_conformance.generators.oracle.registry import compute as own_answer
from onnx_conformance.generators.signatures.model import Signature

from ..changing import each_of
from ..interfaces import Answer, Change, Slip
from ..mutants.slips import FLOATS, inputs_changed

# Of an element type, from which number on, or below which, something is lost.
Bound = Callable[[str], Fraction]


def ranges(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    """(what goes wrong, an answer in which it does) for an operator that takes or gives floats."""
    floats = set(FLOATS)
    if any(floats & set(it.types_of(item)) for it in versions for item in it.inputs):
        for words, bound in _LARGE:
            yield f"inputs {words} are infinite", _inputs(bound, _infinite)
        for words, bound in _SMALL:
            yield f"inputs {words} are 0", _inputs(bound, _vanished)
    if any(floats & set(it.types_of(item)) for it in versions for item in it.outputs):
        for words, bound in _LARGE:
            yield f"results {words} are infinite", _outputs(bound, _infinite)
        for words, bound in _SMALL:
            yield f"results {words} are 0", _outputs(bound, _vanished)
        yield "half away from 0 for half to even", _ties_away


def _root(number: Fraction) -> Fraction:
    exact = PlainFraction(int(number.numerator), int(number.denominator))
    if exact >= 1:
        return Fraction(math.isqrt(int(exact)))
    return Fraction(1, math.isqrt(int(1 / exact)))


def _log(number: Fraction) -> Fraction:
    """About the natural logarithm of a number far beyond 1, from below."""
    return Fraction(int(int(number).bit_length() * 0.693 * 16) - 1, 16)


_LARGE: tuple[tuple[str, Bound], ...] = (
    ("whose double is beyond the type", lambda name: greatest(name) / 2),
    ("whose square is beyond the type", lambda name: _root(greatest(name))),
    ("whose exponential is beyond the type", lambda name: _log(greatest(name)) + 1),
)
_SMALL: tuple[tuple[str, Bound], ...] = (
    ("of which half is below the type", lambda name: least_subnormal(name) * 2),
    ("whose square is below the type", lambda name: _root(least_subnormal(name) / 2)),
)


def _infinite(bound: Fraction) -> Change:
    def change(item: Any) -> Any:  # noqa: ANN401  a number
        if not is_finite(item) or is_zero(item) or abs(item) <= bound:
            return item
        return INF if item > 0 else NEG_INF

    return change


def _vanished(bound: Fraction) -> Change:
    def change(item: Any) -> Any:  # noqa: ANN401  a number
        if not is_finite(item) or is_zero(item) or abs(item) >= bound:
            return item
        return ZERO if item > 0 else NEG_ZERO

    return change


def _changed(value: Any, bound: Bound, kind: Callable[[Fraction], Change]) -> Any:  # noqa: ANN401
    """A tensor with some of its elements lost; itself where none is."""
    if value.type not in FLOATS:
        return value
    grid = grid_of(value) if isinstance(value, Tensor) else value
    numbers = [value_of(item) for item in grid.items]
    if any(isinstance(item, (Complex, bytes)) for item in numbers):
        return value
    change = kind(bound(value.type))
    new = [change(item) for item in numbers]
    if all(item is other for item, other in zip(new, numbers, strict=True)):
        return value
    kept = [
        item if other is number else other
        for item, other, number in zip(grid.items, new, numbers, strict=True)
    ]
    if isinstance(value, Grid):
        return Grid(value.type, value.shape, kept)
    return tensor_of_numbers(value.type, value.shape, kept)


def _inputs(bound: Bound, kind: Callable[[Fraction], Change]) -> Slip:
    return inputs_changed(partial(_changed, bound=bound, kind=kind))


def _outputs(bound: Bound, kind: Callable[[Fraction], Change]) -> Slip:
    change = partial(_changed, bound=bound, kind=kind)
    return lambda call, compute: each_of(compute(call), change)


# --- ties ----------------------------------------------------------------------------------------

_CACHING = ("accuracy", "operators", "arith.elementary", "arith.intervals")


def _ties_away(call: Call, compute: Answer) -> Result:
    """Results of an oracle all of whose roundings to nearest take the number away from 0 of two."""
    usual = compute(call)
    if not any(isinstance(item, Grid) and item.type in FLOATS for item in usual):
        return usual
    try:
        with _rounding_away():
            result = own_answer(call)
            new = tuple(tensor_of(item) if isinstance(item, Grid) else item for item in result)
    except OpenError:
        return usual  # by another reading than the first, which nobody asks for here
    known = tuple(tensor_of(item) if isinstance(item, Grid) else item for item in usual)
    return usual if new == known else new


@contextmanager
def _rounding_away() -> Iterator[None]:
    """Half away for half to even, in whatever the oracles compute; what they remember is lost."""
    right = rounding.round_integer

    def away(x: Fraction, exponent: int, direction: Rounding = Rounding.NEAREST_EVEN) -> int:
        is_even = direction is Rounding.NEAREST_EVEN
        return right(x, exponent, Rounding.NEAREST_AWAY if is_even else direction)

    _forget()
    rounding.round_integer = away  # type: ignore[assignment]  # by position, as it is called
    try:
        yield
    finally:
        rounding.round_integer = right
        _forget()


def _forget() -> None:
    """Forget what oracles remember of roundings."""
    for member in _remembering():
        member.cache_clear()


def _remembering() -> list[Any]:
    prefixes = tuple(f"{oracle.__name__}.{name}" for name in _CACHING)
    return [
        member
        for name, module in list(sys.modules.items())
        if name.startswith(prefixes)
        for member in list(vars(module).values())
        if hasattr(member, "cache_clear")
    ]
