"""Operators that draw: NumPy's generators, whose draws the laws of the corpus must accept."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD
from ...values.tensors import Arr, CannotAnswerError, fit
from ..shared import as_float32, type_of_code


def _generator(call: Call) -> Any:  # noqa: ANN401  NumPy's
    seed = call.attr("seed")
    if seed is None:
        return np.random.default_rng()
    return np.random.default_rng(list(np.float64(seed).tobytes()))


def _type(call: Call, default: str) -> str:
    code = call.attr("dtype")
    return type_of_code(code) if code else default


@evaluates("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")
def numbers(call: Call) -> Arr:
    """Normally or uniformly distributed numbers."""
    like = call.operator.endswith("Like")
    shape = call.arr(0).shape if like else tuple(call.attr("shape"))
    if call.operator.startswith("RandomNormal"):
        start, width = as_float32(call, "mean", "scale")
        drawn = _generator(call).standard_normal(shape).astype(LD)
    else:
        start, end = as_float32(call, "low", "high")
        width, drawn = end - start, _generator(call).random(shape).astype(LD)
    return fit(_type(call, call.type if like else "float32"), start + width * drawn)


@evaluates("Bernoulli")
def bernoulli(call: Call) -> Arr:
    """1 with the probability of each element."""
    drawn = _generator(call).random(call.arr(0).shape) < call.data(0)
    return fit(_type(call, call.type), drawn.astype(np.int64))


@evaluates("Multinomial")
def multinomial(call: Call) -> Arr:
    """Classes by unnormalized log-probabilities."""
    logs, size = call.data(0), call.attr("sample_size")
    if logs.shape[1] == 0:
        raise CannotAnswerError("no class")
    noise = _generator(call).gumbel(size=(logs.shape[0], size, logs.shape[1]))
    found = np.argmax(logs[:, None, :] + noise, -1)
    return fit(_type(call, "int32"), found)


@evaluates("Dropout")
def dropout(call: Call) -> tuple[Arr, Arr]:
    """`scale * data * mask` in training, else the data."""
    data = call.data(0)
    if call.version >= 12:
        ratio = call.arr(1).item if call.has(1) else LD(0.5)
        training = bool(call.arr(2).item) if call.has(2) else False
    else:
        ratio = LD(call.attr("ratio"))
        training = call.version < 7 and not call.attr("is_test")
    kept = np.ones(data.shape, bool)
    found = data
    if training and ratio != 0:
        kept = _generator(call).random(data.shape) >= float(ratio)
        found = data * kept / (1 - ratio)
    mask = "bool" if call.version >= 10 else call.type
    return fit(call.type, found), fit(mask, kept.astype(bool))
