"""The oracles of the windows of signals: their formulas, both ends, and what is left open."""

from __future__ import annotations

import math

import numpy as np
import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.accuracy.limits import misfits
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, scalar, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import NAN, fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _window(operator: str, size: int, *, periodic: int = 1, code: int = 1, **readings: str) -> Grid:
    call = Call(
        17,
        {"periodic": periodic, "output_datatype": code},
        {"size": tensor_of(scalar("int64", size))},
        operator,
        types={"T1": "int64"},
        readings=readings,
    )
    (found,) = compute(call)
    assert isinstance(found, Grid)
    return found


def _floats(grid: Grid) -> list[float]:
    return [float(fraction(value_of(item))) for item in grid.items]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("operator", "reading", "weights"),
    [
        ("HannWindow", "", (0.5, 0.5, 0.0)),
        ("HammingWindow", "exact", (25 / 46, 21 / 46, 0.0)),
        ("HammingWindow", "rounded", (0.54, 0.46, 0.0)),
        ("BlackmanWindow", "rounded", (0.42, 0.5, 0.08)),
        ("BlackmanWindow", "exact", (3969 / 9304, 1155 / 2326, 715 / 9304)),
    ],
)
@pytest.mark.parametrize("periodic", [0, 1])
def test_the_weights_are_those_of_the_formula(
    operator: str, reading: str, weights: tuple[float, float, float], periodic: int
) -> None:
    readings = {"coefficients": reading} if reading else {}
    angles = [2 * math.pi * n / (8 - 1 + periodic) for n in range(8)]
    a, b, c = weights
    expected = [a - b * math.cos(t) + c * math.cos(2 * t) for t in angles]
    found = _floats(_window(operator, 8, periodic=periodic, **readings))
    assert expected == pytest.approx(found, abs=1e-15)


def test_a_periodic_window_is_one_longer_without_its_last_weight() -> None:
    longer = _floats(_window("HannWindow", 9, periodic=0))
    assert longer[:-1] == _floats(_window("HannWindow", 8))


def test_a_symmetric_window_of_one_is_open() -> None:
    with pytest.raises(OpenError, match="symmetric-window-of-one"):
        _window("HannWindow", 1, periodic=0)
    question = "symmetric-window-of-one"
    assert [1, NAN] == [
        _window("HannWindow", 1, periodic=0, **{question: way}).items[0]
        for way in ("one", "not-a-number")
    ]


def test_what_becomes_of_the_fraction_of_a_weight_is_asked() -> None:
    with pytest.raises(OpenError, match="fraction-to-integer"):
        _window("HammingWindow", 4, code=6, coefficients="rounded")
    ways = {"coefficients": "rounded", "fraction-to-integer": "nearest-even"}
    found = _window("HammingWindow", 4, code=6, **ways)
    assert ("int32", [0, 1, 1, 1]) == (found.type, list(found.items))


def test_a_weight_without_its_fraction_may_be_below_a_peak_of_1() -> None:
    found = _window("HannWindow", 4, code=6, **{"fraction-to-integer": "truncated"})
    assert [0, 0, 0] == [value_of(found.items[place]) for place in (0, 1, 3)]
    peak = found.items[2]
    assert isinstance(peak, AnyOf)
    assert (1, 0) == peak.numbers


@pytest.mark.parametrize("code", [0, 8, 9, 14, 1000])
def test_a_type_that_is_not_listed_is_refused(code: int) -> None:
    with pytest.raises(InvalidCallError):
        _window("HannWindow", 4, code=code)


def test_a_length_below_0_is_refused() -> None:
    with pytest.raises(InvalidCallError, match="-1"):
        _window("HammingWindow", -1)


def test_a_periodic_of_two_may_be_counted_as_the_function_body_does() -> None:
    reading = {"periodic-of-neither": "counted"}
    longer = _window("HannWindow", 4, periodic=2, **reading)
    angles = [2 * math.pi * n / 5 for n in range(4)]
    assert pytest.approx([0.5 - 0.5 * math.cos(angle) for angle in angles]) == _floats(longer)
    assert [NAN] * 4 == list(_window("HannWindow", 4, periodic=-3, **reading).items)
    with pytest.raises(InvalidCallError):
        _window("HannWindow", 4, periodic=-3, code=7, **reading)


@pytest.mark.parametrize("size", [7, 257])
def test_the_three_terms_of_blackman_may_be_added_in_any_order(size: int) -> None:
    """At its ends the window is 0, where 0.42, 0.5 and 0.08 of float32 cancel."""
    grid = _window("BlackmanWindow", size, coefficients="rounded")
    a, b, c = (np.float32(number) for number in (0.42, 0.5, 0.08))
    turns = np.arange(size, dtype=np.float32) * np.float32(2 * np.pi / size)
    one, two = b * np.cos(turns), c * np.cos(2 * turns)
    for weights in ((a - one) + two, a + (two - one), (a + two) - one):
        tensor = Tensor("float32", (size,), weights.astype("<f4").tobytes())
        assert [] == misfits(grid, tensor)
    wrong = Tensor("float32", (size,), (a - one + two + np.float32(1e-6)).astype("<f4").tobytes())
    assert misfits(grid, wrong)
