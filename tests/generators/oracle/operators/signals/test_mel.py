"""The oracle of MelWeightMatrix: its example, and what is told by hand."""

from __future__ import annotations

from typing import Any

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import round_to
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

_INTEGERS = ("num_mel_bins", "dft_length", "sample_rate")
_EDGES = ("lower_edge_hertz", "upper_edge_hertz")


def _call(*numbers: float, output: int = 1, name: str = "float32") -> Call:
    inputs = {
        key: tensor_of(Grid("int64", (), [int(number)]))
        for key, number in zip(_INTEGERS, numbers, strict=False)
    }
    inputs |= {
        key: tensor_of(Grid(name, (), [Fraction(number)]))
        for key, number in zip(_EDGES, numbers[3:], strict=True)
    }
    return Call(17, {"output_datatype": output}, inputs, "MelWeightMatrix")


def _columns(result: Any) -> list[list[Any]]:  # noqa: ANN401  a result of the registry
    grid = result[0]
    assert isinstance(grid, Grid)
    width = grid.shape[1]
    return [[value_of(item) for item in grid.items[band::width]] for band in range(width)]


def _readings(call: Call) -> dict[str, list[list[Any]]]:
    return {
        " ".join(answer.readings.values()): _columns(answer.result)
        for answer in answers(call)
        if answer.result is not None
    }


def test_the_example_of_the_page() -> None:
    found = _readings(_call(8, 16, 8192, 0, 4096))["bands-and-2"]
    peaks = [column.index(1) for column in found]
    assert [0, 0, 1, 1, 2, 3, 4, 5] == peaks
    assert {1} == {sum(column) for column in found}


def test_a_triangle_rises_and_falls_between_the_middles_beside_it() -> None:
    # The edges are in bins 1, 1, 2, 5 and 9.
    found = _readings(_call(3, 32, 16000, 100, 8000))["bands-and-2"]
    one, two = (round_to("float32", Fraction(part, 3)) for part in (1, 2))
    fourths = [Fraction(part, 4) for part in (3, 2, 1)]
    assert [0, 1, 0] == found[0][:3]
    assert [0, 0, 1, two, one, 0] == found[1][:6]
    assert [one, two, 1, *fourths, 0] == found[2][3:10]


def test_the_highest_band_ends_at_the_edge_in_another_reading() -> None:
    found = _readings(_call(3, 32, 16000, 100, 7900))["bands-and-1"]
    last = max(row for row, weight in enumerate(found[2]) if weight)
    assert (33 * 7900) // 16000 - 1 == last


def test_integers_have_nothing_between_0_and_1() -> None:
    found = _readings(_call(3, 32, 16000, 100, 7900, output=3))["bands-and-2"]
    assert {0, 1} == {weight for column in found for weight in column}


def test_an_edge_beside_that_of_a_bin_is_left_open() -> None:
    # (7 + 1) * 1024 / 8192 is 1, and float32 may find a little less.
    found = _readings(_call(1, 7, 8192, 1024, 1500))
    assert {"bands-and-2 below", "bands-and-2 above"} <= set(found)


def test_where_several_edges_are_beside_those_of_bins_anything_goes() -> None:
    # Each of the three is computed by itself, and may be on a side of its own.
    found = _readings(_call(1, 7, 8192, 1024, 1024))
    assert "bands-and-2 anything" in found


@pytest.mark.parametrize(("low", "high"), [(300, 100), (-700, 100), (-900, -800)])
def test_edges_that_are_turned_round_or_have_no_mel_may_give_anything(low: int, high: int) -> None:
    assert {"zeros", "anything"} == set(_readings(_call(2, 8, 1000, low, high)))


def test_no_samples_a_second_are_refused() -> None:
    with pytest.raises(InvalidCallError, match="0 samples"):
        compute(_call(1, 8, 0, 0, 100))


def test_a_string_is_no_type_of_a_matrix() -> None:
    with pytest.raises(InvalidCallError, match="string"):
        compute(_call(1, 8, 8000, 0, 100, output=8))
