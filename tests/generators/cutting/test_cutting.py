from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import onnx
import onnx.parser
import pytest
from model_files import TWO_RELUS, run_command, write_model
from onnx import TensorProto, helper, numpy_helper

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.models.listing import list_uses
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.cutting.cutting import Options, captured, corner, cut_model
from onnx_conformance.generators.cutting.reducing import reduced_shapes
from onnx_conformance.generators.cutting.work import work_of
from onnx_conformance.generators.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.cutting.cutting import Cut
    from onnx_conformance.generators.cutting.making import CutVector

CONV = """<ir_version: 8, opset_import: ["": 17]>
g (float[1,4,40,40] x, float[8,4,3,3] w) => (float[1,8,N,M] y)
{ y = Conv<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>(x, w) }"""


def cut_text(folder: Path, text: str, **options: object) -> Cut:
    """What is cut from the model of a text."""
    return cut_model(list_uses(write_model(folder, text)), Options(**options))  # type: ignore[arg-type]


def from_model(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """Run `onnx-vectors from-model` in this process."""
    monkeypatch.setattr("sys.argv", ["onnx-vectors", "from-model", *map(str, words)])
    return main()


def reason_of(cut: Cut, operator: str) -> str:
    """Why a use of an operator has no vector."""
    return next(reason for use, reason in cut.refused if use.operator == operator)


def values_of(vector: CutVector) -> str:
    values: str = vector.vector.extra["cut"]["values"]
    return values


def model_in(cut: Cut, operator: str) -> onnx.ModelProto:
    """The model of the first vector of an operator."""
    vector = next(item for item in cut.vectors if item.use.operator == operator)
    return onnx.ModelProto.FromString(vector.files["model.onnx"])


def test_a_folder_of_cut_vectors_is_one_that_run_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cut"
    assert 0 == from_model(monkeypatch, write_model(tmp_path, TWO_RELUS), "--output", folder)
    words = ("run", "--backend", "reference", "--vectors", folder, "--jobs", "1")
    assert 0 == run_command(monkeypatch, *words)


def test_every_cut_vector_is_what_its_manifest_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cut"
    from_model(monkeypatch, write_model(tmp_path, TWO_RELUS), "--output", folder)
    corpus = open_corpus(folder)
    loaded = [load(entry).vector for entry in corpus.entries.values()]
    assert {"Relu", "Add"} == {item.operator for item in loaded}
    assert {"cut"} == {item.form for item in loaded}


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = (
        [dict(item.files) for item in cut_text(tmp_path, TWO_RELUS).vectors] for _ in range(2)
    )
    assert one == other


def test_what_the_model_stores_is_an_initializer_of_the_vector(tmp_path: Path) -> None:
    model = model_in(cut_text(tmp_path, TWO_RELUS), "Add")
    (bias,) = model.graph.initializer
    assert [1.0, 2.0, 3.0] == numpy_helper.to_array(bias).tolist()


def test_a_vector_keeps_opset_and_attributes_of_its_node(tmp_path: Path) -> None:
    model = model_in(cut_text(tmp_path, CONV), "Conv")
    assert 17 == model.opset_import[0].version
    strides = next(item for item in model.graph.node[0].attribute if item.name == "strides")
    assert [2, 2] == list(strides.ints)


def test_a_named_dimension_has_the_size_that_is_asked_for(tmp_path: Path) -> None:
    cut = cut_text(tmp_path, TWO_RELUS, dimensions={"N": 5})
    declared = model_in(cut, "Relu").graph.input[0].type.tensor_type.shape.dim
    assert [5, 3] == [item.dim_value for item in declared]
    assert any("N = 5" in item for item in cut.remarks)


def test_shapes_that_are_affordable_are_the_models_own(tmp_path: Path) -> None:
    (vector,) = cut_text(tmp_path, CONV).vectors[:1]
    assert "reduced" == vector.shapes
    (vector,) = cut_text(tmp_path, CONV, work=10**9).vectors[:1]
    assert "own" == vector.shapes


def test_a_smaller_convolution_keeps_kernel_and_channels(tmp_path: Path) -> None:
    model = model_in(cut_text(tmp_path, CONV), "Conv")
    image, weights = (
        [dim.dim_value for dim in item.type.tensor_type.shape.dim] for item in model.graph.input
    )
    assert (4, [4, 3, 3]) == (image[1], weights[1:])
    assert image[2] < 40


def test_special_numbers_are_a_vector_of_their_own(tmp_path: Path) -> None:
    vectors = [
        item for item in cut_text(tmp_path, TWO_RELUS).vectors if values_of(item) == "special"
    ]
    content = next(item for item in vectors if item.use.operator == "Relu").files
    proto = TensorProto.FromString(content["test_data_set_0/input_0.pb"])
    assert np.isnan(numpy_helper.to_array(proto)).any()


def test_rows_that_are_summed_get_no_special_numbers(tmp_path: Path) -> None:
    assert {"realistic"} == set(map(values_of, cut_text(tmp_path, CONV).vectors))


def test_an_operator_of_a_foreign_domain_has_no_vector_and_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
    g (float[2] x) => (float[2] y) { a = Relu(x)
      y = com.microsoft.Gelu(a) }"""
    path = write_model(tmp_path, text)
    assert 5 == from_model(monkeypatch, path, "--output", tmp_path / "cut")
    assert "no vector of com.microsoft.Gelu" in capsys.readouterr().out


def test_what_is_drawn_at_random_is_not_cut(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]> g () => (float[2] y)
    { y = RandomNormal<shape = [2]>() }"""
    assert "drawn at random" in reason_of(cut_text(tmp_path, text), "RandomNormal")


def test_dropout_that_drops_nothing_is_cut(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 10]> g (float[2] x) => (float[2] y)
    { y = Dropout(x) }"""
    assert () == cut_text(tmp_path, text).refused


def test_a_node_that_its_document_does_not_permit_is_said(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[N] y)
    <int64[1] shape = {3}> { y = Reshape(x, shape) }"""
    assert "does not permit this node" in reason_of(cut_text(tmp_path, text), "Reshape")


def test_a_branch_takes_the_values_around_it(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]> g (bool c, float[2] x) => (float[2] y)
    { y = If(c) <then_branch = a () => (float[2] p) { p = Neg(x) },
                 else_branch = b () => (float[2] q) { q = Abs(x) }> }"""
    model = model_in(cut_text(tmp_path, text), "If")
    assert {"cond", "x"} == {item.name for item in model.graph.input}


def test_a_branch_that_rounds_is_left_to_its_nodes(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]> g (bool c, float[2] x) => (float[2] y)
    { y = If(c) <then_branch = a () => (float[2] p) { p = Exp(x) },
                 else_branch = b () => (float[2] q) { q = Exp(x) }> }"""
    cut = cut_text(tmp_path, text)
    assert "rounds" in reason_of(cut, "If")
    assert "Exp" in {item.use.operator for item in cut.vectors}


def test_indices_that_are_drawn_are_within_the_data(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]>
    g (float[2,3] x, int64[9] at) => (float[9,3] y) { y = Gather(x, at) }"""
    vector = cut_text(tmp_path, text).vectors[0]
    proto = TensorProto.FromString(vector.files["test_data_set_0/input_1.pb"])
    assert {0, 1} == set(numpy_helper.to_array(proto).tolist())


def test_stored_indices_outside_data_that_were_made_smaller_are_drawn_again(
    tmp_path: Path,
) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]>
    g (float[90000,64] x) => (float[1,64] y) <int64[1] at = {89999}> { y = Gather(x, at) }"""
    cut = cut_text(tmp_path, text)
    assert () == cut.refused
    assert "reduced" == cut.vectors[0].shapes


def test_shapes_that_nodes_compute_are_computed(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]> g (float[N,4] x) => (float[M,K] y)
    <int64[1] two = {2}, int64[1] rest = {-1}>
    { s = Concat<axis = 0>(two, rest)
      y = Reshape(x, s) }"""
    cut = cut_text(tmp_path, text)
    assert () == cut.refused


def test_the_deadline_of_the_oracle_ends_it_with_a_reason(tmp_path: Path) -> None:
    cut = cut_text(tmp_path, CONV, work=10**9, deadline=0.01)
    assert "more than 0.01 seconds" in reason_of(cut, "Conv")


def test_stored_data_outside_the_folder_of_the_model_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "weights").write_bytes(np.float32([77]).tobytes())
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> g (float[1] x) => (float[1] y) {y = Add(x, w)}'
    )
    tensor = model.graph.initializer.add()
    tensor.name, tensor.data_type, tensor.data_location = "w", TensorProto.FLOAT, 1
    tensor.dims.append(1)
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "../weights"
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    cut = cut_model(list_uses(path))
    assert all(np.float32([77]).tobytes() not in item.files["model.onnx"] for item in cut.vectors)


def test_inputs_of_a_data_set_are_fed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fed = np.float32([[1.5, -2.5, 3.5]])
    data, folder = tmp_path / "data", tmp_path / "cut"
    data.mkdir()
    content = numpy_helper.from_array(fed).SerializeToString()
    (data / "input_0.pb").write_bytes(content)
    path = write_model(tmp_path, TWO_RELUS)
    assert 0 == from_model(monkeypatch, path, "--output", folder, "--inputs", data)
    values = [
        numpy_helper.to_array(TensorProto.FromString(item.read_bytes())).tolist()
        for item in folder.glob("valid/relu-14/*/test_data_set_0/input_0.pb")
    ]
    assert [fed.tolist()] == values


def test_inputs_of_an_npz_file_are_fed_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays, folder = tmp_path / "calibration.npz", tmp_path / "cut"
    np.savez(arrays, x=np.float32([[4, 5, 6]]))
    path = write_model(tmp_path, TWO_RELUS)
    assert 0 == from_model(monkeypatch, path, "--output", folder, "--inputs", arrays)
    data = next(iter(folder.glob("valid/relu-14/*/data.json")))
    assert "fed" == json.loads(data.read_bytes())["cut"]["values"]


def test_an_npz_file_with_other_names_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arrays = tmp_path / "calibration.npz"
    np.savez(arrays, z=np.float32([[4, 5, 6]]))
    path = write_model(tmp_path, TWO_RELUS)
    words = (path, "--output", tmp_path / "cut", "--inputs", arrays)
    assert 3 == from_model(monkeypatch, *words)
    assert "the model's inputs are x" in capsys.readouterr().err


def test_a_folder_with_other_content_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "precious"
    folder.mkdir()
    (folder / "thesis.txt").write_text("all of it")
    assert 2 == from_model(monkeypatch, write_model(tmp_path, TWO_RELUS), "--output", folder)
    assert (folder / "thesis.txt").is_file()


def test_a_model_without_a_vector_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """<ir_version: 8, opset_import: ["": 17, "own": 1]>
    g (float[2] x) => (float[2] y) { y = own.Strange(x) }"""
    folder = tmp_path / "cut"
    assert 5 == from_model(monkeypatch, write_model(tmp_path, text), "--output", folder)
    assert not folder.exists()


@pytest.mark.parametrize("word", ["N", "N=", "N=0", "=3", "N=-1"])
def test_a_dimension_without_a_size_is_a_mistake_of_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    words = (write_model(tmp_path, TWO_RELUS), "--output", tmp_path / "cut", "--dim", word)
    with pytest.raises(SystemExit) as ended:
        from_model(monkeypatch, *words)
    assert 2 == ended.value.code


def test_names_that_a_subgraph_defines_are_not_taken_from_around_it() -> None:
    text = """<ir_version: 8, opset_import: ["": 17]> g (bool c, float[2] x) => (float[2] y)
    { y = If(c) <then_branch = a () => (float[2] p) { t = Neg(x)
                                                      p = Abs(t) },
                 else_branch = b () => (float[2] q) { q = Abs(x) }> }"""
    assert ["x"] == captured(onnx.parser.parse_model(text).graph.node[0])


def test_a_corner_has_the_first_elements_along_each_axis() -> None:
    whole = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    found = corner(Tensor("int32", (2, 3, 4), whole.tobytes()), (1, 2, 2))
    assert whole[:1, :2, :2].tobytes() == found.data


@pytest.mark.parametrize(
    ("operator", "attributes", "shapes"),
    [
        ("Add", {}, [(4, 1, 300), (300,)]),
        ("Gemm", {"transB": 1}, [(300, 400), (500, 400), (500,)]),
        ("MatMul", {}, [(8, 12, 200, 64), (8, 12, 64, 200)]),
        ("MaxPool", {"kernel_shape": [3, 3]}, [(8, 64, 100, 100)]),
        ("BatchNormalization", {}, [(8, 64, 50, 50), (64,), (64,), (64,), (64,)]),
        ("LayerNormalization", {}, [(8, 128, 768), (768,), (768,)]),
        ("Softmax", {"axis": 1}, [(64, 50, 50)]),
        ("Gather", {}, [(50000, 64), (4, 100)]),
        ("Conv", {}, [(1, 256, 56, 56), (64, 256, 1, 1), (64,)]),
    ],
)
def test_smaller_shapes_are_affordable_and_of_the_same_ranks(
    operator: str, attributes: dict[str, object], shapes: list[tuple[int, ...]]
) -> None:
    node = helper.make_node(operator, ["i"] * len(shapes), ["o"], **attributes)
    found = reduced_shapes(node, shapes, lambda tried: work_of(node, tried, []) <= 5000)
    assert found is not None
    assert work_of(node, found, []) <= 5000
    assert list(map(len, shapes)) == [len(item) for item in found if item is not None]


def test_sizes_that_were_equal_stay_equal() -> None:
    node = helper.make_node("Add", ["a", "b"], ["c"])
    found = reduced_shapes(
        node, [(64, 1, 300), (300,)], lambda tried: work_of(node, tried, []) < 99
    )
    assert found is not None
    one, other = found
    assert one is not None
    assert other is not None
    assert (one[2], 1) == (other[0], one[1])


def test_a_smaller_grouped_convolution_keeps_its_groups() -> None:
    node = helper.make_node("Conv", ["x", "w"], ["y"], group=4)
    shapes = [(1, 256, 27, 27), (512, 64, 3, 3)]
    found = reduced_shapes(node, shapes, lambda tried: work_of(node, tried, []) <= 20_000)
    assert found is not None
    image, weights = found
    assert image is not None
    assert weights is not None
    assert (0, 4) == (weights[0] % 4, image[1] // weights[1])


def test_an_operator_without_a_rule_keeps_its_shapes() -> None:
    node = helper.make_node("Det", ["a"], ["b"])
    assert reduced_shapes(node, [(200, 200)], lambda _: False) is None
