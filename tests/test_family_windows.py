"""What the family `windows` makes: sizes at the boundary of their class, by the version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.specs.model import Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.generators.specs.model import Case

SPECS = Path(__file__).parents[1] / "specs"


@pytest.fixture(scope="module")
def specs() -> Mapping[str, Mapping[str, Case]]:
    """The cases of two operators whose specs use the family."""
    _, found = read_specs(SPECS, ("conv", "maxpool"))
    return {spec.operator: spec.cases for spec in found}


def test_a_size_at_which_windows_just_fit_stands_between_its_neighbours(
    specs: Mapping[str, Mapping[str, Case]],
) -> None:
    names = [f"in{size}_k3_s2" for size in (6, 7, 8)]
    assert [] == [name for name in names if name not in specs["MaxPool"]]


def test_a_last_window_starts_on_the_last_element_and_behind_it(
    specs: Mapping[str, Mapping[str, Case]],
) -> None:
    names = ["in7_k2_s3_p0_1_ceil", "in6_k2_s3_p0_1_ceil"]
    assert [] == [name for name in names if name not in specs["MaxPool"]]


def test_attributes_that_an_operator_lacks_are_not_tried(
    specs: Mapping[str, Mapping[str, Case]],
) -> None:
    assert [] == [name for name in specs["Conv"] if name.endswith(("_ceil", "_counted"))]
    assert [] == [name for name in specs["MaxPool"] if name.endswith("_counted")]


def test_a_sample_stands_at_versions_before_the_full_set(
    specs: Mapping[str, Mapping[str, Case]],
) -> None:
    cases = specs["MaxPool"]
    assert (1, 10, 22) == tuple(
        cases[name].since for name in ("in7_k3_s2", "in8_k3_s2_ceil", "in9_k2_s3")
    )


def test_the_kernel_may_be_the_shape_of_an_input(
    specs: Mapping[str, Mapping[str, Case]],
) -> None:
    weights = specs["Conv"]["in7_k3_s2"].examples[0].inputs["W"]
    assert isinstance(weights, Literal)
    assert (3, 2, 3) == weights.shape


def test_each_invalid_case_is_one_change_of_the_first_window(
    specs: Mapping[str, Mapping[str, Case]],
) -> None:
    cases = specs["MaxPool"]
    for name in ("stride_of_0", "pads_below_0", "kernel_too_long", "auto_pad_unknown"):
        assert ("invalid", "in7_k3_s2") == (cases[name].kind, cases[name].control)
