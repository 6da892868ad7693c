"""The oracles of SplitToSequence and ConcatFromSequence, and types that follow others."""

from __future__ import annotations

import pytest

from onnx_conformance.core.values.tensors import SequenceValue, Tensor
from onnx_conformance.generators.oracle import Call, InvalidCallError, OpenError, compute
from onnx_conformance.generators.oracle.arith.grid import Grid
from onnx_conformance.generators.oracle.arith.integers import int64_scalar, int64_tensor
from onnx_conformance.generators.situations.bindings import followed


def counted(*shape: int) -> Tensor:
    size = 1
    for item in shape:
        size *= item
    return Tensor("uint8", shape, bytes(range(size)))


def parts(data: Tensor, split: Tensor | None = None, **attributes: int) -> list[Tensor]:
    inputs = {"input": data} if split is None else {"input": data, "split": split}
    call = Call(24, {"axis": 0, "keepdims": 1, **attributes}, inputs, "SplitToSequence")
    (result,) = compute(call)
    assert isinstance(result, SequenceValue)
    return [item for item in result.items if isinstance(item, Tensor)]


def joined(*items: Tensor, **attributes: int) -> tuple[tuple[int, ...], list[int]]:
    inputs = {"input_sequence": SequenceValue(items)}
    (result,) = compute(Call(11, {"new_axis": 0, **attributes}, inputs, "ConcatFromSequence"))
    assert isinstance(result, Grid)
    return result.shape, list(result.items)


def test_without_lengths_each_part_has_one_and_keeps_the_axis() -> None:
    expected = [Tensor("uint8", (1, 2), bytes([0, 1])), Tensor("uint8", (1, 2), bytes([2, 3]))]
    assert expected == parts(counted(2, 2))


def test_keepdims_0_takes_the_axis_away_where_no_lengths_are_given() -> None:
    expected = [Tensor("uint8", (2,), bytes([0, 2])), Tensor("uint8", (2,), bytes([1, 3]))]
    assert expected == parts(counted(2, 2), axis=-1, keepdims=0)
    assert [(1, 2)] * 2 == [
        item.shape for item in parts(counted(2, 2), int64_scalar(1), keepdims=0)
    ]


def test_the_last_part_of_a_size_may_be_shorter() -> None:
    assert [2, 2, 1] == [item.shape[0] for item in parts(counted(5), int64_scalar(2))]
    assert [5] == [item.shape[0] for item in parts(counted(5), int64_scalar(7))]


def test_lengths_make_up_the_axis() -> None:
    assert [1, 4] == [item.shape[0] for item in parts(counted(5), int64_tensor([1, 4]))]
    for wrong in ([1, 3], [2, 4], [6, -1], []):
        with pytest.raises(InvalidCallError):
            parts(counted(5), int64_tensor(wrong))


def test_a_length_of_zero_and_an_axis_of_size_zero_are_open() -> None:
    with pytest.raises(OpenError):
        parts(counted(5), int64_tensor([5, 0]))
    with pytest.raises(OpenError):
        parts(counted(0), int64_scalar(2))
    with pytest.raises(InvalidCallError):
        parts(counted(5), int64_scalar(0))


def test_tensors_are_joined_along_an_axis_or_stacked_on_a_new_one() -> None:
    assert ((3,), [0, 0, 1]) == joined(counted(1), counted(2), axis=0)
    assert ((2, 2), [0, 1, 0, 1]) == joined(counted(2), counted(2), axis=0, new_axis=1)
    assert ((2, 2), [0, 0, 1, 1]) == joined(counted(2), counted(2), axis=-1, new_axis=1)


@pytest.mark.parametrize(
    ("items", "attributes"),
    [
        ((counted(2), counted(3)), {"axis": 0, "new_axis": 1}),
        ((counted(2), counted(2)), {"axis": 2, "new_axis": 1}),
        ((counted(2), counted(2)), {"axis": 1}),
        ((counted(2), counted(2, 1)), {"axis": 0}),
        ((), {"axis": 0}),
    ],
)
def test_what_does_not_fit_is_invalid(
    items: tuple[Tensor, ...], attributes: dict[str, int]
) -> None:
    with pytest.raises(InvalidCallError):
        joined(*items, **attributes)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("V", "seq(int8)"),
        ("optional(V)", "optional(seq(int8))"),
        ("item(V)", "int8"),
        ("inside(V)", "seq(int8)"),
        ("inside(O)", "seq(int8)"),
        ("inside(T)", "float32"),
        ("seq(T)", "seq(float32)"),
    ],
)
def test_a_type_follows_another(rule: str, expected: str) -> None:
    bound = {"V": "seq(int8)", "O": "optional(seq(int8))", "T": "float32"}
    assert expected == followed(rule, bound)
