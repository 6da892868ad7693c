"""The oracles of operators that move elements, where their pages are easily misread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of, vector
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from collections.abc import Sequence


def _grid(shape: Sequence[int]) -> Grid:
    count = 1
    for size in shape:
        count *= size
    return Grid("int64", tuple(shape), range(count))


def _run(
    operator: str,
    version: int,
    inputs: dict[str, Grid],
    attributes: dict[str, object] | None = None,
    readings: dict[str, str] | None = None,
) -> Grid:
    tensors = {name: tensor_of(grid) for name, grid in inputs.items()}
    call = Call(version, attributes or {}, tensors, operator, readings=readings or {})  # type: ignore[arg-type]
    (result,) = compute(call)
    if isinstance(result, Grid):
        return result
    assert isinstance(result, Tensor)
    return grid_of(result)


def test_axis_i_of_a_transpose_is_axis_perm_i_of_the_data() -> None:
    result = _run("Transpose", 25, {"data": _grid((2, 2, 3))}, {"perm": (1, 2, 0)})
    assert ((2, 3, 2), [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]) == (result.shape, list(result.items))


@pytest.mark.parametrize("perm", [(-1, 0), (0, 0), (0,), (0, 1, 2), ()])
def test_a_perm_holds_each_axis_once(perm: tuple[int, ...]) -> None:
    with pytest.raises(InvalidCallError):
        _run("Transpose", 25, {"data": _grid((2, 3))}, {"perm": perm})


def test_without_axes_each_axis_of_size_1_is_squeezed() -> None:
    assert (3, 2) == _run("Squeeze", 13, {"data": _grid((1, 3, 1, 2))}).shape


def test_squeezing_no_axes_is_read_in_two_ways() -> None:
    inputs = {"data": _grid((1, 3)), "axes": vector("int64", ())}
    shapes = [
        _run("Squeeze", 13, inputs, readings={"empty-axes": reading}).shape
        for reading in ("nothing", "all-of-size-1")
    ]
    assert [(1, 3), (3,)] == shapes


def test_an_axis_squeezed_twice_is_open_and_unsqueezed_twice_invalid() -> None:
    inputs = {"data": _grid((1, 3)), "axes": vector("int64", (0, 0))}
    with pytest.raises(OpenError, match="repeated-axis"):
        _run("Squeeze", 13, inputs)
    with pytest.raises(InvalidCallError, match="twice"):
        _run("Unsqueeze", 13, inputs)


def test_axes_of_rank_0_are_open_until_the_page_asks_for_rank_1() -> None:
    inputs = {"data": _grid((3, 1)), "axes": Grid("int64", (), (1,))}
    with pytest.raises(OpenError, match="axes-of-rank-0"):
        _run("Squeeze", 21, inputs)
    with pytest.raises(InvalidCallError, match="rank 0"):
        _run("Squeeze", 23, inputs)


def test_axes_of_unsqueeze_count_in_the_output() -> None:
    axes = vector("int64", (-1, 0))
    assert (1, 2, 3, 1) == _run("Unsqueeze", 13, {"data": _grid((2, 3)), "axes": axes}).shape


@pytest.mark.parametrize(
    ("axis", "shape"), [(0, (1, 24)), (3, (24, 1)), (2, (6, 4)), (-2, (2, 12))]
)
def test_flatten_multiplies_the_sizes_on_both_sides(axis: int, shape: tuple[int, int]) -> None:
    assert shape == _run("Flatten", 11, {"input": _grid((2, 3, 4))}, {"axis": axis}).shape


def test_before_version_11_no_axis_of_flatten_is_negative() -> None:
    with pytest.raises(InvalidCallError, match="outside"):
        _run("Flatten", 9, {"input": _grid((2, 3))}, {"axis": -1})


def test_a_shape_of_ones_leaves_what_is_expanded() -> None:
    shape = vector("int64", (4, 1, 1))
    result = _run("Expand", 13, {"input": _grid((2, 1)), "shape": shape})
    assert ((4, 2, 1), [0, 1] * 4) == (result.shape, list(result.items))


def test_tile_puts_copies_of_the_tensor_side_by_side() -> None:
    repeats = vector("int64", (1, 2))
    result = _run("Tile", 13, {"input": _grid((2, 2)), "repeats": repeats})
    assert [0, 1, 0, 1, 2, 3, 2, 3] == list(result.items)


def test_tile_1_repeats_along_one_axis() -> None:
    inputs = {"input": vector("float32", (1, 2)), "tiles": vector("float32", (2,))}
    axis = vector("float32", (0,))
    assert (4,) == _run("Tile", 1, {**inputs, "axis": axis}).shape
    between = vector("float32", (Fraction(1, 2),))
    with pytest.raises(InvalidCallError, match="no whole number"):
        _run("Tile", 1, {**inputs, "axis": between})


def test_the_two_modes_of_depth_to_space_take_channels_in_another_order() -> None:
    inputs = {"input": _grid((1, 8, 1, 1))}
    results = [
        list(_run("DepthToSpace", 11, inputs, {"blocksize": 2, "mode": mode}).items)
        for mode in ("DCR", "CRD")
    ]
    assert [[0, 2, 4, 6, 1, 3, 5, 7], [0, 1, 2, 3, 4, 5, 6, 7]] == results


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_to_space_undoes_space_to_depth(mode: str) -> None:
    data = _grid((2, 3, 4, 6))
    attributes: dict[str, object] = {"blocksize": 2, "mode": mode}
    deep = _run("SpaceToDepth", 28, {"input": data}, attributes)
    assert (2, 12, 2, 3) == deep.shape
    back = _run("DepthToSpace", 28, {"input": deep}, attributes)
    assert (data.shape, list(data.items)) == (back.shape, list(back.items))


def test_the_order_of_channels_is_open_where_no_page_says_it() -> None:
    with pytest.raises(OpenError, match="order-of-channels"):
        _run("SpaceToDepth", 13, {"input": _grid((1, 2, 2, 2))}, {"blocksize": 2})
    one = _run("SpaceToDepth", 13, {"input": _grid((1, 1, 2, 2))}, {"blocksize": 2})
    assert [0, 1, 2, 3] == list(one.items)


@pytest.mark.parametrize(
    ("upper", "k", "kept"),
    [
        (1, 0, [0, 1, 2, 4, 5]),
        (1, 1, [1, 2, 5]),
        (0, 0, [0, 3, 4]),
        (0, -1, [3]),
        (1, -(2**63), [*range(6)]),
    ],
)
def test_a_triangle_begins_at_its_diagonal(upper: int, k: int, kept: list[int]) -> None:
    data = Grid("int64", (2, 3), range(1, 7))
    inputs = {"input": data, "k": Grid("int64", (), (k,))}
    result = _run("Trilu", 14, inputs, {"upper": upper})
    assert kept == [place for place, item in enumerate(result.items) if item]


def test_what_is_over_after_centering_goes_behind() -> None:
    inputs = {"input_data": _grid((6,)), "shape": vector("int64", (3,))}
    assert [1, 2, 3] == list(_run("CenterCropPad", 18, inputs).items)
    inputs = {"input_data": Grid("int64", (3,), (1, 2, 3)), "shape": vector("int64", (6,))}
    assert [0, 1, 2, 3, 0, 0] == list(_run("CenterCropPad", 18, inputs).items)


def test_only_the_beginning_of_a_sequence_is_reversed() -> None:
    inputs = {"input": _grid((2, 3)), "sequence_lens": vector("int64", (2, 3))}
    result = _run("ReverseSequence", 10, inputs, {"batch_axis": 0, "time_axis": 1})
    assert [1, 0, 2, 5, 4, 3] == list(result.items)


@pytest.mark.parametrize("length", [4, -1])
def test_a_sequence_is_no_longer_than_the_time_axis(length: int) -> None:
    inputs = {"input": _grid((3, 1)), "sequence_lens": vector("int64", (length,))}
    with pytest.raises(InvalidCallError, match="length outside"):
        _run("ReverseSequence", 10, inputs)
