"""The cases of `elementwise` and `combinations`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sample_specs import read_real

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.situations.data.literals import tensor_of
from onnx_conformance.generators.specs.model import (
    Literal,
)
from onnx_conformance.generators.specs.words import Spread

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.specs.model import AnyLiteral, Case


def cases(folder: Path, operator: str, families: str, facts: str = "") -> dict[str, Case]:
    text = (
        f"operator: {operator}\n{facts}requirements:\n  - id: does\n    text: It does.\n"
        f"    source: {{document: {operator}, part: Summary}}\nfamilies:\n{families}"
    )
    return dict(read_real(folder, text)[1].cases)


def message_of(folder: Path, operator: str, families: str) -> str:
    with pytest.raises(BadInputError) as caught:
        cases(folder, operator, families)
    return str(caught.value)


def inputs(case: Case) -> dict[str, AnyLiteral]:
    return dict(case.examples[0].inputs)


# --- elementwise ---

ONE = "  - {family: elementwise, covers: [does], with: {data: specials/exact, shapes_data: tame}}\n"


def test_one_input_goes_through_the_lattice(tmp_path: Path) -> None:
    found = inputs(cases(tmp_path, "Neg", ONE)["specials"])
    assert {"X": Literal((), None, profile="lattice:specials/exact")} == found


def test_one_input_has_ranks_0_to_9_and_empty_tensors(tmp_path: Path) -> None:
    shapes = [inputs(case)["X"].shape for case in cases(tmp_path, "Neg", ONE).values()]  # type: ignore[union-attr]
    assert {0, 1, 2, 3, 4, 9} <= {len(shape) for shape in shapes}
    assert any(0 in shape for shape in shapes)


@pytest.mark.parametrize(("operator", "facts"), [("Neg", ""), ("Add", "since: 7, ")])
def test_axes_of_equal_size_are_read_as_two_each(tmp_path: Path, operator: str, facts: str) -> None:
    text = ONE.replace("with", f"{facts}with")
    found = inputs(cases(tmp_path, operator, text)["shape_4x4x4x4x4"])
    assert {(4, 4, 4, 4, 4)} == {item.shape for item in found.values()}  # type: ignore[union-attr]


def test_the_full_corpus_has_each_number_of_small_floats(tmp_path: Path) -> None:
    found = [case for case in cases(tmp_path, "Exp", ONE).values() if case.spread == Spread.FULL]
    assert {("float16", "bfloat16")} == {case.types for case in found}
    for type_name in ("float16", "bfloat16"):
        codes = b"".join(
            tensor_of(inputs(case)["input"], type_name, "").data  # type: ignore[arg-type]
            for case in found
        )
        assert list(range(1 << 16)) == list(memoryview(codes).cast("H"))


def test_a_function_of_no_small_float_has_no_case_of_the_full_corpus_alone(tmp_path: Path) -> None:
    found = cases(tmp_path, "Not", ONE)
    assert Spread.FULL not in {case.spread for case in found.values()}


def test_shapes_have_a_profile_of_their_own(tmp_path: Path) -> None:
    assert "tame" == inputs(cases(tmp_path, "Neg", ONE)["shape_2x3"])["X"].profile  # type: ignore[union-attr]


def test_shapes_are_tried_with_ordinary_numbers_unless_told(tmp_path: Path) -> None:
    text = "  - {family: elementwise, covers: [does], with: {data: specials/exact}}\n"
    found = cases(tmp_path, "Neg", text)
    assert "tame/exact" == inputs(found["shape_2x3"])["X"].profile  # type: ignore[union-attr]
    assert "lattice:specials/exact" == inputs(found["specials"])["X"].profile  # type: ignore[union-attr]


def test_two_inputs_are_crossed(tmp_path: Path) -> None:
    text = "  - {family: elementwise, covers: [does], since: 7}\n"
    found = inputs(cases(tmp_path, "Add", text)["specials"])
    assert ["crossed0:specials", "crossed1:specials"] == [
        item.profile  # type: ignore[union-attr]
        for item in found.values()
    ]


def test_broadcasting_has_its_invalid_neighbours(tmp_path: Path) -> None:
    found = cases(tmp_path, "Add", "  - {family: elementwise, covers: [does], since: 7}\n")
    pairs = {name: case.kind for name, case in found.items() if name.startswith("broadcast_")}
    assert "valid" == pairs["broadcast_both_sided"]
    assert {"invalid"} == {pairs[f"broadcast_{name}"] for name in ("mismatch", "leading_aligned")}
    assert "shape_2x3" == found["broadcast_mismatch"].control


def test_before_version_7_nothing_is_broadcast(tmp_path: Path) -> None:
    text = "  - {family: elementwise, covers: [does], until: 6, with: {broadcast: false}}\n"
    assert not [name for name in cases(tmp_path, "Add", text) if name.startswith("broadcast")]


def test_a_variadic_input_has_several_counts(tmp_path: Path) -> None:
    found = cases(tmp_path, "Max", "  - {family: elementwise, covers: [does], since: 8}\n")
    counts = {name: len(inputs(case)) for name, case in found.items() if name.startswith("count")}
    assert {"count_1": 1, "count_3": 3, "count_9": 9} == counts


# --- combinations ---

GATHERED = (
    "  - {family: combinations, covers: [does], since: 13,"
    " with: {values: {data: [[2, 3], [4]], indices: [[0], [1, 0]], axis: [0, 1]}}}\n"
)


def test_combinations_hold_every_pair_that_the_oracle_takes(tmp_path: Path) -> None:
    found = cases(tmp_path, "Gather", GATHERED)
    rows = {tuple(name.removeprefix("comb_").split("_axis_")) for name in found}
    pairs = {(text.split("_indices_")[0], axis) for text, axis in rows}
    assert {("data_2x3", "0"), ("data_2x3", "1"), ("data_4", "0")} == {
        (first.replace("_3", "x3"), axis) for first, axis in pairs
    }


def test_the_id_of_a_combination_is_made_of_its_values(tmp_path: Path) -> None:
    text = (
        "  - {family: combinations, covers: [does], since: 13,"
        " with: {name: mix, values: {data: [[4]], indices: [[0]], axis: [0]}}}\n"
    )
    assert ["mix_data_4_indices_0_axis_0"] == list(cases(tmp_path, "Gather", text))


def test_where_every_combination_is_refused_that_is_an_error(tmp_path: Path) -> None:
    text = GATHERED.replace("axis: [0, 1]", "axis: [5]")
    assert message_of(tmp_path, "Gather", text).endswith("the oracle refuses every combination")


def test_too_many_combinations_are_an_error(tmp_path: Path) -> None:
    many = list(range(200))
    text = GATHERED.replace("axis: [0, 1]", f"axis: {many}").replace("[[0], [1, 0]]", f"{many}")
    assert "80000 combinations are too many" in message_of(tmp_path, "Gather", text)
