"""The oracle of Softmax and LogSoftmax, where the versions differ and where the page is silent."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, ZERO, Number
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _of(
    version: int,
    shape: tuple[int, ...],
    items: list[Number],
    operator: str = "Softmax",
    *,
    readings: dict[str, str] | None = None,
    **attributes: int,
) -> list[Number]:
    given = tensor_of(Grid("float32", shape, items))
    call = Call(version, attributes, {"input": given}, operator, readings=readings or {})
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return list(grid_of(tensor_of(result)).items)


@pytest.mark.parametrize(("version", "share"), [(1, 4), (11, 4), (13, 2)])
def test_a_row_is_a_matrix_row_before_version_13(version: int, share: int) -> None:
    assert [Fraction(1, share)] * 8 == _of(version, (2, 2, 2), [ZERO] * 8, axis=1)


def test_a_nan_spoils_its_row_alone() -> None:
    half = Fraction(1, 2)
    assert [NAN, NAN, half, half] == _of(13, (2, 2), [NAN, ZERO, ZERO, ZERO])


def test_minus_infinity_counts_for_nothing_beside_others() -> None:
    assert [ZERO, Fraction(1)] == _of(13, (2,), [NEG_INF, ZERO])
    assert [NAN, NAN] == _of(13, (2,), [NEG_INF, NEG_INF])


def test_infinity_is_an_open_question() -> None:
    with pytest.raises(OpenError, match="infinity-in-a-row"):
        _of(13, (2,), [INF, ZERO])
    readings = {"infinity-in-a-row": "quotients"}
    assert [NAN, ZERO] == _of(13, (2,), [INF, ZERO], readings=readings)


def test_the_logarithm_of_a_power_that_underflows_is_finite() -> None:
    assert Fraction(-10000) == _of(13, (2,), [Fraction(10000), ZERO], "LogSoftmax")[1]


def test_version_1_says_nothing_of_a_negative_axis() -> None:
    with pytest.raises(OpenError, match="negative-axis"):
        _of(1, (2, 2), [ZERO] * 4, axis=-1)


def test_an_axis_beyond_the_last_is_invalid() -> None:
    with pytest.raises(InvalidCallError, match="axis 2"):
        _of(13, (2, 2), [ZERO] * 4, axis=2)
