"""The oracles of Unique, TensorScatter and EyeLike, where their pages are easily misread."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of, vector
from onnx_conformance.generators.oracle.arith.numbers import NAN, NEG_ZERO, ONE, ZERO
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _unique(data: Grid, readings: dict[str, str] | None = None, **attributes: int) -> list[Grid]:
    call = Call(11, attributes, {"X": tensor_of(data)}, "Unique", readings=readings or {})
    return [item for item in compute(call) if isinstance(item, Grid)]


def test_elements_stand_in_ascending_order_with_what_is_known_of_them() -> None:
    found = _unique(Grid("int64", (2, 2), (1, 3, 2, 3)))
    assert [[1, 2, 3], [0, 2, 1], [0, 2, 1, 2], [1, 1, 2]] == [list(item.items) for item in found]


def test_unsorted_elements_stand_as_they_first_occur() -> None:
    found = _unique(vector("int64", (2, 1, 1, 3, 4, 3)), sorted=0)
    assert [2, 1, 3, 4] == list(found[0].items)


def test_slices_are_ordered_by_their_first_difference() -> None:
    data = Grid("int64", (2, 3), (1, 1, 0, 3, 2, 9))
    found = _unique(data, axis=1)
    assert ((2, 3), [0, 1, 1, 9, 2, 3]) == (found[0].shape, list(found[0].items))
    assert [2, 1, 0] == list(found[1].items)


def test_whether_nan_is_one_is_open_and_other_elements_survive() -> None:
    data = vector("float32", (NAN, ONE, NAN, ONE))
    with pytest.raises(OpenError, match="equality-of-nan"):
        _unique(data, sorted=0)
    one = _unique(data, {"equality-of-nan": "one-nan"}, sorted=0)
    each = _unique(data, {"equality-of-nan": "each-nan"}, sorted=0)
    assert [[NAN, ONE], [2, 2]] == [list(one[0].items), list(one[3].items)]
    assert [[NAN, ONE, NAN], [1, 2, 1]] == [list(each[0].items), list(each[3].items)]


def test_of_zeros_with_two_signs_either_stays() -> None:
    found = _unique(vector("float32", (ZERO, NEG_ZERO)))
    assert [AnyOf((ZERO, NEG_ZERO))] == list(found[0].items)


def _scatter(start: int, mode: str) -> list[int]:
    inputs = {
        "past_cache": tensor_of(Grid("int64", (1, 4), (1, 2, 3, 4))),
        "update": tensor_of(Grid("int64", (1, 2), (8, 9))),
        "write_indices": tensor_of(vector("int64", (start,))),
    }
    (result,) = compute(Call(24, {"axis": 1, "mode": mode}, inputs, "TensorScatter"))
    assert isinstance(result, Grid)
    return list(result.items)


def test_a_circular_cache_goes_on_at_its_beginning() -> None:
    assert [9, 2, 3, 8] == _scatter(3, "circular")


def test_a_linear_cache_ends() -> None:
    assert [1, 2, 8, 9] == _scatter(2, "linear")
    with pytest.raises(InvalidCallError, match="beyond"):
        _scatter(3, "linear")


@pytest.mark.parametrize(("k", "ones"), [(0, [0, 4]), (1, [1, 5]), (-1, [3]), (-(2**63), [])])
def test_ones_stand_on_diagonal_k(k: int, ones: list[int]) -> None:
    inputs = {"input": tensor_of(Grid("int64", (2, 3), range(6)))}
    (result,) = compute(Call(22, {"k": k}, inputs, "EyeLike"))
    assert isinstance(result, Grid)
    assert ones == [place for place, item in enumerate(result.items) if item]
