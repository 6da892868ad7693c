"""The examples of docs/oracle.md do what the page says."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from places import ROOT

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.accuracy.limits import limits_of, misfits
from onnx_conformance.generators.oracle.registry import Call

PAGE = ROOT / "docs" / "oracle.md"


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)  # noqa: S102  our own page
    return names


def tensor(array: np.ndarray[Any, Any]) -> Tensor:
    return Tensor(str(array.dtype), array.shape, array.tobytes())


X = np.array([[0.5, -1, 2], [3, 0, -4.25]], np.float32)


def test_addition_broadcasts_and_wraps(page: dict[str, Any]) -> None:
    row = np.array([0.1, 0.2, 0.3], np.float32)
    (found,) = page["addition"](Call(14, {}, {"A": tensor(X), "B": tensor(row)}))
    assert [] == misfits(found, tensor(X + row))
    bytes_ = np.array([200], np.uint8)
    (wrapped,) = page["addition"](Call(14, {}, {"A": tensor(bytes_), "B": tensor(bytes_)}))
    assert [144] == wrapped.items


def test_gelu_has_limits(page: dict[str, Any]) -> None:
    from math import erf, sqrt

    (found,) = page["gaussian"](Call(20, {}, {"X": tensor(X)}))
    expected = [[x / 2 * (1 + erf(x / sqrt(2))) for x in row] for row in X.tolist()]
    assert [] == misfits(found, tensor(np.array(expected, np.float32)))
    assert {"ieee", "gpu"} == set(limits_of(found))


@pytest.mark.parametrize("axis", [0, 1])
def test_softmax_sums_to_one_along_its_axis(page: dict[str, Any], axis: int) -> None:
    (found,) = page["softmax"](Call(13, {"axis": axis}, {"input": tensor(X)}))
    powers = np.exp(X.astype(np.float64))
    expected = (powers / powers.sum(axis=axis, keepdims=True)).astype(np.float32)
    assert [] == misfits(found, tensor(expected))


def test_sums_over_axes(page: dict[str, Any]) -> None:
    axes = tensor(np.array([-1], np.int64))
    (found,) = page["reduce_sum"](Call(13, {"keepdims": 0}, {"data": tensor(X), "axes": axes}))
    assert [] == misfits(found, tensor(X.sum(axis=-1)))
    (everything,) = page["reduce_sum"](Call(13, {}, {"data": tensor(X)}))
    assert [] == misfits(everything, tensor(X.sum(keepdims=True)))
