"""The oracle of LayerNormalization: its two stages, their types, and rows without elements."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _grids(
    shape: tuple[int, ...], items: list[int], name: str = "float32", **more: int
) -> list[Grid]:
    inputs = {
        "X": tensor_of(Grid(name, shape, [Fraction(item) for item in items])),
        "Scale": tensor_of(Grid(name, (1,), [Fraction(2)])),
    }
    attributes = {"axis": -1, "epsilon": 0.0, "stash_type": 1, **more}
    found = compute(Call(17, attributes, inputs, "LayerNormalization"))
    return [grid_of(tensor_of(grid)) for grid in found if isinstance(grid, Grid)]


def test_a_row_has_mean_0_and_the_deviation_of_scale() -> None:
    result, mean, inverse = _grids((1, 4), [1, 5, 1, 5])
    assert [-2, 2, -2, 2] == list(result.items)
    assert ([3], [Fraction(1, 2)]) == (list(mean.items), list(inverse.items))


def test_axes_from_the_axis_on_are_one_row() -> None:
    _, mean, _ = _grids((2, 2, 2), [0, 0, 4, 4, 1, 1, 5, 5], axis=1)
    assert ((2, 1, 1), [2, 3]) == (mean.shape, list(mean.items))


def test_squares_may_be_beyond_float16() -> None:
    result, mean, _ = _grids((1, 2), [300, -300], "float16")
    assert ([2, -2], "float32") == (list(result.items), mean.type)


def test_a_row_without_elements_is_an_open_question() -> None:
    with pytest.raises(OpenError, match="nothing-to-normalize"):
        _grids((2, 0), [])


def test_stash_type_is_one_that_u_lists() -> None:
    with pytest.raises(InvalidCallError, match="stash_type"):
        _grids((1, 2), [1, 2], stash_type=10)


def test_an_axis_beyond_the_last_is_invalid() -> None:
    with pytest.raises(InvalidCallError, match="axis 2"):
        _grids((1, 2), [1, 2], axis=2)


def test_a_mean_beside_an_infinity_may_be_that_of_a_running_mean() -> None:
    inputs = {
        "X": tensor_of(Grid("float32", (1, 3), [Fraction(0), INF, Fraction(-11)])),
        "Scale": tensor_of(Grid("float32", (1,), [Fraction(2)])),
    }
    attributes = {"axis": -1, "epsilon": 0.0, "stash_type": 1}
    _, mean, _ = compute(Call(17, attributes, inputs, "LayerNormalization"))
    assert isinstance(mean, Grid)
    assert accepts("float32", mean.items[0], NAN)
    assert accepts("float32", mean.items[0], INF)
    assert not accepts("float32", mean.items[0], Fraction(0))
