"""Software in float32 that follows a page, a function body or OpenCL is within the limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.registry import Call, compute

XS = [np.float32(x) for x in (-1e-7, -0.001, -0.3, -1.0, -2.7, -9.5)]


def results(
    operator: str, version: int, name: str, items: list[np.float32], **attributes: float
) -> list[Any]:
    """The items of the first output for one row of float32, and Scale 1 where it is due."""
    inputs = {
        name: tensor_of(Grid("float32", (1, len(items)), [Fraction(float(x)) for x in items]))
    }
    if operator == "LayerNormalization":
        inputs["Scale"] = tensor_of(Grid("float32", (1,), [Fraction(1)]))
    result = compute(Call(version, attributes, inputs, operator))[0]
    assert isinstance(result, Grid)
    return list(result.items)


def moved(x: np.float32, ulps: int) -> np.float32:
    bits = np.array(x, np.float32).view(np.int32) + np.int32(ulps)
    return np.float32(bits.view(np.float32))


@pytest.mark.parametrize("ulps", [-2, 0, 2])
@pytest.mark.parametrize(
    ("operator", "attributes", "factor"),
    [
        ("Elu", {"alpha": 1.0}, 1.0),
        ("Celu", {"alpha": 1.0}, 1.0),
        ("Selu", {"alpha": 1.0, "gamma": 2.0}, 2.0),
    ],
)
def test_expm1_two_ulps_off_is_permitted(
    operator: str, attributes: dict[str, float], factor: float, ulps: int
) -> None:
    found = results(operator, 22, "X", XS, **attributes)
    taken = [moved(np.float32(np.expm1(np.float64(x))), ulps) * np.float32(factor) for x in XS]
    assert [True] * len(XS) == [
        accepts("float32", item, Fraction(float(got)))
        for item, got in zip(found, taken, strict=True)
    ]


def test_expm1_that_is_only_almost_right_is_not() -> None:
    found = results("Elu", 22, "X", XS, alpha=1.0)
    taken = [moved(np.float32(np.expm1(np.float64(x))), 40) for x in XS[1:4]]
    judged = [
        accepts("float32", item, Fraction(float(got)))
        for item, got in zip(found[3:], taken[2:], strict=False)
    ]
    assert [False] == judged


@pytest.mark.parametrize("x", [np.float32(x) for x in (-3.3, -0.1, 0.7, 1.1, 2.9)])
def test_the_logarithm_of_one_power_in_float32_is_permitted(x: np.float32) -> None:
    (item,) = results("ReduceLogSumExp", 18, "data", [x], keepdims=1)
    power = np.float32(np.exp(np.float64(x)))
    got = np.float32(np.log(np.float64(power)))
    assert accepts("float32", item, Fraction(float(got)))


def test_a_power_that_overflows_float32_is_not_permitted() -> None:
    (item,) = results("ReduceLogSumExp", 18, "data", [np.float32(100)], keepdims=1)
    assert not accepts("float32", item, Fraction(2**127))


def test_the_function_bodys_variance_in_one_pass_is_permitted() -> None:
    row = np.array([1000, 1001, 1002], np.float32)
    mean = row.mean(dtype=np.float32)
    variance = (row * row).mean(dtype=np.float32) - mean * mean
    taken = (row - mean) / np.sqrt(variance + np.float32(1e-5))
    assert taken[2] != np.float32(1.2247357)  # digits are lost
    found = results("LayerNormalization", 17, "X", list(row), axis=-1, epsilon=1e-5, stash_type=1)
    assert [True] * 3 == [
        accepts("float32", item, Fraction(float(got)))
        for item, got in zip(found, taken, strict=True)
    ]
