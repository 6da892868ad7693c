"""ONNX's node tests as files: all of them, unchanged, the same everywhere."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from places import ROOT
from upstream_cases import case_named, collected

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vector_files import data_sets_of
from onnx_conformance.core.errors import BadInputError, ConformanceError
from onnx_conformance.core.values.onnx_values import kind_of, parse_value
from onnx_conformance.core.values.tensors import (
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
)
from onnx_conformance.generators.importing import collecting
from onnx_conformance.generators.importing.cases import files_of, vector_of
from onnx_conformance.generators.importing.collecting import collect
from onnx_conformance.generators.importing.converting import to_value
from onnx_conformance.generators.importing.writing import ImportedCase
from onnx_conformance.generators.main import main
from onnx_conformance.validator.main import main as validate
from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from pathlib import Path

FLOAT = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
STRING = helper.make_tensor_type_proto(TensorProto.STRING, None)
VERSION = onnx.__version__


def imported(name: str) -> ImportedCase:
    case = case_named(name)
    vector = vector_of(case, VERSION)
    return ImportedCase(vector, files_of(case, vector))


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(collecting, "collect", collected)
    monkeypatch.setattr(sys, "argv", ["onnx-vectors", "import", "onnx", *map(str, arguments)])
    return main()


# --- all of them, unchanged ----------------------------------------------------------------


@pytest.mark.slow
def test_every_case_that_onnx_builds_becomes_a_vector_with_an_id_of_its_own() -> None:
    from onnx.backend.test.case.node import _NodeTestCases

    ids = {vector_of(case, VERSION).id for case in collected()}
    assert len(_NodeTestCases) == len(collected()) == len(ids) >= 1884


def as_onnx_has_it(value: Any) -> Any:  # noqa: ANN401  whatever ONNX's code made
    """An array of ONNX, or a TensorProto, in a form that compares bit by bit."""
    if isinstance(value, list):
        return [as_onnx_has_it(item) for item in value]
    if value is None:
        return None
    array = numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)
    if array.dtype == object:
        return (array.shape, [str(item) for item in array.reshape(-1)])
    return (array.shape, array.dtype, array.tobytes())


def as_onnx_reads_it(declared: onnx.TypeProto, content: bytes) -> Any:  # noqa: ANN401  see above
    """What ONNX's own helpers make of a file, in the same form."""
    field = declared.WhichOneof("value")
    if field == "tensor_type":
        return as_onnx_has_it(numpy_helper.to_array(TensorProto.FromString(content)))
    if field == "sequence_type":
        return as_onnx_has_it(numpy_helper.to_list(onnx.SequenceProto.FromString(content)))
    return as_onnx_has_it(numpy_helper.to_optional(onnx.OptionalProto.FromString(content)))


def test_onnx_reads_from_every_file_what_its_code_made() -> None:
    different = []
    for case in collected():
        files = files_of(case, vector_of(case, VERSION))
        for role, declared, made in (
            ("input", case.model.graph.input, case.inputs),
            ("output", case.model.graph.output, case.outputs),
        ):
            for index, (item, value) in enumerate(zip(declared, made, strict=True)):
                content = files[f"test_data_set_0/{role}_{index}.pb"]
                if as_onnx_has_it(value) != as_onnx_reads_it(item.type, content):
                    different.append(f"{case.name} {role} {index}")
    assert [] == different


def test_the_model_is_onnx_own() -> None:
    for case in collected()[:50]:
        files = files_of(case, vector_of(case, VERSION))
        assert case.model == onnx.ModelProto.FromString(files["model.onnx"])


def test_sequences_and_optionals_are_among_them() -> None:
    kinds = [
        kind_of(item.type)
        for case in collected()
        for item in (*case.model.graph.input, *case.model.graph.output)
    ]
    assert [True, True] == [kind in kinds for kind in ("sequence", "optional")]


def test_an_absent_optional_is_written_as_that() -> None:
    case = imported("test_optional_has_element_empty_optional_input")
    (data_set,) = data_sets_of(case.vector, case.files, "")
    assert OptionalValue(None) == data_set.inputs[0].value


def test_the_values_of_a_sequence_are_read_back() -> None:
    case = imported("test_sequence_insert_at_back")
    (data_set,) = data_sets_of(case.vector, case.files, "")
    value = data_set.outputs[0].value
    assert isinstance(value, SequenceValue)
    assert 4 == len(value.items)


# --- what data.json says -------------------------------------------------------------------


def test_data_json_says_what_a_case_is() -> None:
    vector = vector_of(case_named("test_abs"), VERSION)
    assert ("abs-13/test_abs/node", "Abs", 13, {"T": "float32"}, 1e-3, 1e-7) == (
        vector.id,
        vector.operator,
        vector.since_version,
        vector.types,
        vector.rtol,
        vector.atol,
    )


def test_data_json_says_where_a_case_comes_from() -> None:
    vector = vector_of(case_named("test_abs"), VERSION)
    assert {
        "package": "onnx",
        "version": VERSION,
        "source": "onnx.backend.test.case.node.abs.Abs.export",
    } == vector.extra["provenance"]


def test_an_expanded_case_belongs_to_the_operator_that_was_expanded() -> None:
    vector = vector_of(case_named("test_clip_expanded"), VERSION)
    assert ("Clip", "expanded", True) == (
        vector.operator,
        vector.form,
        vector.extra["expanded"],
    )


def test_a_domain_of_its_own_is_part_of_the_id() -> None:
    vector = vector_of(case_named("test_ai_onnx_ml_binarizer"), VERSION)
    assert ("ai.onnx.ml", "ai.onnx.ml.binarizer-1") == (vector.domain, vector.id.split("/")[0])


def test_every_case_names_the_function_that_makes_it() -> None:
    assert [] == [case.name for case in collected() if ".export" not in case.source]


def test_types_are_those_of_the_type_variables() -> None:
    vector = vector_of(case_named("test_optional_get_element_optional_sequence"), VERSION)
    assert {"O": "optional(seq(int32))", "V": "seq(int32)"} == vector.types


def test_inputs_left_out_do_not_shift_the_type_variables() -> None:
    # A min that is left out: the third argument is the second value.
    vector = vector_of(case_named("test_clip_default_max"), VERSION)
    assert {"T": "float32"} == vector.types


# --- what cannot be written as it is --------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "made", "problem"),
    [
        (FLOAT, np.zeros(2, np.float64), "float32 is declared, float64 was made"),
        (FLOAT, np.zeros(2, np.uint32), "float32 is declared, uint32 was made"),
        (FLOAT, [np.zeros(2, np.float32)], "a tensor is declared, list was made"),
        (FLOAT, 1.0, "a tensor is declared, float was made"),
        (STRING, np.array(["a\0"]), "may have lost trailing NULs"),
        (STRING, np.array([1.5], object), "a string tensor holds a float"),
        (helper.make_sequence_type_proto(FLOAT), np.zeros(2, np.float32), "a sequence is declared"),
        (helper.make_map_type_proto(TensorProto.INT64, FLOAT), [], "a map is declared, list"),
    ],
)
def test_a_value_that_is_not_what_is_declared_is_refused(
    declared: onnx.TypeProto,
    made: Any,  # noqa: ANN401  whatever ONNX's code made
    problem: str,
) -> None:
    with pytest.raises(BadInputError, match=problem):
        to_value(declared, made)


def test_the_error_names_the_case_and_the_value() -> None:
    case = dataclasses.replace(case_named("test_abs"), inputs=[np.zeros(3, np.int8)])
    with pytest.raises(BadInputError, match=r"test_abs: input 'x': float32 is declared, int8"):
        files_of(case, vector_of(case, VERSION))


def test_a_value_too_many_is_refused() -> None:
    case = dataclasses.replace(case_named("test_abs"), outputs=[])
    with pytest.raises(BadInputError, match="test_abs: has 1 outputs and 0 values"):
        files_of(case, vector_of(case, VERSION))


def test_an_operator_that_onnx_does_not_know_is_refused() -> None:
    case = case_named("test_abs")
    node = helper.make_node("NoSuchOperator", ["x"], ["y"])
    with pytest.raises(BadInputError, match=r"test_abs: No schema"):
        vector_of(dataclasses.replace(case, node=node), VERSION)


def test_strings_keep_their_trailing_nul() -> None:
    value = to_value(STRING, np.array(["a\0", b"\xff"], object))
    assert Tensor("string", (2,), (b"a\0", b"\xff")) == value


def test_bfloat16_as_bits_in_uint16_is_taken_as_declared() -> None:
    declared = helper.make_tensor_type_proto(TensorProto.BFLOAT16, None)
    assert Tensor("bfloat16", (1,), b"\x80\x3f") == to_value(declared, np.array([0x3F80], "u2"))


def test_an_array_that_is_not_contiguous_keeps_its_order() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3).T
    value = to_value(FLOAT, array)
    assert Tensor("float32", (3, 2), np.ascontiguousarray(array).tobytes()) == value


def test_big_endian_arrays_are_turned_round() -> None:
    value = to_value(FLOAT, np.array([1.0], ">f4"))
    assert Tensor("float32", (1,), b"\x00\x00\x80\x3f") == value


def test_maps_are_taken_by_their_declared_types() -> None:
    declared = helper.make_map_type_proto(TensorProto.STRING, FLOAT)
    value = to_value(declared, {"a": np.float32(1)})
    assert isinstance(value, MapValue)
    assert Tensor("string", (1,), (b"a",)) == value.keys


# --- building them -------------------------------------------------------------------------


def test_they_cannot_be_built_twice_in_one_process() -> None:
    collected()
    with pytest.raises(ConformanceError, match="only once"):
        collect()


def test_pillow_is_hidden_while_they_are_built_and_back_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pillow = object()
    monkeypatch.setitem(sys.modules, "PIL", pillow)
    with collecting._without_pillow(), pytest.raises(ImportError):  # noqa: SLF001  the guard is what is tested
        import PIL  # noqa: F401  it must fail
    assert pillow is sys.modules["PIL"]


def test_onnx_has_its_own_functions_back_afterwards() -> None:
    from onnx.backend.test.case import base, node

    collected()
    assert (node.__name__, base.__name__) == (
        node.expect.__module__,
        base.process_snippet.__module__,
    )


def test_a_name_that_was_used_gets_a_number() -> None:
    used: set[str] = set()
    names = [
        collecting._unused_name(name, used)  # noqa: SLF001  no current onnx has such names
        for name in ("test_a", "test_A", "test_a", "test_b")
    ]
    assert ["test_a", "test_A_2", "test_a_3", "test_b"] == names


@pytest.mark.slow
def test_other_processes_write_the_same_bytes_whatever_their_hash_seed_and_pillow(
    tmp_path: Path,
) -> None:
    # A Pillow that would change the cases of ImageDecoder, if it were seen.
    (tmp_path / "PIL").mkdir()
    (tmp_path / "PIL" / "__init__.py").touch()
    (tmp_path / "PIL" / "Image.py").write_text("raise RuntimeError('Pillow was used')\n")
    processes = []
    for seed in ("1", "2"):
        program = "import sys; from onnx_conformance.generators.main import main; sys.exit(main())"
        arguments = ["import", "onnx", "--write-list", str(tmp_path / f"{seed}.json")]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(tmp_path)}
        command = [sys.executable, "-c", program, *arguments]
        processes.append(
            subprocess.Popen(
                command,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
    outputs = [process.communicate()[0] for process in processes]
    assert [0, 0] == [process.returncode for process in processes], outputs
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()


# --- the command ---------------------------------------------------------------------------


@pytest.fixture
def reshapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the node tests of Reshape and Clip."""
    output = tmp_path / "reshapes"
    options = ("--operator", "reshape", "--operator", "Clip")
    assert 0 == run(monkeypatch, "--output", output, *options)
    return output


def test_a_case_is_a_directory_in_the_traditional_layout(reshapes: Path) -> None:
    directory = reshapes / "node" / "test_reshape_zero_dim"
    assert [
        "data.json",
        "model.onnx",
        "test_data_set_0/input_0.pb",
        "test_data_set_0/input_1.pb",
        "test_data_set_0/output_0.pb",
    ] == sorted(
        path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()
    )


def test_the_validator_opens_and_verifies_what_was_written(reshapes: Path) -> None:
    corpus = open_corpus(reshapes)
    assert (f"onnx-{VERSION}", {"Reshape", "Clip"}) == (
        corpus.version,
        {load(entry).vector.operator for entry in corpus.entries.values()},
    )


def test_expanded_cases_come_with_their_operator(reshapes: Path) -> None:
    assert (reshapes / "node" / "test_clip_expanded").is_dir()


def test_a_changed_file_is_noticed_by_the_validator(reshapes: Path) -> None:
    file = reshapes / "node" / "test_clip" / "test_data_set_0" / "output_0.pb"
    file.write_bytes(file.read_bytes()[:-1] + b"\x00")
    corpus = open_corpus(reshapes)
    entry = next(item for item in corpus.entries.values() if item.directory.name == "test_clip")
    with pytest.raises(BadInputError, match="differs from the manifest"):
        load(entry)


def test_a_second_import_replaces_the_first(
    reshapes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 0 == run(monkeypatch, "--output", reshapes, "--operator", "Abs")
    assert ["test_abs"] == [path.name for path in (reshapes / "node").iterdir()]


def test_a_folder_with_other_things_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.txt").touch()
    assert 2 == run(monkeypatch, "--output", tmp_path)
    assert "is neither empty nor an earlier import" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").exists()


def test_fewer_cases_than_asked_for_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    options = ("--operator", "Abs", "--min-cases", 2)
    assert 5 == run(monkeypatch, "--output", output, *options)
    assert "gives 1 cases, fewer than --min-cases 2" in capsys.readouterr().err
    assert not output.exists()


def test_an_operator_without_node_tests_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == run(monkeypatch, "--output", tmp_path / "out", "--operator", "Reshpae")
    assert "no node test of an operator 'Reshpae'" in capsys.readouterr().err


def test_nothing_to_do_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 2 == run(monkeypatch)


def test_a_folder_that_cannot_be_written_is_an_error_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert 3 == run(monkeypatch, "--output", tmp_path / "file" / "out", "--operator", "Abs")
    assert "cannot be written" in capsys.readouterr().err
    assert ["file"] == [path.name for path in tmp_path.iterdir()]


# --- the validator on what was written ------------------------------------------------------

NOT_TENSORS = ("SequenceInsert", "OptionalHasElement", "OptionalGetElement", "SplitToSequence")


def judged(folder: Path, results: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often each verdict is given to onnx.reference on the cases of a folder."""
    arguments = ["--backend", "reference", "--vectors", str(folder), "--results", str(results)]
    monkeypatch.setattr(sys, "argv", ["onnx-validate", "run", *arguments, "--jobs", "1"])
    assert 0 == validate()
    return dict(read_results(results).counts)


def test_values_that_are_no_tensors_are_run_and_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tests"
    selection = [word for name in NOT_TENSORS for word in ("--operator", name)]
    assert 0 == run(monkeypatch, "--output", folder, *selection)
    count = len(list((folder / "node").iterdir()))
    assert {"pass": count} == judged(folder, tmp_path / "listed.jsonl", monkeypatch)
    # As ONNX shipped them: without our data.json and without a manifest.
    (folder / "manifest.json").unlink()
    for path in folder.glob("node/*/data.json"):
        path.unlink()
    assert {"pass": count} == judged(folder, tmp_path / "plain.jsonl", monkeypatch)


# --- verifying -----------------------------------------------------------------------------

SOME = ("--operator", "Reshape", "--operator", "Clip")


def test_the_same_cases_verify_against_a_folder(
    reshapes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == run(monkeypatch, "--verify", reshapes, *SOME)
    assert f"are those of {reshapes}" in capsys.readouterr().out


def altered(root: Path, change: Any) -> Path:  # noqa: ANN401  a function of bytes
    """A folder in which an output of Clip is another, with a manifest that says so."""
    file = root / "node" / "test_clip_example" / "test_data_set_0" / "output_0.pb"
    tensor = parse_value("tensor", file.read_bytes())
    assert isinstance(tensor, Tensor)
    assert isinstance(tensor.data, bytes)
    from onnx_conformance.core.corpus.vector_files import digest, read_files
    from onnx_conformance.core.values.onnx_values import serialize_value

    other = dataclasses.replace(tensor, data=change(tensor.data))
    file.write_bytes(serialize_value(other, "y"))
    path = root / "manifest.json"
    manifest = json.loads(path.read_text())
    (found,) = [key for key in manifest["folders"] if "/test_clip_example/" in key]
    manifest["vectors"]["valid"][found] = digest(read_files(file.parents[1]))
    path.write_text(json.dumps(manifest))
    return root


def test_a_folder_that_differs_is_shown_by_bytes_and_ulps(
    reshapes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    altered(reshapes, lambda data: bytes([data[0] ^ 2]) + data[1:])
    assert 3 == run(monkeypatch, "--verify", reshapes, *SOME)
    output = capsys.readouterr()
    assert "test_data_set_0/output_0.pb: 1 of " in output.out
    assert "1 of 3 elements differ, at most 2 ulps apart; first at [0]" in output.out
    assert "1 of " in output.err


def test_a_damaged_folder_is_no_reference(
    reshapes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (reshapes / "node" / "test_clip" / "model.onnx").write_bytes(b"")
    assert 3 == run(monkeypatch, "--verify", reshapes, *SOME)
    assert "differs from the manifest" in capsys.readouterr().err


def test_cases_missing_on_either_side_are_named(
    reshapes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 3 == run(monkeypatch, "--verify", reshapes, "--operator", "Abs")
    assert "abs-13/test_abs/node: not in the reference" in capsys.readouterr().out
    assert 3 == run(monkeypatch, "--verify", reshapes)
    assert "abs-13/test_abs/node: not in the reference" in capsys.readouterr().out


def test_what_was_not_selected_is_not_missing(
    reshapes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 0 == run(monkeypatch, "--verify", reshapes, "--operator", "Clip")


@pytest.fixture
def clip_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "list.json"
    assert 0 == run(monkeypatch, "--write-list", path, "--operator", "Clip")
    return path


def test_the_same_cases_verify_against_a_list(
    clip_list: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == run(monkeypatch, "--verify", clip_list, "--operator", "Clip")
    assert f"numpy {np.__version__}" in capsys.readouterr().out


def test_a_list_tells_which_part_differs(
    clip_list: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(clip_list.read_text())
    name = "clip-13/test_clip/node"
    model, inputs, _ = document["cases"][name].split(" ")
    document["cases"][name] = f"{model} {inputs} {'0' * 12}"
    clip_list.write_text(json.dumps(document))
    assert 3 == run(monkeypatch, "--verify", clip_list, "--operator", "Clip")
    assert f"{name}: outputs: other bytes\n" == capsys.readouterr().out


def test_a_case_of_the_list_that_is_missing_here_is_named(
    clip_list: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(clip_list.read_text())
    document["cases"]["clip-1/gone/node"] = "0 0 0"
    clip_list.write_text(json.dumps(document))
    assert 3 == run(monkeypatch, "--verify", clip_list)
    assert "clip-1/gone/node: missing here" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "{}", '{"format": 2}', '{"format": 1, "cases": {"a": 1}}'])
def test_what_is_no_list_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    path = tmp_path / "list.json"
    path.write_text(content)
    assert 3 == run(monkeypatch, "--verify", path, "--operator", "Clip")


def test_the_kept_lists_name_what_they_were_made_with() -> None:
    from onnx_conformance.generators.importing.kept import read_list

    kept = sorted((ROOT / "vectors" / "upstream").glob("*.json"))
    assert kept
    for path in kept:
        found = read_list(path)
        assert path.stem == found.onnx
        assert found.made_with["numpy"]


def test_the_kept_list_has_the_models_and_inputs_that_the_installed_onnx_gives() -> None:
    from onnx_conformance.generators.importing.kept import digests_of, read_list

    path = ROOT / "vectors" / "upstream" / f"{VERSION}.json"
    if not path.exists():
        pytest.skip(f"no list of onnx {VERSION} is kept")
    kept = read_list(path).digests
    # Outputs depend on the processor, and so do the inputs that are computed: exp(x), a window.
    computed = {"log-13/test_log/node", "stft-17/test_stft_with_window/node"}
    different = []
    for case in collected():
        vector = vector_of(case, VERSION)
        here = digests_of(ImportedCase(vector, files_of(case, vector)))
        parts = ("model",) if vector.id in computed else ("model", "inputs")
        different += [vector.id for part in parts if here[part] != kept[vector.id][part]]
    assert [] == different
