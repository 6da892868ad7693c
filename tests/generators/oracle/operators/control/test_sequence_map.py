"""The oracle of SequenceMap: samples, shared tensors, lengths; and its function body beside it."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from onnx import parser

from onnx_conformance.core.values.tensors import SequenceValue, Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter.outcomes import NoOracleError, RefusedError
from onnx_conformance.generators.interpreter.reading import read_model
from onnx_conformance.generators.interpreter.witnesses.by_bodies import BodySession
from onnx_conformance.generators.oracle import Call, InvalidCallError, compute
from onnx_conformance.generators.oracle.errors import EndlessError, OpenError
from onnx_conformance.generators.oracle.subgraph import MOST_ITERATIONS, Subgraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Value


def byte(*values: int) -> Tensor:
    return Tensor("uint8", (len(values),), bytes(values))


def floats(*values: float) -> Tensor:
    return Tensor("float32", (len(values),), struct.pack(f"<{len(values)}f", *values))


def swapping(values: Sequence[Value]) -> tuple[Value, ...]:
    """Both inputs, the second first."""
    return values[1], values[0]


BODY = Subgraph(("e", "f"), ("y", "z"), ("uint8", "uint8"), (None, None), swapping)
ITEMS = SequenceValue((byte(1), byte(2, 3), byte()))


def mapped(
    *others: Value, body: Subgraph = BODY, first: SequenceValue = ITEMS
) -> tuple[object, ...]:
    given: dict[str, Value | tuple[Value, ...]] = {"input_sequence": first}
    if others:
        given["additional_inputs"] = others
    return compute(Call(17, {"body": body}, given, "SequenceMap"))


def test_a_sequence_is_sampled_and_a_tensor_is_given_whole() -> None:
    other = SequenceValue((byte(7), byte(8), byte(9)))
    assert (other, ITEMS) == mapped(other)
    assert (SequenceValue((byte(7),) * 3), ITEMS) == mapped(byte(7))


def test_of_no_sample_nothing_is_made() -> None:
    nothing = SequenceValue(())
    assert (nothing, nothing) == mapped(byte(7), first=nothing)


def test_a_shorter_sequence_is_invalid_and_a_longer_one_open() -> None:
    with pytest.raises(InvalidCallError, match="2 values beside 3"):
        mapped(SequenceValue((byte(7), byte(8))))
    with pytest.raises(OpenError, match="more-samples-elsewhere"):
        mapped(SequenceValue((byte(7),) * 4))


def test_a_body_with_another_number_of_inputs_is_invalid() -> None:
    with pytest.raises(InvalidCallError, match="has 2 inputs for 1"):
        mapped()


def test_an_output_that_is_no_tensor_or_of_two_types_is_invalid() -> None:
    nested = Subgraph(("e",), ("y",), ("seq(uint8)",), (None,), tuple)
    with pytest.raises(InvalidCallError, match="is no tensor"):
        mapped(body=nested, first=SequenceValue(()))
    unsaid = Subgraph(("e",), ("y",), (None,), (None,), lambda _values: (ITEMS,))
    with pytest.raises(InvalidCallError, match="no tensor"):
        mapped(body=unsaid)
    kinds = iter((byte(1), floats(1.0), byte(2)))
    mixed = Subgraph(("e",), ("y",), (None,), (None,), lambda _values: (next(kinds),))
    with pytest.raises(InvalidCallError, match="float32 and uint8"):
        mapped(body=mixed)


def test_very_many_samples_are_not_begun() -> None:
    with pytest.raises(EndlessError, match="goes on after"):
        mapped(byte(1), first=SequenceValue((byte(1),) * (MOST_ITERATIONS + 1)))


TEXT = (
    '<ir_version: 8, opset_import: ["" : 17]> g (seq(float[n]) x, float[1] t) => (seq(float[n]) z)'
)


def by_body(body: str, inputs: str = "x, t") -> dict[str, Value]:
    text = f"{TEXT} {{ z = SequenceMap ({inputs}) <body = b {body}> }}"
    model = read_model(parser.parse_model(text))
    session = BodySession(model, installed_signatures())
    items = SequenceValue((floats(1.0, 2.0), floats(3.0)))
    return session.run({"x": items, "t": floats(10.0)})


def test_the_function_body_of_the_standard_is_built_around_the_graph() -> None:
    found = by_body("(float[n] e, float[1] f) => (float[n] y) { y = Add (e, f) }")
    assert {"z": SequenceValue((floats(11.0, 12.0), floats(13.0)))} == found


def test_a_graph_inside_the_graph_may_take_its_values() -> None:
    branches = (
        "then_branch = t () => (float[n] p) { p = Neg (e) },"
        " else_branch = o () => (float[n] q) { q = Add (e, f) }"
    )
    nodes = f"two = Size (e)  one = Size (f)  c = Less (one, two)  y = If (c) <{branches}>"
    found = by_body(f"(float[n] e, float[1] f) => (float[n] y) {{ {nodes} }}")
    assert {"z": SequenceValue((floats(-1.0, -2.0), floats(13.0)))} == found


def test_the_function_body_does_not_see_what_stands_around_its_node() -> None:
    with pytest.raises(NoOracleError, match="does not see 't'"):
        by_body("(float[n] e) => (float[n] y) { y = Add (e, t) }", inputs="x")


def test_a_node_that_onnx_builds_no_body_around_is_refused() -> None:
    with pytest.raises(RefusedError, match="Input 1 expected"):
        by_body("(float[n] e, float[1] f) => (float[n] y) { y = Add (e, f) }", inputs="x")
    with pytest.raises(RefusedError, match="takes 1 inputs"):
        by_body("(float[n] e) => (float[n] y) { y = Neg (e) }")
