"""Functions that are evaluated once for what is the same object."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.once import Same, each_once, each_pair_once
from onnx_conformance.generators.oracle.arith.rationals import Fraction


def test_an_object_that_comes_again_is_looked_at_once() -> None:
    one, equal = Fraction(1, 3), Fraction(1, 3)
    asked: list[Fraction] = []

    def doubled(item: Fraction) -> Fraction:
        asked.append(item)
        return 2 * item

    assert [Fraction(2, 3)] * 3 == each_once(doubled, [one, equal, one])
    assert [one, equal] == asked


def test_rows_are_the_same_where_their_objects_are() -> None:
    one, equal = Fraction(1, 3), Fraction(1, 3)
    assert Same([one, one]) == Same((one, one))
    assert Same([one, one]) != Same([one, equal])
    assert len({Same([one]), Same([one]), Same([equal])}) == 2


def test_two_objects_that_meet_again_are_looked_at_once() -> None:
    one, other, third = Fraction(1, 3), Fraction(2, 3), Fraction(5, 3)
    asked: list[tuple[Fraction, Fraction]] = []

    def total(first: Fraction, second: Fraction) -> Fraction:
        asked.append((first, second))
        return first + second

    first, second = [one, other, one, one], [third, third, third, one]
    found = each_pair_once(total, first, second)
    assert [a + b for a, b in zip(first, second, strict=True)] == found
    assert [(one, third), (other, third), (one, one)] == asked
    with pytest.raises(ValueError, match="shorter"):
        each_pair_once(total, first, [third])
