"""What the family `sizes` makes: large tensors, plain, at the versions that runtimes have."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from places import SPECS

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.families.reading import Settled
from onnx_conformance.generators.planning.excerpt import excerpt_ids
from onnx_conformance.generators.planning.expansion import STANDARD, plans
from onnx_conformance.generators.planning.reading import read_specs

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.planning.plans import Plan
    from onnx_conformance.generators.specs.model import Case

SPEC = """\
operator: OPERATOR
requirements:
  - id: done
    text: It is done.
    source: {document: OPERATOR, part: Summary}
families:
  - family: sizes
    covers: [done]
    with: {WITH}
"""


def _planned(
    folder: Path, operator: str, options: str, domain: str = ""
) -> tuple[dict[str, Case], tuple[Plan, ...]]:
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, folder)
    text = SPEC.replace("OPERATOR", operator).replace("WITH", options)
    text += f"domain: {domain}\n" if domain else ""
    (folder / f"{operator.lower()}.yaml").write_text(text, "utf-8")
    facts, (spec,) = read_specs(folder, (), Settled({}, propose=False))
    return dict(spec.cases), plans(spec, facts, STANDARD)


def _lengths(cases: dict[str, Case]) -> dict[str, tuple[int, ...]]:
    return {name: case.examples[0].inputs["X"].shape for name, case in cases.items()}  # type: ignore[union-attr]


def test_lengths_have_each_kind_of_tail_above_each_size_of_a_block(tmp_path: Path) -> None:
    cases, _ = _planned(tmp_path, "Abs", "kind: elementwise, lengths: [257, 1039]")
    assert {
        "sizes_257": (257,),
        "sizes_1039": (1039,),
        "sizes_65567_in_types": (65_567,),
    } == _lengths(cases)


def test_the_narrow_and_the_wide_type_are_tried_beside_the_plain_one(tmp_path: Path) -> None:
    _, planned = _planned(tmp_path, "Abs", "kind: elementwise, lengths: [257]")
    assert [
        "abs-13/sizes_257/float32",
        "abs-13/sizes_65567_in_types/float16",
        "abs-13/sizes_65567_in_types/float64",
    ] == [plan.id for plan in planned]


def test_what_is_newer_than_the_common_opset_is_tried_as_it_was_before_too(tmp_path: Path) -> None:
    options = "cases: {one: {data: [300, 2], axes: [1]}}"
    _, planned = _planned(tmp_path, "ReduceLogSum", options)
    assert [18, 28] == [plan.version.since_version for plan in planned]


def test_rows_lie_along_the_first_the_middle_and_the_last_axis(tmp_path: Path) -> None:
    cases, _ = _planned(tmp_path, "Softmax", "kind: rows, data: tame, rows: [many_first, middle]")
    axes = {name: case.attributes[0].value for name, case in cases.items()}
    assert {"sizes_rows_many_first_3x70001": 0, "sizes_rows_middle_5x1031x17": 1} == axes


def test_many_inputs_are_written_once_and_are_different(tmp_path: Path) -> None:
    options = "cases: {many: {inputs: {times: 70, of: [3, 5]}, axis: 1}}"
    cases, _ = _planned(tmp_path, "Concat", options)
    inputs = cases["sizes_many"].examples[0].inputs
    assert 70 == len(inputs) == len({literal.profile for literal in inputs.values()})  # type: ignore[union-attr]


def test_no_large_vector_stands_in_the_excerpt(tmp_path: Path) -> None:
    _, planned = _planned(tmp_path, "Abs", "kind: elementwise, lengths: [257]")
    assert frozenset() == excerpt_ids(planned)


def test_an_unknown_kind_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="'elementwise', 'rows' or 'given', not 'columns'"):
        _planned(tmp_path, "Abs", "kind: columns")


def test_elements_that_come_again_are_written_once(tmp_path: Path) -> None:
    options = "cases: {few: {X: {shape: [3, 2], again: [1, 5, 0], step: 10}}}"
    cases, _ = _planned(tmp_path, "Abs", options)
    given = cases["sizes_few"].examples[0].inputs["X"]
    assert ((3, 2), (1, 5, 0, 11, 15, 10)) == (given.shape, given.values)  # type: ignore[union-attr]


def test_lists_of_attributes_are_written_once(tmp_path: Path) -> None:
    options = (
        "bind: {T1: int64, T2: string}, cases: {few: {X: [2],"
        " keys_int64s: {count: 2, again: [2], step: 3},"
        " values_strings: {count: 2, words: distinct}}}"
    )
    cases, _ = _planned(tmp_path, "LabelEncoder", options, "ai.onnx.ml")
    given = {item.name: item.value for item in cases["sizes_few"].attributes}
    assert {"keys_int64s": (2, 5), "values_strings": ("distinct 0", "distinct 1")} == given


def test_a_case_has_types_of_its_own(tmp_path: Path) -> None:
    options = "cases: {int: {start: 0, limit: 300, delta: 1, bind: {T: int64}}}"
    _, planned = _planned(tmp_path, "Range", options)
    assert {"int64"} == {plan.types["T"] for plan in planned}
