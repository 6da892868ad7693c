"""The oracle of SequenceInsert: where a tensor goes, and which positions are errors."""

from __future__ import annotations

import pytest

from onnx_conformance.core.values.tensors import SequenceValue, Tensor
from onnx_conformance.generators.oracle.arith.grid import scalar, tensor_of, vector
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _inserted(count: int, position: Tensor | None) -> list[int]:
    """The order of the numbers 0 to count - 1 after 9 is inserted, each a tensor of its own."""
    items = tuple(tensor_of(scalar("uint8", item)) for item in range(count))
    inputs = {"input_sequence": SequenceValue(items), "tensor": tensor_of(scalar("uint8", 9))}
    given = inputs if position is None else {**inputs, "position": position}
    (result,) = compute(Call(11, {}, given, "SequenceInsert"))
    assert isinstance(result, SequenceValue)
    return [item.data[0] for item in result.items if isinstance(item, Tensor)]


def _at(position: int) -> Tensor:
    return tensor_of(scalar("int64", position))


@pytest.mark.parametrize(
    ("position", "expected"),
    [(0, [9, 0, 1]), (1, [0, 9, 1]), (2, [0, 1, 9]), (-1, [0, 9, 1]), (-2, [9, 0, 1])],
)
def test_the_tensor_stands_at_the_position(position: int, expected: list[int]) -> None:
    assert _inserted(2, _at(position)) == expected


def test_without_a_position_it_comes_last() -> None:
    assert _inserted(2, None) == [0, 1, 9]


@pytest.mark.parametrize("position", [3, -3])
def test_a_position_beyond_the_ends_is_invalid(position: int) -> None:
    with pytest.raises(InvalidCallError, match="outside"):
        _inserted(2, _at(position))


def test_a_position_of_shape_1_is_open() -> None:
    with pytest.raises(OpenError, match="position-of-one-element"):
        _inserted(2, tensor_of(vector("int64", [0])))


def test_a_position_of_two_elements_is_invalid() -> None:
    with pytest.raises(InvalidCallError, match="scalar"):
        _inserted(2, tensor_of(vector("int64", [0, 1])))
