"""Sums below the oracles in which terms are left out or added twice."""

from __future__ import annotations

import pytest
from strength.sizes.sums import (
    adding,
    first_terms,
    last_block_twice,
    no_tail,
    second_thread_twice,
    unchanged,
)

from onnx_conformance.generators.oracle.accuracy.profiles import GPU, IEEE, REAL
from onnx_conformance.generators.oracle.accuracy.remembering import Remembering
from onnx_conformance.generators.oracle.accuracy.steps import Steps
from onnx_conformance.generators.oracle.accuracy.sums import Scaled, sum_value
from onnx_conformance.generators.oracle.arith.grid import value_of
from onnx_conformance.generators.oracle.arith.rationals import Fraction

TERMS = [Fraction(1)] * 3 + [Fraction(10)] * 2


def total() -> object:
    return value_of(sum_value("float32", TERMS))


def test_terms_are_left_out() -> None:
    with adding(first_terms(3)) as seen:
        assert total() == 3
    assert (5, True) == (seen.longest, seen.changed)
    with adding(no_tail(4)):
        assert total() == 13


def test_what_is_too_short_is_added_as_it_is() -> None:
    with adding(first_terms(5)) as seen:
        assert total() == 23
    assert not seen.changed


@pytest.mark.parametrize(
    ("weights", "count", "twice"),
    [
        (last_block_twice, 600, 600 - 512),
        (last_block_twice, 512, 256),
        (second_thread_twice, 1_025, 513),
    ],
)
def test_a_part_at_the_end_is_added_twice(weights: object, count: int, twice: int) -> None:
    found = list(weights(count))  # type: ignore[operator]
    assert [1] * (count - twice) + [2] * twice == found


@pytest.mark.parametrize(
    ("weights", "count"), [(last_block_twice, 256), (second_thread_twice, 1_023)]
)
def test_short_sums_have_one_block_and_one_thread(weights: object, count: int) -> None:
    assert weights(count) is None  # type: ignore[operator]


def test_afterwards_everything_is_as_before() -> None:
    before = Scaled.total, Scaled.dot, Steps.sum, Steps.dot
    with adding(unchanged):
        assert Scaled.total is not before[0]
    assert before == (Scaled.total, Scaled.dot, Steps.sum, Steps.dot)


@pytest.mark.parametrize("profile", [IEEE, GPU, REAL])
def test_a_row_of_which_terms_are_one_object_is_spoiled_too(profile: str) -> None:
    """`Remembering` adds equal terms at once; a row of 70,001 of a Softmax takes that road."""
    s = Remembering("float32", profile)
    one, ten = s.exactly(Fraction(1)), s.exactly(Fraction(10))
    row = [one, one, one, ten, ten]
    with adding(first_terms(3)) as seen:
        assert Fraction(3) in s.sum(row)
        assert Fraction(3) in s.dot(row, [one] * 5)
        assert Fraction(23) not in s.sum(row)
    assert (5, True) == (seen.longest, seen.changed)


def test_a_sum_that_is_handed_on_is_spoiled_once() -> None:
    """Terms that all differ go from `Remembering` to `Steps`."""
    s = Remembering("float32", REAL)
    row = [s.exactly(Fraction(number)) for number in range(1, 8)]
    with adding(no_tail(2)):
        assert Fraction(21) in s.sum(row)
    with adding(lambda count: [1] * (count - 1) + [0]):
        assert Fraction(21) in s.sum(row)
