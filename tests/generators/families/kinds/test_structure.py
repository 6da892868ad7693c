"""What the family `structure` makes of a signature."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from places import SPECS

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.planning.expansion import STANDARD, plans
from onnx_conformance.generators.planning.reading import read_specs

if TYPE_CHECKING:
    from pathlib import Path

IDENTITY = """\
operator: Identity
requirements:
  - id: copies
    text: The output is the input.
    source: {document: Identity-14, part: Summary}
cases:
  - {id: plain, covers: [copies], inputs: {input: [2, 3]}}
families:
  - {family: structure, with: {base: plain}}
"""

PAD = """\
operator: Pad
requirements:
  - id: pads
    text: The data is between pads.
    source: {document: Pad-25, part: Summary}
cases:
  - {id: plain, covers: [pads], since: 11, inputs: {data: [2], pads: [1, 1]}}
families:
  - {family: structure, since: 11, with: {base: plain}}
"""

CONSTANT = """\
operator: Constant
element_types: {set_by: {value: T}}
requirements:
  - id: as-it-is
    text: The output is the value.
    source: {document: Constant-25, part: Attributes}
cases:
  - id: plain
    covers: [as-it-is]
    attributes: {value: {values: [1, 2]}}
    inputs: {}
    outputs: {output: {values: [1, 2]}}
families:
  - {family: structure, with: {base: plain, skip: [attributes, outside, output]}}
"""


def test_one_case_sweeps_the_types_where_versions_call_their_variable_otherwise(
    tmp_path: Path,
) -> None:
    """T up to version 13 of Identity, V from 14 on."""
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    (tmp_path / "identity.yaml").write_text(IDENTITY, "utf-8")
    _, (spec,) = read_specs(tmp_path)
    swept = {case.id: case.sweep for case in spec.cases.values() if case.id.startswith("types")}
    assert {"types": ("types", "pairs")} == swept


def test_a_default_that_ends_before_the_family_begins_makes_no_case(tmp_path: Path) -> None:
    """Pad has an attribute `value` up to version 10, and the family begins at version 11."""
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    (tmp_path / "pad.yaml").write_text(PAD, "utf-8")
    _, (spec,) = read_specs(tmp_path)
    assert ["default_mode"] == [name for name in spec.cases if name.startswith("default_")]


def test_a_family_of_some_versions_makes_cases_for_no_other(tmp_path: Path) -> None:
    """Its base case holds for all of them."""
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    limited = IDENTITY.replace("with: {base: plain}", "since: 13, until: 19, with: {base: plain}")
    (tmp_path / "identity.yaml").write_text(limited, "utf-8")
    _, (spec,) = read_specs(tmp_path)
    made = [case for case in spec.cases.values() if case.id != "plain"]
    # What is outside of the types of a version is said without a first version of its own.
    assert {19} == {case.until for case in made}
    assert {13, None} >= {case.since for case in made}


GEMM = """\
operator: Gemm
requirements:
  - id: products
    text: The product of two matrices and a third one are added.
    source: {document: Gemm-13, part: Summary}
cases:
  - {id: plain, covers: [products], inputs: {A: [1, 2], B: [2, 1], C: [1, 1]}}
families:
  - {family: structure, with: {base: plain}}
"""


def test_an_input_is_left_out_from_the_version_on_at_which_it_is_optional(tmp_path: Path) -> None:
    """C of Gemm is required before version 11."""
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    (tmp_path / "gemm.yaml").write_text(GEMM, "utf-8")
    _, (spec,) = read_specs(tmp_path)
    assert 11 == spec.cases["without_c"].since


def test_a_tensor_among_the_attributes_has_the_types_of_an_operator_without_inputs(
    tmp_path: Path,
) -> None:
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    (tmp_path / "constant.yaml").write_text(CONSTANT, "utf-8")
    facts, (spec,) = read_specs(tmp_path)
    made = {plan.id for plan in plans(spec, facts, STANDARD) if plan.case.id == "types"}
    assert {f"constant-1/types/{name}" for name in ("float16", "float32", "float64")} == {
        item for item in made if item.startswith("constant-1/")
    }
    assert "constant-25/types/string" in made


BATCH_NORMALIZATION = """\
operator: BatchNormalization
requirements:
  - id: normalizes
    text: Each channel is normalized.
    source: {document: BatchNormalization-1, part: Summary}
cases:
  - id: plain
    covers: [normalizes]
    until: 1
    requested: [Y]
    attributes: {is_test: 1, consumed_inputs: [0, 0, 0, 1, 1]}
    inputs: {X: [1, 1, 1, 2], scale: [1], B: [1], mean: [1], var: [1]}
families:
  - {family: structure, until: 1, with: {base: plain}}
"""


def test_a_case_that_has_the_hint_of_consumed_inputs_gets_it_no_second_time(
    tmp_path: Path,
) -> None:
    """BatchNormalization-1 requires the attribute."""
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    (tmp_path / "batchnormalization.yaml").write_text(BATCH_NORMALIZATION, "utf-8")
    _, (spec,) = read_specs(tmp_path)
    assert "consumed_inputs" not in spec.cases
    given = [
        [item.name for item in case.attributes].count("consumed_inputs")
        for case in spec.cases.values()
        if case.id.startswith("default_")
    ]
    assert {1} == set(given)


SPLIT = """\
operator: Split
requirements:
  - id: splits
    text: The input is split.
    source: {document: Split-18, part: Summary}
cases:
  - id: plain
    covers: [splits]
    since: 18
    attributes: {axis: 0, num_outputs: 2}
    inputs: {input: [4]}
families:
  - {family: structure, since: 18, with: {base: plain, attributes: [axis]}}
"""


def test_faults_of_attributes_can_be_limited_to_some(tmp_path: Path) -> None:
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    (tmp_path / "split.yaml").write_text(SPLIT, "utf-8")
    _, (spec,) = read_specs(tmp_path)
    cases = set(spec.cases)
    assert {"axis_of_wrong_type", "axis_twice", "unknown_attribute"} <= cases
    assert not {"num_outputs_of_wrong_type", "num_outputs_twice"} & cases


def test_an_attribute_that_the_operator_lacks_is_an_error(tmp_path: Path) -> None:
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    (tmp_path / "split.yaml").write_text(SPLIT.replace("[axis]", "[axes]"), "utf-8")
    with pytest.raises(BadInputError, match="no attribute 'axes'"):
        read_specs(tmp_path)
