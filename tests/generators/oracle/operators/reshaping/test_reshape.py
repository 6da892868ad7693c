from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle import Call, InvalidCallError, evaluate
from onnx_conformance.generators.oracle.arith.integers import int64_tensor
from onnx_conformance.generators.situations.data.element_values import derived_tensor

SMALL = st.lists(st.integers(0, 4), max_size=4)
TARGETS = st.lists(st.integers(-2, 6), max_size=5)


def reshaped(
    shape: tuple[int, ...], target: list[int], allowzero: int | None = None
) -> tuple[int, ...] | str:
    """The shape of the result, or why the call is invalid."""
    count = math.prod(shape)
    data = Tensor("uint8", shape, bytes(index % 251 for index in range(count)))
    attributes = {} if allowzero is None else {"allowzero": allowzero}
    call = Call(25, attributes, {"data": data, "shape": int64_tensor(target)})
    try:
        (result,) = evaluate("Reshape", call)
    except InvalidCallError as error:
        return str(error)
    assert (data.type, data.data) == (result.type, result.data)
    assert math.prod(result.shape) == count
    return result.shape


def candidates(shape: list[int], target: list[int], *, literal: bool) -> set[tuple[int, ...]]:
    """Every shape that the document's sentences allow, found by trying.

    The value of -1 is searched for, not computed. Where several would fit, as beside a 0, the
    document does not say which one it is.
    """
    if target.count(-1) > 1 or min(target, default=0) < -1:
        return set()
    if literal and 0 in target and -1 in target:
        return set()
    if not literal and any(size == 0 for size in target[len(shape) :]):
        return set()
    known = [
        shape[index] if size == 0 and not literal else size for index, size in enumerate(target)
    ]
    count = math.prod(shape)
    tried = ([size if item == -1 else item for item in known] for size in range(count + 2))
    return {tuple(item) for item in tried if math.prod(item) == count}


@given(SMALL, TARGETS, st.booleans())
def test_it_is_the_only_shape_that_the_document_allows(
    shape: list[int],
    target: list[int],
    literal: bool,  # noqa: FBT001  drawn
) -> None:
    allowed = candidates(shape, target, literal=literal)
    result = reshaped(tuple(shape), target, int(literal))
    if len(allowed) == 1:
        assert allowed == {result}
    else:
        assert isinstance(result, str)


@given(SMALL, st.permutations(range(4)), st.data())
def test_a_valid_call_is_numpys_reshape_element_for_element(
    shape: list[int], order: list[int], data: st.DataObject
) -> None:
    count = math.prod(shape)
    array = np.arange(count, dtype="<i8").reshape(shape)
    target = [shape[index] for index in order if index < len(shape)]
    if target and count:
        position = data.draw(st.integers(0, len(target) - 1))
        target[position] = -1
    tensor = Tensor("int64", tuple(shape), array.tobytes())
    call = Call(14, {"allowzero": 1}, {"data": tensor, "shape": int64_tensor(target)})
    (result,) = evaluate("Reshape", call)
    expected = array.reshape(target)
    assert (expected.shape, expected.tobytes()) == (result.shape, result.data)


@given(st.lists(st.integers(1, 5), max_size=5), st.lists(st.integers(0, 4)))
def test_without_allowzero_a_zero_is_the_datas_own_dimension(
    shape: list[int], axes: list[int]
) -> None:
    target = [0 if axis in axes else size for axis, size in enumerate(shape)]
    assert tuple(shape) == reshaped(tuple(shape), target)


@pytest.mark.parametrize(
    ("shape", "target", "allowzero", "expected"),
    [
        ((2, 3, 4), [4, 2, 3], None, (4, 2, 3)),
        ((2, 3, 4), [2, -1, 2], None, (2, 6, 2)),
        ((2, 3, 4), [2, 0, 1, -1], None, (2, 3, 1, 4)),
        ((2, 3, 4), [2, 0, 4, 1], None, (2, 3, 4, 1)),
        ((0, 3, 4), [3, 4, 0], 1, (3, 4, 0)),
        ((0, 3), [3, -1], None, (3, 0)),
        ((0, 3), [-1, 3], None, (0, 3)),
        ((0, 3), [0, 3], 1, (0, 3)),
        ((1, 1), [], None, ()),
        ((), [1], None, (1,)),
        ((), [-1], None, (1,)),
        ((2, 3), [4], None, "4 elements requested, 6 given"),
        ((2, 3), [-1, -1], None, "more than one -1 in [-1, -1]"),
        ((2, 3), [-2, 3], None, "a dimension below -1 in [-2, 3]"),
        ((2, 3), [2, 3, 0], None, "0 at index 2 of data with rank 2"),
        ((2, 3), [4, -1], None, "6 elements do not divide by 4"),
        ((0, 3), [0, -1], None, "-1 beside a zero dimension: no value, or any, would fit"),
        ((0, 3), [0, -1], 1, "allowzero with both 0 and -1 in [0, -1]"),
        ((2, 3), [0, -1], 1, "allowzero with both 0 and -1 in [0, -1]"),
        ((2, 3), [2**32 + 6], None, f"{2**32 + 6} elements requested, 6 given"),
        ((0,), [2**32, 2**32], None, f"{2**64} elements requested, 0 given"),
        ((0,), [-1, 2**32], None, (0, 2**32)),
    ],
)
def test_facts_of_the_document(
    shape: tuple[int, ...], target: list[int], allowzero: int | None, expected: object
) -> None:
    assert expected == reshaped(shape, target, allowzero)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (Tensor("int32", (1,), b"\6\0\0\0"), "shape has element type int32, not int64"),
        (Tensor("int64", (), b"\6" + bytes(7)), "shape has rank 0, not 1"),
        (Tensor("int64", (1, 1), b"\6" + bytes(7)), "shape has rank 2, not 1"),
    ],
)
def test_a_shape_of_another_type_or_rank_is_invalid(tensor: Tensor, message: str) -> None:
    data = Tensor("uint8", (6,), bytes(6))
    with pytest.raises(InvalidCallError) as caught:
        evaluate("Reshape", Call(14, {}, {"data": data, "shape": tensor}))
    assert message == str(caught.value)


def test_version_1_takes_the_shape_as_an_attribute() -> None:
    data = Tensor("uint8", (6,), bytes(6))
    (result,) = evaluate("Reshape", Call(1, {"shape": (2, -1)}, {"data": data}))
    assert (2, 3) == result.shape


@pytest.mark.parametrize(
    ("attributes", "words"), [({}, "no shape is given"), ({"shape": 6}, "has the wrong type")]
)
def test_a_call_without_a_shape_is_invalid(attributes: dict[str, int], words: str) -> None:
    data = Tensor("uint8", (6,), bytes(6))
    with pytest.raises(InvalidCallError, match=words):
        evaluate("Reshape", Call(1, attributes, {"data": data}))


@pytest.mark.parametrize("name", ["string", "int4", "uint2", "complex128", "bfloat16"])
def test_elements_are_passed_on_bit_for_bit(name: str) -> None:
    data = derived_tensor(name, (3, 5), "seed")
    call = Call(25, {}, {"data": data, "shape": int64_tensor([5, -1])})
    assert (Tensor(name, (5, 3), data.data),) == evaluate("Reshape", call)
