"""Laws of draws hold where the steps of the type are large beside what draws are spread over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_conformance.core.values.laws import broken
from onnx_conformance.core.values.tensors import Drawn, Tensor
from onnx_conformance.generators.oracle.registry import Call, compute

COUNT = 2048
FLOAT, FLOAT16 = 1, 10


def drawn(operator: str, **attributes: Any) -> Drawn:  # noqa: ANN401  attributes
    (result,) = compute(Call(22, {"shape": (COUNT,), **attributes}, {}, operator))
    assert isinstance(result, Drawn)
    return result


def fault(law: Drawn, numbers: Any) -> str | None:  # noqa: ANN401  an array
    return broken(law.laws, Tensor(law.type, law.shape, numbers.tobytes()), {})


@pytest.mark.parametrize(("mean", "scale"), [(-100.0, 1e-5), (1.0, 1e-7), (3e38, 1e31), (0.0, 1.0)])
def test_normal_numbers_of_float32_keep_the_laws(mean: float, scale: float) -> None:
    numbers = np.random.default_rng(7).normal(mean, scale, COUNT).astype(np.float32)
    assert fault(drawn("RandomNormal", dtype=FLOAT, mean=mean, scale=scale), numbers) is None


def test_uniform_numbers_of_float16_keep_the_laws() -> None:
    numbers = np.random.default_rng(7).uniform(1000.0, 1001.0, COUNT).astype(np.float16)
    assert fault(drawn("RandomUniform", dtype=FLOAT16, low=1000.0, high=1001.0), numbers) is None


def test_twice_the_deviation_breaks_a_law_all_the_same() -> None:
    numbers = np.random.default_rng(7).normal(100.0, 0.002, COUNT).astype(np.float32)
    assert fault(drawn("RandomNormal", dtype=FLOAT, mean=100.0, scale=0.001), numbers) is not None
