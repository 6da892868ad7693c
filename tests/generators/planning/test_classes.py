"""The rule `classes`: which requirement lacks a class of element types, and what is proposed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from places import SPECS
from sample_specs import RESHAPE, changed, write_specs

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.generators.corpus.admission.proposals import Known, Request, proposed_plans
from onnx_conformance.generators.corpus.coverage.classes import class_lines, class_pairs
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.planning.classes import (
    CLASSES,
    asked_of,
    class_plans,
    met,
    standing_of,
    types_by_class,
)
from onnx_conformance.generators.planning.expansion import STANDARD, ControlError, plans
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.planning.type_classes import class_of_type
from onnx_conformance.generators.situations.making import Situations

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.planning.plans import Plan
    from onnx_conformance.generators.specs.model import Spec

NOTHING = Known((), frozenset())


def with_requirement(text: str, name: str, words: str) -> str:
    """A spec of Reshape with one requirement more."""
    source = "{document: Reshape-14, part: Summary}"
    more = f"  - id: {name}\n    text: {words}\n    source: {source}\n"
    return changed("\ncases:\n", f"{more}\ncases:\n", text)


def proposed(
    folder: Path, text: str = RESHAPE, taken: frozenset[str] = frozenset()
) -> tuple[Spec, list[Plan], list[Plan]]:
    """The spec, what the other rules plan of it, and what this one proposes."""
    facts, (spec,) = read_specs(write_specs(folder, text))
    made = Situations(facts)
    others = list(plans(spec, facts, STANDARD, (), made))
    ids = taken | {item.id for item in others}
    return spec, others, list(class_plans(spec, map(standing_of, others), ids, made))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int4", "packed"),
        ("uint2", "packed"),
        ("float4e2m1", "packed"),
        ("float8e8m0", "float8"),
        ("bfloat16", "float16"),
        ("int64", "64 bits"),
        ("float64", "64 bits"),
        ("complex128", "complex"),
        ("string", "string"),
        ("bool", "bool"),
        ("float32", "plain"),
        ("int8", "plain"),
        ("seq(string)", "string"),
        ("map(int64,float32)", "plain"),
        ("seq($V)", "plain"),
    ],
)
def test_a_type_is_in_the_class_of_its_kernel(text: str, expected: str) -> None:
    assert expected == class_of_type(text)


def test_a_requirement_is_proposed_in_each_class_that_lacks_it(tmp_path: Path) -> None:
    _, others, found = proposed(tmp_path)
    # The types are swept for `two_dims` alone; `zero` stands in float32.
    assert "reshape-14/two_dims/string" in {item.id for item in others}
    assert {"reshape-14/zero/float16", "reshape-14/zero/float64", "reshape-14/zero/string"} == {
        item.id for item in found
    }
    assert {CLASSES} == {item.rule for item in found}


def test_what_is_admitted_leaves_nothing_to_propose(tmp_path: Path) -> None:
    spec, others, found = proposed(tmp_path)
    facts, _ = read_specs(write_specs(tmp_path))
    again = class_plans(spec, map(standing_of, [*others, *found]), frozenset(), Situations(facts))
    assert [] == list(again)


def test_an_id_that_is_never_used_again_gives_way_to_another_type(tmp_path: Path) -> None:
    text = changed("types: {T: some}", "types: {T: [some, int64]}")
    _, _, found = proposed(tmp_path, text, frozenset({"reshape-14/zero/float64"}))
    ids = {item.id for item in found}
    assert "reshape-14/zero/int64" in ids
    assert "reshape-14/zero/float64" not in ids


def test_a_value_that_the_class_does_not_have_is_not_written_in_it(tmp_path: Path) -> None:
    text = changed(
        "inputs: {data: [0, 3], shape: [3, 0]}\n    outputs",
        "inputs: {data: {values: [[1.5, 2.5]]}, shape: [1, 2]}\n    outputs",
    ).replace("outputs: {reshaped: [3, 0]}", "outputs: {reshaped: {values: [[1.5, 2.5]]}}", 1)
    _, _, found = proposed(tmp_path, text)
    ids = {item.id for item in found}
    assert "reshape-14/zero/float64" in ids
    assert "reshape-14/zero/string" not in ids


def test_what_is_left_open_is_not_asked_of_a_class(tmp_path: Path) -> None:
    _, _, found = proposed(tmp_path)
    assert {Kind.VALID} == {item.kind for item in found}


def test_only_kernels_of_their_own_are_asked_what_they_refuse(tmp_path: Path) -> None:
    text = changed("too_many\n    covers: [requested-shape]", "too_many\n    covers: [count]")
    text = with_requirement(text, "count", "The count stays.")
    _, _, found = proposed(tmp_path, text)
    refused = {item.id for item in found if item.kind == Kind.INVALID}
    assert {"reshape-14/too_many/string"} == refused


def test_a_fault_that_a_model_shows_before_it_runs_is_not_asked_of_a_class(tmp_path: Path) -> None:
    spec, _, found = proposed(tmp_path)
    assert "shape-int64" in asked_of(spec, spec.versions[14])
    assert "shape_is_int32" not in {item.case.id for item in found}


def test_an_invalid_vector_comes_after_its_control(tmp_path: Path) -> None:
    text = changed("too_many\n    covers: [requested-shape]", "too_many\n    covers: [count]")
    text = changed("    spread: [everywhere, types]\n", "    spread: everywhere\n", text)
    text = with_requirement(text, "count", "The count stays.")
    _, _, found = proposed(tmp_path, text)
    ids = [item.id for item in found]
    place = ids.index("reshape-14/too_many/string")
    assert "reshape-14/two_dims/string" == found[place].control
    assert "reshape-14/two_dims/string" in ids[:place]


def test_a_control_of_another_class_leaves_its_requirements_missing(tmp_path: Path) -> None:
    """The fault is of strings, and shows the most; its control is written in numbers alone."""
    text = changed(
        "too_many\n    covers: [requested-shape]",
        "too_many\n    types: [float32, string]\n    covers: [count, all]",
    )
    text = changed("[everywhere, types]\n", "everywhere\n    types: [float32]\n", text)
    text = changed("zero\n    covers: [literal-zero]", "zero\n    covers: [requested-shape]", text)
    text = with_requirement(text, "count", "The count stays.")
    text = with_requirement(text, "all", "All elements are there.")
    facts, (spec,) = read_specs(write_specs(tmp_path, text))
    found = list(class_plans(spec, (), frozenset(), Situations(facts)))
    strings = [item.id for item in found if item.types["T"] == "string"]
    assert ["reshape-14/too_many/string", "reshape-14/zero/string"] == strings
    place = [item.id for item in found].index("reshape-14/too_many/string")
    assert "reshape-14/two_dims/float32" == found[place].control


def test_a_control_that_is_of_no_use_is_told_the_author(tmp_path: Path) -> None:
    text = changed(
        "too_many\n    covers: [requested-shape]", "too_many\n    until: 14\n    covers: [count]"
    )
    text = changed("    spread: [everywhere, types]\n", "    until: 5\n", text)
    text = with_requirement(text, "count", "The count stays.")
    facts, (spec,) = read_specs(write_specs(tmp_path, text))
    with pytest.raises(ControlError, match="'two_dims' of 'too_many' does not hold at version 14"):
        list(class_plans(spec, (), frozenset(), Situations(facts)))


def test_what_follows_from_a_signature_is_not_asked_of_each_class(tmp_path: Path) -> None:
    text = RESHAPE + "\nfamilies:\n  - family: structure\n"
    spec, _, found = proposed(tmp_path, text)
    assert "every-listed-type" in spec.requirements
    asked = asked_of(spec, spec.versions[14])
    assert "every-listed-type" not in asked
    assert "attributes-are-listed" not in asked
    assert not [item for item in found if set(item.case.covers).isdisjoint(asked)]


def test_types_of_an_output_alone_have_no_classes(tmp_path: Path) -> None:
    _, (spec,) = read_specs(write_specs(tmp_path))
    version = spec.versions[14]
    assert ("float16", "plain", "64 bits", "string") == tuple(types_by_class(version))
    without = replace(version, inputs=version.inputs[1:])
    assert {} == types_by_class(without)
    assert frozenset() == met(replace(version, types={}), [(14, {}, ("requested-shape",))])


def test_without_a_lock_a_corpus_has_none_of_them(tmp_path: Path) -> None:
    _, others, _ = proposed(tmp_path)
    assert {item.id for item in others} == {item.id for item in plan_corpus(tmp_path).plans}


def test_the_rule_proposes_beside_the_others(tmp_path: Path) -> None:
    request = Request(write_specs(tmp_path), "reshape")
    _, _, found = proposed_plans(request, NOTHING)
    assert "reshape-14/zero/string" in {item.id for item in found if item.rule == CLASSES}


def test_the_page_of_coverage_counts_the_pairs(tmp_path: Path) -> None:
    spec, others, found = proposed(tmp_path)
    # Three requirements, four classes; what a fault before the run is about stands in one.
    assert (12, 6) == class_pairs(spec, others)
    both = class_pairs(spec, [*others, *found])
    assert (12, 9) == both
    line = (
        "Of 24 pairs of a requirement of an operator's newest version and a class of element types"
        " that its main input may have, 18 stand. Of the 6 others no case can be presented in the"
        " class, or they are no question to a kernel (`generators/planning/classes.py`);"
        " `make check` fails where one that can stand does not."
    )
    assert ["", line] == class_lines([both, both])


def test_a_pattern_takes_what_it_matches(tmp_path: Path) -> None:
    request = Request(write_specs(tmp_path), "reshape", ("reshape-14/zero/string",))
    _, _, found = proposed_plans(request, NOTHING)
    assert ["reshape-14/zero/string"] == [item.id for item in found if item.rule == CLASSES]


def test_a_graph_that_names_its_types_is_not_presented_in_others() -> None:
    # Of an empty sequence the oracle runs no body, and would not see that it takes another type.
    facts, (spec,) = read_specs(SPECS, ("sequencemap",))
    found = list(class_plans(spec, (), frozenset(), Situations(facts)))
    assert found
    assert "inputs_two_of_none" not in {item.case.id for item in found}
