"""Which versions, types and forms a case of a family is at, and what its ids say."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sample_specs import RESHAPE, changed, ids_of, line_of, read_real, write_specs
from written_oracles import written_oracle

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.planning.expansion import plans
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.planning.thinning import Place, places

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.planning.plans import Plan

TABLE = """\
operator: Add
versions:
  1:
    types: {T: [float32, float16]}
    inputs: {A: T, B: T}
    outputs: {C: T}
    attributes: {}
  6: {types: {T: floats}}
  7: {types: {T: [floats, int32]}}
  13: {types: {T: [floats, int32, int64]}}
  14: {types: {T: [floats, int32, int64, int8]}}
requirements:
  - id: sums
    text: Elements are added.
    source: {document: Add-14, part: Summary}
  - id: overflows
    since: 13
    text: It is not said what overflows.
    source: {document: Add-14, part: Summary}
cases:
  - id: written
    covers: [sums]
    spread: everywhere
    inputs: {A: {values: [1, 2]}, B: {values: [1, 1]}}
    outputs: {C: {values: [2, 3]}}
  - covers: [sums]
    data: exact
    group:
      - {id: literal, inputs: {A: {values: [1]}, B: {values: [2]}}}
      - {id: vector, inputs: {A: [3], B: [3]}}
"""


def planned(folder: Path, text: str = TABLE) -> tuple[Plan, ...]:
    facts, (spec,) = read_specs(write_specs(folder, text))
    return plans(spec, facts, "standard")


def variants(folder: Path, case: str, text: str = TABLE) -> list[str]:
    return [
        f"{plan.version.since_version}/{plan.id.split('/')[2]}"
        for plan in planned(folder, text)
        if plan.case.id == case
    ]


def test_a_case_of_each_version_is_once_at_each(tmp_path: Path) -> None:
    text = TABLE.replace("id: vector,", "id: vector, spread: versions,")
    each = [f"{number}/float32" for number in (1, 6, 7, 13, 14)]
    assert each == variants(tmp_path, "vector", text)


SQUARE_ROOT = """\
operator: Sqrt
requirements:
  - id: roots
    text: Each element is the square root.
    source: {document: Sqrt-13, part: Summary}
families:
  - {family: elementwise, covers: [roots]}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("profile", "expected"), [("standard", set()), ("full", {"float16", "bfloat16"})]
)
def test_each_number_of_small_floats_is_in_the_full_corpus_alone(
    tmp_path: Path, profile: str, expected: set[str]
) -> None:
    facts, spec = read_real(tmp_path, SQUARE_ROOT)
    found = plans(spec, facts, profile, ["*/codes_*/*"])
    assert expected == {plan.type for plan in found}
    # At the newest version, at its own opset, in the plain form.
    assert {(13, 13, "static")} >= {
        (plan.version.since_version, plan.operator_opset, plan.form) for plan in found
    }
    assert 16 * len(expected) == len(found)


WRITTEN = SQUARE_ROOT.replace(
    "families:",
    """\
cases:
  - id: example
    covers: [roots]
    inputs: {X: {values: [2.0]}}
    outputs: {Y: {values: [1.4142135623730951]}}
  - id: exact
    covers: [roots]
    types: [float16, float32]
    inputs: {X: {values: [4.0]}}
    outputs: {Y: {values: [2.0]}}
families:""",
)


@pytest.mark.parametrize(
    ("case", "expected"), [("example", {"float32"}), ("exact", {"float16", "float32"})]
)
def test_what_is_written_out_is_in_the_full_corpus_in_the_types_that_have_it(
    tmp_path: Path, case: str, expected: set[str]
) -> None:
    facts, spec = read_real(tmp_path, WRITTEN)
    assert expected == {plan.type for plan in plans(spec, facts, "full", [f"*/{case}/*"])}


def cases_named(names: list[str]) -> str:
    """The spec with these cases in place of those of its group."""
    cases = "".join(f"      - {{id: {name}, inputs: {{A: [3], B: [3]}}}}\n" for name in names)
    return TABLE[: TABLE.index("      - {id: literal")] + cases


def classes(folder: Path, text: str = TABLE) -> list[int]:
    _, (spec,) = read_specs(write_specs(folder, text))
    found = places(spec, tuple(spec.versions.values()))
    return [number for number, place in found.items() if place is not Place.BETWEEN]


# --- classes of versions ---


def test_versions_that_differ_in_types_alone_are_one_class_where_requirements_are_the_same(
    tmp_path: Path,
) -> None:
    assert [1, 7, 13, 14] == classes(tmp_path)


def test_one_requirement_less_joins_the_classes(tmp_path: Path) -> None:
    text = TABLE.replace("    since: 13\n", "")
    assert [1, 14] == classes(tmp_path, text)


def test_another_signature_begins_a_class(tmp_path: Path) -> None:
    text = TABLE.replace("    since: 13\n", "")
    text = text.replace("7: {types: {T: [floats, int32]}}", "7: {attributes: {axis: int}}")
    assert [1, 6, 7, 14] == classes(tmp_path, text)


def test_a_class_of_one_version_is_there_once(tmp_path: Path) -> None:
    text = TABLE.replace("since: 13", "since: 14")
    assert [1, 13, 14] == classes(tmp_path, text)


# --- spread ---


def test_a_case_is_at_the_newest_version_of_each_class(tmp_path: Path) -> None:
    found = [item for item in variants(tmp_path, "vector") if item.endswith("/float32")]
    assert ["7/float32", "14/float32"] == found


def test_some_cases_are_at_the_oldest_version_of_each_class_and_none_between(
    tmp_path: Path,
) -> None:
    names = [f"v{index}" for index in range(40)]
    found = {name: variants(tmp_path / name, name, cases_named([name])) for name in names}
    oldest = {name for name, ids in found.items() if "1/float32" in ids}
    assert {name for name, ids in found.items() if "13/float32" in ids} == oldest
    assert 4 <= len(oldest) <= 16
    assert not [ids for ids in found.values() if "6/float32" in ids]


def test_a_case_is_at_no_last_opset(tmp_path: Path) -> None:
    assert not [item for item in variants(tmp_path, "vector") if "opset" in item]
    assert [item for item in variants(tmp_path, "written") if "opset" in item]


def test_at_the_newest_version_it_is_in_one_more_form_half_of_them_in_another_type(
    tmp_path: Path,
) -> None:
    names = [f"v{index}" for index in range(20)]
    ids = {name: variants(tmp_path / name, name, cases_named([name])) for name in names}
    newest = {
        name: [item for item in found if item.startswith("14/")] for name, found in ids.items()
    }
    assert {2} == {len(found) for found in newest.values()}
    others = [found[1] for found in newest.values()]
    types = "float16|float64|int32|int64|int8"
    typed = [item for item in others if re.fullmatch(rf"14/({types})\.[a-z_]+", item)]
    formed = [item for item in others if re.fullmatch(r"14/float32\.[a-z_]+", item)]
    assert len(others) == len(typed) + len(formed)
    assert len(typed) > 4
    assert len(formed) > 4


def test_elements_that_are_written_out_are_in_one_type(tmp_path: Path) -> None:
    newest = [item for item in variants(tmp_path, "literal") if item.startswith("14/")]
    assert ["14/float32"] == [item for item in newest if "." not in item]


def test_the_type_that_is_chosen_stays_when_another_is_added(tmp_path: Path) -> None:
    text = cases_named(["v1"])  # which is tried in another type, not in another form
    wider = text.replace(
        "14: {types: {T: [floats, int32, int64, int8]}}",
        "14: {types: {T: [floats, int32, int64, int8, uint16]}}",
    )
    before = set(variants(tmp_path / "before", "v1", text))
    after = set(variants(tmp_path / "after", "v1", wider))
    assert 3 == len(before)
    assert len(before - after) <= 1
    assert before == after or any(item.startswith("14/uint16") for item in after)


def test_cases_choose_different_types_and_forms(tmp_path: Path) -> None:
    names = [f"v{index}" for index in range(20)]
    text = cases_named(names)
    chosen = {
        plan.id.split("/")[2]
        for plan in planned(tmp_path, text)
        if plan.case.id in names and plan.version.since_version == 14
    }
    assert len({item.partition(".")[0] for item in chosen}) > 3
    assert len({item.partition(".")[2] for item in chosen}) > 3


def test_pairs_have_each_further_type_of_the_newest_version_in_one_more_form(
    tmp_path: Path,
) -> None:
    text = f"{RESHAPE}families:\n  - {{family: structure, with: {{base: two_dims}}}}\n"
    found = [item.split("/")[2] for item in ids_of(tmp_path, text) if "14/types/" in item]
    others = [item for item in found if "float32" not in item]
    types = ["float16", "float64", "int32", "string"]
    assert types == [item for item in others if "." not in item]
    assert types == [item.partition(".")[0] for item in others if "." in item]


def test_a_list_of_types_without_a_sweep_is_taken_at_the_newest_version(tmp_path: Path) -> None:
    text = changed(
        "    spread: [everywhere, types]\n", "    spread: everywhere\n    types: [int32, float64]\n"
    )
    text = text[: text.index("invalid:")]
    found = [item for item in ids_of(tmp_path, text) if "/two_dims/" in item]
    expected = [
        "reshape-1/two_dims/float64",
        "reshape-5/two_dims/int32",
        "reshape-14/two_dims/int32",
        "reshape-14/two_dims/float64",
    ]
    assert expected == [item for item in found if "opset" not in item]


# --- ids ---


def test_an_id_names_the_domain(tmp_path: Path) -> None:
    text = TABLE.replace("operator: Add\n", "operator: Add\ndomain: com.example\n")
    facts, (spec,) = read_specs(write_specs(tmp_path, text[: text.index("  - covers: [sums]")]))
    assert "com.example.add" == spec.slug
    with pytest.raises(BadInputError, match=r"operator 'com\.example:Add' has no oracle"):
        plans(spec, facts, "full")


def test_a_model_of_another_domain_imports_both(tmp_path: Path) -> None:
    text = """\
operator: Scaler
domain: ai.onnx.ml
requirements:
  - id: scales
    text: Elements are scaled.
    source: {document: Scaler-1, part: Summary}
cases:
  - id: one
    covers: [scales]
    inputs: {X: [2]}
    outputs: {Y: {values: [0.0, 0.0]}}
"""
    facts, spec = read_real(tmp_path, text)
    assert "ai.onnx.ml.scaler" == spec.slug
    newest = facts.model_opset("ai.onnx.ml", 1)
    assert 1 <= newest <= facts.newest_opset


def test_the_same_operator_in_two_domains_is_two_operators(tmp_path: Path) -> None:
    folder = write_specs(tmp_path)
    text = changed("operator: Reshape\n", "operator: Reshape\ndomain: com.example\n")
    (folder / "second.yaml").write_text(text)
    _, specs = read_specs(folder)
    assert ["reshape", "com.example.reshape"] == [spec.slug for spec in specs]


# --- what cannot be planned ---


NEIGHBOUR = (
    "invalid:\n  - {id: wrong, covers: [sums], control: vector, since: 13, inputs: {B: [4]}}\n"
)


def test_an_invalid_case_is_where_its_control_is(tmp_path: Path) -> None:
    text = TABLE.replace("id: vector,", "id: vector, until: 13,")
    found = [item.split("/")[0] for item in variants(tmp_path, "wrong", text + NEIGHBOUR)]
    assert ["13"] == found


def test_an_invalid_case_whose_control_is_nowhere_beside_it_is_an_error(tmp_path: Path) -> None:
    text = TABLE.replace("id: vector,", "id: vector, until: 7,")
    with pytest.raises(BadInputError) as caught:
        planned(tmp_path, text + NEIGHBOUR.replace("since: 13", "since: 13, until: 14"))
    expected = "case 'wrong' holds at no version at which its control 'vector' does"
    assert str(caught.value).endswith(expected)


MIXED = """\
operator: Mixed
versions:
  1:
    types: {T: floats, T2: [float32, int32], T3: [float32, int32]}
    inputs: {x: T, y: T2, z: T3}
    outputs: {copy: T}
    attributes: {}
requirements:
  - id: copies
    text: The first input is copied.
    source: {document: Mixed-1, part: Summary}
cases:
  - {id: one, covers: [copies], inputs: {x: [2], y: [2], z: [2]}}
"""
MIXED_ORACLE = """
@oracle("Mixed")
def mixed(call):
    return (call.grid("x"),)
"""


def test_two_vectors_of_one_id_are_an_error(tmp_path: Path) -> None:
    facts, (spec,) = read_specs(write_specs(tmp_path, MIXED))
    case = replace(spec.cases["one"], sweep=("types:T2", "types:T3"))
    with written_oracle(tmp_path / "oracles", MIXED_ORACLE), pytest.raises(BadInputError) as caught:
        plans(replace(spec, cases={"one": case}), facts, "standard")
    expected = "would be two vectors, of T float32, T2 int32, T3 float32 and of"
    assert expected in str(caught.value)


def test_a_table_has_ascending_versions(tmp_path: Path) -> None:
    text = TABLE.replace("  6: {types: {T: floats}}\n", "") + ""
    text = text.replace("  7: {types", "  0: {types")
    with pytest.raises(BadInputError) as caught:
        planned(tmp_path, text)
    expected = f"{tmp_path}/reshape.yaml:{line_of('0: {types', text)}: a version is a positive"
    assert str(caught.value).startswith(expected)
