"""Mutants that arrange, asked about single calls."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest
from strength.arranging.arrangements import arrangement_mutants

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.registry import Result


def floats(*values: float, shape: tuple[int, ...] | None = None) -> Tensor:
    data = struct.pack(f"<{len(values)}f", *values)
    return Tensor("float32", (len(values),) if shape is None else shape, data)


def call_of(operator: str, version: int, inputs: dict[str, Any], **attributes: Any) -> Call:  # noqa: ANN401
    return Call(
        since_version=version,
        attributes=attributes,
        inputs=inputs,
        operator=operator,
        types={"T": "float32"},
    )


def answered(call: Call, name: str) -> Result:
    slips = dict(arrangement_mutants(installed_signatures().versions("", call.operator)))
    return slips[name](call, compute)


def values_of(result: Result) -> list[float]:
    item = result[0]
    tensor = tensor_of(item) if isinstance(item, Grid) else item
    assert isinstance(tensor, Tensor)
    assert isinstance(tensor.data, bytes)
    return list(struct.unpack(f"<{tensor.element_count}f", tensor.data))


SUB = call_of("Sub", 14, {"A": floats(5, 7, 9), "B": floats(1, 2, 4)})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("inputs 'A' and 'B' exchanged", [-4, -5, -5]),
        ("input 'A', axis 0 reversed", [8, 5, 1]),
        ("output 'C', axis 0 reversed", [5, 5, 4]),
        ("the last element of input 'B' never read", [4, 5, 9]),
        ("the middle element of output 'C' never written", [4, 0, 5]),
    ],
)
def test_what_is_arranged_otherwise_gives_other_numbers(name: str, expected: list[float]) -> None:
    assert expected == values_of(answered(SUB, name))


def test_an_output_in_which_nothing_moves_is_the_oracles_own() -> None:
    known = compute(SUB)
    slips = dict(arrangement_mutants(installed_signatures().versions("", "Sub")))
    assert slips["output 'C', axis 1 reversed"](SUB, lambda _call: known) is known


def test_smaller_axes_are_tiled_up_to_the_largest() -> None:
    call = call_of("Mul", 14, {"A": floats(1, 2, 3, 4), "B": floats(5, 7)})
    result = answered(call, "axis 0 of all inputs tiled up to that of the largest")
    assert [5, 14, 15, 28] == values_of(result)


def test_strings_are_compared_as_far_as_the_shortest() -> None:
    words = {name: Tensor("string", (1,), (text,)) for name, text in (("A", b"ab"), ("B", b"abc"))}
    call = call_of("Equal", 19, words)
    asked: list[Call] = []
    slips = dict(arrangement_mutants(installed_signatures().versions("", "Equal")))
    slips["strings compared as far as the shortest"](call, lambda it: (asked.append(it), ())[1])
    assert [(b"ab",), (b"ab",)] == [asked[0].inputs[name].data for name in "AB"]  # type: ignore[union-attr]


def test_a_default_is_that_of_the_version_beside() -> None:
    call = call_of("Softmax", 13, {"input": floats(1, 2, shape=(2, 1))}, axis=-1)
    name = "default of 'axis' in version 13 as in version 11"
    asked: list[Call] = []
    slips = dict(arrangement_mutants(installed_signatures().versions("", "Softmax")))
    slips[name](call, lambda it: (asked.append(it), ())[1])
    assert 1 == asked[0].attributes["axis"]


def test_inputs_whose_square_is_beyond_the_type_are_infinite() -> None:
    call = call_of("Relu", 14, {"X": floats(1e20, 1e18)})
    result = answered(call, "inputs whose square is beyond the type are infinite")
    assert [float("inf"), floats_of(1e18)] == values_of(result)


def test_inputs_whose_square_is_below_the_type_are_0() -> None:
    call = call_of("Relu", 14, {"X": floats(1e-24, 1e-18)})
    result = answered(call, "inputs whose square is below the type are 0")
    assert [0, floats_of(1e-18)] == values_of(result)


def test_results_of_which_the_double_is_beyond_the_type_are_infinite() -> None:
    call = call_of("Relu", 14, {"X": floats(2e38, 1e38)})
    result = answered(call, "results whose double is beyond the type are infinite")
    assert [float("inf"), floats_of(1e38)] == values_of(result)


def test_ties_go_away_from_0() -> None:
    call = call_of("Add", 14, {"A": floats(2.0**24), "B": floats(1)})
    result = answered(call, "half away from 0 for half to even")
    assert [2.0**24 + 2] == values_of(result)


def test_what_rounds_away_leaves_no_trace() -> None:
    call = call_of("Add", 14, {"A": floats(2.0**24), "B": floats(1)})
    answered(call, "half away from 0 for half to even")
    assert [2.0**24] == values_of(compute(call))


def floats_of(value: float) -> float:
    """A number of float32."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])
