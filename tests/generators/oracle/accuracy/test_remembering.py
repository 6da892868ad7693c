"""Steps that remember find what steps find that do not."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.accuracy.profiles import GPU, IEEE, REAL
from onnx_conformance.generators.oracle.accuracy.remembering import Remembering
from onnx_conformance.generators.oracle.accuracy.steps import Steps
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction

PROFILES = (REAL, IEEE, GPU)
NUMBERS = [Fraction(3, 7), Fraction(-5, 2), Fraction(1, 1 << 140), Fraction(0), Fraction(1 << 40)]
# Each number several times, and each time the same object.
ROW = [NUMBERS[place % len(NUMBERS)] for place in range(23)]


def _softened(s: Steps, row: list[Fraction]) -> list[object]:
    given = [s.exactly(item) for item in row]
    greatest = given[0]
    for item in given[1:]:
        greatest = s.max(greatest, item)
    powers = [s.exp(s.sub(s.rounded(item), greatest)) for item in given]
    total = s.sum(powers)
    away = [s.square(s.sub(item, s.mean(given))) for item in given]
    return [
        *[s.div(power, total) for power in powers],
        *[s.log(s.add(1, s.absolute(item))) for item in away],
        s.dot(given, away),
        s.mul(total, s.mean(away)),
    ]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_a_formula_gives_the_same_intervals(name: str, profile: str) -> None:
    assert _softened(Steps(name, profile), ROW) == _softened(Remembering(name, profile), ROW)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("special", [INF, NAN, NEG_ZERO])
def test_sums_with_special_numbers_are_the_same(special: object, profile: str) -> None:
    row = [*ROW, special, special]

    def found(s: Steps) -> list[object]:
        given = [s.exactly(item) for item in row]  # type: ignore[arg-type]
        return [s.sum(given), s.dot(given, given)]

    assert found(Steps("float32", profile)) == found(Remembering("float32", profile))


def test_a_step_is_taken_once_for_one_object() -> None:
    s = Remembering("float32")
    given = s.exactly(NUMBERS[0])
    assert s.exp(given) is s.exp(s.exactly(NUMBERS[0]))
