"""The oracle of RotaryEmbedding: which elements are a pair, and which angle turns them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from onnx_conformance.core.values.tensors import Tensor


def _floats(shape: tuple[int, ...], *items: int) -> Tensor:
    return tensor_of(Grid("float32", shape, [Fraction(item) for item in items]))


def _turned(
    x: Tensor, cos: Tensor, sin: Tensor, positions: Tensor | None = None, **attributes: int
) -> list[Fraction]:
    inputs = {"X": x, "cos_cache": cos, "sin_cache": sin}
    if positions is not None:
        inputs["position_ids"] = positions
    (result,) = compute(Call(23, attributes, inputs, "RotaryEmbedding"))
    assert isinstance(result, Grid)
    return list(grid_of(tensor_of(result)).items)


def test_a_quarter_turn_exchanges_the_halves() -> None:
    x = _floats((1, 1, 1, 4), 1, 2, 3, 4)
    assert [-3, -4, 1, 2] == _turned(x, _floats((1, 1, 2), 0, 0), _floats((1, 1, 2), 1, 1))


def test_interleaved_pairs_are_neighbours() -> None:
    x = _floats((1, 1, 1, 4), 1, 2, 3, 4)
    cos, sin = _floats((1, 1, 2), 0, 1), _floats((1, 1, 2), 1, 0)
    assert [-2, 1, 3, 4] == _turned(x, cos, sin, interleaved=1)


def test_each_packed_head_is_turned_by_itself_and_its_rest_passes() -> None:
    x = _floats((1, 1, 8), *range(1, 9))
    cos, sin = _floats((1, 1, 1), 0), _floats((1, 1, 1), 1)
    expected = [-2, 1, 3, 4, -6, 5, 7, 8]
    assert expected == _turned(x, cos, sin, num_heads=2, rotary_embedding_dim=2)


def test_the_position_names_the_row_of_the_caches() -> None:
    x = _floats((1, 1, 2, 2), 1, 2, 3, 4)
    positions = tensor_of(Grid("int64", (1, 2), [1, 0]))
    cos, sin = _floats((2, 1), 1, 0), _floats((2, 1), 0, 1)
    assert [-2, 1, 3, 4] == _turned(x, cos, sin, positions)


@pytest.mark.parametrize("width", [2, 6])
def test_caches_of_another_width_are_refused(width: int) -> None:
    cache = _floats((1, 1, width), *range(width))
    with pytest.raises(InvalidCallError):
        _turned(_floats((1, 1, 1, 6), *range(6)), cache, cache)


def test_a_position_below_zero_is_open() -> None:
    positions = tensor_of(Grid("int64", (1, 1), [-1]))
    cache = _floats((2, 1), 0, 1)
    with pytest.raises(OpenError, match="negative-position"):
        _turned(_floats((1, 1, 1, 2), 1, 2), cache, cache, positions)


def test_a_product_may_overflow_against_an_infinite_one() -> None:
    great = Grid("float16", (1, 1, 1, 2), [Fraction(8), Fraction(3)])
    cos = Grid("float16", (1, 1, 1), [Fraction(60000)])
    sin = Grid("float16", (1, 1, 1), [INF])
    inputs = {"X": great, "cos_cache": cos, "sin_cache": sin}
    call = Call(23, {}, {name: tensor_of(grid) for name, grid in inputs.items()}, "RotaryEmbedding")
    (result,) = compute(call)
    assert isinstance(result, Grid)
    # 8 * 60000 - 3 * inf, where 480000 is infinite in float16.
    assert accepts("float16", result.items[0], NEG_INF)
    assert accepts("float16", result.items[0], NAN)
    assert not accepts("float16", result.items[1], NAN)
