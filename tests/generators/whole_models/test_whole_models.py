from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from committed_corpus import SPECS

from onnx_conformance.core.corpus.vectors import DATA_FILE, MODEL_FILE, Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.corpus.model_vectors import (
    build_models,
    model_coverage,
    model_ids,
    planned_models,
)
from onnx_conformance.generators.corpus.parallel import make_operator
from onnx_conformance.generators.specs.reading import spec_files
from onnx_conformance.generators.whole_models.reading import model_spec_file, read_model_spec
from onnx_conformance.generators.whole_models.shape_nodes import WAYS
from onnx_conformance.generators.whole_models.variants import all_variants

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.corpus.model_vectors import BuiltModel
    from onnx_conformance.generators.whole_models.model import ModelSpec

HEAD = """\
subject: IR
document: IR.md
requirements:
  - {id: one, text: "Something holds.", part: Graphs}
cases:
  - id: plain
    covers: [one]
    model: |
      <ir_version: 8, opset_import: ["": 17]>
      g (float[N] x) => (float[N] y) { t = Neg(x)  y = Abs(t) }
    inputs: {x: [1, -2.5]}
    outputs: {y: [1, 2.5]}
"""
MODEL = """\
    model: |
      <ir_version: 8, opset_import: ["": 17]>
      g (float[2] x) => (float[2] y) { y = Add(x, w) }
    inputs: {x: [1, 2]}
"""


def spec_of(folder: Path, more: str = "") -> ModelSpec:
    path = folder / "ir.yaml"
    path.write_text(HEAD + more, encoding="utf-8")
    return read_model_spec(path, spec_files(SPECS)[0])


def built(folder: Path, more: str) -> BuiltModel:
    """The vector of a second case."""
    return list(build_models(spec_of(folder, more)))[-1]


def initializer(vector: BuiltModel) -> object:
    import onnx

    return onnx.ModelProto.FromString(vector.files[MODEL_FILE]).graph.initializer[0]


def test_the_id_has_the_ir_version_of_the_model(tmp_path: Path) -> None:
    assert {"ir-8/plain/model": None} == model_ids(spec_of(tmp_path))


def test_the_id_has_the_version_of_the_operator_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "some.domain.ir.yaml"
    path.write_text(f"domain: some.domain\nversion: 3\n{HEAD}", encoding="utf-8")
    spec = read_model_spec(path, spec_files(SPECS)[0])
    (vector,) = build_models(spec)
    assert "some.domain.ir-3/plain/model" == vector.vector.id
    assert ("IR", "some.domain", 3) == (
        vector.vector.operator,
        vector.vector.domain,
        vector.vector.since_version,
    )
    assert "some.domain.IR" == model_coverage(spec, [(vector.vector.kind, 1)]).name


def test_an_operator_has_a_domain_and_a_version(tmp_path: Path) -> None:
    path = tmp_path / "ir.yaml"
    path.write_text(f"domain: some.domain\n{HEAD}", encoding="utf-8")
    with pytest.raises(BadInputError, match="has 'domain' and 'version'"):
        read_model_spec(path, spec_files(SPECS)[0])


def test_a_vector_has_the_files_of_any_other(tmp_path: Path) -> None:
    (vector,) = build_models(spec_of(tmp_path))
    assert [
        DATA_FILE,
        MODEL_FILE,
        "test_data_set_0/input_0.pb",
        "test_data_set_0/output_0.pb",
    ] == sorted(vector.files)


def test_outputs_that_the_interpreter_does_not_find_are_refused(tmp_path: Path) -> None:
    spec = spec_of(
        tmp_path, "  - id: wrong\n    covers: [one]\n    outputs: {y: [1, 2]}\n" + MODEL_PLAIN
    )
    with pytest.raises(BadInputError, match="'y' is something else to the interpreter"):
        list(build_models(spec))


MODEL_PLAIN = """\
    model: |
      <ir_version: 8, opset_import: ["": 17]>
      g (float[N] x) => (float[N] y) { y = Neg(x) }
    inputs: {x: [1, -2.5]}
"""


def test_an_invalid_model_that_the_interpreter_runs_is_refused(tmp_path: Path) -> None:
    spec = spec_of(
        tmp_path,
        "  - id: fine\n    covers: [one]\n    reject: load\n    control: plain\n" + MODEL_PLAIN,
    )
    with pytest.raises(BadInputError, match="the interpreter runs it"):
        list(build_models(spec))


def test_the_phase_of_a_fault_is_held_against_the_interpreter(tmp_path: Path) -> None:
    spec = spec_of(
        tmp_path, "  - id: late\n    covers: [one]\n    reject: run\n    control: plain\n" + MODEL
    )
    with pytest.raises(BadInputError, match="refuses it at 'load', not 'run'"):
        list(build_models(spec))


def test_an_invalid_model_has_the_control_of_its_ir_version(tmp_path: Path) -> None:
    vector = built(
        tmp_path, "  - id: late\n    covers: [one]\n    reject: load\n    control: plain\n" + MODEL
    )
    assert (Kind.INVALID, "ir-8/plain/model") == (vector.vector.kind, vector.vector.control)


def test_narrow_floats_stand_by_their_bits_in_int32_data(tmp_path: Path) -> None:
    vector = built(
        tmp_path,
        "  - id: typed\n    covers: [one]\n"
        '    model: |\n      <ir_version: 8, opset_import: ["": 17]>\n'
        "      g (float16[2] x) => (float16[2] y) { y = Add(x, w) }\n"
        "    inputs: {x: [1, 2]}\n    outputs: {y: [2, 1]}\n"
        "    tensors: {w: {type: float16, values: [1, -1], kept: typed}}\n",
    )
    assert [0x3C00, 0xBC00] == list(initializer(vector).int32_data)  # type: ignore[attr-defined]


def test_uint32_stands_in_uint64_data(tmp_path: Path) -> None:
    vector = built(
        tmp_path,
        "  - id: typed\n    covers: [one]\n"
        '    model: |\n      <ir_version: 8, opset_import: ["": 17]>\n'
        "      g (uint32[1] x) => (uint32[1] y) { y = Add(x, w) }\n"
        "    inputs: {x: [1]}\n    outputs: {y: [4294967295]}\n"
        "    tensors: {w: {type: uint32, values: [4294967294], kept: typed}}\n",
    )
    assert [4294967294] == list(initializer(vector).uint64_data)  # type: ignore[attr-defined]


def test_external_data_lie_behind_other_bytes(tmp_path: Path) -> None:
    vector = built(
        tmp_path,
        "  - id: outside\n    covers: [one]\n    outputs: {y: [2, 3]}\n"
        "    tensors: {w: {values: [1, 1], kept: external, offset: 4}}\n" + MODEL,
    )
    assert b"\xff" * 4 + b"\0\0\x80\x3f" * 2 == vector.files["weights.bin"]


def test_a_field_is_cleared_set_and_merged_by_its_path(tmp_path: Path) -> None:
    import onnx

    vector = built(
        tmp_path,
        "  - id: edited\n    covers: [one]\n    outputs: {y: [-1, 2.5]}\n"
        '    clear: ["opset_import[0].domain"]\n    set: {producer_name: "p"}\n'
        "    merge: {graph: \"doc_string: 'd'\"}\n" + MODEL_PLAIN,
    )
    model = onnx.ModelProto.FromString(vector.files[MODEL_FILE])
    assert ("p", "d") == (model.producer_name, model.graph.doc_string)


def test_a_path_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    spec = spec_of(
        tmp_path,
        '  - id: edited\n    covers: [one]\n    outputs: {y: [1]}\n    set: {"graph.nodes[0]": 1}\n'
        + MODEL_PLAIN,
    )
    with pytest.raises(BadInputError, match=r"'graph.nodes\[0\]': GraphProto has no field"):
        list(build_models(spec))


def test_a_text_that_is_no_model_is_refused_with_its_line(tmp_path: Path) -> None:
    spec = spec_of(
        tmp_path, "  - id: broken\n    covers: [one]\n    outputs: {}\n    model: 'g ('\n"
    )
    with pytest.raises(BadInputError, match=r"ir.yaml:13: case 'broken': the model cannot be"):
        list(all_variants(spec))


def test_a_requirement_without_a_case_is_a_gap(tmp_path: Path) -> None:
    path = tmp_path / "ir.yaml"
    more = '  - {id: two, text: "Another thing.", part: Graphs}\ncases:'
    path.write_text(HEAD.replace("cases:", more), encoding="utf-8")
    spec = read_model_spec(path, spec_files(SPECS)[0])
    coverage = model_coverage(spec, planned_models(spec))
    expected = (
        f"{path}: requirement 'two' has no case; add one, or say in `uncovered` why there is none"
    )
    assert (expected,) == coverage.gaps


def test_the_models_of_the_standard_are_what_the_interpreter_finds() -> None:
    path = model_spec_file(SPECS, "ir")
    assert path is not None
    spec = read_model_spec(path, spec_files(SPECS)[0])
    vectors = [item.vector for item in build_models(spec)]
    found = ((vector.kind, vector.since_version) for vector in vectors)
    assert () == model_coverage(spec, found).gaps
    assert set(Kind) == {item.kind for item in vectors}


def test_a_selection_brings_the_control() -> None:
    made = make_operator(SPECS, "ir", "standard", ("ir-8/cycle/*",))
    assert ["ir-8/two_nodes/model", "ir-8/cycle/model"] == [item.listed.id for item in made.vectors]


COMPUTED = """\
  - id: reshape
    covers: [one]
    computed: {c: [WAY]}
    model: |
      <ir_version: 10, opset_import: ["": 21]>
      g (float[N, M] x, int64[2] c) => (float[P, Q] y) { y = Reshape(x, c) }
    inputs: {x: [[1, 2, 3], [4, 5, 6]], c: [3, 2]}
    outputs: {y: [[1, 2], [3, 4], [5, 6]]}
"""


def test_nodes_compute_an_input_in_each_way(tmp_path: Path) -> None:
    _, *vectors = build_models(spec_of(tmp_path, COMPUTED.replace("WAY", ", ".join(WAYS))))
    assert [f"ir-10/reshape/{way}" for way in WAYS] == [item.vector.id for item in vectors]
    assert not any("c" in item.vector.inputs for item in vectors)


def test_only_a_graph_input_can_be_computed(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="'d' is not fed"):
        built(tmp_path, COMPUTED.replace("{c: [WAY]}", "{d: [if]}"))


def test_an_input_of_no_dimensions_says_nothing_of_a_shape(tmp_path: Path) -> None:
    text = COMPUTED.replace("WAY", "if").replace("float[N, M] x", "float x")
    with pytest.raises(BadInputError, match="no input has dimensions"):
        built(tmp_path, text.replace("[[1, 2, 3], [4, 5, 6]]", "1"))


def test_each_way_of_computing_is_tried_on_a_handful_of_inputs() -> None:
    path = model_spec_file(SPECS, "graphs")
    assert path is not None
    cases = read_model_spec(path, spec_files(SPECS)[0]).cases.values()
    counts = Counter(way for case in cases for ways in case.computed.values() for way in ways)
    assert {} == {way: counts[way] for way in WAYS if counts[way] < 5}
