"""The oracle of Gather, where versions differ."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, vector
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _gather(version: int, *indices: int) -> list[int]:
    inputs = {
        "data": tensor_of(vector("int64", range(3))),
        "indices": tensor_of(vector("int64", indices)),
    }
    (result,) = compute(Call(version, {"axis": 0}, inputs, "Gather"))
    assert isinstance(result, Grid)
    return list(result.items)


def test_a_negative_index_counts_from_the_back_since_version_11() -> None:
    assert [2, 0, 0] == _gather(11, -1, -3, 0)


def test_before_version_11_a_negative_index_is_an_open_question() -> None:
    with pytest.raises(OpenError, match="negative-index"):
        _gather(1, -1)
    assert [2, 0] == _gather(1, 2, 0)


@pytest.mark.parametrize("version", [1, 11, 13])
@pytest.mark.parametrize("index", [3, -4])
def test_an_index_beyond_the_axis_is_an_error(version: int, index: int) -> None:
    with pytest.raises(InvalidCallError, match="outside"):
        _gather(version, index)
