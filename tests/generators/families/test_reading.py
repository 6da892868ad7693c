"""What a spec says under `families:`, and what is said of its mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sample_specs import line_of, read_real

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.families.reading import OWN_KEYS
from onnx_conformance.generators.families.registry import all_families, family
from onnx_conformance.generators.specs.words import Spread

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.specs.model import Spec

SPEC = """\
operator: Add
requirements:
  - id: sums
    text: Elements are added.
    source: {document: Add-14, part: Summary}
cases:
  - id: example
    covers: [sums]
    since: 7
    inputs: {A: {values: [1.0]}, B: {values: [2.0]}}
    outputs: {C: {values: [3.0]}}
families:
  - family: combinations
    covers: [sums]
    since: 7
    with: {name: one, values: {A: [[2], [3]], B: [[1]]}}
"""
FAMILY = SPEC[SPEC.index("  - family:") :]


def spec_of(folder: Path, family_text: str = FAMILY) -> Spec:
    return read_real(folder, SPEC.replace(FAMILY, family_text))[1]


def message_of(folder: Path, family_text: str) -> str:
    """What is said, without the file and the line, which is that of the family."""
    with pytest.raises(BadInputError) as caught:
        spec_of(folder, family_text)
    where, _, message = str(caught.value).partition(": ")
    assert f"{folder}/spec.yaml" == where.rpartition(":")[0]
    assert line_of("  - family:", SPEC) == int(where.rpartition(":")[2])
    return message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "  - family: structur\n",
            "unknown family 'structur'; did you mean 'structure'?",
            id="unknown_family",
        ),
        pytest.param(
            "  - family: combinations\n    covers: [sums]\n    with: {value: {}}\n",
            "family 'combinations': family 'combinations' has no parameter 'value'; did you mean"
            " 'values'?; it has: values, data, name, bind, common, requested",
            id="unknown_parameter",
        ),
        pytest.param(
            "  - family: combinations\n    covers: [sums]\n",
            "family 'combinations': family 'combinations' needs the parameter 'values'",
            id="missing_parameter",
        ),
        pytest.param(
            "  - family: combinations\n    with: {name: one, values: {A: [[2]], B: [[2]]}}\n",
            "family 'combinations': case 'one_A_2_B_2' covers nothing: give the family `covers`",
            id="covers_nothing",
        ),
        pytest.param(
            "  - family: combinations\n    covers: [sums]\n"
            "    with: {values: {A: [[2]], D: [2]}}\n",
            "family 'combinations': Add has no attribute 'D'",
            id="no_such_input",
        ),
    ],
)
def test_a_mistake_is_named_with_the_family_and_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    assert message == message_of(tmp_path, text)


def test_an_id_that_is_taken_is_named_with_the_line_of_its_case(tmp_path: Path) -> None:
    one = "  - {family: elementwise, covers: [sums], since: 7}\n"
    with pytest.raises(BadInputError) as caught:
        spec_of(tmp_path, f"{one}{one}")
    line = line_of("  - family:", SPEC)
    assert str(caught.value).endswith(
        f":{line + 1}: family 'elementwise' makes case 'specials', which is already on line {line};"
        " give it an `id`"
    )


def test_a_parameter_of_another_form_points_to_the_manual(tmp_path: Path) -> None:
    text = "  - family: combinations\n    covers: [sums]\n    with: {values: [one]}\n"
    message = message_of(tmp_path, text)
    assert message.startswith(
        "family 'combinations': parameter 'values' must be a mapping to lists, not ['one']"
    )
    assert message.endswith("see `onnx-vectors families combinations`")


@pytest.mark.parametrize("families", ["families: []", ""])
def test_a_spec_that_makes_no_case_is_refused(tmp_path: Path, families: str) -> None:
    # It would be an operator without vectors, and nobody would notice.
    head = SPEC[: SPEC.index("cases:\n")]
    with pytest.raises(BadInputError, match="no case: give `cases` or `families`"):
        read_real(tmp_path, f"{head}{families}\n")


def test_a_parameter_that_a_family_cannot_compute_with_is_one_line(tmp_path: Path) -> None:
    given = "{axis: axis, inputs: {A: shape, B: shape}, sizes: []}"
    text = f"  - {{family: axis, covers: [sums], with: {given}}}\n"
    message = message_of(tmp_path, text)
    assert message.startswith("family 'axis': a parameter has another form than its manual says")
    assert message.endswith("see `onnx-vectors families axis`")


def test_an_unknown_requirement_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="unknown requirement 'sum'; did you mean 'sums'"):
        spec_of(tmp_path, FAMILY.replace("covers: [sums]", "covers: [sum]"))


def test_a_withdrawn_id_takes_a_case_out_of_a_family_that_makes_its_ids(tmp_path: Path) -> None:
    made = "  - {family: structure, with: {base: example, skip: [outside]}}\n"
    kept = set(spec_of(tmp_path, made).cases)
    left = set(spec_of(tmp_path, f"{made}withdrawn: [too_few_inputs]\n").cases)
    assert {"too_few_inputs"} == kept - left


def test_cases_of_families_stand_behind_those_that_are_written(tmp_path: Path) -> None:
    assert ["example", "one_a_2_b_1", "one_a_3_b_1"] == list(spec_of(tmp_path).cases)


def test_a_prefix_goes_before_the_ids(tmp_path: Path) -> None:
    assert "new_one_a_2_b_1" in spec_of(tmp_path, f"{FAMILY}    id: new\n").cases


def test_since_and_until_limit_every_case(tmp_path: Path) -> None:
    case = spec_of(tmp_path, f"{FAMILY}    until: 13\n").cases["one_a_2_b_1"]
    assert (7, 13) == (case.since, case.until)


def test_a_family_sees_the_cases_of_the_one_before_it(tmp_path: Path) -> None:
    second = "  - {family: structure, since: 7, with: {base: one_a_3_b_1}}\n"
    case = spec_of(tmp_path, FAMILY + second).cases["too_few_inputs"]
    assert ("invalid", "one_a_3_b_1") == (case.kind, case.control)


def test_a_family_brings_the_requirements_that_its_cases_cover(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, "  - {family: structure}\n")
    assert "attributes-are-listed" in spec.requirements
    assert {"sums", *(item for case in spec.cases.values() for item in case.covers)} == set(
        spec.requirements
    )


def test_what_the_spec_states_goes_before_what_a_family_brings(tmp_path: Path) -> None:
    text = SPEC.replace(
        "  - id: sums\n",
        "  - id: attributes-are-listed\n    text: Ours.\n"
        "    source: {document: Add-14, part: Attributes}\n  - id: sums\n",
    )
    _, spec = read_real(tmp_path, text.replace(FAMILY, "  - {family: structure}\n"))
    assert "Ours." == spec.requirements["attributes-are-listed"].text


@pytest.mark.parametrize("name", list(all_families()))
def test_the_manual_of_a_family_names_each_parameter(name: str) -> None:
    found = all_families()[name]
    manual = found.function.__doc__ or ""
    assert all(f"{parameter}" in manual for parameter in found.parameters)


def test_two_families_do_not_share_a_name() -> None:
    with pytest.raises(ValueError, match="two families are named 'axis'"):
        family("axis")(lambda _: ())


def test_a_family_says_how_widely_its_cases_are_proposed_where_the_spec_does_not(
    tmp_path: Path,
) -> None:
    assert Spread.CLASSES is spec_of(tmp_path).cases["one_a_2_b_1"].spread


@pytest.mark.parametrize("level", [Spread.NEWEST, Spread.ENDS, Spread.VERSIONS])
def test_the_spread_of_a_family_is_that_of_each_of_its_cases(tmp_path: Path, level: Spread) -> None:
    made = spec_of(tmp_path, f"{FAMILY}    spread: {level}\n").cases
    assert {level} == {made[name].spread for name in ("one_a_2_b_1", "one_a_3_b_1")}


def test_what_sweeps_a_type_variable_stands_at_every_version(tmp_path: Path) -> None:
    # Each version is to have each type of each type variable.
    text = (
        "operator: Gather\nrequirements:\n  - {id: does, text: It does.,"
        " source: {document: Gather-13, part: Summary}}\n"
        "cases:\n  - {id: plain, covers: [does], inputs: {data: [2], indices: [0]}}\n"
        "families:\n  - {family: structure, spread: newest, with: {base: plain}}\n"
    )
    made = read_real(tmp_path, text)[1].cases.values()
    swept = [case for case in made if any(item.startswith("types:") for item in case.sweep)]
    assert swept
    assert Spread.NEWEST not in {case.spread for case in swept}


@pytest.mark.parametrize("level", [Spread.NEWEST, Spread.ENDS])
def test_what_the_full_corpus_alone_has_stays_there(tmp_path: Path, level: Spread) -> None:
    head = SPEC[: SPEC.index("cases:")].replace("Add", "Abs")
    unary = f"{head}families:\n  - {{family: elementwise, covers: [sums], spread: {level}}}\n"
    spec = read_real(tmp_path, unary)[1]
    assert Spread.FULL is spec.cases["codes_0000_to_0fff"].spread


def test_no_family_has_a_parameter_that_every_family_takes() -> None:
    # Such a parameter would be read for the family as a whole, and never reach it.
    taken = {name: set(item.parameters) & set(OWN_KEYS) for name, item in all_families().items()}
    assert {} == {name: names for name, names in taken.items() if names}
