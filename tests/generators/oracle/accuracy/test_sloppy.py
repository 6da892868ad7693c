"""No implementation by permitted steps is outside: one that errs at random, as far as it may.

`Sloppy` has the methods of Steps, on numbers. Each step computes the exact value of its operands
and then takes any number within the step's error: rounded to the type, to a wider one, not at all,
or off by some of the ulps that the profile gives it; on a GPU subnormal numbers perhaps as zero.
What a formula gives with it must lie within the limits that the same formula gives with Steps.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from near_ratios import near

from onnx_conformance.generators.oracle.accuracy.bounds import enclosed_all
from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.accuracy.profiles import GPU, IEEE, gpu_ulps, is_subnormal
from onnx_conformance.generators.oracle.arith import elementary, numbers
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    ONE,
    ZERO,
    Real,
    fraction,
    is_finite,
    is_nan,
    is_zero,
    less,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import (
    Rounding,
    greatest,
    round_to,
    ulp,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HALF = Fraction(1, 2)
WIDER = {"float16": "float32", "bfloat16": "float32", "float32": "float64", "float64": "float64"}


class Sloppy:
    """Arithmetic on numbers with random errors, each within what its step may be off."""

    def __init__(self, name: str, profile: str, random: Random) -> None:
        self.name = name
        self.profile = profile
        self.random = random

    def exactly(self, x: Real) -> Real:
        return self._perhaps_flushed(x)

    def constant(self, x: int | Fraction) -> Real:
        return self._rounded(Fraction(x))

    def _of(self, x: Any) -> Real:  # noqa: ANN401  a number, or a constant
        return x if isinstance(x, numbers.Special) else Fraction(x)

    def _perhaps_flushed(self, x: Real) -> Real:
        if self.profile == GPU and is_subnormal(self.name, x) and self.random.random() < HALF:
            return ZERO
        return x

    def _rounded(self, exact: Real, step: str = "") -> Real:
        if not is_finite(exact):
            return exact
        if self.profile == GPU and gpu_ulps(step, self.name) > HALF:
            return self._off(exact, gpu_ulps(step, self.name))
        kept_in = self.random.choice([self.name, self.name, WIDER[self.name], None])
        result = exact if kept_in is None else round_to(kept_in, exact)
        return self._perhaps_flushed(ZERO if is_zero(result) else result)  # type: ignore[arg-type]

    def _off(self, exact: Real, ulps: Fraction, floor: Fraction = ZERO) -> Real:
        """A number of the type within so many ulps; at either end as often as between."""
        if not is_finite(exact) or is_zero(exact):
            return exact
        value = fraction(exact)
        error = max(ulps * ulp(self.name, value), floor)
        part = self.random.choice([-1, 1, Fraction(self.random.uniform(-1, 1))])
        inwards = Rounding.UP if part < 0 else Rounding.DOWN
        if abs(value) > greatest(self.name):
            inwards = Rounding.NEAREST_EVEN
        result = round_to(self.name, value + part * error, rounding=inwards)
        return self._perhaps_flushed(ZERO if is_zero(result) else result)  # type: ignore[arg-type]

    def _arithmetic(self, function: Callable[..., Any], x: Any, y: Any, step: str = "") -> Real:  # noqa: ANN401
        found = function(self._of(x), self._of(y))
        return self._rounded(ZERO if is_zero(found) else found, step)

    def add(self, x: Any, y: Any) -> Real:  # noqa: ANN401
        return self._arithmetic(numbers.add, x, y)

    def sub(self, x: Any, y: Any) -> Real:  # noqa: ANN401
        return self._arithmetic(numbers.sub, x, y)

    def mul(self, x: Any, y: Any) -> Real:  # noqa: ANN401
        return self._arithmetic(numbers.mul, x, y)

    def div(self, x: Any, y: Any) -> Real:  # noqa: ANN401
        if self.random.random() < HALF:
            return self.mul(x, self._arithmetic(numbers.div, ONE, y, "div"))
        return self._arithmetic(numbers.div, x, y, "div")

    def neg(self, x: Any) -> Real:  # noqa: ANN401
        found: Real = numbers.neg(self._of(x))  # type: ignore[assignment]
        return ZERO if is_zero(found) else found

    def square(self, x: Any) -> Real:  # noqa: ANN401
        return self.mul(x, x)

    def absolute(self, x: Any) -> Real:  # noqa: ANN401
        return numbers.absolute(self._of(x))

    def max(self, x: Any, y: Any) -> Real:  # noqa: ANN401
        return self._of(y) if less(self._of(x), self._of(y)) else self._of(x)

    def min(self, x: Any, y: Any) -> Real:  # noqa: ANN401
        return self._of(x) if less(self._of(x), self._of(y)) else self._of(y)

    def sqrt(self, x: Any) -> Real:  # noqa: ANN401
        value = self._of(x)
        if not is_finite(value) or is_zero(value):
            return value
        found = elementary.power_enclosure(_dyadic(fraction(value)), HALF)
        return self._rounded((fraction(found.low) + fraction(found.high)) / 2, "sqrt")

    def sum(self, terms: Sequence[Real]) -> Real:
        """In any order, each partial sum rounded to the type that sums are kept in."""
        kept_in = self.name
        if self.profile == IEEE and self.name in ("float16", "bfloat16"):
            kept_in = "float32"
        left = list(terms)
        while len(left) > 1:
            first, second = (left.pop(self.random.randrange(len(left))) for _ in range(2))
            left.append(round_to(kept_in, numbers.add(first, second)))  # type: ignore[arg-type]
        return self._rounded(left[0]) if left else ZERO

    def mean(self, terms: Sequence[Real]) -> Real:
        return self.div(self.sum(terms), len(terms))

    def _function(self, function: str, x: Any) -> Real:  # noqa: ANN401
        value = self._of(x)
        exact = elementary.exact_value(function, value)
        if exact is not None:
            return exact
        dyadic = _dyadic(fraction(value))
        found = elementary.resolve(
            "float64", lambda bits: elementary.enclosure(function, dyadic, bits)
        )
        floor = elementary.floor_of(function, self.name, dyadic)
        return self._off(found, elementary.ulps_of(function, self.name), floor)

    def exp(self, x: Any) -> Real:  # noqa: ANN401
        found = self._function("exp", x)
        return ZERO if less(found, ZERO) else found

    def log(self, x: Any) -> Real:  # noqa: ANN401
        return self._function("log", x)

    def erf(self, x: Any) -> Real:  # noqa: ANN401
        return self._function("erf", x)

    def tanh(self, x: Any) -> Real:  # noqa: ANN401
        return self._function("tanh", x)

    def sigmoid(self, x: Any) -> Real:  # noqa: ANN401
        if self.random.random() < HALF:
            found = self.mul(HALF, self.add(1, self.tanh(self.mul(HALF, x))))
            return ZERO if less(found, ZERO) else self.min(found, ONE)
        return self.div(1, self.add(1, self.exp(self.neg(x))))

    def softplus(self, x: Any) -> Real:  # noqa: ANN401
        if self.random.random() < HALF:
            return self.log(self.add(1, self.exp(x)))
        safe = self.log(self.add(1, self.exp(self.neg(self.absolute(x)))))
        return self.add(self.max(x, 0), safe)


def _dyadic(x: Fraction) -> Fraction:
    """A number that is no binary fraction, to 400 bits: that is far below every error here."""
    return x if x.denominator & (x.denominator - 1) == 0 else Fraction(int(x * 2**400), 2**400)


def gelu(s: Any, row: Sequence[Real]) -> list[Any]:  # noqa: ANN401  Steps or Sloppy
    return [
        s.mul(s.mul(HALF, x), s.add(1, s.erf(s.div(x, s.sqrt(2))))) for x in map(s.exactly, row)
    ]


def gelu_tanh(s: Any, row: Sequence[Real]) -> list[Any]:  # noqa: ANN401
    def one(x: Any) -> Any:  # noqa: ANN401
        cube = s.mul(s.mul(x, x), x)
        inner = s.mul(Fraction(51, 64), s.add(x, s.mul(Fraction(44715, 10**6), cube)))
        return s.mul(s.mul(HALF, x), s.add(1, s.tanh(inner)))

    return [one(x) for x in map(s.exactly, row)]


def swish(s: Any, row: Sequence[Real]) -> list[Any]:  # noqa: ANN401
    return [s.mul(x, s.sigmoid(x)) for x in map(s.exactly, row)]


def mish(s: Any, row: Sequence[Real]) -> list[Any]:  # noqa: ANN401
    return [s.mul(x, s.tanh(s.softplus(x))) for x in map(s.exactly, row)]


def elu(s: Any, row: Sequence[Real]) -> list[Any]:  # noqa: ANN401
    return [s.sub(s.exp(x), 1) for x in map(s.exactly, row)]


def softmax(s: Any, row: Sequence[Real]) -> list[Any]:  # noqa: ANN401
    given = [s.exactly(x) for x in row]
    greatest = given[0]
    for x in given:
        greatest = s.max(greatest, x)
    powers = [s.exp(s.sub(x, greatest)) for x in given]
    total = s.sum(powers)
    return [s.div(power, total) for power in powers]


def normalization(s: Any, row: Sequence[Real]) -> list[Any]:  # noqa: ANN401
    given = [s.exactly(x) for x in row]
    mean = s.mean(given)
    off = [s.sub(x, mean) for x in given]
    deviation = s.sqrt(s.add(s.mean([s.square(x) for x in off]), Fraction(1, 10**5)))
    return [s.div(x, deviation) for x in off]


FORMULAS = [gelu, gelu_tanh, swish, mish, elu, softmax, normalization]


def numbers_of(name: str, random: Random) -> list[Real]:
    """Eight numbers of a type: most near 1, some large, small or subnormal."""
    found: list[Real] = []
    for _ in range(8):
        size = Fraction(2) ** random.choice([0, 0, 1, 2, 3, -1, -5, -20, 6, -130])
        x = round_to(name, Fraction(random.uniform(-1, 1)) * size)
        found.append(ZERO if is_zero(x) else x)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("profile", [IEEE, GPU])
@pytest.mark.parametrize("formula", FORMULAS)
def test_a_sloppy_implementation_is_inside(
    formula: Callable[..., list[Any]], profile: str, name: str
) -> None:
    random = Random(f"{formula.__name__} {profile} {name}")  # noqa: S311  a seed that stays
    judged = 0
    for _ in range(4):
        row = numbers_of(name, random)
        items = enclosed_all(name, lambda s, row=row: formula(s, row))
        for _ in range(12):
            for item, got in zip(items, formula(Sloppy(name, profile, random), row), strict=True):
                rounded = round_to(name, got)
                if is_nan(rounded) or item is NAN:
                    continue  # a formula that overflows on its way; not one of its results
                judged += 1
                assert accepts(name, item, rounded, profile), (row, item, rounded)
    assert judged > 250


def test_one_that_errs_by_more_is_outside() -> None:
    random = Random(1)  # noqa: S311  a seed that stays
    row = [near(Fraction(1, 3 * 2**8), 2**20), ONE, -ONE, Fraction(5, 2)]
    given: list[Real] = [round_to("float32", x) for x in row]  # type: ignore[misc]
    items = enclosed_all("float32", lambda s: swish(s, given))
    narrow = [swish(Sloppy("float16", IEEE, random), given) for _ in range(20)]
    assert any(
        not accepts("float32", item, round_to("float32", got))
        for found in narrow
        for item, got in zip(items, found, strict=True)
    )


def test_infinities_meet_in_both() -> None:
    # What a formula does with infinities must be the same in numbers and in intervals.
    random = Random(2)  # noqa: S311  a seed that stays
    for formula in (gelu, swish, elu, mish):
        for x in (INF, NEG_INF):
            (item,) = enclosed_all("float32", lambda s, x=x, f=formula: f(s, [x]))
            (got,) = formula(Sloppy("float32", IEEE, random), [x])
            assert accepts("float32", item, got), (formula, x, item, got)
