"""The interpreter of models over the oracles, and the backend `oracle` that it is."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import onnx
import pytest
from onnx import TensorProto, helper, parser

from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor
from onnx_conformance.core.values.wire import to_wire
from onnx_conformance.generators.interpreter import installed_signatures, run_model, running
from onnx_conformance.generators.interpreter.outcomes import NoOracleError, RefusedError
from onnx_conformance.generators.interpreter.reading import read_model
from onnx_conformance.generators.interpreter.witnesses.by_bodies import BodySession
from onnx_conformance.generators.oracle.registry import Call, compute
from onnx_conformance.validator.host.backends import find_backend

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.values.tensors import Value

HEADER = '<ir_version: 10, opset_import: ["" : 21]>'


def floats(*values: float) -> Tensor:
    return Tensor("float32", (len(values),), struct.pack(f"<{len(values)}f", *values))


def ints(*values: int) -> Tensor:
    return Tensor("int64", (len(values),), struct.pack(f"<{len(values)}q", *values))


def number(value: int) -> Tensor:
    return Tensor("int64", (), struct.pack("<q", value))


def truth(value: bool) -> Tensor:  # noqa: FBT001
    return Tensor("bool", (), bytes([value]))


def run(text: str, header: str = HEADER, **feeds: Value) -> dict[str, Any]:
    return run_model(parser.parse_model(header + text), feeds)


def test_nodes_run_in_order_and_hand_values_on() -> None:
    outputs = run(
        "g (float[n] x) => (float[n] y) { n = Neg(x) y = Sub(n, x) }", x=floats(1.0, -2.0)
    )
    assert {"y": floats(-2.0, 4.0)} == outputs


def test_an_initializer_that_is_an_input_is_a_default_that_can_be_overridden() -> None:
    text = "g (float[2] x = {1, 2}) => (float[n] y) { y = Neg(x) }"
    assert floats(-1.0, -2.0) == run(text)["y"]
    assert floats(-3.0, -4.0) == run(text, x=floats(3.0, 4.0))["y"]


def test_a_sparse_initializer_is_the_dense_tensor() -> None:
    model = parser.parse_model(HEADER + "g () => (float[n] y) { y = Identity(w) }")
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(to_proto(floats(5.0, 7.0), "w"), to_proto(ints(1, 3)), dims=[4])
    )
    assert floats(0.0, 5.0, 0.0, 7.0) == run_model(model, {})["y"]


def test_an_initializer_in_another_file_is_read(tmp_path: Path) -> None:
    model = parser.parse_model(HEADER + "g () => (float[n] y) { y = Identity(w) }")
    (tmp_path / "weights").write_bytes(b"...." + struct.pack("<2f", 1.0, 2.0))
    tensor = model.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[2])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "weights"), ("offset", "4"), ("length", "8")):
        tensor.external_data.add(key=key, value=value)
    assert floats(1.0, 2.0) == run_model(model, {}, tmp_path)["y"]


def test_a_branch_sees_the_outer_scope_and_the_condition_chooses() -> None:
    text = """g (bool c, float[1] x) => (float[n] y) {
        y = If (c) <then_branch = t () => (float[n] a) { a = Neg(x) },
                    else_branch = e () => (float[n] b) { b = Identity(x) }>
    }"""
    assert floats(-1.0) == run(text, c=truth(True), x=floats(1.0))["y"]  # noqa: FBT003
    assert floats(1.0) == run(text, c=truth(False), x=floats(1.0))["y"]  # noqa: FBT003


LOOP = """g (int64 m, bool c, float[n] x) => (float[n] last, float[k, n] all) {
    last, all = Loop (m, c, x) <body = b (int64 i, bool k, float[n] v) => (bool o, float[n] w,
        float[n] s) { o = Identity(k) w = Add(v, v) s = Identity(v) }>
}"""


def test_a_loop_carries_values_and_stacks_scan_outputs() -> None:
    outputs = run(LOOP, m=number(3), c=truth(True), x=floats(1.0))  # noqa: FBT003
    assert floats(8.0) == outputs["last"]
    assert Tensor("float32", (3, 1), floats(1.0, 2.0, 4.0).data) == outputs["all"]


def test_a_loop_without_iterations_gives_what_it_was_given() -> None:
    outputs = run(LOOP, m=number(5), c=truth(False), x=floats(1.0))  # noqa: FBT003
    assert floats(1.0) == outputs["last"]
    assert 0 == outputs["all"].shape[0]


def test_a_scan_goes_backward_and_along_another_axis() -> None:
    text = """g (float[1] s, float[1, 3] x) => (float[1] f, float[1, 3] y) {
        f, y = Scan (s, x) <num_scan_inputs = 1, scan_input_axes = [1],
            scan_input_directions = [1], scan_output_axes = [1],
            body = b (float[1] a, float[1] e) => (float[1] t, float[1] r) {
                t = Add(a, e) r = Identity(t) }>
    }"""
    outputs = run(text, s=floats(0.0), x=Tensor("float32", (1, 3), floats(1.0, 2.0, 4.0).data))
    assert floats(7.0) == outputs["f"]
    assert Tensor("float32", (1, 3), floats(4.0, 6.0, 7.0).data) == outputs["y"]


FUNCTION = """
<ir_version: 10, opset_import: ["" : 21, "local" : 1]>
g (float[n] x) => (float[k] y) { y = local.F CALL (x) }
<domain: "local", opset_import: ["" : 21]>
F <ATTRIBUTES> (a) => (b) { b = Concat <axis: int = @axis> (a, a) }
"""


@pytest.mark.parametrize(
    ("attributes", "call"),
    [("axis", "<axis = 0>"), ("axis: int = 0", ""), ("axis: int = 5", "<axis = 0>")],
)
def test_a_function_has_the_attributes_of_the_call_or_its_defaults(
    attributes: str, call: str
) -> None:
    text = FUNCTION.replace("ATTRIBUTES", attributes).replace("CALL", call)
    assert floats(1.0, 1.0) == run(text, "", x=floats(1.0))["y"]


def test_overloads_of_a_function_are_told_apart() -> None:
    model = parser.parse_model(FUNCTION.replace("ATTRIBUTES", "axis: int = 0").replace("CALL", ""))
    other = model.functions.add()
    other.CopyFrom(model.functions[0])
    other.overload = "negated"
    del other.node[:]
    other.node.append(helper.make_node("Neg", ["a"], ["b"]))
    model.graph.node[0].overload = "negated"
    assert floats(-1.0) == run_model(model, {"x": floats(1.0)})["y"]


def test_sequences_and_optionals_pass_through() -> None:
    text = """g (float[n] x, int64 p) => (seq(float[n]) s, float[n] y, bool h) {
        e = SequenceConstruct(x, x) z = Neg(x) s = SequenceInsert(e, z, p)
        o = Optional(x) y = OptionalGetElement(o) h = OptionalHasElement(o) }"""
    outputs = run(text, x=floats(1.0), p=number(0))
    assert SequenceValue((floats(-1.0), floats(1.0), floats(1.0))) == outputs["s"]
    assert floats(1.0) == outputs["y"]
    assert truth(True) == outputs["h"]  # noqa: FBT003


def test_an_optional_graph_input_that_is_not_fed_is_absent() -> None:
    text = "g (optional(float[n]) x) => (bool h) { h = OptionalHasElement(x) }"
    assert truth(False) == run(text)["h"]  # noqa: FBT003
    assert truth(True) == run(text, x=OptionalValue(floats(1.0)))["h"]  # noqa: FBT003


CAST_LIKE = "g (float[n] x, int64[n] z) => (int64[n] y) { y = CastLike(x, z) }"


def test_an_operator_without_an_oracle_runs_by_its_function_body(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(running, "has_oracle", lambda operator, *_: operator != "CastLike")
    assert ints(2, 3) == run(CAST_LIKE, x=floats(2.0, 3.0), z=ints(0, 0))["y"]


def test_an_operator_with_neither_oracle_nor_body_is_said_to_have_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(running, "has_oracle", lambda *_: False)
    with pytest.raises(NoOracleError, match="Cast-21 has neither"):
        run(CAST_LIKE, x=floats(2.0, 3.0), z=ints(0, 0))


def test_an_operator_is_run_by_its_body_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def noting(call: Call) -> object:
        asked.append(call.operator)
        return compute(call)

    monkeypatch.setattr(running, "compute", noting)
    model = read_model(parser.parse_model(HEADER + CAST_LIKE))
    session = BodySession(model, installed_signatures())
    assert {"y": ints(2, 3)} == session.run({"x": floats(2.0, 3.0), "z": ints(0, 0)})
    assert ["Cast"] == asked


def test_a_model_without_a_function_body_shows_nothing_about_bodies() -> None:
    model = read_model(parser.parse_model(HEADER + "g (float[n] x) => (float[n] y) { y = Neg(x) }"))
    with pytest.raises(NoOracleError, match="no operator in the model has a function body"):
        BodySession(model, installed_signatures())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("g (float[n] x) => (float[n] y) { y = Neg(z) }", "'z', an input of Neg, is not defined"),
        ("g (float[n] x) => (float[n] y) { y = Neg(z) z = Neg(x) }", "used before"),
        ("g (float[n] x) => (float[n] x2) { y = Neg(x) }", "'x2' is the output of no node"),
        ("g (float[n] x) => (float[n] y) { y = Neg(x) y = Neg(x) }", "'y' is defined twice"),
        ("g (float[n] x) => (float[n] y) { y = Nege(x) }", "did you mean 'Neg'"),
        ("g (float[n] x) => (float[n] y) { y = Neg <a = 1> (x) }", "no attribute 'a'"),
        ("g (float[n] x) => (float[n] y) { y = Concat <axis = 1.5> (x) }", "is int, not float"),
        ("g (float[n] x) => (float[n] y) { y = Concat (x) }", "needs attribute 'axis'"),
        ("g (float[n] x) => (float[n] y) { y = Neg(x, x) }", "has 2 inputs, not 1"),
        ("g (float[n] x) => (float[n] y) { y, z = Neg(x) }", "has 2 outputs, not 1"),
        ("g (string[n] x) => (string[n] y) { y = Neg(x) }", "takes no string as 'X'"),
        ("g (float[n] x, double[n] z) => (float[n] y) { y = Add(x, z) }", "'B' is float64"),
        ("g (float[n] x) => (double[n] y) { y = Neg(x) }", "declared float64, is float32"),
        ("g (float[n] x) => (float[n] y) { y = other.Neg(x) }", "'other' of other:Neg is not"),
        ("g (float[n] x) => (float[n] y) { y = Upsample(x, x) }", "is deprecated"),
    ],
)
def test_a_wrong_model_is_refused_at_load(text: str, words: str) -> None:
    with pytest.raises(RefusedError, match=words) as caught:
        run(text, x=floats(1.0))
    assert "load" == caught.value.phase


@pytest.mark.parametrize(
    ("declared", "words"),
    [("float[2]", r"declared \[2\], is \[1\]"), ("float[n, m]", r"is \[1\]")],
)
def test_an_output_of_another_shape_than_declared_is_refused(declared: str, words: str) -> None:
    with pytest.raises(RefusedError, match=words) as caught:
        run(f"g (float[n] x) => ({declared} y) {{ y = Neg(x) }}", x=floats(1.0))
    assert "run" == caught.value.phase


def test_an_invalid_call_is_refused_at_run() -> None:
    with pytest.raises(RefusedError, match="do not broadcast") as caught:
        run(
            "g (float[n] x, float[m] z) => (float[k] y) { y = Add(x, z) }",
            x=floats(1, 2),
            z=floats(1, 2, 3),
        )
    assert "run" == caught.value.phase


def test_the_backend_answers_the_protocol(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(parser.parse_model(HEADER + "g (float[n] x) => (float[n] y) { y = Neg(x) }"), path)
    fed = {"name": "x", **to_wire(floats(1.0))}
    requests: list[dict[str, Any]] = [
        {"command": "describe", "protocol": 1},
        {
            "command": "run",
            "id": "a",
            "model": {"path": str(path)},
            "outputs": ["y"],
            "data_sets": [[fed]],
        },
        {
            "command": "run",
            "id": "b",
            "model": {"path": str(path)},
            "outputs": ["y"],
            "data_sets": [[]],
        },
        {"command": "stop"},
    ]
    done = subprocess.run(
        find_backend("oracle").command,
        input="".join(json.dumps(item) + "\n" for item in requests),
        capture_output=True,
        text=True,
        check=True,
    )
    described, ran, refused = map(json.loads, done.stdout.splitlines())
    assert ("oracle", 1) == (described["name"], described["protocol"])
    assert [[to_wire(floats(-1.0))]] == ran["outputs"]
    assert {"phase": "run", "message": "graph input 'x' is not fed"} == refused["rejected"]


def test_the_backend_is_started_by_this_interpreter_and_takes_no_adaptation() -> None:
    assert (
        sys.executable,
        "-m",
        "onnx_conformance.generators.interpreter",
    ) == find_backend("oracle").command
    with pytest.raises(Exception, match="it takes none"):
        find_backend("oracle+freeze")


ADDING = "=> (bool d, float[2] w) { d = Identity(c)  w = Add(v, x) }"


@pytest.mark.parametrize(
    "body",
    [
        f"b (int64 i, bool c, float[2] x) {ADDING.replace('v', 'x')}",
        f"b (int64 n, bool c, float[2] v) {ADDING}",
        f"b (int64 i, bool c, float[2] v) {ADDING.replace('{', '<float[2] x = {1, 2}> {')}",
    ],
)
def test_an_input_or_initializer_of_a_subgraph_must_not_shadow_an_outer_name(body: str) -> None:
    text = f"g (int64 n, float[2] x) => (float[2] y) {{ y = Loop(n, , x) <body = {body}> }}"
    with pytest.raises(RefusedError, match="has the name of an outer value"):
        run(text.replace(", ,", ', "",'), n=number(1), x=floats(1.0, 2.0))


def test_loops_within_loops_that_do_not_end_in_time_are_given_up() -> None:
    inner = "bb (int64 j, bool e, float[2] p) => (bool e, float[2] p) { }"
    heads = "b (int64 i, bool c, float[2] v) => (bool c, float[2] w)"
    outer = f'{heads} {{ w = Loop(n, "", v) <body = {inner}> }}'
    text = f'g (int64 n, float[2] x) => (float[2] y) {{ y = Loop(n, "", x) <body = {outer}> }}'
    with pytest.raises(NoOracleError, match="a loop may be endless"):
        run(text, n=number(900), x=floats(1.0, 2.0))


def test_an_endless_loop_is_unsupported_by_the_backend() -> None:
    body = f"b (int64 i, bool c, float[2] v) {ADDING}"
    text = f'g (bool k, float[2] x) => (float[2] y) {{ y = Loop("", k, x) <body = {body}> }}'
    with pytest.raises(NoOracleError, match="its condition never turns false"):
        run(text, k=truth(value=True), x=floats(1.0, 2.0))


def test_many_elements_that_are_one_are_encoded_once() -> None:
    text = (
        "g (int64[2] s) => (int64 n, int16[K] y) {"
        " t = ConstantOfShape <value = int16[1] {-7}> (s)  n = Size(t)"
        " flat = Constant <value_ints = [-1]> ()  y = Reshape(t, flat) }"
    )
    outputs = run(text, s=ints(257, 257))
    assert number(257 * 257) == outputs["n"]
    assert struct.pack("<h", -7) * 257 * 257 == outputs["y"].data
