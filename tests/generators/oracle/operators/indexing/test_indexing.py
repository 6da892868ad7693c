"""The oracles of operators that take indices or conditions, where pages are misread."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, vector
from onnx_conformance.generators.oracle.arith.numbers import NAN, NEG_ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _matrix(rows: list[list[int]], name: str = "int64") -> Grid:
    return Grid(name, (len(rows), len(rows[0])), [item for row in rows for item in row])


def _run(
    operator: str,
    version: int,
    inputs: dict[str, Grid],
    readings: dict[str, str] | None = None,
    **attributes: int | str,
) -> Grid:
    tensors = {name: tensor_of(grid) for name, grid in inputs.items()}
    (result,) = compute(Call(version, attributes, tensors, operator, readings=readings or {}))
    assert isinstance(result, Grid)
    return result


def test_an_element_keeps_its_place_on_the_other_axes() -> None:
    data, indices = _matrix([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), _matrix([[1, 2, 0], [2, 0, 0]])
    result = _run("GatherElements", 13, {"data": data, "indices": indices}, axis=0)
    assert [4, 8, 3, 7, 2, 3] == list(result.items)


def test_indices_may_not_reach_beyond_the_data_on_another_axis() -> None:
    inputs = {"data": _matrix([[1, 2]]), "indices": _matrix([[0], [0]])}
    with pytest.raises(InvalidCallError, match="outside"):
        _run("GatherElements", 13, inputs, axis=1)


def test_a_tuple_names_a_slice_of_its_own_batch() -> None:
    data = Grid("int64", (2, 2, 2), range(8))
    inputs = {"data": data, "indices": _matrix([[1], [0]])}
    result = _run("GatherND", 12, inputs, batch_dims=1)
    assert ((2, 2), [2, 3, 4, 5]) == (result.shape, list(result.items))


@pytest.mark.parametrize("batch_dims", [-1, 2])
def test_batch_dims_are_fewer_than_the_axes(batch_dims: int) -> None:
    inputs = {"data": _matrix([[1, 2]]), "indices": _matrix([[0]])}
    with pytest.raises(InvalidCallError, match="batch_dims"):
        _run("GatherND", 13, inputs, batch_dims=batch_dims)


def test_an_index_out_of_bounds_is_an_error_also_where_slices_are_empty() -> None:
    inputs = {"data": Grid("int64", (3, 0), ()), "indices": _matrix([[3]])}
    with pytest.raises(InvalidCallError, match="outside"):
        _run("GatherND", 13, inputs)


def test_updates_of_one_place_are_added_up() -> None:
    data, updates = vector("int64", (1, 2, 3)), vector("int64", (10, 20))
    inputs = {"data": data, "indices": vector("int64", (1, -2)), "updates": updates}
    assert [1, 32, 3] == list(_run("ScatterElements", 16, inputs, axis=0, reduction="add").items)


def test_before_version_18_there_is_no_greatest_of_updates() -> None:
    inputs = {name: vector("int64", (0,)) for name in ("data", "indices", "updates")}
    with pytest.raises(InvalidCallError, match="reduction 'max'"):
        _run("ScatterElements", 16, inputs, axis=0, reduction="max")


def test_scatter_says_nothing_of_negative_indices() -> None:
    inputs = {"data": vector("int64", (1, 2)), "updates": vector("int64", (5,))}
    inputs["indices"] = vector("int64", (-1,))
    with pytest.raises(OpenError, match="negative-index"):
        _run("Scatter", 9, inputs, axis=0)
    assert [1, 5] == list(_run("ScatterElements", 11, inputs, axis=0).items)


def _one_hot(version: int, indices: Grid, **readings: str) -> list[int]:
    inputs = {
        "indices": indices,
        "depth": Grid("int64", (), (3,)),
        "values": vector("int64", (0, 1)),
    }
    named = {name.replace("_", "-"): reading for name, reading in readings.items()}
    return list(_run("OneHot", version, inputs, named).items)


def test_the_fraction_of_an_index_is_cut_off() -> None:
    indices = vector("float32", (Fraction(15, 8), Fraction(-1, 2)))
    assert [0, 1, 0, 1, 0, 0] == _one_hot(11, indices)


def test_an_index_outside_of_the_range_has_off_values_alone() -> None:
    assert [0, 0, 0, 0, 0, 0] == _one_hot(11, vector("int64", (3, -4)))


def test_a_negative_index_counts_from_the_back_since_version_11() -> None:
    assert [0, 0, 1] == _one_hot(11, vector("int64", (-1,)))
    assert [0, 0, 0] == _one_hot(9, vector("int64", (-1,)), negative_index="all-off")


def test_a_condition_may_be_shorter_and_whether_it_may_be_longer_is_open() -> None:
    data = _matrix([[1, 2], [3, 4]])
    inputs = {"input": data, "condition": Grid("bool", (2,), (False, True))}
    assert [2] == list(_run("Compress", 11, inputs).items)
    assert [3, 4] == list(_run("Compress", 11, inputs, axis=0).items)
    longer = {"input": data, "condition": Grid("bool", (3,), (False, True, True))}
    with pytest.raises(OpenError, match="condition-is-longer"):
        _run("Compress", 11, longer, axis=0)


def test_a_scalar_that_is_not_zero_has_a_column_without_rows() -> None:
    assert (0, 1) == _run("NonZero", 13, {"X": Grid("int64", (), (3,))}).shape
    assert (0, 0) == _run("NonZero", 13, {"X": Grid("int64", (), (0,))}).shape


def test_nan_is_not_zero_and_minus_zero_is() -> None:
    assert [0] == list(_run("NonZero", 13, {"X": vector("float32", (NAN, NEG_ZERO))}).items)
