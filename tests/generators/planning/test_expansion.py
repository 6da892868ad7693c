from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from committed_corpus import VECTORS, published_kinds
from places import SPECS
from sample_specs import RESHAPE, changed, ids_of, line_of, plan_sample

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.planning.expansion import plans
from onnx_conformance.generators.planning.reading import read_specs

if TYPE_CHECKING:
    from pathlib import Path

ZERO = "    covers: [literal-zero]\n    spread: everywhere\n    attributes: {allowzero: 1}\n"

SIZE = """\
operator: Size
element_types: {default: float32}
versions:
  1:
    types: {T: [bool]}
    inputs: {data: T}
    outputs: {size: int64}
    attributes: {}
requirements:
  - id: counts
    text: The output is the number of elements.
    source: {document: Size-1, part: Summary}
cases:
  - id: three
    covers: [counts]
    spread: everywhere
    inputs: {data: {shape: [3]}}
    outputs: {size: 3}
"""


def case_ids(folder: Path, case: str, text: str = RESHAPE, profile: str = "standard") -> list[str]:
    return [item for item in ids_of(folder, text, profile) if f"/{case}/" in item]


def message_of(folder: Path, text: str) -> str:
    with pytest.raises(BadInputError) as caught:
        plan_sample(folder, text)
    return str(caught.value)


def test_a_documented_case_is_at_every_version_and_at_the_last_opset_before_the_next(
    tmp_path: Path,
) -> None:
    text = changed(
        "    spread: [everywhere, types]\n",
        "    spread: everywhere\n    documented: test_reshape_two_dims\n",
    )
    expected = [
        "reshape-1/two_dims/float32",
        "reshape-1/two_dims/float32.opset4",
        "reshape-5/two_dims/float32",
        "reshape-5/two_dims/float32.opset13",
        "reshape-14/two_dims/float32",
        "reshape-14/two_dims/float32.opset18",
    ]
    assert expected == case_ids(tmp_path, "two_dims", text)


def test_a_case_is_at_a_later_opset_of_the_newest_version(tmp_path: Path) -> None:
    found = [item for item in case_ids(tmp_path, "two_dims") if "opset" in item]
    assert ["reshape-14/two_dims/float32.opset17"] == found


def test_a_case_is_only_where_all_its_requirements_hold(tmp_path: Path) -> None:
    text = changed("    since: 14\n    text", "    since: 5\n    until: 5\n    text")
    text = text.replace(
        "covers: [requested-shape]\n    spread", "covers: [literal-zero]\n    spread"
    )
    text = text.replace(
        ZERO,
        "    covers: [requested-shape]\n    spread: everywhere\n    attributes: {allowzero: 1}\n",
    )
    found = {
        item.split("/")[0]
        for item in case_ids(tmp_path, "two_dims", text[: text.index("  - id: allowzero_2")])
    }
    assert {"reshape-5"} == found


def test_a_case_is_only_where_its_attributes_exist(tmp_path: Path) -> None:
    text = changed(
        ZERO,
        "    covers: [requested-shape]\n    spread: everywhere\n    attributes: {allowzero: 1}\n",
    )
    assert {"reshape-14"} == {item.split("/")[0] for item in case_ids(tmp_path, "zero", text)}


def test_an_invalid_case_may_have_attributes_that_do_not_exist(tmp_path: Path) -> None:
    text = changed("    fault: {ranks: {reshaped: 1}}\n", "    attributes: {allowzero: 1}\n")
    found = [item.split("/")[0] for item in case_ids(tmp_path, "too_many", text)]
    assert ["reshape-1", "reshape-5", "reshape-14"] == found


def test_since_and_until_limit_a_case(tmp_path: Path) -> None:
    text = changed(
        "    spread: [everywhere, types]\n", "    spread: everywhere\n    since: 5\n    until: 5\n"
    )
    expected = ["reshape-5/two_dims/float32", "reshape-5/two_dims/float32.opset9"]
    assert expected == case_ids(tmp_path, "two_dims", text[: text.index("invalid:")])


def test_sweep_types_gives_every_type_of_the_version_the_plain_one_first(tmp_path: Path) -> None:
    expected = ["float32", "float32.opset17", "float16", "float64", "int32", "string"]
    found = [
        item.split("/")[2]
        for item in case_ids(tmp_path, "two_dims")
        if item.startswith("reshape-14")
    ]
    assert expected == found


def test_pairs_are_at_the_newest_version_beside_the_plain_form(tmp_path: Path) -> None:
    pairs = "    spread: ends\n    forms: {symbolic: [string, int32], static: float16}\n"
    text = changed("    spread: [everywhere, types]\n", pairs)
    expected = [
        "reshape-1/two_dims/float32",
        "reshape-14/two_dims/float32",
        "reshape-14/two_dims/string.symbolic",
        "reshape-14/two_dims/int32.symbolic",
        "reshape-14/two_dims/float16",
    ]
    assert expected == case_ids(tmp_path, "two_dims", text[: text.index("invalid:")])


def test_the_full_profile_has_the_pairs_too(tmp_path: Path) -> None:
    text = changed(
        "    spread: [everywhere, types]\n",
        "    spread: everywhere\n    forms: {through_sequence: [string]}\n",
    )
    text = text[: text.index("invalid:")]
    standard = case_ids(tmp_path, "two_dims", text)
    assert "reshape-14/two_dims/string.through_sequence" in standard
    assert set(standard) <= set(case_ids(tmp_path, "two_dims", text, "full"))


def test_types_limit_a_case(tmp_path: Path) -> None:
    text = changed(
        "    spread: [everywhere, types]\n",
        "    spread: [everywhere, types]\n    types: [string, float64]\n",
    )
    text = text[: text.index("invalid:")]
    found = [item for item in case_ids(tmp_path, "two_dims", text) if "opset" not in item]
    expected = [
        "reshape-1/two_dims/float64",
        "reshape-5/two_dims/string",
        "reshape-5/two_dims/float64",
        "reshape-14/two_dims/string",
        "reshape-14/two_dims/float64",
    ]
    assert expected == found


def test_forms_are_taken_where_they_apply_at_the_first_opset(tmp_path: Path) -> None:
    text = changed(ZERO, f"{ZERO}    forms: [static, initializer, function, beside]\n")
    # Functions need IR version 8, of opset 15; without allowzero the call beside is invalid.
    expected = [
        "reshape-14/zero/float32",
        "reshape-14/zero/float32.initializer",
        "reshape-14/zero/float32.opset17",
    ]
    assert expected == case_ids(tmp_path, "zero", text)


def test_sweep_forms_takes_every_form_that_applies(tmp_path: Path) -> None:
    text = changed(ZERO, ZERO.replace("everywhere", "[everywhere, forms]"))
    found = {item.split(".")[-1] for item in case_ids(tmp_path, "zero", text)}
    assert {"initializer", "constant", "symbolic", "unknown_rank", "chained"} <= found
    assert not {"data_sets", "same_value", "function"} & found


def test_ends_only_is_at_the_oldest_and_newest_version_and_no_last_opset(tmp_path: Path) -> None:
    text = changed("    spread: [everywhere, types]\n", "    spread: ends\n")
    text = text[: text.index("invalid:")]
    expected = ["reshape-1/two_dims/float32", "reshape-14/two_dims/float32"]
    assert expected == case_ids(tmp_path, "two_dims", text)


def test_thin_is_at_the_newest_version_and_no_last_opset(tmp_path: Path) -> None:
    text = changed("    spread: [everywhere, types]\n", "    spread: newest\n")
    text = text[: text.index("invalid:")]
    found = case_ids(tmp_path, "two_dims", text)
    assert "reshape-14/two_dims/float32" in found
    assert not [item for item in found if "opset" in item]


def test_an_invalid_case_is_not_tried_at_the_last_opset(tmp_path: Path) -> None:
    assert [] == [item for item in case_ids(tmp_path, "too_many") if "opset" in item]


def test_an_invalid_vector_has_its_control_at_the_same_version_type_and_form(
    tmp_path: Path,
) -> None:
    text = changed("    fault: {ranks: {reshaped: 1}}\n", "    forms: [initializer]\n")
    controls = {
        plan.id: plan.control
        for plan in plan_sample(tmp_path, text).plans
        if plan.case.id == "too_many"
    }
    assert {
        f"reshape-{version}/too_many/float32.initializer": (
            f"reshape-{version}/two_dims/float32.initializer"
        )
        for version in (5, 14)
    } == {name: control for name, control in controls.items() if "reshape-1/" not in name}


def test_a_control_is_planned_where_its_own_case_would_not_be(tmp_path: Path) -> None:
    text = changed("    spread: [everywhere, types]\n", "    spread: ends\n")
    assert "reshape-5/two_dims/float32" in case_ids(tmp_path, "two_dims", text)


def test_the_control_of_a_type_outside_the_constraint_has_the_plain_type(tmp_path: Path) -> None:
    text = changed("    fault: {ranks: {reshaped: 1}}\n", "    types: [bool]\n    until: 1\n")
    (plan,) = [item for item in plan_sample(tmp_path, text).plans if item.case.id == "too_many"]
    assert ("reshape-1/too_many/bool", "reshape-1/two_dims/float32") == (plan.id, plan.control)


def test_the_control_has_its_first_form_where_the_invalid_one_cannot_present_it(
    tmp_path: Path,
) -> None:
    text = changed(
        "    spread: [everywhere, types]\n", "    spread: everywhere\n    forms: [symbolic]\n"
    )
    controls = [item.control for item in plan_sample(tmp_path, text).plans if item.control]
    assert "reshape-14/two_dims/float32.symbolic" in controls


def test_the_full_profile_holds_the_standard_one(tmp_path: Path) -> None:
    full = ids_of(tmp_path, profile="full")
    assert set(ids_of(tmp_path)) < set(full)
    assert len(full) == len(set(full))


def test_the_full_profile_is_the_product_of_versions_opsets_types_and_forms(
    tmp_path: Path,
) -> None:
    full = ids_of(tmp_path, profile="full")
    assert "reshape-14/two_dims/string.opset18.loop_body" in full
    assert "reshape-5/two_dims/int32.opset13.constant" in full


@pytest.mark.parametrize("profile", ["standard", "full"])
def test_a_new_case_renames_and_removes_no_vector(tmp_path: Path, profile: str) -> None:
    case = (
        "  - id: another\n    covers: [requested-shape]\n    inputs: {data: [4], shape: [2, 2]}\n"
        "    outputs: {reshaped: [2, 2]}\n"
    )
    text = changed("cases:\n", f"cases:\n{case}")
    before = ids_of(tmp_path / "before", profile=profile)
    after = ids_of(tmp_path / "after", text, profile)
    assert before == [item for item in after if "/another/" not in item]


@pytest.mark.parametrize("profile", ["standard", "full"])
def test_a_new_type_renames_and_removes_no_vector(tmp_path: Path, profile: str) -> None:
    text = changed("types: {T: some}", "types: {T: [bool, some]}")
    before = ids_of(tmp_path / "before", profile=profile)
    after = ids_of(tmp_path / "after", text, profile)
    assert set(before) == {item for item in after if "bool" not in item}


def test_a_new_version_renames_no_vector_but_moves_later_opsets(tmp_path: Path) -> None:
    text = changed("\nrequirements:", "  16: {}\n\nrequirements:")
    before = set(ids_of(tmp_path / "before"))
    after = {item for item in ids_of(tmp_path / "after", text) if not item.startswith("reshape-16")}
    assert {item for item in before if ".opset1" not in item} == {
        item for item in after if ".opset1" not in item
    }


@pytest.mark.parametrize("operator", ["reshape", "shape", "size"])
def test_the_standard_profile_looks_at_one_case_at_a_time(operator: str) -> None:
    facts, (spec,) = read_specs(SPECS, (operator,))
    alone = set()
    for case in spec.cases.values():
        kept = {case.id: case}
        if case.control is not None:
            kept = {case.control: spec.cases[case.control], **kept}
        alone |= {
            plan.id
            for plan in plans(type(spec)(**{**vars(spec), "cases": kept}), facts, "standard")
        }
    assert alone == {plan.id for plan in plans(spec, facts, "standard")}


def test_ids_are_unique_in_the_committed_corpus() -> None:
    # A manifest counts its vectors, and lists them by id. `onnx-vectors check` plans them all anew.
    manifest = json.loads((VECTORS / "standard/manifest.json").read_bytes())
    assert 0 < manifest["count"] == len(published_kinds())


def test_an_operator_whose_variables_have_one_type_each_is_planned_in_it(tmp_path: Path) -> None:
    assert ["size-1/three/bool", "size-1/three/bool.opset14"] == ids_of(tmp_path, SIZE)


def test_an_operator_without_type_variables_is_planned_in_the_type_of_its_input(
    tmp_path: Path,
) -> None:
    text = changed("{T: [bool]}", "{}", SIZE).replace("data: T", "data: uint8")
    assert ["size-1/three/uint8", "size-1/three/uint8.opset14"] == ids_of(tmp_path, text)


def test_a_type_outside_a_variable_of_one_type_is_structural(tmp_path: Path) -> None:
    text = SIZE + (
        "invalid:\n  - id: float\n    covers: [counts]\n    types: [float32]\n"
        "    inputs: {data: {shape: [3]}}\n    control: three\n    reject: load\n"
    )
    assert "size-1/float/float32" in ids_of(tmp_path, text)


# --- what cannot be planned ---


def test_a_case_that_holds_nowhere_is_an_error(tmp_path: Path) -> None:
    text = changed(ZERO, f"{ZERO}    until: 5\n")
    expected = (
        f"{tmp_path}/reshape.yaml:{line_of('- id: zero', text)}: case 'zero' holds at no version:"
        " look at the versions of what it covers, its attributes, its types and its forms"
    )
    assert expected == message_of(tmp_path, text)


def test_a_case_without_a_required_input_is_told_which(tmp_path: Path) -> None:
    text = changed(
        "inputs: {data: [0, 3], shape: [3, 0]}\n    outputs", "inputs: {shape: [3, 0]}\n    outputs"
    )
    expected = (
        f"{tmp_path}/reshape.yaml:{line_of('- id: zero', text)}: case 'zero' holds at no version:"
        " input 'data' is missing"
    )
    assert expected == message_of(tmp_path, text)


def test_a_control_that_does_not_hold_at_the_version_is_an_error(tmp_path: Path) -> None:
    text = changed("control: two_dims\n    reject: run", "control: zero\n    reject: run")
    expected = (
        f"{tmp_path}/reshape.yaml:{line_of('- id: too_many', text)}: control 'zero' of 'too_many'"
        " does not hold at version 1"
    )
    assert expected == message_of(tmp_path, text)


def test_a_control_without_a_type_at_the_version_is_an_error(tmp_path: Path) -> None:
    text = changed(
        "    spread: [everywhere, types]\n", "    spread: everywhere\n    types: [int32]\n"
    )
    expected = (
        f"{tmp_path}/reshape.yaml:{line_of('- id: too_many', text)}: control 'two_dims' of"
        " 'too_many' has no type at version 1"
    )
    assert expected == message_of(tmp_path, text)


def test_a_control_without_a_form_at_the_version_is_an_error(tmp_path: Path) -> None:
    text = changed(
        "    spread: [everywhere, types]\n", "    spread: everywhere\n    forms: [unknown_rank]\n"
    )
    expected = (
        f"{tmp_path}/reshape.yaml:{line_of('- id: too_many', text)}: control 'two_dims' of"
        " 'too_many' has no form at version 1"
    )
    assert expected == message_of(tmp_path, text)
