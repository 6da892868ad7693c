"""What the family `places` makes: sizes on the boundary, with an entry for each place."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sample_specs import read_real

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.specs.model import Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.generators.specs.model import Case

SPECS = Path(__file__).parents[1] / "specs"
NO_PLACE = "in2x2_k1x3"


@pytest.fixture(scope="module")
def specs() -> Mapping[str, Mapping[str, Case]]:
    """The cases of the two operators whose specs use the family."""
    _, found = read_specs(SPECS, ("col2im", "deformconv"))
    return {spec.operator: spec.cases for spec in found}


def shape(case: Case, name: str) -> tuple[int, ...]:
    literal = case.examples[0].inputs[name]
    assert isinstance(literal, Literal)
    return literal.shape


@pytest.mark.parametrize("operator", ["DeformConv", "Col2Im"])
def test_a_size_at_which_windows_just_fit_stands_between_its_neighbours(
    specs: Mapping[str, Mapping[str, Case]], operator: str
) -> None:
    names = [f"in2x{size}_k1x3_s1x2_d1x2_p0_1_0_2" for size in (5, 6, 7)]
    assert [] == [name for name in names if name not in specs[operator]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("in2x6_k1x3_s1x2", 2), ("in2x7_k1x3_s1x2", 3), ("in2x8_k1x3_s1x2", 3)],
)
def test_there_are_offsets_for_each_tap_axis_and_place(
    specs: Mapping[str, Mapping[str, Case]], name: str, expected: int
) -> None:
    assert (1, 3 * 2, 2, expected) == shape(specs["DeformConv"][name], "offset")


def test_there_is_a_column_for_each_place(specs: Mapping[str, Mapping[str, Case]]) -> None:
    for size, expected in ((6, 2), (7, 3), (8, 3)):
        name = f"in2x{size}_k1x3_s1x2"
        assert (1, 2 * 3, 2 * expected) == shape(specs["Col2Im"][name], "input")


def test_each_image_has_a_block(specs: Mapping[str, Mapping[str, Case]]) -> None:
    made = [case for case in specs["Col2Im"].values() if case.family == "places"]
    assert all(math.prod(shape(case, "input")) for case in made)
    assert NO_PLACE in specs["DeformConv"]


def test_what_the_entries_are_is_one_of_two_words(tmp_path: Path) -> None:
    text = (
        "operator: Col2Im\nrequirements:\n  - id: does\n    text: It does.\n"
        "    source: {document: Col2Im-18, part: Summary}\n"
        "families:\n  - {family: places, covers: [does], entries: blocks}\n"
    )
    with pytest.raises(BadInputError, match="`entries` is `offsets` or `columns`, not 'blocks'"):
        read_real(tmp_path, text)
