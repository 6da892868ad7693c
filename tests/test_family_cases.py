"""The cases of `elementwise`, `computed`, `combinations` and `neighbours`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sample_specs import read_real

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.situations.data.literals import tensor_of
from onnx_conformance.generators.specs.model import (
    GivenAttribute,
    Literal,
    OptionalLiteral,
    SequenceLiteral,
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

ONE = "  - {family: elementwise, covers: [does], data: specials/exact, shapes_data: tame}\n"


def test_one_input_goes_through_the_lattice(tmp_path: Path) -> None:
    found = inputs(cases(tmp_path, "Neg", ONE)["specials"])
    assert {"X": Literal((), None, profile="lattice:specials/exact")} == found


def test_one_input_has_ranks_0_to_9_and_empty_tensors(tmp_path: Path) -> None:
    shapes = [inputs(case)["X"].shape for case in cases(tmp_path, "Neg", ONE).values()]  # type: ignore[union-attr]
    assert {0, 1, 2, 3, 4, 9} <= {len(shape) for shape in shapes}
    assert any(0 in shape for shape in shapes)


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
    text = "  - {family: elementwise, covers: [does], data: specials/exact}\n"
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
    text = "  - {family: elementwise, covers: [does], broadcast: false, until: 6}\n"
    assert not [name for name in cases(tmp_path, "Add", text) if name.startswith("broadcast")]


def test_a_variadic_input_has_several_counts(tmp_path: Path) -> None:
    found = cases(tmp_path, "Max", "  - {family: elementwise, covers: [does], since: 8}\n")
    counts = {name: len(inputs(case)) for name, case in found.items() if name.startswith("count")}
    assert {"count_1": 1, "count_3": 3, "count_9": 9} == counts


# --- computed ---


def computed(folder: Path, operator: str, text: str, more: str = "", facts: str = "") -> Case:
    families = f"  - {{family: computed, covers: [does], cases: {{one: {text}}}{more}}}\n"
    return cases(folder, operator, families, facts)["one"]


def test_a_list_is_dimensions_for_data_and_elements_for_the_rest(tmp_path: Path) -> None:
    case = computed(tmp_path, "Reshape", "{data: [2, 3], shape: [3, 2]}", ", data: distinct")
    assert {
        "data": Literal((2, 3), None, profile="distinct"),
        "shape": Literal((2,), (3, 2)),
    } == inputs(case)


def test_what_is_no_input_is_an_attribute_of_its_type(tmp_path: Path) -> None:
    case = computed(tmp_path, "Concat", "{inputs: [[1], [2]], axis: 0}")
    assert (GivenAttribute("axis", 0, "int"),) == case.attributes
    assert ["inputs_0", "inputs_1"] == list(inputs(case))


def test_common_values_stand_where_a_case_says_nothing_else(tmp_path: Path) -> None:
    common = ", common: {data: [2, 3], shape: [6]}"
    case = computed(tmp_path, "Reshape", "{shape: [3, 2]}", common)
    assert Literal((2,), (3, 2)) == inputs(case)["shape"]


def test_absent_leaves_an_input_out(tmp_path: Path) -> None:
    case = computed(tmp_path, "Squeeze", "{data: [1, 3], axes: absent}")
    assert ["data"] == list(inputs(case))


def test_containers_are_written_as_in_a_case(tmp_path: Path) -> None:
    sequence = computed(tmp_path / "a", "SequenceLength", "{input_sequence: {sequence: [[2]]}}")
    assert SequenceLiteral((Literal((1,), (2,)),)) == inputs(sequence)["input_sequence"]
    optional = computed(tmp_path / "b", "OptionalHasElement", "{input: {optional: absent}}")
    assert OptionalLiteral(None) == inputs(optional)["input"]


def test_types_bindings_and_outputs_are_for_every_case(tmp_path: Path) -> None:
    more = ", bind: {T2: int8}, types: [float16], outputs: [output]"
    case = computed(tmp_path, "Cast", "{input: [2]}", more)
    assert ({"T2": "int8"}, ("float16",), ("output",)) == (case.bind, case.types, case.requested)


def test_a_case_is_tried_in_each_type_of_a_variable_at_each_version(tmp_path: Path) -> None:
    case = computed(tmp_path, "Cast", "{input: [2]}", ", each: [T2]")
    assert (("types:T2",), Spread.ALL) == (case.sweep, case.spread)


def test_the_main_variable_is_swept_as_others_are(tmp_path: Path) -> None:
    assert ("types",) == computed(tmp_path, "Neg", "{X: [2]}", ", each: [T]").sweep


def test_a_variable_that_the_operator_lacks_is_an_error(tmp_path: Path) -> None:
    families = "  - {family: computed, covers: [does], each: [V], cases: {one: {X: [2]}}}\n"
    assert "Neg has no type variable 'V'" in message_of(tmp_path, "Neg", families)


def test_a_tensor_that_sets_a_type_has_the_type_that_is_swept(tmp_path: Path) -> None:
    more = ", each: [T2]"
    text = "{input: [3], value: {shape: [1], profile: ones}}"
    case = computed(tmp_path, "ConstantOfShape", text, more, "type_attributes: {value: T2}\n")
    assert [None] == [
        item.value.type for item in case.attributes if isinstance(item.value, Literal)
    ]


def test_a_mistaken_key_of_a_tensor_is_named(tmp_path: Path) -> None:
    families = "  - {family: computed, covers: [does], cases: {one: {X: {shapes: [2]}}}}\n"
    expected = "unknown key 'shapes' of a tensor; known are: profile, shape, type, values"
    assert message_of(tmp_path, "Neg", families).endswith(expected)


# --- combinations ---

GATHERED = (
    "  - {family: combinations, covers: [does], since: 13, values: {data: [[2, 3], [4]],"
    " indices: [[0], [1, 0]], axis: [0, 1]}}\n"
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
        "  - {family: combinations, covers: [does], name: mix, since: 13,"
        " values: {data: [[4]], indices: [[0]], axis: [0]}}\n"
    )
    assert ["mix_data_4_indices_0_axis_0"] == list(cases(tmp_path, "Gather", text))


def test_where_every_combination_is_refused_that_is_an_error(tmp_path: Path) -> None:
    text = GATHERED.replace("axis: [0, 1]", "axis: [5]")
    assert message_of(tmp_path, "Gather", text).endswith("the oracle refuses every combination")


def test_too_many_combinations_are_an_error(tmp_path: Path) -> None:
    many = list(range(200))
    text = GATHERED.replace("axis: [0, 1]", f"axis: {many}").replace("[[0], [1, 0]]", f"{many}")
    assert "80000 combinations are too many" in message_of(tmp_path, "Gather", text)


# --- neighbours ---


def neighbours(folder: Path, change: str) -> Case:
    text = (
        "  - {family: computed, covers: [does], cases: {base: {data: [2, 3], shape: [6]}}}\n"
        "  - {family: neighbours, covers: [does], control: base, reject: run,"
        f" changes: {{wrong: {change}}}}}\n"
    )
    return cases(folder, "Reshape", text)["wrong"]


def test_a_neighbour_is_the_control_with_one_change(tmp_path: Path) -> None:
    case = neighbours(tmp_path, "{shape: [7]}")
    assert ("invalid", "base", "run") == (case.kind, case.control, case.reject)
    assert {
        "data": Literal((2, 3), None, profile="any"),
        "shape": Literal((1,), (7,)),
    } == inputs(case)


def test_a_neighbour_may_lack_an_input(tmp_path: Path) -> None:
    assert ["data"] == list(inputs(neighbours(tmp_path, "{shape: absent}")))


def test_a_neighbour_may_have_another_attribute(tmp_path: Path) -> None:
    case = neighbours(tmp_path, "{allowzero: 1, shape: [0, -1]}")
    assert (GivenAttribute("allowzero", 1, "int"),) == case.attributes


def test_the_control_of_neighbours_stands_before_them(tmp_path: Path) -> None:
    text = (
        "  - {family: neighbours, covers: [does], control: base, changes: {wrong: {shape: [7]}}}\n"
    )
    expected = "there is no case 'base' before this family; it is the control"
    assert message_of(tmp_path, "Reshape", text).endswith(expected)
