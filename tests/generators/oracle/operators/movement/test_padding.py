"""The oracle of Pad: modes, numbers below 0, and what is left open."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, vector
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _pad(
    size: int, begin: int, end: int, mode: str = "constant", readings: dict[str, str] | None = None
) -> list[int]:
    """The numbers from 1 to size between pads; the constant is 0."""
    inputs = {
        "data": tensor_of(vector("int64", range(1, size + 1))),
        "pads": tensor_of(vector("int64", (begin, end))),
    }
    (result,) = compute(Call(19, {"mode": mode}, inputs, "Pad", readings=readings or {}))
    assert isinstance(result, Grid)
    return list(result.items)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("constant", [0, 0, 1, 2, 3, 0]),
        ("reflect", [3, 2, 1, 2, 3, 2]),
        ("edge", [1, 1, 1, 2, 3, 3]),
        ("wrap", [2, 3, 1, 2, 3, 1]),
    ],
)
def test_each_mode_adds_before_and_behind(mode: str, expected: list[int]) -> None:
    assert expected == _pad(3, 2, 1, mode)


def test_numbers_below_zero_take_away() -> None:
    assert [2, 3, 0] == _pad(3, -1, 1)
    assert [] == _pad(3, -1, -2)
    assert [0, 0] == _pad(3, -5, 4)


def test_no_more_can_be_taken_away_than_is_there() -> None:
    with pytest.raises(InvalidCallError, match="leave"):
        _pad(3, -2, -2)


def test_reflect_beyond_the_data_is_an_open_question() -> None:
    with pytest.raises(OpenError, match="reflect-beyond-the-data"):
        _pad(3, 3, 0, "reflect")
    readings = {"reflect-beyond-the-data": "to-and-fro"}
    assert [2, 3, 2, 1, 2, 3] == _pad(3, 3, 0, "reflect", readings)


def test_what_is_cut_may_be_repeated_or_not() -> None:
    assert [2, 3, 4, 2, 3] == _pad(4, -1, 2, "wrap", {"cut-and-padded": "cut-first"})
    assert [2, 3, 4, 1, 2] == _pad(4, -1, 2, "wrap", {"cut-and-padded": "padded-first"})


def test_where_both_orders_agree_nothing_is_open() -> None:
    assert [2, 3, 4, 3, 2] == _pad(4, -1, 2, "reflect")


def test_an_axis_of_size_zero_has_nothing_to_repeat() -> None:
    with pytest.raises(InvalidCallError, match="nothing to repeat"):
        _pad(0, 1, 0, "edge")
    assert [] == _pad(0, 0, 0, "edge")
