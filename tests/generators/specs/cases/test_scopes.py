"""What cases share: groups, `let`, and what an invalid case has of its control."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sample_specs import line_of, read_real

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.specs.model import (
    GivenAttribute,
    GraphAttribute,
    Literal,
    OptionalLiteral,
    SequenceLiteral,
)
from onnx_conformance.generators.specs.words import Spread

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.specs.model import AnyLiteral, Case

HEAD = """\
operator: {operator}
requirements:
  - {{id: does, text: It does., source: {{document: {operator}, part: Summary}}}}
  - {{id: other, text: It does more., source: {{document: {operator}, part: Summary}}}}
"""
GROUP = """\
cases:
  - covers: [does]
    since: 13
    until: 21
    types: [float32, int8]
    spread: newest
    data: exact
    requested: [reshaped]
    inputs: {data: [2, 3], shape: [6]}
    group:
      - {id: flat}
      - {id: tall, covers: [other], spread: ends, inputs: {shape: [3, 2]}}
"""
BESIDE = """\
cases:
  - id: base
    covers: [does]
    types: {T: int8}
    attributes: {allowzero: 0}
    inputs: {data: [2], shape: [2]}
invalid:
  - id: wrong
    covers: [other]
    control: base
"""


def cases(folder: Path, text: str, operator: str = "Reshape") -> dict[str, Case]:
    return dict(read_real(folder, HEAD.format(operator=operator) + text)[1].cases)


def message_of(folder: Path, text: str, operator: str = "Reshape") -> str:
    with pytest.raises(BadInputError) as caught:
        cases(folder, text, operator)
    return str(caught.value)


def inputs(case: Case) -> dict[str, AnyLiteral]:
    return dict(case.examples[0].inputs)


# --- groups ---


def test_a_group_gives_its_cases_what_they_do_not_say(tmp_path: Path) -> None:
    flat = cases(tmp_path, GROUP)["flat"]
    assert (("does",), 13, 21, ("float32", "int8"), Spread.NEWEST, ("reshaped",)) == (
        *(flat.covers, flat.since, flat.until, flat.types, flat.spread, flat.requested),
    )


def test_what_a_case_says_goes_before_its_group(tmp_path: Path) -> None:
    tall = cases(tmp_path, GROUP)["tall"]
    assert (("other",), Spread.ENDS) == (tall.covers, tall.spread)


def test_inputs_of_a_group_and_of_a_case_are_put_together_by_name(tmp_path: Path) -> None:
    expected = {"data": Literal((2, 3), None, profile="exact"), "shape": Literal((2,), (3, 2))}
    assert expected == inputs(cases(tmp_path, GROUP)["tall"])


def test_absent_leaves_out_what_the_group_gives(tmp_path: Path) -> None:
    text = GROUP.replace("{id: flat}", "{id: flat, inputs: {shape: absent}}")
    assert ["data"] == list(inputs(cases(tmp_path, text)["flat"]))


def test_an_error_in_a_group_names_the_line_of_the_case(tmp_path: Path) -> None:
    text = GROUP.replace("shape: [3, 2]", "shap: [3, 2]")
    line = line_of("id: tall", HEAD.format(operator="Reshape") + text)
    expected = f"{tmp_path}/spec.yaml:{line}: unknown key 'shap'; did you mean 'shape'?"
    assert expected == message_of(tmp_path, text)


def test_an_error_in_a_key_of_the_group_names_its_line(tmp_path: Path) -> None:
    text = GROUP.replace("since: 13", "since: 12")
    line = line_of("since: 12", HEAD.format(operator="Reshape") + text)
    assert message_of(tmp_path, text).startswith(f"{tmp_path}/spec.yaml:{line}: there is no")


@pytest.mark.parametrize("key", ["id: one", "documented: test_one", "outputs: {reshaped: [6]}"])
def test_what_belongs_to_one_case_is_not_for_a_group(tmp_path: Path, key: str) -> None:
    text = GROUP.replace("    since: 13\n", f"    {key}\n")
    expected = f"'{key.partition(':')[0]}' belongs to one case, not to a group"
    assert expected in message_of(tmp_path, text)


def test_a_group_without_cases_is_an_error(tmp_path: Path) -> None:
    text = GROUP[: GROUP.index("    group:")] + "    group: []\n"
    assert "a group has at least one case" in message_of(tmp_path, text)


def test_a_group_in_a_group_is_an_error(tmp_path: Path) -> None:
    text = GROUP.replace("{id: flat}", "{group: [{id: flat}]}")
    assert "a group in a group" in message_of(tmp_path, text)


def test_a_mistaken_key_of_a_group_is_named(tmp_path: Path) -> None:
    text = GROUP.replace("spread: newest", "spred: newest")
    assert "unknown key 'spred'; did you mean 'spread'?" in message_of(tmp_path, text)


# --- let ---

LET = """\
let:
  branch: "t () => ($V[2] a) { a = Neg (x) }"
cases:
  - id: one
    covers: [does]
    types: {V: float32}
    attributes: {then_branch: {let: branch}, else_branch: {let: branch}}
    inputs: {cond: true, x: [2]}
"""


def test_a_named_value_stands_where_it_is_used(tmp_path: Path) -> None:
    case = cases(tmp_path, LET, "If")["one"]
    graph = GraphAttribute("t () => ($V[2] a) { a = Neg (x) }")
    assert [graph, graph] == [item.value for item in case.attributes]


def test_a_name_that_is_not_there_is_an_error_with_the_line_of_its_use(tmp_path: Path) -> None:
    text = LET.replace("else_branch: {let: branch}", "else_branch: {let: brunch}")
    message = message_of(tmp_path, text, "If")
    line = line_of("brunch", HEAD.format(operator="If") + text)
    assert message.startswith(f"{tmp_path}/spec.yaml:{line}: unknown name")
    assert message.endswith("'brunch'; did you mean 'branch'?")


def test_a_name_that_nothing_uses_is_an_error(tmp_path: Path) -> None:
    text = LET.replace("let:\n", "let:\n  other: 1\n")
    assert message_of(tmp_path, text, "If").endswith("nothing uses 'other'; take it out")


def test_a_named_value_does_not_stand_for_another(tmp_path: Path) -> None:
    text = LET.replace("let:\n", "let:\n  other: {let: branch}\n")
    assert "without `let` in it" in message_of(tmp_path, text, "If")


# --- values ---


def test_without_outputs_the_oracle_computes_them(tmp_path: Path) -> None:
    assert cases(tmp_path, GROUP)["flat"].examples[0].outputs is None


def test_a_variadic_input_is_a_list_or_one_of_its_values(tmp_path: Path) -> None:
    given = "attributes: {axis: 0}, inputs: {inputs: [[1], [2]]}"
    text = f"cases:\n  - {{id: a, covers: [does], {given}}}\n"
    assert ["inputs_0", "inputs_1"] == list(inputs(cases(tmp_path, text, "Concat")["a"]))


def test_containers_are_values(tmp_path: Path) -> None:
    text = "cases:\n  - {id: a, covers: [does], inputs: {input_sequence: {sequence: [[2]]}}}\n"
    found = inputs(cases(tmp_path / "a", text, "SequenceLength")["a"])
    assert {"input_sequence": SequenceLiteral((Literal((1,), (2,)),))} == found
    text = "cases:\n  - {id: a, covers: [does], inputs: {input: {optional: absent}}}\n"
    found = inputs(cases(tmp_path / "b", text, "OptionalHasElement")["a"])
    assert {"input": OptionalLiteral(None)} == found


def test_elements_in_the_place_of_dimensions_are_told_how_they_are_written(tmp_path: Path) -> None:
    text = GROUP.replace("data: [2, 3]", "data: [2.5, 3]")
    assert message_of(tmp_path, text).endswith("elements are written {values: ...}")


def test_a_type_that_a_variable_never_has_is_an_error(tmp_path: Path) -> None:
    text = GROUP.replace("types: [float32, int8]", "types: {T: float33}")
    assert "unknown type of T 'float33'; did you mean 'float32'?" in message_of(tmp_path, text)


def test_a_variable_that_the_operator_lacks_is_an_error(tmp_path: Path) -> None:
    text = GROUP.replace("types: [float32, int8]", "types: {V: float32}")
    assert "there is no type variable 'V'" in message_of(tmp_path, text)


def test_a_profile_that_is_none_is_named_with_the_line_of_the_case(tmp_path: Path) -> None:
    text = GROUP.replace("data: exact", "data: exactly")
    line = line_of("id: flat", HEAD.format(operator="Reshape") + text)
    assert message_of(tmp_path, text).startswith(f"{tmp_path}/spec.yaml:{line}: case 'flat'")


# --- invalid cases ---


def test_an_invalid_case_is_its_control_with_what_it_says(tmp_path: Path) -> None:
    wrong = cases(tmp_path, f"{BESIDE}    inputs: {{shape: [7]}}\n")["wrong"]
    assert ("invalid", "base", "load") == (wrong.kind, wrong.control, wrong.reject)
    assert {"data": Literal((2,), None), "shape": Literal((1,), (7,))} == inputs(wrong)
    assert ({"T": "int8"}, (GivenAttribute("allowzero", 0, "int"),)) == (
        wrong.bind,
        wrong.attributes,
    )


def test_an_invalid_case_may_lack_what_its_control_has(tmp_path: Path) -> None:
    more = "    inputs: {shape: absent}\n    attributes: {allowzero: absent}\n"
    wrong = cases(tmp_path, BESIDE + more)["wrong"]
    assert (["data"], ()) == (list(inputs(wrong)), wrong.attributes)


def test_an_invalid_case_may_change_an_attribute(tmp_path: Path) -> None:
    wrong = cases(tmp_path, f"{BESIDE}    attributes: {{allowzero: 1}}\n")["wrong"]
    assert (GivenAttribute("allowzero", 1, "int"),) == wrong.attributes


def test_the_control_may_be_a_case_that_a_family_makes(tmp_path: Path) -> None:
    text = (
        "invalid:\n  - {id: wrong, covers: [does], control: specials, attributes: {axis: absent}}\n"
        "families:\n  - {family: elementwise, covers: [does]}\n"
    )
    assert "specials" == cases(tmp_path, text, "Neg")["wrong"].control


def test_the_control_is_a_valid_case(tmp_path: Path) -> None:
    assert "unknown case (a control is a valid case) 'bas'; did you mean 'base'?" in message_of(
        tmp_path, BESIDE.replace("control: base", "control: bas")
    )


def test_a_case_may_cover_what_a_family_of_the_spec_states(tmp_path: Path) -> None:
    text = GROUP.replace("covers: [other]", "covers: [attributes-are-listed]")
    found = cases(tmp_path, f"{text}families:\n  - {{family: structure, with: {{base: flat}}}}\n")
    assert ("attributes-are-listed",) == found["tall"].covers


def test_what_a_family_would_state_and_does_not_is_covered_by_nobody(tmp_path: Path) -> None:
    text = GROUP.replace("covers: [other]", "covers: [attributes-are-listed]")
    family = "families:\n  - {family: structure, with: {base: flat, skip: [attributes]}}\n"
    assert "covers 'attributes-are-listed', which a family" in message_of(tmp_path, text + family)
