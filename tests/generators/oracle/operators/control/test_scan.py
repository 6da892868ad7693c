"""The oracle of Scan: slices, states, stacking, and the batches of version 8."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle import Call, InvalidCallError, compute
from onnx_conformance.generators.oracle.arith.grid import Enclosed, Grid, grid_of
from onnx_conformance.generators.oracle.errors import EndlessError, OpenError
from onnx_conformance.generators.oracle.subgraph import MOST_ITERATIONS, Subgraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Value


def tensor(shape: tuple[int, ...], *values: int) -> Tensor:
    return Tensor("int8", shape, struct.pack(f"{len(values)}b", *values))


def floats(shape: tuple[int, ...], *values: float) -> Tensor:
    return Tensor("float32", shape, struct.pack(f"<{len(values)}f", *values))


def shifting(kind: str = "int8", shape: tuple[int | None, ...] = ()) -> Subgraph:
    """A body of one state and one scan input that takes the element for the state."""

    def run(values: Sequence[Value]) -> tuple[Value, ...]:
        state, element = values
        return element, state

    return Subgraph(("a", "e"), ("r", "s"), (kind, kind), (shape, shape), run)


def scanned(*values: Tensor, body: Subgraph | None = None, version: int = 25, **rest: Any) -> Any:  # noqa: ANN401  a result
    readings = rest.pop("readings", {})
    inputs: dict[str, Any] = {"initial_state_and_scan_inputs": values}
    if "lengths" in rest:
        inputs["sequence_lens"] = rest.pop("lengths")
    attributes = {"num_scan_inputs": 1, "body": body or shifting(), **rest}
    return compute(Call(version, attributes, inputs, "Scan", readings=readings))


def test_the_state_is_carried_and_the_scan_output_stacked() -> None:
    found = scanned(tensor((), 9), tensor((3,), 1, 2, 3))
    assert (tensor((), 3), tensor((3,), 9, 1, 2)) == found


def test_backward_goes_from_the_last_and_prepending_puts_the_last_first() -> None:
    backward = scanned(tensor((), 9), tensor((3,), 1, 2, 3), scan_input_directions=(1,))
    assert (tensor((), 1), tensor((3,), 9, 3, 2)) == backward
    prepended = scanned(tensor((), 9), tensor((3,), 1, 2, 3), scan_output_directions=(1,))
    assert (tensor((), 3), tensor((3,), 2, 1, 9)) == prepended


def test_axes_of_inputs_and_outputs_count_from_both_ends() -> None:
    values = tensor((2,), 8, 9), tensor((2, 3), 1, 2, 3, 4, 5, 6)
    expected = tensor((2,), 3, 6), tensor((2, 3), 8, 1, 2, 9, 4, 5)
    body = shifting(shape=(2,))
    for axis in (1, -1):
        found = scanned(*values, body=body, scan_input_axes=(axis,), scan_output_axes=(axis,))
        assert expected == found
    for name in ("scan_input_axes", "scan_output_axes"):
        for axis in (2, -3):
            with pytest.raises(InvalidCallError, match="is outside"):
                scanned(*values, body=body, **{"scan_input_axes": (1,), name: (axis,)})


def test_an_axis_below_0_is_open_before_version_11() -> None:
    with pytest.raises(OpenError, match="negative-axis"):
        scanned(tensor((), 9), tensor((3,), 1, 2, 3), version=9, scan_input_axes=(-1,))


@pytest.mark.parametrize(
    "rest",
    [
        {"scan_input_axes": (0, 0)},
        {"scan_input_directions": ()},
        {"scan_output_axes": (0, 0)},
        {"scan_output_directions": (0, 0)},
        {"num_scan_inputs": 0},
        {"num_scan_inputs": 3},
    ],
)
def test_numbers_that_do_not_fit_are_invalid(rest: dict[str, object]) -> None:
    with pytest.raises(InvalidCallError):
        scanned(tensor((), 9), tensor((3,), 1, 2, 3), **rest)


def test_scan_inputs_of_other_lengths_are_invalid() -> None:
    body = Subgraph(("e", "f"), ("s",), ("int8",), ((),), lambda values: (values[0],))
    with pytest.raises(InvalidCallError, match=r"lengths \[2, 3\]"):
        scanned(tensor((2,), 1, 2), tensor((3,), 1, 2, 3), body=body, num_scan_inputs=2)


def test_a_state_keeps_its_shape_and_the_initial_one_may_differ() -> None:
    def run(values: Sequence[Value]) -> tuple[Value, ...]:
        state = values[0]
        assert isinstance(state, Tensor)
        return (tensor(state.shape[::-1], *state.data),)

    turning = Subgraph(("a", "e"), ("r",), ("int8",), (None,), run)
    with pytest.raises(InvalidCallError, match="changes its shape"):
        scanned(tensor((1, 2), 1, 2), tensor((2,), 0, 0), body=turning)
    with pytest.raises(OpenError, match="initial-state-of-another-shape"):
        scanned(tensor((1, 2), 1, 2), tensor((1,), 0), body=turning)
    assert (tensor((1, 1), 5),) == scanned(tensor((1, 1), 5), tensor((2,), 0, 0), body=turning)


def test_nothing_to_scan_and_captured_values_are_open() -> None:
    nothing = tensor((), 9), tensor((0,))
    with pytest.raises(OpenError, match="nothing-to-scan"):
        scanned(*nothing)
    readings = {"nothing-to-scan": "no-iteration"}
    assert (tensor((), 9), tensor((0,))) == scanned(*nothing, readings=readings)
    body = Subgraph(
        ("a", "e"), ("r",), ("int8",), ((),), lambda values: (values[1],), captured=frozenset("x")
    )
    with pytest.raises(OpenError, match="captured-values"):
        scanned(tensor((), 9), tensor((1,), 1), body=body)


def test_a_scan_of_very_many_steps_is_not_begun() -> None:
    with pytest.raises(EndlessError, match=f"goes on after {MOST_ITERATIONS} iterations"):
        scanned(tensor((0,)), Tensor("int8", (1 << 40, 0), b""), body=shifting(shape=(0,)))


def test_version_8_scans_each_entry_of_the_batch_up_to_its_length() -> None:
    values = tensor((2,), 8, 9), tensor((2, 3), 1, 2, 3, 4, 5, 6)
    whole = scanned(*values, version=8)
    assert (tensor((2,), 3, 6), grid_of(tensor((2, 3), 8, 1, 2, 9, 4, 5))) == plain(whole)
    backward = scanned(*values, version=8, directions=(1,))
    assert (tensor((2,), 1, 4), grid_of(tensor((2, 3), 8, 3, 2, 9, 6, 5))) == plain(backward)
    lengths = Tensor("int64", (2,), struct.pack("<2q", 3, 1))
    readings = {"padding": "zeros"}
    short = scanned(*values, version=8, lengths=lengths, readings=readings, directions=(1,))
    assert (tensor((2,), 1, 4), grid_of(tensor((2, 3), 8, 3, 2, 9, 0, 0))) == plain(short)


def plain(found: tuple[Any, ...]) -> tuple[Any, ...]:
    """The result with the elements of its grids in tuples."""
    state, grid = found
    return state, Grid(grid.type, grid.shape, tuple(grid.items))


def test_behind_the_end_of_a_sequence_may_be_any_number() -> None:
    values = floats((1,), 8), floats((1, 2), 1, 2)
    lengths = Tensor("int64", (1,), struct.pack("<q", 1))
    with pytest.raises(OpenError, match="padding"):
        scanned(*values, version=8, lengths=lengths, body=shifting("float32"))
    readings = {"padding": "any-number"}
    found = scanned(
        *values, version=8, lengths=lengths, body=shifting("float32"), readings=readings
    )
    assert isinstance(found[1].items[1], Enclosed)


@pytest.mark.parametrize("lengths", [(1,), (1, 4), (-1, 1), (1, 1, 1)])
def test_lengths_that_do_not_fit_are_invalid(lengths: tuple[int, ...]) -> None:
    given = Tensor("int64", (len(lengths),), struct.pack(f"<{len(lengths)}q", *lengths))
    with pytest.raises(InvalidCallError, match="sequence_lens"):
        scanned(tensor((2,), 8, 9), tensor((2, 3), *range(6)), version=8, lengths=given)
