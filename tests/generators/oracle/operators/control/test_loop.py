"""The oracle of Loop: what ends it, what it carries, what it stacks, and that it always ends."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.values.tensors import SequenceValue, Tensor
from onnx_conformance.generators.oracle import Call, InvalidCallError, compute
from onnx_conformance.generators.oracle.errors import EndlessError, OpenError
from onnx_conformance.generators.oracle.registry import answers
from onnx_conformance.generators.oracle.subgraph import MOST_ITERATIONS, Subgraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Value

    Shape = tuple[int | str | None, ...] | None

TRUE, FALSE = Tensor("bool", (), b"\x01"), Tensor("bool", (), b"\x00")


def number(value: int) -> Tensor:
    return Tensor("int64", (), struct.pack("<q", value))


def ints(*values: int, shape: tuple[int, ...] | None = None) -> Tensor:
    return Tensor("int64", shape or (len(values),), struct.pack(f"<{len(values)}q", *values))


def value(tensor: Value) -> int:
    assert isinstance(tensor, Tensor)
    assert isinstance(tensor.data, bytes)
    return int.from_bytes(tensor.data, "little", signed=True)


def counting(last: int, shape: Shape = (), kind: str | None = "int64") -> Subgraph:
    """A body that goes on up to an iteration, adds its number, and shows both of its values."""

    def run(values: Sequence[Value]) -> tuple[Value, ...]:
        step, _, total = values
        goes_on = TRUE if value(step) < last else FALSE
        return goes_on, number(value(total) + value(step)), total

    return Subgraph(("i", "c", "v"), ("d", "w", "s"), ("bool", "int64", kind), ((), (), shape), run)


def looped(body: Subgraph, *carried: Value, **inputs: Tensor) -> tuple[object, ...]:
    given: dict[str, Value | tuple[Value, ...]] = dict(inputs)
    if carried:
        given["v_initial"] = carried
    return compute(Call(25, {"body": body}, given, "Loop"))


@pytest.mark.parametrize(
    ("trips", "total", "shown"), [(0, 5, ()), (-1, 5, ()), (1, 5, (5,)), (4, 11, (5, 5, 6, 8))]
)
def test_the_trip_count_ends_a_loop(trips: int, total: int, shown: tuple[int, ...]) -> None:
    found = looped(counting(9), number(5), M=number(trips), cond=TRUE)
    assert (number(total), ints(*shown)) == found


def test_a_condition_that_is_false_ends_a_loop_after_its_iteration() -> None:
    assert (number(3), ints(0, 0, 1)) == looped(counting(2), number(0), M=number(9), cond=TRUE)
    assert (number(3), ints(0, 0, 1)) == looped(counting(2), number(0), cond=TRUE)
    assert (number(0), ints()) == looped(counting(2), number(0), cond=FALSE)


def test_without_the_input_the_condition_of_the_body_is_ignored() -> None:
    body = counting(1)
    call = Call(25, {"body": body}, {"M": number(4), "v_initial": (number(0),)}, "Loop")
    assert [(number(6), ints(0, 0, 1, 3))] * 2 == [item.result for item in answers(call)]


def test_what_the_body_gets_as_an_ignored_condition_is_open() -> None:
    def run(values: Sequence[Value]) -> tuple[Value, ...]:
        return FALSE, values[1]

    body = Subgraph(("i", "c"), ("d", "s"), ("bool", "bool"), ((), ()), run)
    found = answers(Call(25, {"body": body}, {"M": number(3)}, "Loop"))
    flags = [Tensor("bool", (3,), b"\x01\x01\x01"), Tensor("bool", (3,), b"\x01\x00\x00")]
    assert [(item,) for item in flags] == [item.result for item in found]


def test_scan_outputs_of_another_shape_are_invalid() -> None:
    def run(values: Sequence[Value]) -> tuple[Value, ...]:
        step = value(values[0])
        return TRUE, ints(1, 2, shape=(1, 2) if step else (2, 1))

    body = Subgraph(("i", "c"), ("d", "s"), ("bool", "int64"), ((), None), run)
    assert (ints(1, 2, shape=(1, 2, 1)),) == looped(body, M=number(1), cond=TRUE)
    with pytest.raises(InvalidCallError, match=r"\[1, 2\] after int64 \[2, 1\]"):
        looped(body, M=number(2), cond=TRUE)


def test_a_scan_output_that_is_a_sequence_is_invalid() -> None:
    def run(_values: Sequence[Value]) -> tuple[Value, ...]:
        return TRUE, SequenceValue(())

    body = Subgraph(("i", "c"), ("d", "s"), ("bool", "seq(int64)"), ((), None), run)
    for trips in (0, 1):
        with pytest.raises(InvalidCallError, match="is no tensor"):
            looped(body, M=number(trips), cond=TRUE)


def test_after_no_iteration_declared_dimensions_stand_and_others_are_open() -> None:
    def nothing(shape: Shape, reading: str = "") -> tuple[object, ...]:
        readings = {"no-iteration-of-unknown-size": reading} if reading else {}
        readings |= {"no-iteration-of-unknown-rank": reading} if reading else {}
        given = {"M": number(0), "v_initial": (ints(4, 5),)}
        body = replace(counting(0, shape), run=lambda values: (TRUE, values[2], values[2]))
        return compute(Call(25, {"body": body}, given, "Loop", readings=readings))

    assert Tensor("int64", (0, 2), b"") == nothing((2,))[1]
    with pytest.raises(OpenError, match="no-iteration-of-unknown-size"):
        nothing(("n", 3))
    assert Tensor("int64", (0, 0, 3), b"") == nothing(("n", 3), "zero")[1]
    assert Tensor("int64", (0,), b"") == nothing(None, "vector")[1]
    assert Tensor("int64", (0, 2), b"") == nothing(None, "as-computed")[1]


@pytest.mark.parametrize(("names", "given"), [(("d", "w"), ("i", "c")), (("d",), ("i", "c", "v"))])
def test_a_body_with_other_counts_is_invalid(
    names: tuple[str, ...], given: tuple[str, ...]
) -> None:
    count = len(names)
    body = Subgraph(given, names, ("bool",) * count, ((),) * count, lambda _values: (TRUE,) * count)
    with pytest.raises(InvalidCallError, match="the body has"):
        looped(body, TRUE, M=number(0), cond=TRUE)


@pytest.mark.parametrize(("trips", "condition"), [(ints(1, 1), TRUE), (ints(), TRUE)])
def test_a_trip_count_of_another_number_of_elements_is_invalid(
    trips: Tensor, condition: Tensor
) -> None:
    with pytest.raises(InvalidCallError, match="not one"):
        looped(counting(1), number(0), M=trips, cond=condition)


def test_one_element_in_a_vector_is_open() -> None:
    with pytest.raises(OpenError, match="trip-count-is-no-scalar"):
        looped(counting(1), number(0), M=ints(1), cond=TRUE)
    with pytest.raises(OpenError, match="condition-is-no-scalar"):
        looped(counting(1), number(0), M=number(1), cond=Tensor("bool", (1,), b"\x01"))


def test_a_loop_that_nothing_ends_is_not_waited_for() -> None:
    endless = counting(1 << 62)
    for inputs in ({}, {"M": number(1 << 62)}, {"M": number(MOST_ITERATIONS + 1)}):
        with pytest.raises(EndlessError, match="nothing ends a Loop"):
            looped(endless, number(0), **inputs)
    with pytest.raises(EndlessError, match=f"goes on after {MOST_ITERATIONS} iterations"):
        looped(endless, number(0), cond=TRUE)
    with pytest.raises(EndlessError, match=f"goes on after {MOST_ITERATIONS} iterations"):
        looped(endless, number(0), M=number(1 << 62), cond=TRUE)


def test_the_most_iterations_are_run() -> None:
    found = looped(counting(MOST_ITERATIONS - 1), number(0), cond=TRUE)
    assert number(MOST_ITERATIONS * (MOST_ITERATIONS - 1) // 2) == found[0]
