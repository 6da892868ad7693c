"""Exact sums of many elements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.generators.oracle.accuracy.bounds import dot_bound
from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.accuracy.sums import Scaled, dot_value, scaled, sum_value
from onnx_conformance.generators.oracle.arith.grid import Enclosed
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, NEG_ZERO, ONE, ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction

FLOATS = st.floats(-(2.0**99), 2.0**99, width=32).map(Fraction)


@given(st.lists(FLOATS))
def test_a_total_is_exact(numbers: list[Fraction]) -> None:
    assert (sum(numbers), sum(map(abs, numbers))) == scaled(numbers).total()
    assert max(map(abs, numbers), default=0) == scaled(numbers).largest()


@given(st.lists(st.tuples(FLOATS, FLOATS)))
def test_a_dot_product_is_exact(pairs: list[tuple[Fraction, Fraction]]) -> None:
    products = [x * y for x, y in pairs]
    first, second = (scaled([pair[side] for pair in pairs]) for side in (0, 1))
    assert (sum(products), sum(map(abs, products))) == first.dot(second)


def test_negative_zero_is_a_zero() -> None:
    assert Scaled((0, 1), 0) == scaled([NEG_ZERO, ONE])
    assert Scaled((0, 1), 1) == scaled([NEG_ZERO, ONE / 2])


def test_what_cannot_be_scaled_is_refused() -> None:
    with pytest.raises(ValueError, match="no binary fraction"):
        scaled([Fraction(1, 3)])
    with pytest.raises(ValueError, match="no finite number"):
        scaled([INF])
    with pytest.raises(ValueError, match="2 factors for 1"):
        scaled([ONE, ONE]).dot(scaled([ONE]))


def test_a_sum_has_the_bound_of_its_terms() -> None:
    small = Fraction(1, 2**30)
    terms = [Fraction(3), -small, NEG_ZERO]
    assert dot_bound("float32", 3 - small, 3 + small, 3) == sum_value("float32", terms)
    # The division is a rounding more.
    mean = dot_bound("float32", (3 - small) / 3, (3 + small) / 3, 4)
    assert mean == sum_value("float32", terms, divisor=3)


def test_a_dot_product_has_the_bound_of_its_products() -> None:
    small = Fraction(1, 2**30)
    expected = dot_bound("float32", 3 - 4 * small, 3 + 4 * small, 2, largest=Fraction(4))
    assert expected == dot_value("float32", [ONE, Fraction(4)], [Fraction(3), -small])


def _ends(item: object) -> tuple[object, object]:
    assert isinstance(item, Enclosed)
    return item.low, item.high


def test_a_sum_in_which_no_partial_sum_rounds_is_exact() -> None:
    assert (-1, -1) == _ends(dot_value("float32", [ONE, Fraction(4)], [Fraction(3), -ONE]))
    assert (Fraction(5, 2),) * 2 == _ends(sum_value("float16", [Fraction(3), -Fraction(1, 2)]))
    most = Fraction(2**24 - 1)
    assert (2**24, 2**24) == _ends(sum_value("float32", [most, ONE]))
    assert (2**24 + 1,) * 2 != _ends(sum_value("float32", [most, ONE, ONE]))


def test_great_numbers_do_not_round_where_they_are_multiples_of_one_power_of_two() -> None:
    greatest = (2**24 - 1) * Fraction(2**104)
    assert (greatest, greatest) == _ends(sum_value("float32", [greatest, ZERO]))


def test_a_sum_kept_in_a_narrow_type_rounds_sooner() -> None:
    terms = [Fraction(2048), ONE, ONE]
    assert (2050, 2050) == _ends(sum_value("float16", terms))
    low, high = _ends(sum_value("float16", terms, kept_in="float16"))
    assert low != high


def test_a_mean_by_a_power_of_two_is_exact_and_another_may_be_a_product() -> None:
    terms = [Fraction(3), Fraction(4)]
    assert (Fraction(7, 2),) * 2 == _ends(sum_value("float32", terms, divisor=2))
    item = sum_value("float32", [Fraction(3), Fraction(7)], divisor=5)
    one_below = 2 - Fraction(1, 2**23)
    assert [True, True] == [accepts("float32", item, got) for got in (Fraction(2), one_below)]
    assert not accepts("float32", item, 2 - Fraction(1, 2**20))


def test_numbers_that_cancel_without_rounding_make_a_zero_of_either_sign() -> None:
    item = sum_value("float32", [ONE, -ONE])
    assert [True, True] == [accepts("float32", item, zero) for zero in (ZERO, NEG_ZERO)]
    assert not accepts("float32", item, Fraction(1, 2**149))


def test_infinities_and_nan_are_added_as_ieee_754_has_it() -> None:
    assert [INF, NAN, NAN, NEG_INF] == [
        sum_value("float32", terms)
        for terms in ([INF, -ONE, INF], [INF, NEG_INF], [NAN, ONE], [NEG_ZERO, NEG_INF])
    ]
    assert [NAN, NEG_INF] == [
        dot_value("float32", [INF, ONE], [factor, ONE]) for factor in (ZERO, -ONE)
    ]


@pytest.mark.parametrize("terms", [[], [ZERO], [NEG_ZERO, NEG_ZERO]])
def test_a_sum_of_zeros_is_zero_of_either_sign(terms: list[Fraction]) -> None:
    item = sum_value("float32", terms)
    assert [True, True] == [accepts("float32", item, zero) for zero in (ZERO, NEG_ZERO)]
    assert not accepts("float32", item, Fraction(1, 2**149))


def test_a_mean_may_overflow_before_it_is_divided() -> None:
    greatest = Fraction(2) ** 127
    item = sum_value("float32", [greatest, greatest], divisor=2)
    assert [True, True] == [accepts("float32", item, got) for got in (greatest, INF)]
