"""What a spec says under `families:`, and what is said of its mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sample_specs import line_of, read_real

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.families.reading import _OWN_KEYS
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
  - family: computed
    covers: [sums]
    since: 7
    cases: {one: {A: [2], B: [2]}}
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
            "  - family: compute\n",
            "unknown family 'compute'; did you mean 'computed'?",
            id="unknown_family",
        ),
        pytest.param(
            "  - family: computed\n    covers: [sums]\n    case: {}\n",
            "family 'computed': family 'computed' has no parameter 'case'; did you mean 'cases'?;"
            " it has: cases, data, bind, common, types, outputs, forms, each, attributes",
            id="unknown_parameter",
        ),
        pytest.param(
            "  - family: computed\n    covers: [sums]\n",
            "family 'computed': family 'computed' needs the parameter 'cases'",
            id="missing_parameter",
        ),
        pytest.param(
            "  - family: computed\n    cases: {one: {A: [2], B: [2]}}\n",
            "family 'computed': case 'one' covers nothing: give the family `covers`",
            id="covers_nothing",
        ),
        pytest.param(
            "  - family: computed\n    covers: [sums]\n    cases: {}\n",
            "family 'computed' makes no case from these parameters",
            id="no_case",
        ),
        pytest.param(
            "  - family: computed\n    covers: [sums]\n    cases: {example: {A: [2], B: [2]}}\n",
            "family 'computed' makes case 'example', which is already on line 7; give it a"
            " `prefix`",
            id="id_is_taken",
        ),
        pytest.param(
            "  - family: computed\n    covers: [sums]\n    cases: {one: {A: [2], D: [2]}}\n",
            "family 'computed': Add has no attribute 'D'",
            id="no_such_input",
        ),
    ],
)
def test_a_mistake_is_named_with_the_family_and_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    assert message == message_of(tmp_path, text)


def test_a_parameter_of_another_form_points_to_the_manual(tmp_path: Path) -> None:
    message = message_of(tmp_path, "  - family: computed\n    covers: [sums]\n    cases: [one]\n")
    assert message.startswith("family 'computed': parameter 'cases' must be a mapping, not ['one']")
    assert message.endswith("see `onnx-vectors families computed`")


@pytest.mark.parametrize("families", ["families: []", ""])
def test_a_spec_that_makes_no_case_is_refused(tmp_path: Path, families: str) -> None:
    # It would be an operator without vectors, and nobody would notice.
    head = SPEC[: SPEC.index("cases:\n")]
    with pytest.raises(BadInputError, match="no case: give `cases` or `families`"):
        read_real(tmp_path, f"{head}{families}\n")


def test_a_parameter_that_a_family_cannot_compute_with_is_one_line(tmp_path: Path) -> None:
    text = (
        "  - {family: axis, covers: [sums], axis: axis, inputs: {A: shape, B: shape}, sizes: []}\n"
    )
    message = message_of(tmp_path, text)
    assert message.startswith("family 'axis': a parameter has another form than its manual says")
    assert message.endswith("see `onnx-vectors families axis`")


def test_an_unknown_requirement_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="unknown requirement 'sum'; did you mean 'sums'"):
        spec_of(tmp_path, FAMILY.replace("covers: [sums]", "covers: [sum]"))


def test_a_withdrawn_id_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="case 'one' is withdrawn"):
        spec_of(tmp_path, f"{FAMILY}withdrawn: [one]\n")


def test_a_withdrawn_id_takes_a_case_out_of_a_family_that_makes_its_ids(tmp_path: Path) -> None:
    made = "  - {family: structure, base: example, skip: [outside]}\n"
    kept = set(spec_of(tmp_path, made).cases)
    left = set(spec_of(tmp_path, f"{made}withdrawn: [too_few_inputs]\n").cases)
    assert {"too_few_inputs"} == kept - left


def test_cases_of_families_stand_behind_those_that_are_written(tmp_path: Path) -> None:
    assert ["example", "one"] == list(spec_of(tmp_path).cases)


def test_a_prefix_goes_before_the_ids(tmp_path: Path) -> None:
    assert "new_one" in spec_of(tmp_path, f"{FAMILY}    prefix: new\n").cases


def test_since_and_until_limit_every_case(tmp_path: Path) -> None:
    case = spec_of(tmp_path, f"{FAMILY}    until: 13\n").cases["one"]
    assert (7, 13) == (case.since, case.until)


def test_a_family_sees_the_cases_of_the_one_before_it(tmp_path: Path) -> None:
    second = "  - {family: neighbours, covers: [sums], control: one, changes: {wrong: {B: [3]}}}\n"
    case = spec_of(tmp_path, FAMILY + second).cases["wrong"]
    assert ("invalid", "one") == (case.kind, case.control)


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
    with pytest.raises(ValueError, match="two families are named 'computed'"):
        family("computed")(lambda _: ())


def test_a_family_may_be_thin(tmp_path: Path) -> None:
    two = FAMILY.replace("[2]}}", "[2]}, two: {A: [3], B: [3]}}")
    spec = spec_of(tmp_path, f"{two}    thin: true\n")
    assert Spread.CLASSES is spec.cases["one"].spread
    assert Spread.THIN is spec.cases["two"].spread


@pytest.mark.parametrize("key", ["thin", "ends_only"])
def test_what_the_full_corpus_alone_has_stays_there(tmp_path: Path, key: str) -> None:
    head = SPEC[: SPEC.index("cases:")].replace("Add", "Abs")
    unary = f"{head}families:\n  - family: elementwise\n    covers: [sums]\n    {key}: true\n"
    spec = read_real(tmp_path, unary)[1]
    assert Spread.FULL is spec.cases["codes_0000_to_0fff"].spread


def test_a_thin_family_does_not_stand_at_the_ends(tmp_path: Path) -> None:
    both = f"{FAMILY}    thin: true\n    ends_only: true\n"
    with pytest.raises(BadInputError, match="'ends_only' and 'thin' exclude each other"):
        spec_of(tmp_path, both)


def test_a_family_may_stand_at_the_ends_alone(tmp_path: Path) -> None:
    thin = f"{FAMILY}    ends_only: true\n"
    assert Spread.CLASSES is spec_of(tmp_path).cases["one"].spread
    assert Spread.ENDS is spec_of(tmp_path, thin).cases["one"].spread


def test_a_family_names_the_cases_that_stand_at_every_version(tmp_path: Path) -> None:
    two = FAMILY.replace("[2]}}", "[2]}, two: {A: [3], B: [3]}}")
    spec = spec_of(tmp_path, f"{two}    every_version: [two]\n")
    assert (False, True) == (spec.cases["one"].every_version, spec.cases["two"].every_version)


def test_a_family_names_only_its_own_cases(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="unknown case 'example'"):
        spec_of(tmp_path, f"{FAMILY}    every_version: [example]\n")


def test_a_case_made_from_another_does_not_stand_at_every_version_for_that(tmp_path: Path) -> None:
    both = (
        f"{FAMILY}    every_version: [one]\n"
        "  - {family: neighbours, covers: [sums], control: one, changes: {more: {B: [3]}}}\n"
    )
    assert not spec_of(tmp_path, both).cases["more"].every_version


def test_no_family_has_a_parameter_that_every_family_takes() -> None:
    # Such a parameter would be read for the family as a whole, and never reach it.
    taken = {name: set(item.parameters) & set(_OWN_KEYS) for name, item in all_families().items()}
    assert {} == {name: names for name, names in taken.items() if names}
