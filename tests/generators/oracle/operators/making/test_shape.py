from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle import Call, InvalidCallError, evaluate
from onnx_conformance.generators.oracle.arith.integers import int64_tensor, int64_values

INT64 = st.integers(-(2**63), 2**63 - 1)
AXES = st.one_of(st.none(), st.integers(-12, 12), INT64)
SHAPES = st.lists(st.integers(0, 2**40), max_size=6).map(lambda dims: (*dims, 0))


def shape_of(shape: tuple[int, ...], start: int | None = None, end: int | None = None) -> object:
    given_ = {name: value for name, value in (("start", start), ("end", end)) if value is not None}
    data = Tensor("uint8", shape, bytes(int(np.prod(shape)) if 0 not in shape else 0))
    (result,) = evaluate("Shape", Call(25, given_, {"data": data}))
    assert ("int64", 1) == (result.type, len(result.shape))
    values = int64_values(result)
    assert result == int64_tensor(values)
    return list(values)


def selected(shape: tuple[int, ...], start: int | None, end: int | None) -> list[int]:
    """The document's words axis by axis: which axes lie at or after start and before end."""
    rank = len(shape)

    def position(axis: int) -> int:
        counted = axis + rank if axis < 0 else axis
        return 0 if counted < 0 else min(counted, rank)

    first = position(0 if start is None else start)
    behind = rank if end is None else position(end)
    return [size for axis, size in enumerate(shape) if first <= axis < behind]


@given(SHAPES, AXES, AXES)
def test_the_result_holds_the_axes_from_start_and_before_end(
    shape: tuple[int, ...], start: int | None, end: int | None
) -> None:
    assert selected(shape, start, end) == shape_of(shape, start, end)


@given(SHAPES, st.integers(-7, 7), st.integers(-7, 7))
def test_within_the_rank_it_is_a_slice(shape: tuple[int, ...], start: int, end: int) -> None:
    rank = len(shape)
    if -rank <= start and -rank <= end:
        assert list(shape[start:end]) == shape_of(shape, start, end)


@given(st.lists(st.integers(0, 3), max_size=8))
def test_without_attributes_it_is_the_shape(dims: list[int]) -> None:
    assert list(np.empty(dims).shape) == shape_of(tuple(dims))


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (None, None, [2, 3, 4]),
        (-1, None, [4]),
        (None, -1, [2, 3]),
        (1, 2, [3]),
    ],
)
def test_the_four_examples_of_the_document(
    start: int | None, end: int | None, expected: list[int]
) -> None:
    assert expected == shape_of((2, 3, 4), start, end)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (None, -4, []),  # below -r: 0, and not the last axes once more
        (None, -(2**63), []),
        (-10, None, [2, 3, 4]),
        (-(2**63), 2**63 - 1, [2, 3, 4]),
        (2**32, None, []),  # not axis 0, as in 32 bits
        (None, 2**32 + 1, [2, 3, 4]),  # not [2], as in 32 bits
        (3, None, []),
        (0, 0, []),
        (2, 1, []),
    ],
)
def test_clamping(start: int | None, end: int | None, expected: list[int]) -> None:
    assert expected == shape_of((2, 3, 4), start, end)


@given(AXES, AXES)
def test_a_scalar_has_an_empty_shape_whatever_the_attributes(
    start: int | None, end: int | None
) -> None:
    assert [] == shape_of((), start, end)


def test_an_attribute_of_another_type_is_refused() -> None:
    call = Call(15, {"start": "1"}, {"data": Tensor("bool", (), b"\0")})
    with pytest.raises(InvalidCallError, match="attribute 'start' has the wrong type: '1'"):
        evaluate("Shape", call)
