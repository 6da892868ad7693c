"""Two runs of one model: told apart with the first node that differs, and nobody judged by it."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx.parser
import pytest
from model_files import run_command, write_model
from places import MISBEHAVING, VECTORS

from onnx_conformance.core.models.listing import list_uses
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.cutting import installed
from onnx_conformance.generators.cutting.installed import installed_cutter
from onnx_conformance.validator.host.backends import unoptimized
from onnx_conformance.validator.models.apart import apart, first_apart, sought

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

WRONG = f"command:{shlex.join([sys.executable, str(MISBEHAVING / 'wrong_neg.py')])}"
CHAIN = """<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] y)
{ a = Abs(x)
  b = Neg(a)
  c = Relu(b)
  y = Neg(c) }"""
NODES = onnx.parser.parse_model(CHAIN).graph.node


def floats(*numbers: float) -> Tensor:
    return Tensor("float32", (len(numbers),), np.array(numbers, "<f4").tobytes())


def chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *words: object) -> dict[str, Any]:
    """What the command says of the model as a whole."""
    path, report = write_model(tmp_path, CHAIN), tmp_path / "report.json"
    run_command(monkeypatch, "model", path, "--vectors", VECTORS, "--json", report, *words)
    found: dict[str, Any] = json.loads(report.read_bytes())["chain"]
    return found


def test_the_same_outputs_are_the_same() -> None:
    found = apart("mine", "yours", {"y": floats(1, 2)}, {"y": floats(1, 2)})
    assert ("", "mine gives the same outputs as yours") == (found.where, found.sentence)


def test_outputs_that_are_near_are_the_same_with_their_distance() -> None:
    found = apart("mine", "yours", {"y": floats(1, 2)}, {"y": floats(1, 2.0000005)})
    assert "" == found.where
    assert "within 0.001 (2 ulps apart at most)" in found.sentence


def test_the_output_that_differs_is_named_with_both_values() -> None:
    found = apart("mine", "yours", {"y": floats(1, 2)}, {"y": floats(1, 3)})
    assert "mine gives other outputs than yours: y[1] is 2.0, and 3.0 there" == found.sentence


@pytest.mark.parametrize(
    ("mine", "yours"), [(None, {"y": floats(1)}), ({"y": floats(1)}, {"z": floats(1)})]
)
def test_what_cannot_be_compared_is_not_called_the_same(
    mine: Mapping[str, Tensor] | None, yours: Mapping[str, Tensor]
) -> None:
    found = apart("mine", "yours", mine, yours)
    assert found.where is None
    assert "not compared" in found.sentence


def test_the_first_node_whose_values_differ_is_found_in_the_order_of_the_graph() -> None:
    one = {"a": floats(1), "b": floats(2), "c": floats(3)}
    other = {"a": floats(1), "c": floats(9), "b": floats(8)}
    assert "#1 Neg -> b" == first_apart(NODES, one, other)
    assert "" == first_apart(NODES, one, one)


@pytest.mark.parametrize("first", ["a", "b", "c", "y"])
def test_a_node_that_differs_only_if_it_is_asked_alone_is_sought(first: str) -> None:
    names = ["a", "b", "c", "y"]
    others = {name: floats(0) for name in names}

    def run(asked: Sequence[str]) -> Mapping[str, Tensor]:
        return {name: floats(names.index(name) >= names.index(first)) for name in asked}

    assert sought(NODES, run, others).endswith(f"-> {first}")


def test_where_no_node_differs_alone_none_is_named() -> None:
    others = {name: floats(0) for name in "abcy"}
    assert "" == sought(NODES, lambda asked: {name: floats(0) for name in asked}, others)


def test_another_backend_is_compared_with_if_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = chain(tmp_path, monkeypatch, "--backend", "reference", "--against", WRONG)
    theirs = found["compared_with"][-1]
    assert "y[0]" in theirs["difference"]
    assert "#1 Neg -> b" == theirs["first_node"]
    assert [] == found["wrong"]


@pytest.mark.slow
def test_the_outputs_are_compared_with_those_of_the_oracles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = [
        chain(tmp_path, monkeypatch, "--backend", backend)["compared_with"][1]["difference"]
        for backend in ("reference", WRONG)
    ]
    assert "" == told[0]
    assert told[1].startswith("y[0] is")


def test_onnxruntime_is_compared_with_itself_without_optimization(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    found = chain(tmp_path, monkeypatch, "--backend", "onnxruntime")
    assert ("onnxruntime-noopt", "") == (
        found["compared_with"][-1]["other"],
        found["compared_with"][-1]["difference"],
    )


def test_a_backend_without_such_a_twin_has_none() -> None:
    assert "" == unoptimized("reference")
    assert "onnxruntime-noopt+static" == unoptimized("onnxruntime+static")


def test_a_model_that_is_too_much_for_the_oracles_as_a_whole_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "_WHOLE", 3)
    model = list_uses(write_model(tmp_path, CHAIN))
    values = {name: floats(1, 2) for name in "abcxy"}
    found = installed_cutter().interpreted(model, {"x": values["x"]}, values)
    assert (None, "the whole of it is too much for the oracles") == (found.outputs, found.why)


def test_a_model_with_an_operator_without_oracle_is_not_interpreted(tmp_path: Path) -> None:
    text = CHAIN.replace('["": 17]', '["": 17, "own": 1]').replace("Relu", "own.Strange")
    model = list_uses(write_model(tmp_path, text))
    values = {name: floats(1, 2) for name in "abcxy"}
    found = installed_cutter().interpreted(model, {"x": values["x"]}, values)
    assert found.outputs is None
    assert "interpreter does not take it" in found.why
