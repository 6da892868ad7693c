from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import onnx
import pytest
from sample_specs import built_from, changed, line_of, plan_sample

from onnx_conformance.core.corpus.vector_files import data_sets_of, permitted_outputs_of
from onnx_conformance.core.corpus.vectors import DataSet, slug
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.protos import from_proto
from onnx_conformance.core.values.tensors import NamedValue, Tensor
from onnx_conformance.generators.corpus.making import build_all
from onnx_conformance.generators.forms import form_named
from onnx_conformance.generators.forms.models import ModelBuilder, operator_node
from onnx_conformance.generators.signatures.model import Option, Parameter
from onnx_conformance.generators.situations.situations import OutputDeclaration, Situation
from onnx_conformance.generators.specs.model import Fault, OperatorVersion

if TYPE_CHECKING:
    from pathlib import Path

TWO_DIMS = "    inputs: {data: [2, 3], shape: [3, 2]}\n    outputs: {reshaped: [3, 2]}\n"


def message_of(folder: Path, text: str) -> str:
    with pytest.raises(BadInputError) as caught:
        list(build_all(plan_sample(folder, text)))
    return str(caught.value)


# --- the literal and the oracle ---


@pytest.mark.parametrize(
    ("old", "new", "vector", "message"),
    [
        pytest.param(
            "outputs: {reshaped: [3, 2]}",
            "outputs: {reshaped: [6]}",
            "reshape-1/two_dims/float32",
            "the literal says float32 [6] with b'",
            id="literal_that_the_oracle_contradicts",
        ),
        pytest.param(
            "shape: [3, 2]}\n    outputs",
            "shape: [4, 2]}\n    outputs",
            "reshape-1/two_dims/float32",
            "the oracle refuses it: 8 elements requested, 6 given",
            id="valid_case_that_the_oracle_refuses",
        ),
        pytest.param(
            "shape: [7]}",
            "shape: [6]}",
            "reshape-1/too_many/float32",
            "the oracle accepts it",
            id="invalid_case_that_the_oracle_accepts",
        ),
        pytest.param(
            "outputs: {reshaped: [3, 2]}",
            "outputs: {reshaped: [3, 3]}",
            "reshape-1/two_dims/float32",
            "'reshaped': shape [3, 3] of float32 needs 36 bytes, 24 given",
            id="dimensions_that_do_not_hold_the_elements",
        ),
        pytest.param(
            "shape: [3, 2]}\n    outputs",
            "shape: [3.5, 2]}\n    outputs",
            "reshape-1/two_dims/float32",
            "'shape' is an attribute at this version and needs integers",
            id="attribute_of_the_first_version_is_no_integer",
        ),
        pytest.param(
            "shape: [3, 2]}\n    outputs",
            "shape: {shape: [2]}}\n    outputs",
            "reshape-1/two_dims/float32",
            "'shape' is an attribute at this version and needs integers",
            id="attribute_of_the_first_version_has_no_elements",
        ),
        pytest.param(
            "data: [2, 3], shape: [3, 2]}\n    outputs",
            "data: {values: [[1, 2, 3], [4, 5, 1.0e+39]]}, shape: [3, 2]}\n    outputs",
            "reshape-1/two_dims/float32",
            "'data': 1e+39 is beyond float32",
            id="element_outside_the_type",
        ),
        pytest.param(
            "data: [2, 3], shape: [3, 2]}\n    outputs",
            "data: [2, 300000000000], shape: [3, 2]}\n    outputs",
            "reshape-1/two_dims/float32",
            "'data': 600000000000 elements of float32 are more than a vector holds",
            id="more_elements_than_memory",
        ),
        pytest.param(
            "outputs: {reshaped: [3, 2]}\n",
            "outputs: {reshaped: [3, 2]}\n    then:\n"
            "      - {inputs: {data: [6], shape: [3, 2]}, outputs: {reshaped: [3, 2]}}\n",
            "reshape-1/two_dims/float32",
            "a data set under `then` has other ranks than the first: {'data': 1}, not {'data': 2}",
            id="data_sets_of_different_ranks",
        ),
        pytest.param(
            "taken: literal\n        reason: any value but 0 sets the attribute\n"
            "        outputs: {reshaped: [3, 0]}",
            "taken: refused\n        reason: any",
            "reshape-14/allowzero_2/float32",
            "give the rank of 'reshaped' in `ranks`",
            id="latitude_without_a_result_or_a_rank",
        ),
    ],
)
def test_a_case_that_cannot_be_built_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, vector: str, message: str
) -> None:
    text = changed(old, new)
    line = line_of(f"- id: {vector.split('/')[1]}\n", text)
    expected = f"{tmp_path}/reshape.yaml:{line}: {vector}: {message}"
    assert expected == message_of(tmp_path, text)[: len(expected)]


def test_the_message_shows_what_the_oracle_says(tmp_path: Path) -> None:
    text = changed("outputs: {reshaped: [3, 2]}", "outputs: {reshaped: [6]}")
    assert ", the oracle float32 [3, 2] with b'" in message_of(tmp_path, text)


def test_elements_that_differ_from_the_oracles_are_an_error(tmp_path: Path) -> None:
    text = changed(
        TWO_DIMS,
        "    inputs: {data: {values: [[1, 2], [3, 4]]}, shape: [4]}\n"
        "    outputs: {reshaped: {values: [1, 3, 2, 4]}}\n",
    ).replace("    spread: [everywhere, types]\n", "    spread: everywhere\n")
    assert "the literal says float32 [4] with" in message_of(tmp_path, text)


def test_an_operator_without_an_oracle_is_an_error(tmp_path: Path) -> None:
    text = changed("operator: Reshape", "operator: Unheard")
    line = line_of("- id: two_dims", text)
    expected = (
        f"{tmp_path}/reshape.yaml:{line}: unheard-1/two_dims/float32: operator 'Unheard' has no"
        " oracle: write one in generators/oracle/operators/ and name its module in oracle/index.py"
    )
    assert expected == message_of(tmp_path, text)


def test_a_vector_that_is_too_large_is_an_error(tmp_path: Path) -> None:
    text = changed(
        TWO_DIMS,
        "    inputs: {data: [100, 100], shape: [10000]}\n    outputs: {reshaped: [10000]}\n",
    ).replace("    spread: [everywhere, types]\n", "    spread: everywhere\n")
    line = line_of("- id: two_dims", text)
    expected = (
        rf"{re.escape(str(tmp_path))}/reshape\.yaml:{line}: reshape-1/two_dims/float32"
        r" takes 8\d{4} bytes; a vector stays under 65536"
    )
    assert re.fullmatch(expected, message_of(tmp_path, text))


# --- what is built ---


def test_a_vector_has_a_model_its_data_and_what_is_known_of_it(tmp_path: Path) -> None:
    built = built_from(tmp_path)["reshape-5/two_dims/float32"]
    assert {
        "model.onnx",
        "data.json",
        "test_data_set_0/input_0.pb",
        "test_data_set_0/input_1.pb",
        "test_data_set_0/output_0.pb",
    } == set(built.files)


def test_data_json_says_all_that_the_spec_knows(tmp_path: Path) -> None:
    text = changed("  - id: two_dims\n", "  - id: two_dims\n    purpose: a row too few\n")
    text = text.replace("    purpose: a row", "    documented: test_two\n    purpose: a row")
    built = built_from(tmp_path, text)["reshape-5/two_dims/float32.opset13"]
    assert {
        "id": "reshape-5/two_dims/float32.opset13",
        "kind": "valid",
        "purpose": "a row too few",
        "operator": "Reshape",
        "domain": "",
        "since_version": 5,
        "opset": 13,
        "ir_version": 6,
        "types": {"T": "float32"},
        "case": "two_dims",
        "form": "static",
        "covers": ["requested-shape"],
        "documented": "test_two",
        "expect": "outputs",
        "rtol": 0.0,
        "atol": 0.0,
        "inputs": ["data", "shape"],
        "outputs": ["reshaped"],
    } == json.loads(built.files["data.json"])


def test_an_invalid_vector_names_its_control_and_phase_and_has_no_outputs(tmp_path: Path) -> None:
    built = built_from(tmp_path)["reshape-5/too_many/float32"]
    known = json.loads(built.files["data.json"])
    assert ("rejection", "run", "reshape-5/two_dims/float32") == (
        known["expect"],
        known["reject"],
        known["control"],
    )
    assert not [name for name in built.files if "output" in name]


def test_a_latitude_vector_holds_each_permitted_result(tmp_path: Path) -> None:
    built = built_from(tmp_path)["reshape-14/allowzero_2/float32"]
    assert [
        {
            "taken": "literal",
            "reason": "any value but 0 sets the attribute",
            "folder": "permitted_0",
        },
        {"taken": "rejected", "reason": "only 1 has a meaning", "folder": None},
    ] == json.loads(built.files["data.json"])["permitted"]
    permitted = permitted_outputs_of(built.vector, built.files, "here")
    assert {"literal": (NamedValue("reshaped", Tensor("float32", (3, 0), b"")),)} == permitted


def test_the_files_hold_the_values(tmp_path: Path) -> None:
    built = built_from(tmp_path)["reshape-5/two_dims/int32"]
    assert built.data_sets == data_sets_of(built.vector, built.files, "here")


def test_the_output_holds_the_elements_of_the_input(tmp_path: Path) -> None:
    (data_set,) = built_from(tmp_path)["reshape-5/two_dims/string"].data_sets
    given, result = data_set.inputs[0].value, data_set.outputs[0].value
    assert isinstance(given, Tensor)
    assert Tensor("string", (3, 2), given.data) == result


def test_what_is_an_input_later_is_an_attribute_where_the_version_says_so(tmp_path: Path) -> None:
    node = built_from(tmp_path)["reshape-1/two_dims/float32"].model.graph.node[0]
    assert ["data"] == list(node.input)
    assert [("shape", [3, 2])] == [(item.name, list(item.ints)) for item in node.attribute]


def test_an_attribute_is_written_only_where_it_is_given(tmp_path: Path) -> None:
    built = built_from(tmp_path)
    given = built["reshape-14/zero/float32"].model.graph.node[0]
    absent = built["reshape-14/two_dims/float32"].model.graph.node[0]
    assert ["allowzero"] == [item.name for item in given.attribute]
    assert [] == list(absent.attribute)


def test_the_model_has_the_opset_and_the_ir_version_of_its_release(tmp_path: Path) -> None:
    built = built_from(tmp_path, profile="full")
    found = [
        (model.opset_import[0].version, model.ir_version)
        for model in (
            built["reshape-1/two_dims/float32"].model,
            built["reshape-5/two_dims/float32.opset13"].model,
            built["reshape-14/two_dims/float32.opset18"].model,
        )
    ]
    assert [(1, 3), (13, 6), (18, 8)] == found


def test_a_type_that_is_newer_than_the_opset_raises_the_ir_version(tmp_path: Path) -> None:
    text = changed("    fault: {ranks: {reshaped: 1}}\n", "    types: [int2]\n    until: 1\n")
    assert 13 == built_from(tmp_path, text)["reshape-1/too_many/int2"].model.ir_version


def test_values_derive_from_the_id_but_not_from_the_form(tmp_path: Path) -> None:
    text = changed("    spread: [everywhere, types]\n", "    spread: [everywhere, types, forms]\n")
    built = built_from(tmp_path, text)
    plain = built["reshape-5/two_dims/float32"].data_sets[0]
    symbolic = built["reshape-5/two_dims/float32.symbolic"].data_sets[0]
    newer = built["reshape-14/two_dims/float32"].data_sets[0]
    assert plain == symbolic
    assert plain.inputs[0] != newer.inputs[0]


def test_data_sets_have_different_values(tmp_path: Path) -> None:
    text = changed(
        "outputs: {reshaped: [3, 2]}\n",
        "outputs: {reshaped: [3, 2]}\n    then:\n"
        "      - {inputs: {data: [2, 3], shape: [3, 2]}, outputs: {reshaped: [3, 2]}}\n",
    ).replace("control: two_dims", "control: zero")
    text = text[: text.index("invalid:")]
    first, second = built_from(tmp_path, text)["reshape-5/two_dims/float32.data_sets"].data_sets
    assert first.inputs[0] != second.inputs[0]


def test_the_name_of_the_graph_is_that_of_the_directory(tmp_path: Path) -> None:
    # Names are C90 identifiers (IR.md, Names Within a Graph), which ids are not.
    built = built_from(tmp_path)
    names = [item.model.graph.name for item in built.values()]
    assert [slug(item) for item in built] == names
    assert all(name.isidentifier() for name in names)


def test_a_model_serializes_to_what_it_was(tmp_path: Path) -> None:
    built = built_from(tmp_path)["reshape-5/two_dims/float32"]
    assert built.model == onnx.load_model_from_string(built.files["model.onnx"])


def test_a_value_of_another_type_is_declared_so(tmp_path: Path) -> None:
    built = built_from(tmp_path)["reshape-5/shape_is_int32/float32"]
    tensor = onnx.TensorProto.FromString(built.files["test_data_set_0/input_1.pb"])
    assert "int32" == from_proto(tensor).type
    assert tensor.data_type == built.model.graph.input[1].type.tensor_type.elem_type


# --- faults of invalid cases ---


def built_with_fault(folder: Path, fault: str, also: str = "") -> onnx.ModelProto:
    reject = "    reject: load\n"
    text = changed(reject, f"{reject}    fault: {{{fault}}}\n{also}")
    return built_from(folder, text)["reshape-5/shape_is_int32/float32"].model


def test_arguments_replace_the_inputs_of_the_node(tmp_path: Path) -> None:
    node = built_with_fault(tmp_path, 'arguments: [data, ""]').graph.node[0]
    assert ["data", ""] == list(node.input)


def test_results_replace_the_outputs_of_the_node(tmp_path: Path) -> None:
    node = built_with_fault(tmp_path, "results: [reshaped, rest]").graph.node[0]
    assert ["reshaped", "rest"] == list(node.output)


def test_a_repeated_attribute_is_there_twice(tmp_path: Path) -> None:
    also = "    attributes: {allowzero: 1}\n"
    node = built_with_fault(tmp_path, "repeat: {allowzero: 0}", also).graph.node[0]
    assert [("allowzero", 1), ("allowzero", 0)] == [(item.name, item.i) for item in node.attribute]


def test_a_declared_type_is_that_of_the_graph_output(tmp_path: Path) -> None:
    output = built_with_fault(tmp_path, "declare_types: {reshaped: int8}").graph.output[0]
    assert onnx.TensorProto.INT8 == output.type.tensor_type.elem_type


def test_a_declared_shape_is_that_of_the_graph_output(tmp_path: Path) -> None:
    output = built_with_fault(tmp_path, "declare_shapes: {reshaped: [2, -1]}").graph.output[0]
    assert [2, -1] == [dim.dim_value for dim in output.type.tensor_type.shape.dim]


def test_a_declared_rank_is_that_of_the_graph_output(tmp_path: Path) -> None:
    output = built_with_fault(tmp_path, "ranks: {reshaped: 5}").graph.output[0]
    assert 5 == len(output.type.tensor_type.shape.dim)


def test_without_a_declared_rank_the_output_has_that_of_the_control(tmp_path: Path) -> None:
    output = built_with_fault(tmp_path, "ranks: {}").graph.output[0]
    assert 2 == len(output.type.tensor_type.shape.dim)


@pytest.mark.parametrize(
    ("wrap", "operator"), [("sequence", "SequenceConstruct"), ("optional", "Optional")]
)
def test_wrapped_data_is_no_tensor(wrap: str, operator: str) -> None:
    wrapped = replace(situation(["a"], Fault(wrap=wrap)), model_opset=15)
    nodes = form_named("static").build(wrapped).model.graph.node
    assert [operator, "Clip"] == [node.op_type for node in nodes]
    assert ["a_wrapped"] == list(nodes[-1].input)


def test_data_is_not_wrapped_where_the_opset_has_no_such_type(tmp_path: Path) -> None:
    text = changed("    reject: load\n", "    reject: load\n    fault: {wrap: optional}\n")
    with pytest.raises(BadInputError) as caught:
        plan_sample(tmp_path, text)
    assert (
        f"{tmp_path}/reshape.yaml:{line_of('- id: shape_is_int32', text)}: control 'two_dims' of"
        " 'shape_is_int32' cannot be unwrapped at opset 5: give the case a `since`"
    ) == str(caught.value)


# --- models ---

ONE = Tensor("float32", (), b"\0\0\x80\x3f")


def situation(names: list[str], fault: Fault = Fault()) -> Situation:  # noqa: B008  frozen
    """A call of an operator with three inputs, the last two optional."""
    version = OperatorVersion(
        1,
        1,
        {},
        (
            Parameter("a", "float32"),
            Parameter("b", "float32", Option.OPTIONAL),
            Parameter("c", "float32", Option.OPTIONAL),
        ),
        (Parameter("y", "float32"),),
        {},
    )
    inputs = tuple(NamedValue(name, ONE) for name in names)
    return Situation(
        name="clip-1/x/float32",
        operator="Clip",
        domain="",
        version=version,
        operator_opset=12,
        model_opset=12,
        ir_version=7,
        types={},
        attributes=(),
        data_sets=(DataSet(inputs, (NamedValue("y", ONE),)),),
        outputs=(OutputDeclaration("y", "float32", 0),),
        fault=fault,
    )


@pytest.mark.parametrize(
    ("given", "inputs"),
    [
        (["a", "b", "c"], ["A", "B", "C"]),
        (["a", "c"], ["A", "", "C"]),
        (["a", "b"], ["A", "B"]),
        (["a"], ["A"]),
    ],
)
def test_an_absent_optional_input_has_an_empty_name_unless_it_is_last(
    given: list[str], inputs: list[str]
) -> None:
    node = operator_node(situation(given), [name.upper() for name in given], ["y"])
    assert inputs == list(node.input)


def test_an_input_that_is_declared_must_be_fed() -> None:
    builder = ModelBuilder(situation(["a"]))
    builder.feed("a", [ONE])
    builder.add(operator_node(builder.situation, ["a"], ["y"]))
    builder.results()
    presentation = builder.finish()
    assert presentation.inputs == tuple(item.name for item in presentation.model.graph.input)


def test_one_value_cannot_have_two_ranks() -> None:
    builder = ModelBuilder(situation(["a"]))
    with pytest.raises(ValueError, match="data sets feed 'a' with different ranks"):
        builder.feed("a", [ONE, Tensor("float32", (1,), ONE.data)])


def test_dimensions_that_differ_between_data_sets_are_never_static() -> None:
    builder = ModelBuilder(situation(["a"]))
    builder.feed("a", [Tensor("bool", (2, 1), b"\0\0"), Tensor("bool", (2, 0), b"")])
    builder.result("y", [ONE], type_name="float32", rank=0)
    (info,) = builder.finish().model.graph.input
    assert [2, "a_1"] == [dim.dim_value or dim.dim_param for dim in info.type.tensor_type.shape.dim]


def test_a_form_does_not_take_the_name_of_a_parameter() -> None:
    builder = ModelBuilder(situation(["a"]))
    assert ["axes", "form_b", "form_y"] == [builder.own(name) for name in ("axes", "b", "y")]


def test_an_initializer_is_a_graph_input_too_before_ir_4() -> None:
    builder = ModelBuilder(situation(["a"]))
    old = ModelBuilder(
        Situation(**{**vars(builder.situation), "ir_version": 3}),
    )
    for item in (builder, old):
        item.initializer("w", ONE)
        item.feed("a", [ONE])
        item.result("y", [ONE], type_name="float32", rank=0)
    assert ["a"] == [item.name for item in builder.finish().model.graph.input]
    assert ["a", "w"] == [item.name for item in old.finish().model.graph.input]


def test_what_is_not_fed_stands_after_what_is_fed() -> None:
    # ONNX's own runner pairs input_N.pb with graph.input[N].
    builder = ModelBuilder(situation(["a"]))
    builder.overridable("w", ONE)
    builder.feed("a", [ONE])
    builder.result("y", [ONE], type_name="float32", rank=0)
    presentation = builder.finish()
    assert ["a", "w"] == [item.name for item in presentation.model.graph.input]
    assert ("a",) == presentation.inputs
