"""What the family `spreads` makes: outputs at the boundary of their class, by the version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from places import SPECS

from onnx_conformance.generators.planning.reading import read_specs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.generators.specs.model import Case


@pytest.fixture(scope="module")
def cases() -> Mapping[str, Case]:
    """The cases of ConvTranspose."""
    _, (spec,) = read_specs(SPECS, ("convtranspose",))
    return spec.cases


def test_pads_leave_one_element_of_a_kernel_that_overlaps_touches_or_leaves_gaps(
    cases: Mapping[str, Case],
) -> None:
    # The full outputs have 7, 6 and 10 elements.
    names = ["in3_k3_s2_p4_2", "in3_k2_s2_p4_1", "in3_k2_s4_p6_3"]
    assert [] == [name for name in names if name not in cases]


def test_a_shape_is_asked_that_takes_an_odd_number_away_in_each_mode(
    cases: Mapping[str, Case],
) -> None:
    names = ["in3_k4_s2_out7", "in3_k4_s2_out7_same_upper", "in3_k4_s2_out7_same_lower"]
    assert [] == [name for name in names if name not in cases]


def test_what_is_added_is_as_great_as_it_may_be_and_cut_by_pads(
    cases: Mapping[str, Case],
) -> None:
    names = [f"in3_k2_s3_add2{pads}" for pads in ("", "_p1_1", "_p1_2", "_p1_3")]
    assert [] == [name for name in names if name not in cases]


def test_same_padding_is_none_odd_and_even(cases: Mapping[str, Case]) -> None:
    names = [f"in3_k{kernel}_s2_same_lower" for kernel in (2, 3, 4, 5)]
    assert [] == [name for name in names if name not in cases]


def test_a_sample_stands_at_a_version_before_the_full_set(cases: Mapping[str, Case]) -> None:
    assert (11, 22) == (cases["in3_k4_s2_out7"].since, cases["in3_k4_s2_out6"].since)
