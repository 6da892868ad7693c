from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import onnx.parser
import pytest
from model_files import run_command, write_model
from onnx import TensorProto
from places import MISBEHAVING, VECTORS

from onnx_conformance.core.corpus.vector_files import data_sets_of, vector_of
from onnx_conformance.core.models.listing import list_uses
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.cutting.installed import installed_cutter
from onnx_conformance.validator.judging.verdicts import Outputs
from onnx_conformance.validator.models.chain import chain_of
from onnx_conformance.validator.models.observing import AS_IT_IS, Observed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from onnx_conformance.validator.judging.verdicts import Observation

WRONG = f"command:{shlex.join([sys.executable, str(MISBEHAVING / 'wrong_neg.py')])}"
CHAIN = """<ir_version: 8, opset_import: ["": 17]> g (float[2,3] x) => (float[2,3] y)
<float[3] bias = {1, 2, 3}>
{ a = Add(x, bias)
  b = Neg(a)
  c = Relu(b)
  y = Neg(c) }"""
FOREIGN = """<ir_version: 8, opset_import: ["": 17, "own": 1]> g (float[2] x) => (float[2] y)
{ a = Relu(x)
  y = own.Strange(a) }"""


def judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, *words: object
) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON report of judging a backend on a model in one go."""
    path, report = write_model(tmp_path, text), tmp_path / "report.json"
    words = ("model", path, "--vectors", VECTORS, "--json", report, *words)
    return run_command(monkeypatch, *words), json.loads(report.read_bytes())


def status_of(found: dict[str, Any], operator: str) -> str:
    line = next(item for item in found["uses"] if item["operator"] == operator)
    return str(line["evidence"][0]["status"])


def test_a_backend_that_does_right_is_green_in_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = judged(tmp_path, monkeypatch, CHAIN, "--backend", "reference")
    assert 0 == code
    assert {"pass"} == {status_of(found, item) for item in ("Add", "Neg", "Relu")}
    assert "4 nodes of 4 judged" in capsys.readouterr().out


def test_the_first_node_that_goes_wrong_is_named_and_no_node_behind_it_is_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, found = judged(tmp_path, monkeypatch, CHAIN, "--backend", WRONG)
    assert 1 == code
    assert ["#1 Neg -> b", "#3 Neg -> y"] == [item["node"] for item in found["chain"]["wrong"]]
    assert found["chain"]["wrong"][0]["what"].startswith("wrong-value")
    assert ("fail", "pass") == (status_of(found, "Neg"), status_of(found, "Relu"))


@pytest.mark.slow
def test_a_node_too_large_for_the_oracle_is_judged_by_some_of_its_elements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = CHAIN.replace("float[2,3]", "float[200,300]").replace(
        "<float[3] bias = {1, 2, 3}>", "<float[1] bias = {1}>"
    )
    code, found = judged(tmp_path, monkeypatch, large, "--backend", WRONG, "--keep", tmp_path / "k")
    assert 1 == code
    assert 4 == found["chain"]["judged_by_some_elements"]
    assert (2, ["#1 Neg -> b", "#3 Neg -> y"]) == (
        found["chain"]["passed"],
        [item["node"] for item in found["chain"]["wrong"]],
    )
    sampled = [item for item in (tmp_path / "k").rglob("data.json") if "sampled" in str(item)]
    assert 3 == len(sampled)
    assert {"Y"} < {name for item in sampled for name in json.loads(item.read_bytes())["compared"]}


def test_vectors_that_were_cut_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept"
    judged(tmp_path, monkeypatch, CHAIN, "--backend", "reference", "--keep", kept, "--uses-alone")
    assert (kept / "manifest.json").is_file()


def test_the_model_as_a_whole_is_left_out_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = judged(tmp_path, monkeypatch, CHAIN, "--backend", "reference", "--uses-alone")
    assert "chain" not in found


def test_a_model_that_the_backend_cannot_run_as_a_whole_is_said_and_is_no_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, found = judged(tmp_path, monkeypatch, FOREIGN, "--backend", "reference")
    assert 5 == code
    assert ("pass", "not covered") == (status_of(found, "Relu"), status_of(found, "Strange"))
    assert 0 == found["chain"]["passed"]
    assert "gives no values for the model" in found["chain"]["sentences"][0]


def test_a_model_that_the_backend_refuses_as_a_whole_is_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clash = """<ir_version: 8, opset_import: ["": 17]> g (float[2] x, int64[1] n) => (float[N] y)
    { a = Relu(x)
      c = Reshape(a, n)
      y = Neg(c) }"""
    inputs = tmp_path / "fed.npz"
    np.savez(inputs, x=np.zeros(2, "f4"), n=np.array([7]))
    code, found = judged(tmp_path, monkeypatch, clash, "--backend", "reference", "--inputs", inputs)
    assert found["chain"]["runs"] is False
    assert code


def test_a_model_whose_data_are_missing_is_no_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = onnx.parser.parse_model(CHAIN.replace("<float[3] bias = {1, 2, 3}>", ""))
    tensor = model.graph.initializer.add()
    tensor.name, tensor.data_type, tensor.data_location = "bias", TensorProto.FLOAT, 1
    tensor.dims.append(3)
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "weights"
    path = tmp_path / "beside.onnx"
    path.write_bytes(model.SerializeToString())
    words = ("model", path, "--vectors", VECTORS, "--backend", "reference")
    assert 5 == run_command(monkeypatch, *words)


def test_a_model_without_any_use_that_can_be_cut_is_no_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = FOREIGN.replace("a = Relu(x)\n  y = own.Strange(a)", "y = own.Strange(x)")
    assert text != FOREIGN
    code, found = judged(tmp_path, monkeypatch, text, "--backend", "reference")
    assert ([], 5) == (found["runtimes"], code)


def test_a_backend_that_cannot_be_used_ends_with_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_model(tmp_path, CHAIN)
    words = ("model", path, "--vectors", VECTORS, "--backend", "command:/no/such/program")
    assert 4 == run_command(monkeypatch, *words)


@pytest.mark.parametrize(
    "option", ["--inputs", "--keep", "--certificate", "--python", "--against", "--against-python"]
)
def test_options_about_judging_need_a_backend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    path = write_model(tmp_path, CHAIN)
    words = ("model", path, "--vectors", VECTORS, option, tmp_path / "other")
    assert 2 == run_command(monkeypatch, *words)


def test_the_certificate_names_model_runtime_and_limits_and_what_it_does_not_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "certificate.json"
    words = ("--backend", "reference", "--certificate", file)
    judged(tmp_path, monkeypatch, CHAIN, *words)
    found = json.loads(file.read_bytes())
    assert list_uses(tmp_path / "model.onnx").opened.digest == found["model"]["sha256"]
    assert [("reference", onnx.__version__)] == [
        (item["name"], item["version"]) for item in found["runtimes"]
    ]
    assert "ieee" == found["limits"]
    assert any("says nothing of other values" in item for item in found["says"])
    page = (tmp_path / "certificate.json.html").read_text(encoding="utf-8")
    assert "says nothing of other values" in page


@pytest.mark.slow
def test_the_certificate_is_the_same_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / "one.json", tmp_path / "other.json"]
    for file in files:
        judged(tmp_path, monkeypatch, CHAIN, "--backend", "reference", "--certificate", file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_model_with_external_data_is_run_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "weights").write_bytes(np.float32([1, 2, 3]).tobytes())
    model = onnx.parser.parse_model(
        CHAIN.replace("<float[3] bias = {1, 2, 3}>", "").replace("bias)", "bias)")
    )
    tensor = model.graph.initializer.add()
    tensor.name, tensor.data_type, tensor.data_location = "bias", TensorProto.FLOAT, 1
    tensor.dims.append(3)
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "weights"
    path, report = tmp_path / "beside.onnx", tmp_path / "report.json"
    path.write_bytes(model.SerializeToString())
    words = ("model", path, "--vectors", VECTORS, "--json", report, "--backend", "reference")
    assert 0 == run_command(monkeypatch, *words)
    assert 4 == json.loads(report.read_bytes())["chain"]["passed"]


def test_the_certificate_names_the_data_beside_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = onnx.parser.parse_model(CHAIN.replace("<float[3] bias = {1, 2, 3}>", ""))
    tensor = model.graph.initializer.add()
    tensor.name, tensor.data_type, tensor.data_location = "bias", TensorProto.FLOAT, 1
    tensor.dims.append(3)
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "weights"
    path, file = tmp_path / "beside.onnx", tmp_path / "certificate.json"
    path.write_bytes(model.SerializeToString())
    found = []
    for weights in ([1, 2, 3], [1, 2, 4]):
        (tmp_path / "weights").write_bytes(np.float32(weights).tobytes())
        words = ("model", path, "--vectors", VECTORS, "--backend", "reference")
        run_command(monkeypatch, *words, "--certificate", file)
        found.append(json.loads(file.read_bytes())["model"]["external_sha256"]["weights"])
    assert found[0] != found[1]


def observed(values: Mapping[str, list[float]] | None, outputs: list[float]) -> Observed:
    """What a runtime that gives these values would be seen to do."""

    def tensor(items: list[float]) -> Tensor:
        return Tensor("float32", (2, 3), np.float32(items * 2).tobytes())

    if values is None:
        return Observed(None, None, {AS_IT_IS: "crashes: signal SIGSEGV"})
    everything = {name: tensor(items) for name, items in values.items()}
    return Observed({"y": tensor(outputs)}, everything, {})


def no_vector(vectors: Mapping[str, Mapping[str, bytes]]) -> Mapping[str, Observation | None]:
    """Where nothing goes wrong, nothing is run alone."""
    raise AssertionError(sorted(vectors))


def test_a_node_that_is_right_alone_is_told_and_not_called_wrong(tmp_path: Path) -> None:
    model = list_uses(write_model(tmp_path, CHAIN))
    fed = {"x": Tensor("float32", (2, 3), np.float32([0, 0, 0] * 2).tobytes())}
    values = {"a": [1.0, 2, 3], "b": [-1.0, -2, -4], "c": [0.0] * 3, "y": [-0.0] * 3}

    def right(vectors: Mapping[str, Mapping[str, bytes]]) -> Mapping[str, Observation | None]:
        found: dict[str, Observation | None] = {}
        for name, files in vectors.items():
            vector = vector_of(files, name)
            (data_set,) = data_sets_of(vector, files, name)
            found[name] = Outputs((data_set.outputs,))
        return found

    seen = observed(values, [-0.0] * 3)
    chain = chain_of("mine", model, seen, fed, installed_cutter(), right)
    assert ((), ["#1 Neg -> b"]) == (chain.wrong, [item.node for item in chain.fused])
    assert any("1 node of these right when run alone" in item for item in chain.sentences)


def test_a_node_whose_inputs_the_runtime_did_not_return_is_not_judged(tmp_path: Path) -> None:
    model = list_uses(write_model(tmp_path, CHAIN))
    fed = {"x": Tensor("float32", (2, 3), np.float32([0, 0, 0] * 2).tobytes())}
    values = {"a": [1.0, 2, 3], "y": [-0.0] * 3}
    chain = chain_of(
        "mine", model, observed(values, [-0.0] * 3), fed, installed_cutter(), no_vector
    )
    assert 1 == chain.passed
    assert 3 == sum(chain.left_out.values())


def test_a_runtime_that_crashes_on_the_whole_model_has_no_passed_nodes(tmp_path: Path) -> None:
    model = list_uses(write_model(tmp_path, CHAIN))
    chain = chain_of("mine", model, observed(None, []), {}, installed_cutter(), no_vector)
    assert 0 == chain.passed
    assert "crashes" in chain.sentences[0]
