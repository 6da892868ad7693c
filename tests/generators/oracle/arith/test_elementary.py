"""Elementary functions: enclosures, special values and limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.generators.oracle.arith import elementary
from onnx_conformance.generators.oracle.arith.elementary import (
    FUNCTIONS,
    Enclosure,
    enclosure,
    exact_power,
    exact_value,
    floor_of,
    power_enclosure,
    resolve,
    ulps_of,
)
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ONE,
    ZERO,
    Real,
    fraction,
    from_float,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import round_to

if TYPE_CHECKING:
    from collections.abc import Callable

SPECIALS = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, math.inf, -math.inf, math.nan]
DOMAINS = {
    "acos": (-1.0, 1.0),
    "acosh": (1.0, 1e300),
    "asin": (-1.0, 1.0),
    "atanh": (-0.999, 0.999),
    "log": (1e-300, 1e300),
    "exp": (-700.0, 700.0),
    "expm1": (-700.0, 700.0),
    "sinh": (-700.0, 700.0),
    "cosh": (-700.0, 700.0),
}


def mpmaths(function: str, x: float) -> Any:  # noqa: ANN401  an mpmath number
    return getattr(mpmath, {"log": "ln"}.get(function, function))(mpmath.mpf(x))


def as_mpf(x: Real) -> Any:  # noqa: ANN401  an mpmath number
    value = fraction(x)
    return mpmath.mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("function", FUNCTIONS)
@given(st.data())
def test_an_enclosure_holds_what_mpmath_computes(function: str, data: st.DataObject) -> None:
    low, high = DOMAINS.get(function, (-1e6, 1e6))
    x = data.draw(st.floats(low, high).filter(lambda value: abs(value) > 1e-300))
    if exact_value(function, from_float(x)) is not None:
        return
    found = enclosure(function, from_float(x))
    with mpmath.workprec(1200):
        exact = mpmaths(function, x)
        slack = abs(exact) * mpmath.mpf(2) ** -1000
        assert as_mpf(found.low) - slack <= exact <= as_mpf(found.high) + slack
        assert fraction(found.high) - fraction(found.low) <= abs(fraction(found.high)) / 2**150


@pytest.mark.parametrize("function", FUNCTIONS)
def test_special_values_are_those_of_annex_f(function: str) -> None:
    numpys: Callable[[float], float] = {
        "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh,
        "atan": np.arctan, "atanh": np.arctanh,
    }.get(function, getattr(np, function, None) or math.erf)  # fmt: skip
    for x in SPECIALS:
        with np.errstate(all="ignore"):
            expected = from_float(float(numpys(x)))
        exact = exact_value(function, from_float(x))
        if exact is None:  # an irrational number
            found = enclosure(function, from_float(x))
            assert abs((fraction(found.low) - fraction(expected)) / fraction(expected)) < 1e-15
        else:
            assert expected == exact, x


@given(
    st.sampled_from([*SPECIALS, 3.0, -3.0, 0.5, -0.5, 2.5]),
    st.sampled_from([*SPECIALS, 3.0, 0.5, -3.0]),
)
def test_powers_are_those_of_annex_f(x: float, y: float) -> None:
    # Python's pow is C's, where NumPy's takes the square root for 0.5 (and gives -0 for -0).
    try:
        expected = from_float(math.pow(x, y))
    except ValueError:  # what Python makes of a domain error, and of a pole
        odd = y in (-1.0, -3.0)
        expected = NAN if x else (NEG_INF if odd and math.copysign(1, x) < 0 else INF)
    base, exponent = from_float(x), from_float(y)
    exact = exact_power(base, exponent)
    if exact is None:
        one, other = fraction(base), fraction(exponent)
        exact = resolve("float64", lambda bits: power_enclosure(one, other, bits))
    assert expected == round_to("float64", exact)


def test_where_annex_f_answers_there_is_no_enclosure() -> None:
    for function, x in (("log", ZERO), ("log", -ONE), ("exp", INF), ("sin", NAN)):
        with pytest.raises(ValueError, match="is "):
            enclosure(function, x)


def test_an_exact_value_has_no_width() -> None:
    assert Enclosure(ONE, ONE) == enclosure("exp", ZERO)
    assert Enclosure(ZERO, ZERO) == enclosure("sin", NEG_ZERO)
    assert Enclosure(Fraction(8), Fraction(8)) == power_enclosure(Fraction(2), Fraction(3))
    assert Enclosure(-Fraction(8), -Fraction(8)) == power_enclosure(Fraction(-2), Fraction(3))


def test_values_beyond_every_format_are_enclosed_without_their_digits() -> None:
    huge = Fraction(10**300)
    assert [INF, INF, ZERO, NEG_INF] == [
        round_to("float64", resolve("float64", lambda bits, f=f, x=x: enclosure(f, x, bits)))
        for f, x in (("exp", huge), ("cosh", -huge), ("exp", -huge), ("sinh", -huge))
    ]
    assert INF is resolve("float64", lambda bits: power_enclosure(huge, huge, bits))
    assert 0 == round_to("float64", resolve("float64", lambda b: power_enclosure(huge, -huge, b)))


@pytest.mark.parametrize("function", ["exp", "sin", "cos", "tan", "asin", "cosh", "log"])
def test_a_number_that_is_no_binary_fraction_is_enclosed(function: str) -> None:
    with mpmath.workprec(400):
        exact = getattr(mpmath, {"log": "ln"}.get(function, function))(mpmath.mpf(1) / 3)
        found = enclosure(function, Fraction(1, 3))
        assert as_mpf(found.low) < exact < as_mpf(found.high)


def test_a_hard_case_is_computed_to_more_bits() -> None:
    # The exact value lies 2**-200 above the middle of two numbers: 160 bits do not tell.
    asked = []

    def near_a_tie(bits: int) -> Enclosure:
        asked.append(bits)
        middle, off = 1 + Fraction(1, 2**24), Fraction(1, 2**200)
        return Enclosure(middle + off - Fraction(1, 2**bits), middle + off + Fraction(1, 2**bits))

    assert 1 + Fraction(1, 2**23) == round_to("float32", resolve("float32", near_a_tie))
    assert [160, 320] == asked


def test_a_tie_is_left_as_it_is() -> None:
    tie = 1 + Fraction(1, 2**24)
    found = resolve(
        "float32", lambda bits: Enclosure(tie - Fraction(1, 2**bits), tie + Fraction(1, 2**bits))
    )
    assert tie == found


@given(st.floats(-80, 80, width=32))
def test_exp_of_float32_is_correctly_rounded(x: float) -> None:
    found = resolve("float32", lambda bits: elementary.enclosure("exp", from_float(x), bits))
    with mpmath.workprec(300):
        expected = Fraction(*map(int, mpmath.exp(mpmath.mpf(x)).as_integer_ratio())) if x else ONE
    assert round_to("float32", expected) == round_to("float32", found)


def test_the_limits_are_opencls_and_one_ulp() -> None:
    assert [4, 4, 3, 3] == [
        ulps_of("exp", name) for name in ("float32", "float64", "float16", "bfloat16")
    ]
    assert [17, 5] == [ulps_of("pow", name) for name in ("float32", "float16")]


def test_some_functions_have_an_absolute_error() -> None:
    assert [Fraction(1, 2**24), Fraction(1, 2**11), 0] == [
        floor_of(function, name, ONE)
        for function, name in (("tanh", "float32"), ("tanh", "float16"), ("exp", "float32"))
    ]
    assert [Fraction(1, 2**23), Fraction(1, 2**33)] == [
        floor_of("sin", "float32", x) for x in (Fraction(7), Fraction(1, 2**10))
    ]
    assert {Fraction(1, 2**50)} == {
        floor_of(function, "float64", ONE) for function in ("sin", "cos", "tanh")
    }
