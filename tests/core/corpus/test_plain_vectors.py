"""Directories without our data.json: a checkout of ONNX's on-disk tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from plain_directories import ABS, FLOAT, FLOATS, MAYBE, ONES, model, tensor, write, write_abs

from onnx_conformance.core.corpus.corpus import load, open_corpus, read_metadata
from onnx_conformance.core.corpus.vector_files import data_sets_of
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor
from onnx_conformance.validator.running.selecting import Selection, select

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.vectors import DataSet, Vector


def only(root: Path) -> tuple[Vector, Sequence[DataSet]]:
    """The one vector of a folder, loaded, and its data sets."""
    (entry,) = open_corpus(root).entries.values()
    loaded = load(entry)
    return loaded.vector, data_sets_of(loaded.vector, loaded.files, "")


# --- finding them --------------------------------------------------------------------------


def test_the_id_is_the_path_below_the_folder(tmp_path: Path) -> None:
    write_abs(tmp_path / "node" / "test_abs")
    write_abs(tmp_path / "simple" / "test_Abs_2")
    corpus = open_corpus(tmp_path)
    assert ["node/test_abs", "simple/test_abs_2"] == list(corpus.entries)
    assert ("unversioned", None) == (corpus.version, corpus.digest)


def test_a_directory_opened_by_itself_is_called_by_its_name(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    assert ["test_abs"] == list(open_corpus(tmp_path / "test_abs").entries)


def test_paths_that_differ_in_letter_case_alone_are_refused(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    write_abs(tmp_path / "test_ABS")
    with pytest.raises(BadInputError, match="has the id 'test_abs'"):
        open_corpus(tmp_path)


def test_what_lies_inside_a_vector_is_no_vector(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    write_abs(tmp_path / "test_abs" / "more" / "test_inner")
    assert ["test_abs"] == list(open_corpus(tmp_path).entries)


def test_a_directory_whose_model_is_to_be_downloaded_is_not_left_out(tmp_path: Path) -> None:
    (tmp_path / "test_resnet").mkdir()
    (tmp_path / "test_resnet" / "data.json").write_text('{"url": "https://…", "model_name": "r"}')
    (entry,) = open_corpus(tmp_path).entries.values()
    with pytest.raises(BadInputError, match=r"has no model\.onnx; its data\.json says where"):
        load(entry)


def test_a_data_json_that_is_not_json_costs_its_own_vector_only(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    write_abs(tmp_path / "test_good")
    (tmp_path / "test_abs" / "data.json").write_text("rtol: 1")
    entries = open_corpus(tmp_path).entries
    load(entries["test_good"])
    with pytest.raises(BadInputError, match="is not JSON"):
        load(entries["test_abs"])


@pytest.mark.parametrize(
    "selection",
    [
        Selection(patterns=("test_good",)),
        Selection(kinds=("valid",)),
        Selection(operators=("Abs",)),
        Selection(failed=frozenset({"test_good"})),
    ],
)
def test_what_cannot_be_read_belongs_to_every_selection(
    tmp_path: Path, selection: Selection
) -> None:
    write_abs(tmp_path / "test_broken")
    write_abs(tmp_path / "test_good")
    (tmp_path / "test_broken" / "data.json").write_text("rtol: 1")
    chosen = [entry.id for entry in select(open_corpus(tmp_path), selection)]
    assert ["test_broken", "test_good"] == chosen


@pytest.mark.parametrize(
    "selection",
    [
        Selection(operators=("abs",)),
        Selection(since_versions=(13,)),
        Selection(opsets=(16,)),
        Selection(types=("float32",)),
        Selection(forms=("plain",)),
    ],
)
def test_plain_vectors_are_selected_by_what_their_models_say(
    tmp_path: Path, selection: Selection
) -> None:
    write_abs(tmp_path / "one")
    (tmp_path / "without_a_model").mkdir()
    (tmp_path / "without_a_model" / "data.json").write_text("{}")
    assert ["one"] == [entry.id for entry in select(open_corpus(tmp_path), selection)]


def test_without_a_filter_a_directory_without_a_model_is_selected_too(tmp_path: Path) -> None:
    write_abs(tmp_path / "one")
    (tmp_path / "without_a_model").mkdir()
    (tmp_path / "without_a_model" / "data.json").write_text("{}")
    assert 2 == len(select(open_corpus(tmp_path), Selection()))


# --- what the model tells ------------------------------------------------------------------


def test_the_model_says_what_the_vector_is(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    vector, _ = only(tmp_path)
    assert ("Abs", "", 13, 16, 8, ("x",), ("y",), "plain") == (
        vector.operator,
        vector.domain,
        vector.since_version,
        vector.opset,
        vector.ir_version,
        vector.inputs,
        vector.outputs,
        vector.form,
    )


def test_metadata_are_those_of_the_loaded_vector(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    (entry,) = open_corpus(tmp_path).entries.values()
    assert load(entry).vector == read_metadata(entry)


def test_a_model_of_several_nodes_belongs_to_no_operator(tmp_path: Path) -> None:
    proto = onnx.ModelProto()
    proto.CopyFrom(ABS)
    proto.graph.node.append(helper.make_node("Abs", ["y"], ["z"]))
    write(tmp_path / "a", proto, {"input_0": tensor(ONES), "output_0": tensor(ONES)})
    vector, _ = only(tmp_path)
    assert ("", 0, 16) == (vector.operator, vector.since_version, vector.opset)


def test_an_operator_that_onnx_does_not_know_has_no_version(tmp_path: Path) -> None:
    proto = model(helper.make_node("Absolute", ["x"], ["y"]), {"x": FLOAT}, {"y": FLOAT})
    write(tmp_path / "a", proto, {"input_0": tensor(ONES), "output_0": tensor(ONES)})
    vector, _ = only(tmp_path)
    assert ("Absolute", 0) == (vector.operator, vector.since_version)


def test_a_model_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    (tmp_path / "test_abs" / "model.onnx").write_bytes(b"\xff\xff")
    with pytest.raises(BadInputError, match="is not a readable model"):
        only(tmp_path)


def test_a_type_without_a_file_format_is_refused(tmp_path: Path) -> None:
    sparse = helper.make_sparse_tensor_type_proto(TensorProto.FLOAT, [2])
    write(tmp_path / "a", model(ABS.graph.node[0], {"x": sparse}, {"y": FLOAT}), {})
    with pytest.raises(BadInputError, match="sparse_tensor_type"):
        only(tmp_path)


# --- tolerances ----------------------------------------------------------------------------


def test_tolerances_are_those_of_onnx_loader(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    vector, _ = only(tmp_path)
    assert (1e-3, 1e-7) == (vector.rtol, vector.atol)


def test_a_data_json_of_onnx_says_the_tolerances(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    (tmp_path / "test_abs" / "data.json").write_text(json.dumps({"atol": 0.5}))
    vector, _ = only(tmp_path)
    assert (1e-3, 0.5) == (vector.rtol, vector.atol)


@pytest.mark.parametrize("content", ['{"rtol": "small"}', '{"rtol": [1]}'])
def test_tolerances_that_are_no_numbers_are_refused(tmp_path: Path, content: str) -> None:
    write_abs(tmp_path / "test_abs")
    (tmp_path / "test_abs" / "data.json").write_text(content)
    with pytest.raises(BadInputError, match="cannot be used"):
        only(tmp_path)


# --- values --------------------------------------------------------------------------------


def test_values_are_read_by_their_declared_types(tmp_path: Path) -> None:
    node = helper.make_node("SequenceConstruct", ["x"], ["y"])
    proto = model(node, {"x": FLOAT, "o": MAYBE}, {"y": FLOATS})
    values = {
        "input_0": tensor(ONES),
        "input_1": numpy_helper.from_optional(None).SerializeToString(),
        "output_0": numpy_helper.from_list([ONES]).SerializeToString(),
    }
    write(tmp_path / "a", proto, values)
    _, (data_set,) = only(tmp_path)
    ones = Tensor("float32", (2,), ONES.tobytes())
    assert [ones, OptionalValue(None)] == [item.value for item in data_set.inputs]
    assert [SequenceValue((ones,))] == [item.value for item in data_set.outputs]


def test_an_input_without_a_file_is_not_fed(tmp_path: Path) -> None:
    node = helper.make_node("Clip", ["x", "low", "high"], ["y"])
    proto = model(node, {"x": FLOAT, "low": FLOAT, "high": FLOAT}, {"y": FLOAT})
    values = {"input_0": tensor(ONES), "input_2": tensor(ONES), "output_0": tensor(ONES)}
    write(tmp_path / "a", proto, values)
    _, (data_set,) = only(tmp_path)
    assert ["x", "high"] == [item.name for item in data_set.inputs]


def test_an_output_without_a_file_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "a", ABS, {"input_0": tensor(ONES)})
    with pytest.raises(BadInputError, match=r"output_0\.pb: is missing"):
        only(tmp_path)


def test_a_model_without_data_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "a", ABS, {})
    with pytest.raises(BadInputError, match="is missing"):
        only(tmp_path)


def test_all_data_sets_are_read(tmp_path: Path) -> None:
    write_abs(tmp_path / "a")
    second = tmp_path / "a" / "test_data_set_1"
    second.mkdir()
    for name in ("input_0", "output_0"):
        (second / f"{name}.pb").write_bytes(tensor(2 * ONES))
    _, data_sets = only(tmp_path)
    assert [ONES.tobytes(), (2 * ONES).tobytes()] == [
        item.outputs[0].value.data  # type: ignore[union-attr]
        for item in data_sets
    ]


# --- a manifest that says where its vectors are ---------------------------------------------


def listed(root: Path, folder: str) -> None:
    manifest = {
        "format": 1,
        "corpus": "x",
        "vectors": {"valid": {"abs-13/a/node": "0" * 64}},
        "folders": {"abs-13/a/node": folder},
    }
    (root / "manifest.json").write_text(json.dumps(manifest))


def test_a_manifest_says_where_a_vector_is(tmp_path: Path) -> None:
    listed(tmp_path, "node/test_abs")
    (entry,) = open_corpus(tmp_path).entries.values()
    assert tmp_path / "node" / "test_abs" == entry.directory


@pytest.mark.parametrize("folder", ["/etc", "../other", "node/../../x"])
def test_a_manifest_cannot_lead_outside(tmp_path: Path, folder: str) -> None:
    listed(tmp_path, folder)
    with pytest.raises(BadInputError, match="lie outside"):
        open_corpus(tmp_path)
