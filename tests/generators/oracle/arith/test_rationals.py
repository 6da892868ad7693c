"""GMP's rational numbers in the place of Python's."""

from __future__ import annotations

import fractions
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from onnx_conformance.generators.oracle.arith.elementary import power_enclosure, resolve
from onnx_conformance.generators.oracle.arith.numbers import INF, ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction, Whole
from onnx_conformance.generators.oracle.arith.rounding import encode, greatest, least_subnormal

PAIRS = st.tuples(st.integers(-(2**200), 2**200), st.integers(1, 2**200))


def ours(x: Fraction) -> tuple[int, int]:
    return int(x.numerator), int(x.denominator)


@given(PAIRS, PAIRS)
def test_they_count_as_pythons_do(one: tuple[int, int], other: tuple[int, int]) -> None:
    x, y = fractions.Fraction(*one), fractions.Fraction(*other)
    p, q = Fraction(*one), Fraction(*other)
    for expected, got in ((x + y, p + q), (x - y, p - q), (x * y, p * q), (abs(x), abs(p))):
        assert expected.as_integer_ratio() == ours(got)
    assert (x < y, x == y, hash(x), str(x)) == (p < q, p == q, hash(p), str(p))
    assert (math.floor(x), math.ceil(x), round(x)) == (math.floor(p), math.ceil(p), round(p))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_taken_and_given_back_as_it_is(x: float) -> None:
    assert fractions.Fraction(x).as_integer_ratio() == ours(Fraction(x))
    assert x == float(Fraction(x))


def test_integers_of_both_kinds_are_whole() -> None:
    assert isinstance(3, Whole)
    assert isinstance(math.floor(Fraction(7, 2)), Whole)
    assert not isinstance(Fraction(3), Whole)


def test_codes_are_pythons_integers() -> None:
    assert int is type(encode("float32", Fraction(1, 3)))
    assert int is type(encode("int32", math.floor(Fraction(7, 2))))


def test_nothing_asks_gmpy2_for_a_small_denominator() -> None:
    calls = re.compile(r"\.limit_denominator\(")
    found = [
        path.relative_to(ROOT)
        for folder in ("generators", "benchmarks", "strength")
        for path in (ROOT / folder).rglob("*.py")
        if calls.search(path.read_text(encoding="utf-8"))
    ]
    assert [] == found


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (Fraction(33, 32), greatest("float32")),
        (greatest("float64"), Fraction(16777218)),
        (1 + Fraction(1, 2**23), Fraction(2**40)),
        (Fraction(3, 4), -Fraction(65520)),
    ],
)
def test_a_power_beyond_every_format_is_bounded_without_being_computed(
    x: Fraction, y: Fraction
) -> None:
    found = power_enclosure(x, y)
    assert INF is found.high
    assert isinstance(found.low, Fraction)
    assert greatest("float64") < found.low
    assert found.low.numerator.bit_length() < 2**12
    assert INF is resolve("float64", lambda bits: power_enclosure(x, y, bits))


def test_a_power_below_every_format_is_next_to_zero() -> None:
    found = power_enclosure(Fraction(3, 4), greatest("float32"))
    assert ZERO == found.low
    assert isinstance(found.high, Fraction)
    assert 0 < found.high < least_subnormal("float64") / 2


def test_a_power_of_a_number_next_to_1_is_computed() -> None:
    found = power_enclosure(1 + Fraction(1, 2**23), Fraction(2**23))
    assert isinstance(found.low, Fraction)
    assert 2.71828 < float(found.low) < 2.71829
