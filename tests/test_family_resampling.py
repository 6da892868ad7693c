"""What the family `resampling` makes: lengths whose places are on boundaries, and beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.families.kinds.spatial.resampling import _FORMULAS, beside, solved
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.operators.resampling.coordinates import FORMULAS, Length
from onnx_conformance.generators.planning.reading import read_specs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.generators.specs.model import Case

SPECS = Path(__file__).parents[1] / "specs"
NAMES = tuple(_FORMULAS)


@pytest.fixture(scope="module")
def cases() -> Mapping[str, Case]:
    """The cases of Resize."""
    _, (spec,) = read_specs(SPECS, ("resize",))
    return spec.cases


def _places(name: str, before: int, after: int) -> list[Fraction]:
    length = Length(before, after, Fraction(after, before), given=False, full=Fraction(after))
    return [FORMULAS[name](x, length).exact for x in range(after)]


@pytest.mark.parametrize("name", NAMES)
def test_its_formulas_are_those_of_the_oracle(name: str) -> None:
    formula, ends, _ = _FORMULAS[name]
    for one in solved(formula, ends=ends):
        places = [formula(x, one) for x in range(one.after)]
        assert _places(name, one.before, one.after) == places


@pytest.mark.parametrize("name", NAMES)
def test_solved_lengths_have_places_on_a_half_or_a_whole_number_and_between(name: str) -> None:
    formula, ends, _ = _FORMULAS[name]
    parts = {formula(x, one) % 1 for one in solved(formula, ends=ends) for x in range(one.after)}
    assert parts & {Fraction(0), Fraction(1, 2)}
    assert {Fraction(1, 4), Fraction(3, 4)} <= parts


@pytest.mark.parametrize("name", NAMES)
def test_float32_holds_every_place_of_solved_lengths(name: str) -> None:
    formula, ends, _ = _FORMULAS[name]
    for one in solved(formula, ends=ends):
        length = Length(
            one.before,
            one.after,
            Fraction(one.after, one.before),
            given=False,
            full=Fraction(one.after),
        )
        found = [FORMULAS[name](x, length).error for x in range(one.after)]
        assert [Fraction(0)] * one.after == found


@pytest.mark.parametrize("name", NAMES)
def test_no_inner_place_of_the_lengths_beside_is_on_a_boundary(name: str) -> None:
    formula, ends, _ = _FORMULAS[name]
    one = beside(formula, ends=ends)
    inner = [2 * formula(x, one) for x in range(1, one.after - 1)]
    assert [] == [place for place in inner if place.denominator == 1]


def test_a_sample_of_each_transformation_stands_before_the_full_set(
    cases: Mapping[str, Case],
) -> None:
    assert 11 == cases["asymmetric_linear_2x2x4_to_8x1x2"].since
    assert 19 == cases["asymmetric_floor_3x2_to_7x8"].since


def test_a_transformation_that_is_gone_ends_with_its_last_version(
    cases: Mapping[str, Case],
) -> None:
    found = {case.until for name, case in cases.items() if name.startswith("tf_half_pixel_for_nn_")}
    assert {11} == found
