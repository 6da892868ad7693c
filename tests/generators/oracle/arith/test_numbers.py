"""IEEE 754's arithmetic on exact numbers, compared with NumPy's float64."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.generators.oracle.arith import numbers
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Complex,
    Number,
    Real,
    from_float,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import round_to

if TYPE_CHECKING:
    from collections.abc import Callable

SPECIALS = [0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.5, -2.5, 3.0, 5e-324, -5e-324, 1.7e308, -1.7e308]
SPECIALS += [float("inf"), float("-inf"), float("nan")]
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "fmod": np.fmod,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": np.negative,
    "absolute": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round_half_even": np.rint,
}
FLOATS = st.floats() | st.sampled_from(SPECIALS) | st.integers(-9, 9).map(lambda n: n / 4)


def numpys(function: Callable[..., Any], *given_: float) -> Number:
    with np.errstate(all="ignore"):
        return from_float(float(function(*(np.float64(x) for x in given_))))


def ours(name: str, *given_: float) -> Number:
    return round_to("float64", getattr(numbers, name)(*(from_float(x) for x in given_)))


@pytest.mark.parametrize("name", BINARY)
def test_two_special_numbers_give_what_numpy_gives(name: str) -> None:
    for pair in product(SPECIALS, SPECIALS):
        assert numpys(BINARY[name], *pair) == ours(name, *pair), pair


@pytest.mark.parametrize("name", BINARY)
@given(FLOATS, FLOATS)
def test_two_numbers_give_what_numpy_gives(name: str, x: float, y: float) -> None:
    assert numpys(BINARY[name], x, y) == ours(name, x, y)


@pytest.mark.parametrize("name", UNARY)
@given(FLOATS)
def test_one_number_gives_what_numpy_gives(name: str, x: float) -> None:
    assert numpys(UNARY[name], x) == ours(name, x)


@given(FLOATS, FLOATS)
def test_comparisons_are_pythons(x: float, y: float) -> None:
    first, second = from_float(x), from_float(y)
    assert (x < y) == numbers.less(first, second)
    assert (x == y) == numbers.equal(first, second)


@given(FLOATS)
def test_what_a_number_is(x: float) -> None:
    number = from_float(x)
    expected = [np.isnan(x), np.isinf(x), np.isfinite(x), x == 0, np.signbit(x) and x == x]  # noqa: PLR0124  NaN
    found = [
        function(number)
        for function in (numbers.is_nan, numbers.is_infinite, numbers.is_finite, numbers.is_zero)
    ]
    assert [bool(item) for item in expected] == [*found, numbers.is_negative(number)]


def test_the_order_puts_negative_zero_before_zero() -> None:
    ordered: list[Real] = [NEG_INF, Fraction(-1), NEG_ZERO, ZERO, Fraction(1, 2), INF]
    assert ordered == sorted([*ordered[3:], *ordered[:3]], key=numbers.order)
    with pytest.raises(ValueError, match="no place in an order"):
        numbers.order(NAN)


def test_nothing_is_rounded() -> None:
    tiny = Fraction(1, 3 * 2**2000)
    assert 1 + tiny == numbers.add(Fraction(1), tiny)
    assert tiny * tiny == numbers.mul(tiny, tiny)


def test_integers_stay_integers() -> None:
    big = 2**70
    found = [numbers.add(big, 1), numbers.sub(0, 0), numbers.mul(big, -2), numbers.neg(0)]
    assert [big + 1, 0, -2 * big, 0] == found
    assert {int} == {type(item) for item in found}
    with pytest.raises(TypeError, match="say how ints divide"):
        numbers.div(7, 2)


def test_an_integer_beside_a_float_is_a_number_like_it() -> None:
    assert Fraction(3, 2) == numbers.add(1, Fraction(1, 2))
    assert NAN is numbers.mul(0, INF)
    assert NEG_ZERO is numbers.sub(NEG_ZERO, 0)


@given(st.complex_numbers(max_magnitude=1e6), st.complex_numbers(max_magnitude=1e6))
def test_complex_arithmetic_is_exact(x: complex, y: complex) -> None:
    def exact(z: complex) -> Complex:
        return Complex(Fraction(z.real), Fraction(z.imag))

    one, other = exact(x), exact(y)
    total, product_ = numbers.add(one, other), numbers.mul(one, other)
    assert isinstance(total, Complex)
    assert isinstance(product_, Complex)
    assert Fraction(x.real) + Fraction(y.real) == numbers.fraction(total.re)
    expected = Fraction(x.real) * Fraction(y.imag) + Fraction(x.imag) * Fraction(y.real)
    assert expected == numbers.fraction(product_.im)
    if y != 0:
        back = numbers.mul(numbers.div(one, other), other)
        assert numbers.equal(one, back)


def test_strings_are_no_numbers() -> None:
    with pytest.raises(TypeError, match="is no real number"):
        numbers.add(b"1", Fraction(1))


def test_nan_and_the_infinities_are_no_fractions() -> None:
    for x in (NAN, INF, NEG_INF):
        with pytest.raises(ValueError, match="no finite number"):
            numbers.fraction(x)
