"""Which level and which passes of onnxruntime's optimizer failures are of."""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import numpy_helper, parser

from onnx_conformance.core.exploring.explorer import Explored
from onnx_conformance.validator.exploring.blaming import Blamer
from onnx_conformance.validator.exploring.causes import Blame, Failure, Found
from onnx_conformance.validator.exploring.running import Runner
from onnx_conformance.validator.exploring.wording import blame_words
from onnx_conformance.validator.host.backends import find_backend, optimizer_of
from onnx_conformance.validator.host.optimizers import Optimizer
from onnx_conformance.validator.host.worker import Settings
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.records import Row

# docs/findings/onnxruntime-optimizer.md: two pairs become the first of them.
TWO_PAIRS = """<ir_version: 8, opset_import: ["":17]> g (float[2] x) => (float[2] y)
    <float quarter = {0.25}, float two = {2.0}, int8 zero = {0}> {
        a = QuantizeLinear (x, quarter, zero)
        b = DequantizeLinear (a, quarter, zero)
        c = QuantizeLinear (b, two, zero)
        y = DequantizeLinear (c, two, zero)
    }"""
SETTINGS = Settings(jobs=1, timeout=10, start_timeout=60, warm_up=30)
NEGATED = (
    """<ir_version: 8, opset_import: ["":17]> g (float[2] x) => (float[2] y) { y = Neg (x) }"""
)


def call(name: str, text: str, given: list[float], due: list[float]) -> Explored:
    data = {
        "id": name,
        "kind": "valid",
        "purpose": "to be blamed",
        "operator": "Neg",
        "domain": "",
        "since_version": 17,
        "opset": 17,
        "ir_version": 8,
        "types": {},
        "case": "explored",
        "form": "static",
        "covers": [],
        "documented": None,
        "expect": "outputs",
        "rtol": 0.0,
        "atol": 0.0,
        "inputs": ["x"],
        "outputs": ["y"],
    }
    files = {
        "model.onnx": parser.parse_model(text).SerializeToString(),
        "data.json": json.dumps(data).encode(),
        "test_data_set_0/input_0.pb": proto(given, "x").SerializeToString(),
        "test_data_set_0/output_0.pb": proto(due, "y").SerializeToString(),
    }
    return Explored(name, "Neg", files=files)


def proto(values: list[float], name: str) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(values, np.float32), name)


def failure(explored: Explored) -> Failure:
    """What onnxruntime makes of a call, as it comes."""
    runner = Runner(find_backend("onnxruntime"), SETTINGS, "ieee")
    with contextlib.closing(runner):
        runner.start()
        return Failure(runner.at_once([explored])[explored.id], explored)


def blamer(end: float = float("inf"), optimizer: Optimizer | None = None) -> Blamer:
    optimizer = optimizer or optimizer_of("onnxruntime")
    assert optimizer is not None
    over = lambda: time.monotonic() > end  # noqa: E731  shorter than its name
    return Blamer(find_backend("onnxruntime"), optimizer, SETTINGS, "ieee", over)


def test_the_pass_that_loses_a_rounding_is_named_and_a_wrong_expectation_is_no_optimizers() -> None:
    pairs = failure(call("explore/graph-17/g1.0", TWO_PAIRS, [2.5, 3.75], [2.0, 4.0]))
    wrong = failure(call("explore/graph-17/g1.1", NEGATED, [1.0, 2.0], [1.0, 2.0]))
    right = failure(call("explore/graph-17/g1.2", NEGATED, [1.0, 2.0], [-1.0, -2.0]))
    expected = {
        pairs.row.id: Blame("basic", optimized=True, passes=("DoubleQDQPairsRemover",)),
        wrong.row.id: Blame("none", optimized=False),
    }
    assert expected == blamer().blames([pairs, wrong, right])


def test_a_call_that_fails_otherwise_without_optimization_says_nothing_of_the_optimizer() -> None:
    wrong = failure(call("explore/graph-17/g1.1", NEGATED, [1.0, 2.0], [1.0, 2.0]))
    crashed = replace(wrong, row=replace(wrong.row, verdict=Verdict.CRASHED))
    assert {} == blamer().blames([crashed])


def test_a_level_that_does_not_start_says_nothing() -> None:
    pairs = failure(call("explore/graph-17/g1.0", TWO_PAIRS, [2.5, 3.75], [2.0, 4.0]))
    assert {} == blamer(optimizer=Optimizer(("unheard-of", "all"), ())).blames([pairs])


def test_what_no_pass_is_to_blame_for_has_an_empty_list() -> None:
    pairs = failure(call("explore/graph-17/g1.0", TWO_PAIRS, [2.5, 3.75], [2.0, 4.0]))
    blames = blamer(optimizer=Optimizer(("none", "all"), ("ConstantFolding",))).blames([pairs])
    assert {pairs.row.id: Blame("all", optimized=True, passes=())} == blames


def test_what_the_corpus_shows_is_not_run_again() -> None:
    pairs = call("explore/graph-17/g1.0", TWO_PAIRS, [2.5, 3.75], [2.0, 4.0])
    row = Row(pairs.id, Verdict.WRONG_VALUE, None, "", 0.0, operator="Neg")
    known = Found(Failure(row, pairs), known="neg-13/example/float32")
    assert [known] == blamer().blamed([known])


def test_nothing_is_said_once_the_time_is_over() -> None:
    pairs = call("explore/graph-17/g1.0", TWO_PAIRS, [2.5, 3.75], [2.0, 4.0])
    row = Row(pairs.id, Verdict.WRONG_VALUE, None, "", 0.0, operator="Neg")
    assert {} == blamer(end=0).blames([Failure(row, pairs)])


def test_a_backend_without_an_optimizer_has_none() -> None:
    assert optimizer_of("onnxruntime+static") is not None
    assert [None] * 3 == [optimizer_of(name) for name in ("reference", "command:x", "mine")]


@pytest.mark.parametrize(
    ("blame", "words"),
    [
        (Blame("none", optimized=False), "fails without optimization, too"),
        (Blame("all", optimized=True), "passes without optimization, fails from level all on"),
        (
            Blame("basic", optimized=True, passes=()),
            "passes without optimization, fails from level basic on, whatever passes are left out",
        ),
        (
            Blame("basic", optimized=True, passes=("A", "B")),
            "passes without optimization, fails from level basic on; passes without A and B",
        ),
    ],
)
def test_a_blame_is_a_line(blame: Blame, words: str) -> None:
    assert words == blame_words(blame)
