"""The oracle of Slice, where versions differ and where the page is precise."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, vector
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

LEAST, GREATEST = -(2**63), 2**63 - 1


def _slice(version: int, size: int, start: int, end: int, step: int) -> list[int]:
    lists = {"starts": start, "ends": end, "axes": 0, "steps": step}
    inputs = {name: tensor_of(vector("int64", [value])) for name, value in lists.items()}
    inputs["data"] = tensor_of(vector("int64", range(size)))
    (result,) = compute(Call(version, {}, inputs, "Slice"))
    assert isinstance(result, Grid)
    return list(result.items)


@pytest.mark.parametrize(
    ("start", "end", "step", "expected"),
    [
        (-10, LEAST, -1, [0]),
        (4, GREATEST, -1, []),
        (4, LEAST, LEAST, [4]),
        (1, GREATEST, GREATEST, [1]),
        (3, -1, -1, []),
        (GREATEST, LEAST, -2, [4, 2, 0]),
        (LEAST, GREATEST, 3, [0, 3]),
    ],
)
def test_starts_and_ends_are_clamped_as_version_13_says(
    start: int, end: int, step: int, expected: list[int]
) -> None:
    assert expected == _slice(13, 5, start, end, step)


def test_before_version_13_backwards_from_before_the_first_is_an_open_question() -> None:
    with pytest.raises(OpenError, match="backwards-from-before-the-first"):
        _slice(11, 5, -10, LEAST, -1)


def test_a_step_of_zero_is_invalid() -> None:
    with pytest.raises(InvalidCallError, match="step of 0"):
        _slice(13, 5, 0, 5, 0)


def test_nothing_comes_of_nothing_backwards() -> None:
    assert [] == _slice(13, 0, -1, LEAST, -1)
