"""What the family `reduction` makes: axes as the version has them, and those beyond the ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from places import SPECS

from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.specs.model import Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.generators.specs.model import Case


@pytest.fixture(scope="module")
def cases() -> Mapping[str, Case]:
    """The cases of ReduceSum, whose axes are an input since version 13."""
    _, (spec,) = read_specs(SPECS, ("reducesum",))
    return spec.cases


def test_every_subset_of_three_axes_stands_with_and_without_keepdims(
    cases: Mapping[str, Case],
) -> None:
    subsets = ("0", "1", "2", "0_1", "0_2", "1_2", "0_1_2")
    names = [f"reduce_{axes}_of_2x3x4{end}" for axes in subsets for end in ("", "_gone")]
    assert [] == [name for name in names if name not in cases]


def test_an_axis_beyond_the_ends_is_known_at_load_only_as_an_attribute(
    cases: Mapping[str, Case],
) -> None:
    early, late = cases["listed_reduce_3_of_2x3x4"], cases["reduce_3_of_2x3x4_at_run"]
    assert ("load", 11, 11) == (early.reject, early.since, early.until)
    assert ("run", 13) == (late.reject, late.since)


def test_no_negative_axis_stands_where_no_page_explains_it(cases: Mapping[str, Case]) -> None:
    assert 11 == cases["listed_reduce_m1_of_2x3x4"].since


def test_a_scalar_is_tried_where_the_axes_are_an_input(cases: Mapping[str, Case]) -> None:
    case = cases["axes_of_rank_0"]
    assert 13 == case.since
    assert Literal((), (1,)) == case.examples[0].inputs["axes"]


def test_noop_is_tried_without_axes_and_with_an_empty_list(cases: Mapping[str, Case]) -> None:
    names = ("reduce_none_of_2x3x4_noop_1", "reduce_empty_of_2x3x4_noop_1")
    assert [] == [name for name in names if name not in cases]
