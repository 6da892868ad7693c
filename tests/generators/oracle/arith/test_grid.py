"""Grids: tensors as exact numbers, and where their elements are. NumPy is the witness."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.values.elements import ELEMENT_TYPES, element_type
from onnx_conformance.core.values.packing import pack
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import (
    AnyOf,
    Enclosed,
    Grid,
    at,
    broadcast_places,
    broadcast_shape,
    broadcast_to,
    combine,
    filled,
    from_function,
    grid_of,
    indices,
    lines,
    normalize_axes,
    normalize_axis,
    place_of,
    places,
    reduce_groups,
    reduced_shape,
    scalar,
    strides,
    tensor_of,
    transpose,
    unidirectional,
    vector,
)
from onnx_conformance.generators.oracle.arith.numbers import NEG_ZERO, ZERO, add
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import decode, round_to
from onnx_conformance.generators.oracle.errors import InvalidCallError

if TYPE_CHECKING:
    from collections.abc import Sequence

SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
HUGE = (0, 2**33, 3)


def counted(shape: Sequence[int]) -> Grid:
    """0, 1, 2 … in a shape."""
    return Grid("int64", tuple(shape), tuple(range(int(np.prod(shape, dtype=int)))))


def array(shape: Sequence[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.arange(int(np.prod(shape, dtype=int))).reshape(tuple(shape))


@pytest.mark.parametrize(
    "name", [element.name for element in ELEMENT_TYPES if element.kind != "string"]
)
@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_tensor_of_any_type_comes_back(name: str, count: int) -> None:
    element = element_type(name)
    # Beginning at 0, +1, +2 … every type has numbers there, none of them NaN.
    codes = list(range(2 if element.bits == 2 or element.kind == "bool" else count))[:count]
    codes += [0] * (count - len(codes))
    tensor = Tensor(name, (count,), pack(element, codes))
    grid = grid_of(tensor)
    assert [decode(name, code) for code in codes] == list(grid.items)
    assert tensor == tensor_of(grid)


def test_strings_come_back() -> None:
    tensor = Tensor("string", (2,), (b"a\0", b""))
    assert (b"a\0", b"") == tuple(grid_of(tensor).items)
    assert tensor == tensor_of(grid_of(tensor))
    with pytest.raises(TypeError, match="an element of a string tensor is bytes"):
        tensor_of(vector("string", (b"a", 1)))


def test_elements_are_rounded_once_where_a_tensor_is_made() -> None:
    grid = vector("float16", (Fraction(1, 3), NEG_ZERO))
    assert np.array([1 / 3, -0.0], np.float16).tobytes() == tensor_of(grid).data


def test_an_open_or_enclosed_element_stands_in_the_tensor_by_its_value() -> None:
    one = Fraction(1)
    grid = vector("float32", (AnyOf((NEG_ZERO, ZERO)), Enclosed(one, ZERO, one, ZERO, one)))
    assert np.array([-0.0, 1.0], np.float32).tobytes() == tensor_of(grid).data


def test_a_choice_of_one_is_none() -> None:
    with pytest.raises(ValueError, match="two numbers or more"):
        AnyOf((ZERO,))


def test_elements_must_fill_the_shape() -> None:
    with pytest.raises(ValueError, match=r"3 elements do not fill shape \[2, 2\]"):
        Grid("int8", (2, 2), (1, 2, 3))


@given(SHAPES)
def test_strides_and_places_are_row_major(shape: tuple[int, ...]) -> None:
    assert list(range(counted(shape).items.__len__())) == places(shape, strides(shape))
    assert list(np.ndindex(*shape)) == list(indices(shape))
    assert [place_of(shape, index) for index in indices(shape)] == places(shape, strides(shape))


def test_a_zero_size_tensor_takes_no_memory() -> None:
    assert [] == list(indices(HUGE))
    assert [] == places(HUGE, strides(HUGE))
    grid = grid_of(Tensor("float32", HUGE, b""))
    assert HUGE == grid.shape
    assert (2**33, 0, 3) == transpose(grid, (1, 0, 2)).shape
    assert (5, 0, 2**33, 3) == broadcast_to(grid, (5, *HUGE)).shape
    assert Tensor("float32", HUGE, b"") == tensor_of(combine("float32", add, grid, grid))
    assert [] == from_function("int8", HUGE, lambda _: 1).items
    assert Tensor("int8", HUGE, b"") == tensor_of(filled("int8", HUGE, 1))


@pytest.mark.parametrize("index", [(2, 0), (0, 3), (-1, 0), (0,), (0, 0, 0)])
def test_an_index_outside_the_shape_is_an_error(index: tuple[int, ...]) -> None:
    with pytest.raises(IndexError):
        at(counted((2, 3)), index)


def test_an_element_is_found_by_its_index() -> None:
    assert 5 == at(counted((2, 3)), (1, 2))
    assert 7 == at(scalar("int64", 7), ())


@given(st.lists(SHAPES, max_size=3))
def test_shapes_broadcast_as_numpys_do(shapes: list[tuple[int, ...]]) -> None:
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        with pytest.raises(InvalidCallError, match="do not broadcast"):
            broadcast_shape(*shapes)
        return
    assert expected == broadcast_shape(*shapes)
    for shape in shapes:
        found = broadcast_to(counted(shape), expected)
        assert np.broadcast_to(array(shape), expected).ravel().tolist() == list(found.items)
        assert expected == found.shape


def test_no_shape_broadcasts_to_a_scalar() -> None:
    assert () == broadcast_shape()
    assert () == broadcast_shape((), ())


@pytest.mark.parametrize(
    ("shape", "target"), [((2,), ()), ((2, 1), (2,)), ((3,), (2, 1)), ((2,), (0,))]
)
def test_one_direction_only(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    with pytest.raises(InvalidCallError, match="does not broadcast to"):
        unidirectional(shape, target)
    with pytest.raises(InvalidCallError, match="does not broadcast to"):
        broadcast_places(shape, target)


def test_two_grids_are_combined() -> None:
    first = Grid("float32", (2, 1), (Fraction(1), Fraction(2)))
    second = vector("float32", (Fraction(10), Fraction(1, 2**30)))
    found = combine("float32", lambda x, y: round_to("float32", add(x, y)), first, second)
    assert ((2, 2), [11, 1, 12, 2]) == (found.shape, found.items)


@given(st.permutations(range(3)), st.tuples(*[st.integers(0, 3)] * 3))
def test_a_transposition_is_numpys(order: list[int], shape: tuple[int, ...]) -> None:
    found = transpose(counted(shape), order)
    expected = array(shape).transpose(order)
    assert expected.shape == found.shape
    assert expected.ravel().tolist() == list(found.items)


@pytest.mark.parametrize("order", [(0, 0), (0,), (1, 2)])
def test_no_permutation_is_invalid(order: tuple[int, ...]) -> None:
    with pytest.raises(InvalidCallError, match="no permutation"):
        transpose(counted((2, 3)), order)


def test_axes_count_from_either_end() -> None:
    assert [0, 2, 0, 2] == [normalize_axis(axis, 3) for axis in (0, 2, -3, -1)]
    assert (2, 0) == normalize_axes((-1, 0), 3)
    for axis, rank in ((3, 3), (-4, 3), (0, 0)):
        with pytest.raises(InvalidCallError, match="is outside"):
            normalize_axis(axis, rank)
    with pytest.raises(InvalidCallError, match="given twice"):
        normalize_axes((0, -3), 3)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 2), (2, 0, 3), (1, 1)])
def test_a_reduction_sums_what_numpy_sums(shape: tuple[int, ...]) -> None:
    grid = counted(shape)
    for chosen in product((False, True), repeat=len(shape)):
        axes = tuple(axis for axis, taken in enumerate(chosen) if taken)
        expected = array(shape).sum(axis=axes)
        groups = reduce_groups(shape, axes)
        assert expected.ravel().tolist() == [sum(grid.items[i] for i in group) for group in groups]
        assert expected.shape == reduced_shape(shape, axes, keep=False)
        kept = array(shape).sum(axis=axes, keepdims=True)
        assert kept.shape == reduced_shape(shape, axes, keep=True)


def test_an_empty_axis_makes_empty_groups() -> None:
    assert [[], []] == reduce_groups((2, 0), (1,))
    assert [] == reduce_groups((2, 0), (0,))


def test_lines_run_along_an_axis() -> None:
    assert [[0, 3], [1, 4], [2, 5]] == lines((2, 3), 0)
    assert [[0, 1, 2], [3, 4, 5]] == lines((2, 3), 1)


def test_more_elements_than_can_be_counted_are_too_much_for_the_memory() -> None:
    with pytest.raises(MemoryError, match="9223372036854775808 elements"):
        filled("int8", (2**32, 2**31), 1)
