"""The oracle of Concat, where its page says more than that tensors are joined."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _joined(version: int, *shapes: tuple[int, ...], **attributes: int) -> Grid:
    grids = []
    count = 0
    for shape in shapes:
        size = 1
        for dimension in shape:
            size *= dimension
        grids.append(tensor_of(Grid("int64", shape, tuple(range(count, count + size)))))
        count += size
    (result,) = compute(Call(version, attributes, {"inputs": tuple(grids)}, "Concat"))
    assert isinstance(result, Grid)
    return result


def test_the_axis_of_version_1_is_1_by_default() -> None:
    assert [0, 1, 4, 2, 3, 5] == list(_joined(1, (2, 2), (2, 1)).items)


def test_later_versions_need_an_axis() -> None:
    with pytest.raises(InvalidCallError, match="'axis' is absent"):
        _joined(4, (2, 2), (2, 1))


def test_before_version_11_a_negative_axis_is_an_open_question() -> None:
    with pytest.raises(OpenError, match="negative-axis"):
        _joined(4, (2, 2), (2, 1), axis=-1)
    assert (2, 3) == _joined(11, (2, 2), (2, 1), axis=-1).shape


def test_a_negative_axis_below_the_rank_is_invalid_at_every_version() -> None:
    for version in (1, 4, 11, 13):
        with pytest.raises(InvalidCallError, match="outside"):
            _joined(version, (2, 2), (2, 1), axis=-3)
