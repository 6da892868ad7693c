"""What the families `movement` and `indexing` make."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from places import SPECS

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.specs.model import Literal

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.specs.model import Case, Spec


SPEC = """\
operator: {operator}
requirements:
  - id: moved
    text: The elements are moved.
    source: {{document: {operator}-13, part: Summary}}
families:
  - {family}
"""
TILE = (
    "{family: movement, covers: [moved], since: 6,"
    " with: {inputs: {input: shape, repeats: {by_axis: [2, 1]}}"
)
GATHER = (
    "{family: indexing, covers: [moved],"
    " with: {inputs: {data: [2, 5], indices: [[1, at]], axis: 1}, size: 5"
)


def _spec(folder: Path, operator: str, family: str) -> Spec:
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, folder)
    text = SPEC.format(operator=operator, family=family)
    (folder / f"{operator.lower()}.yaml").write_text(text, "utf-8")
    _, (spec,) = read_specs(folder)
    return spec


def _literal(case: Case, name: str) -> Literal:
    literal = case.examples[0].inputs[name]
    assert isinstance(literal, Literal)
    return literal


def test_the_least_and_the_greatest_rank_have_cases(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "Tile", TILE + ", most: 4}}")
    ranks = {
        len(_literal(case, "input").shape)
        for name, case in spec.cases.items()
        if name.startswith("rank_")
    }
    assert {0, 1, 2, 3, 4} == ranks


def test_zero_and_one_stand_at_each_place(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "Tile", TILE + "}}")
    shapes = {_literal(case, "input").shape for case in spec.cases.values()}
    assert {(1, 1), (0, 3), (2, 0), (0, 2**32)} <= shapes


def test_by_axis_gives_a_number_for_each_axis(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "Tile", TILE + "}}")
    repeats = [_literal(spec.cases[f"rank_{rank}"], "repeats").values for rank in (0, 1, 3)]
    assert [(), (2,), (2, 1, 2)] == repeats


def test_a_rank_below_the_least_is_invalid_where_the_page_says_so(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "Tile", TILE + ", least: 2, below: invalid}}")
    invalid = {name: case.control for name, case in spec.cases.items() if case.kind == "invalid"}
    assert {"rank_0": "rank_2", "rank_1": "rank_2"} == invalid


@pytest.mark.parametrize("options", [", below: never}}", ", least: 3, most: 2}}", ", most: 9}}"])
def test_movement_refuses_what_it_does_not_know(tmp_path: Path, options: str) -> None:
    with pytest.raises(BadInputError, match=r"below is|ranks"):
        _spec(tmp_path, "Tile", TILE + options)


def test_both_ends_of_the_axis_are_named_from_either_side(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "GatherElements", GATHER + "}}")
    named = [
        (_literal(case, "indices").values or ())[1]
        for case in spec.cases.values()
        if case.kind == "valid"
    ]
    assert [0, 4, -1, -5] == named


def test_indices_beyond_the_axis_are_invalid_and_their_control_is_inside(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "GatherElements", GATHER + "}}")
    invalid = {
        (_literal(case, "indices").values or ())[1]: case.control
        for case in spec.cases.values()
        if case.kind == "invalid"
    }
    assert {5, -6, 2**63 - 1, -(2**63), 2**32, 4 - 2**32} == set(invalid)
    assert {"index_0"} == set(invalid.values())


def test_indices_of_32_bits_have_their_own_extremes(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "GatherElements", GATHER + ", bits: 32, bind: {Tind: int32}}}")
    invalid = {
        (_literal(case, "indices").values or ())[1]
        for case in spec.cases.values()
        if case.kind == "invalid"
    }
    assert {5, -6, 2**31 - 1, -(2**31)} == invalid
    assert {"int32"} == {case.bind["Tind"] for case in spec.cases.values()}


def test_indexing_knows_indices_of_32_and_64_bits_alone(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="bits is 32 or 64, not 16"):
        _spec(tmp_path, "GatherElements", GATHER + ", bits: 16}}")
