"""What `structure` makes of a signature, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sample_specs import read_real

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.specs.model import Fault, GivenAttribute, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.specs.model import Case, Spec

PARTS = "types, optional, defaults, arity, attributes, outside, output"
SQUEEZE = """\
operator: Squeeze
roles: {squeezed: elements of data}
requirements:
  - id: removes-axes
    text: The axes that are listed are removed.
    source: {document: Squeeze-13, part: Summary}
cases:
  - id: first
    covers: [removes-axes]
    inputs: {data: [1, 3, 1], axes: [0, 2]}
    outputs: {squeezed: [3]}
families:
"""
GATHER = """\
operator: Gather
requirements:
  - id: gathers
    text: Elements are gathered.
    source: {document: Gather-13, part: Summary}
cases:
  - id: some
    covers: [gathers]
    inputs: {data: [3], indices: {values: [2, 0], type: int64}}
    outputs: {output: {from: data, take: [2, 0]}}
families:
"""


def structure(folder: Path, text: str = SQUEEZE, parameters: str = "") -> Spec:
    given = f", with: {{{parameters}}}" if parameters else ""
    return read_real(folder, f"{text}  - {{family: structure{given}}}\n")[1]


def without(*kept: str) -> str:
    """The parameters that leave out all parts but these."""
    skipped = [part for part in PARTS.split(", ") if part not in kept]
    return f"skip: [{', '.join(skipped)}]"


def made(spec: Spec) -> dict[str, Case]:
    return {name: case for name, case in spec.cases.items() if name not in {"first", "some"}}


def test_the_case_is_presented_in_every_form(tmp_path: Path) -> None:
    case = structure(tmp_path).cases["presented"]
    assert (("forms",), "ends") == (case.sweep, case.spread)


def test_some_forms_where_these_are_wanted(tmp_path: Path) -> None:
    case = structure(tmp_path, parameters="forms: [static, symbolic]").cases["presented"]
    assert (("static", "symbolic"), ()) == (case.forms, case.sweep)


def test_no_forms_where_none_are_wanted(tmp_path: Path) -> None:
    assert "presented" not in structure(tmp_path, parameters="forms: false").cases


def test_types_are_swept_with_elements_of_a_profile(tmp_path: Path) -> None:
    case = structure(tmp_path, parameters="data: distinct").cases["types"]
    assert ("types", "pairs") == case.sweep
    assert Literal((1, 3, 1), None, profile="distinct") == case.examples[0].inputs["data"]


def test_what_is_no_data_keeps_its_elements(tmp_path: Path) -> None:
    case = structure(tmp_path).cases["types"]
    assert Literal((2,), (0, 2)) == case.examples[0].inputs["axes"]


def test_an_optional_input_is_left_out(tmp_path: Path) -> None:
    case = structure(tmp_path).cases["without_axes"]
    assert ["data"] == list(case.examples[0].inputs)


def test_only_what_may_be_left_out_is(tmp_path: Path) -> None:
    assert "without_axes" not in structure(tmp_path, parameters="without: []").cases


def test_a_default_is_written_out(tmp_path: Path) -> None:
    case = structure(tmp_path, GATHER).cases["default_axis"]
    assert (GivenAttribute("axis", 0, "int"),) == case.attributes


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("too_few_inputs", Fault(arguments=("data",))),
        ("too_many_inputs", Fault(arguments=("data", "indices", "data"))),
        ("wrong_output_type", Fault(declare_types={"output": "int16"})),
    ],
)
def test_a_fault_of_the_model_has_the_case_as_its_control(
    tmp_path: Path, name: str, fault: Fault
) -> None:
    case = structure(tmp_path, GATHER).cases[name]
    assert ("invalid", "some", "load", fault) == (case.kind, case.control, case.reject, case.fault)


def test_an_attribute_that_the_operator_lacks_and_one_of_the_wrong_type(tmp_path: Path) -> None:
    cases = structure(tmp_path, GATHER).cases
    assert ["no_such_attribute"] == [item.name for item in cases["unknown_attribute"].attributes]
    assert (GivenAttribute("axis", 1.0, "float"),) == cases["axis_of_wrong_type"].attributes


def test_a_given_attribute_is_there_twice(tmp_path: Path) -> None:
    text = GATHER.replace("    inputs:", "    attributes: {axis: 0}\n    inputs:")
    case = structure(tmp_path, text).cases["axis_twice"]
    assert (GivenAttribute("axis", 0, "int"),) == case.fault.repeat


def test_types_outside_the_list_are_those_that_some_version_lacks(tmp_path: Path) -> None:
    case = structure(tmp_path, GATHER, "outside: [bfloat16, float32, int4]").cases["type_outside"]
    assert ("bfloat16", "int4") == case.types


@pytest.mark.parametrize("part", ["types", "optional", "arity", "outside", "output"])
def test_a_part_that_is_skipped_makes_no_case(tmp_path: Path, part: str) -> None:
    alone = made(structure(tmp_path / "alone", parameters=without(part)))
    rest = made(structure(tmp_path / "rest", parameters=f"skip: [{part}]"))
    assert set(alone) - {"presented"}
    assert {"presented"} == set(alone) & set(rest)


def test_each_type_stands_in_one_more_form_unless_pairs_are_skipped(tmp_path: Path) -> None:
    assert ("types", "pairs") == made(structure(tmp_path / "all", GATHER))["types"].sweep
    left = made(structure(tmp_path / "rest", GATHER, "skip: [pairs]"))
    assert ("types",) == left["types"].sweep


def test_one_default_alone_is_left_out(tmp_path: Path) -> None:
    assert "default_axis" in made(structure(tmp_path / "all", GATHER))
    assert "default_axis" not in made(structure(tmp_path / "rest", GATHER, "skip: [default_axis]"))


def test_an_unknown_part_to_skip_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no part 'typos' to skip; it has arity, attributes"):
        structure(tmp_path, parameters="skip: [typos]")


def test_every_case_covers_a_requirement_that_the_family_brings(tmp_path: Path) -> None:
    spec = structure(tmp_path)
    assert all(set(case.covers) <= set(spec.requirements) for case in made(spec).values())
    assert all("removes-axes" not in case.covers for case in made(spec).values())


def test_another_case_may_be_the_base(tmp_path: Path) -> None:
    text = SQUEEZE.replace(
        "families:\n",
        "  - id: bare\n    covers: [removes-axes]\n    inputs: {data: [1, 2]}\n"
        "    outputs: {squeezed: [2]}\nfamilies:\n",
    )
    case = structure(tmp_path, text, "base: bare").cases["types"]
    assert ["data"] == list(case.examples[0].inputs)


def test_a_base_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="there is no case 'bare' before `structure`"):
        structure(tmp_path, parameters="base: bare")


def test_structure_needs_a_valid_case(tmp_path: Path) -> None:
    start, end = SQUEEZE.index("cases:"), SQUEEZE.index("families:")
    with pytest.raises(BadInputError, match="no valid case is before `structure`"):
        structure(tmp_path, SQUEEZE[:start] + SQUEEZE[end:])
