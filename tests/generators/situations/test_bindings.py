from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from places import SPECS
from sample_specs import read_real

from onnx_conformance.generators.corpus.building import build
from onnx_conformance.generators.planning.expansion import plans
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.situations.bindings import bound_types, typed_attributes
from onnx_conformance.generators.situations.variants import versions_of
from onnx_conformance.generators.specs.model import GivenAttribute

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.specs.model import Case, Spec

CAST = """\
operator: Cast
element_types: {set_by: {to: T2}}
requirements:
  - id: converts
    text: Elements are converted.
    source: {document: Cast-13, part: Summary}
cases:
  - id: by_code
    covers: [converts]
    since: 6
    attributes: {to: 7}
    inputs: {input: {values: [1.0, 2.0]}}
    outputs: {output: {values: [1, 2]}}
  - id: bound
    covers: [converts]
    types: {T2: int8}
    inputs: {input: {values: [1.0, 2.0]}}
    outputs: {output: {values: [1, 2]}}
  - id: both_bound
    covers: [converts]
    types: {T1: int32, T2: bool}
    inputs: {input: {values: [1, 0]}}
    outputs: {output: {values: [true, false]}}
  - id: nothing_said
    covers: [converts]
    inputs: {input: {values: [1.0, 2.0]}}
    outputs: {output: {values: [1.0, 2.0]}}
"""
CONSTANT_OF_SHAPE = """\
operator: ConstantOfShape
element_types: {set_by: {value: T2}}
requirements:
  - id: fills
    text: The output has the value everywhere.
    source: {document: ConstantOfShape-9, part: Summary}
cases:
  - id: sevens
    covers: [fills]
    attributes: {value: {values: [7], type: int16}}
    inputs: {input: [2]}
    outputs: {output: {values: [7, 7]}}
"""


def case_of(spec: Spec, name: str) -> Case:
    return spec.cases[name]


def types_at(folder: Path, name: str, version: int = 13, main: str | None = None) -> dict[str, str]:
    _, spec = read_real(folder, CAST)
    return bound_types(spec, spec.versions[version], case_of(spec, name), main)


def attributes_at(folder: Path, name: str, version: int) -> tuple[GivenAttribute, ...]:
    _, spec = read_real(folder, CAST)
    case, at = case_of(spec, name), spec.versions[version]
    return typed_attributes(spec, at, bound_types(spec, at, case), case.attributes, case)


# --- which type a variable has ---


def test_without_a_word_each_variable_has_the_default_type(tmp_path: Path) -> None:
    assert {"T1": "float32", "T2": "float32"} == types_at(tmp_path, "nothing_said")


def test_the_swept_type_is_that_of_the_main_variable(tmp_path: Path) -> None:
    found = types_at(tmp_path, "nothing_said", main="float16")
    assert {"T1": "float16", "T2": "float32"} == found


def test_an_attribute_sets_its_variable_by_the_code_of_a_type(tmp_path: Path) -> None:
    assert {"T1": "float32", "T2": "int64"} == types_at(tmp_path, "by_code")


def test_what_a_case_binds_goes_before_all_else(tmp_path: Path) -> None:
    assert {"T1": "float32", "T2": "int8"} == types_at(tmp_path, "bound")
    assert {"T1": "int32", "T2": "bool"} == types_at(tmp_path, "both_bound", main="float16")


def test_a_tensor_sets_its_variable_by_its_elements(tmp_path: Path) -> None:
    _, spec = read_real(tmp_path, CONSTANT_OF_SHAPE)
    found = bound_types(spec, spec.versions[9], case_of(spec, "sevens"))
    assert {"T1": "int64", "T2": "int16"} == found


def test_a_type_that_is_in_no_list_is_int64_or_the_first(tmp_path: Path) -> None:
    text = CAST.replace("element_types: {", "element_types: {default: int2, ")
    _, spec = read_real(tmp_path, text)
    assert "int64" == bound_types(spec, spec.versions[13], case_of(spec, "nothing_said"))["T1"]


# --- the attribute that follows ---


def test_the_attribute_is_added_where_the_version_requires_it(tmp_path: Path) -> None:
    expected = (GivenAttribute("to", 1, "int"),)
    assert expected == attributes_at(tmp_path, "nothing_said", 13)


def test_the_attribute_follows_what_is_bound(tmp_path: Path) -> None:
    assert (GivenAttribute("to", 3, "int"),) == attributes_at(tmp_path, "bound", 13)


def test_a_version_that_names_types_gets_the_name(tmp_path: Path) -> None:
    assert (GivenAttribute("to", "INT8", "string"),) == attributes_at(tmp_path, "bound", 1)


def test_a_code_is_a_name_where_the_version_names_types(tmp_path: Path) -> None:
    assert (GivenAttribute("to", "INT64", "string"),) == attributes_at(tmp_path, "by_code", 1)


def test_a_tensor_without_a_type_takes_that_of_its_variable(tmp_path: Path) -> None:
    text = CONSTANT_OF_SHAPE.replace("type: int16}}", "}}").replace("[7], }", "[7]}")
    text = text.replace("    inputs: {input", "    types: {T2: uint8}\n    inputs: {input")
    _, spec = read_real(tmp_path, text)
    case, version = case_of(spec, "sevens"), spec.versions[9]
    types = bound_types(spec, version, case)
    (given,) = typed_attributes(spec, version, types, case.attributes, case)
    assert "uint8" == given.value.type  # type: ignore[union-attr]


# --- where a case holds, and what its vectors are ---


def test_a_case_holds_where_the_types_that_it_binds_are_listed(tmp_path: Path) -> None:
    text = CAST.replace("types: {T2: int8}", "types: {T2: bfloat16}")
    text = text.replace(
        "outputs: {output: {values: [1, 2]}}\n  - id: both",
        "outputs: {output: {values: [1.0, 2.0]}}\n  - id: both",
    )
    _, spec = read_real(tmp_path, text)
    numbers = [item.since_version for item in versions_of(spec, case_of(spec, "bound"))]
    assert [13, 19, 21, 23, 24, 25, 28] == numbers


def test_an_id_names_the_other_variables_that_are_bound(tmp_path: Path) -> None:
    facts, spec = read_real(tmp_path, CAST)
    ids = {plan.id for plan in plans(spec, facts, "standard")}
    assert {
        "cast-13/nothing_said/float32",
        "cast-13/bound/float32-int8",
        "cast-13/by_code/float32-int64",
        "cast-13/both_bound/int32-bool",
    } <= ids


@pytest.mark.parametrize(
    ("vector", "types"),
    [
        ("cast-1/bound/float32-int8", ["float32", "int8"]),
        ("cast-13/by_code/float32-int64", ["float32", "int64"]),
        ("cast-13/both_bound/int32-bool", ["int32", "bool"]),
    ],
)
def test_the_vector_has_the_types_that_are_bound(
    tmp_path: Path, vector: str, types: list[str]
) -> None:
    facts, spec = read_real(tmp_path, CAST)
    (plan,) = [item for item in plans(spec, facts, "standard") if item.id == vector]
    (data_set,) = build(plan, facts).data_sets
    found = [item.value.type for item in (*data_set.inputs, *data_set.outputs)]  # type: ignore[union-attr]
    assert types == found


def test_a_whole_number_is_a_float_where_the_version_has_one() -> None:
    _, specs = read_specs(SPECS, ["lppool"])
    spec = next(spec for spec in specs if spec.operator == "LpPool")
    given = (GivenAttribute("p", 3, "int"),)
    found = {
        number: typed_attributes(spec, spec.versions[number], {}, given, spec.cases["p_3"])
        for number in (1, 2)
    }
    assert {1: (GivenAttribute("p", 3.0, "float"),), 2: given} == found


def test_an_attribute_of_a_wrong_type_keeps_it() -> None:
    _, specs = read_specs(SPECS, ("elu",))
    (spec,) = specs
    case = spec.cases["alpha_of_wrong_type"]
    version = spec.versions[22]
    types = bound_types(spec, version, case)
    settled = typed_attributes(spec, version, types, case.attributes, case)
    assert [("alpha", "int")] == [(item.name, item.type) for item in settled]
