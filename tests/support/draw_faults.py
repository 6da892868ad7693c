"""Runtimes that draw with NumPy's generator: a right one of each random operator, and wrong ones.

Each is a function of a call and a generator, which gives the elements of the first output, for
Dropout those of output and mask. Nothing is shared with an oracle but the types and shapes.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from onnx_conformance.generators.oracle.registry import Result

    Draw = Callable[[Call, np.random.Generator], Any]

_PLAIN: Mapping[str, type] = {
    "bool": np.bool_,
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
}


def answer(draw: Draw, stream: int) -> Callable[[Call], Result]:
    """A runtime that draws so: a seed begins a stream of its own, and each node without one too."""
    fresh = np.random.default_rng(stream)

    def answered(call: Call) -> Result:
        right = compute(call)  # which refuses what is invalid, too
        made = [item for item in right if isinstance(item, Tensor)]
        given = [item for item in call.inputs.values() if isinstance(item, Tensor)]
        if not made or any(item.type not in _PLAIN for item in made + given):
            return right  # beyond NumPy, or nothing is drawn
        seed = call.attributes.get("seed")
        number = None if seed is None else int.from_bytes(struct.pack("<d", seed), "little")
        generator = fresh if number is None else np.random.default_rng([stream, number])
        with np.errstate(all="ignore"):
            found = draw(call, generator)
        drawn = found if isinstance(found, tuple) else (found,)
        if len(made) != len(drawn):
            return right
        return tuple(
            Tensor(item.type, item.shape, _reshaped(array, item).tobytes())
            for item, array in zip(made, drawn, strict=True)
        )

    return answered


def _reshaped(array: Any, like: Tensor) -> Any:  # noqa: ANN401  an array of any type
    return np.asarray(array).astype(_PLAIN[like.type]).reshape(like.shape)


def _reals(call: Call, name: str) -> Any:  # noqa: ANN401  an array
    tensor = call.tensor(name)
    if not isinstance(tensor.data, bytes):
        raise TypeError(f"{name} is {tensor.type}")
    return np.frombuffer(tensor.data, _PLAIN[tensor.type]).reshape(tensor.shape).astype(np.float64)


def _size(call: Call) -> tuple[int, ...]:
    return call.tensor("input").shape if call.has("input") else call.ints_attribute("shape")


# --- Bernoulli -------------------------------------------------------------------------------


def _bernoulli(change: Callable[[Any], Any] = lambda chances: chances) -> Draw:
    def draw(call: Call, generator: np.random.Generator) -> Any:  # noqa: ANN401  an array
        chances = change(_reals(call, "input"))
        return generator.random(np.shape(chances)) < chances

    return draw


def _one_draw_for_all(call: Call, generator: np.random.Generator) -> Any:  # noqa: ANN401  an array
    return generator.random() < _reals(call, "input")


# --- Multinomial -----------------------------------------------------------------------------


def _softmax(logs: Any) -> Any:  # noqa: ANN401  arrays
    powers = np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf))
    return powers / powers.sum(axis=1, keepdims=True)


def _multinomial(
    change: Callable[[Any], Any] = _softmax,
    move: Callable[[Any, int], Any] = lambda drawn, _: drawn,
) -> Draw:
    def draw(call: Call, generator: np.random.Generator) -> Any:  # noqa: ANN401  an array
        logs, count = _reals(call, "input"), call.int_attribute("sample_size")
        rows = [
            np.searchsorted(np.cumsum(row)[:-1], generator.random(count), side="right")
            for row in change(logs)
        ]
        return move(np.array(rows).reshape(len(rows), count), logs.shape[1])

    return draw


def _of_powers_of_two(logs: Any) -> Any:  # noqa: ANN401  arrays
    return _softmax(logs * np.log(2))


def _of_plain_numbers(logs: Any) -> Any:  # noqa: ANN401  arrays
    """The input taken for probabilities instead of their logarithms."""
    positive = np.where(np.isfinite(logs) & (logs > 0), logs, 0) + 1e-9
    return positive / positive.sum(axis=1, keepdims=True)


# --- RandomUniform, RandomUniformLike --------------------------------------------------------


def _uniform(change: Callable[[Any, float, float], Any]) -> Draw:
    def draw(call: Call, generator: np.random.Generator) -> Any:  # noqa: ANN401  an array
        low, high = call.float_attribute("low"), call.float_attribute("high")
        return change(generator.random((3, *_size(call))), low, high)

    return draw


# --- RandomNormal, RandomNormalLike ----------------------------------------------------------


def _normal(change: Callable[[Any, float, float], Any]) -> Draw:
    def draw(call: Call, generator: np.random.Generator) -> Any:  # noqa: ANN401  an array
        mean, scale = call.float_attribute("mean"), call.float_attribute("scale")
        return change(generator.standard_normal((12, *_size(call))), mean, scale)

    return draw


def _even(draws: Any, mean: float, scale: float) -> Any:  # noqa: ANN401  arrays
    """An even distribution of the same mean and variance: draws of the normal one by their sign."""
    bits = (draws > 0) * (2.0 ** -np.arange(1, 13)).reshape(-1, *[1] * (draws.ndim - 1))
    return mean + scale * np.sqrt(12) * (bits.sum(axis=0) - 0.5)


# --- Dropout ---------------------------------------------------------------------------------


def _dropout(
    part: Callable[[float], float] = lambda ratio: ratio,
    scale: Callable[[float], float] = lambda ratio: 1 / (1 - ratio),
    *,
    inverted: bool = False,
    apart: bool = False,
) -> Draw:
    def draw(call: Call, generator: np.random.Generator) -> Any:  # noqa: ANN401  arrays
        data = _reals(call, "data")
        if call.has("ratio"):
            ratio = float(_reals(call, "ratio").ravel()[0])
        else:
            ratio = float(call.attributes.get("ratio", 0.5))
        kept, other = generator.random((2, *data.shape)) >= part(ratio)
        mask = other if apart else kept
        return np.where(kept, data * scale(ratio), 0), ~mask if inverted else mask

    return draw


#: A right runtime of each operator.
RIGHT: Mapping[str, Draw] = {
    "Bernoulli": _bernoulli(),
    "Dropout": _dropout(),
    "Multinomial": _multinomial(),
    **dict.fromkeys(
        ("RandomUniform", "RandomUniformLike"),
        _uniform(lambda u, low, high: low + (high - low) * u[0]),
    ),
    **dict.fromkeys(
        ("RandomNormal", "RandomNormalLike"), _normal(lambda n, mean, scale: mean + scale * n[0])
    ),
}

#: Faults of an operator, by their names, each with the case that fails it.
FAULTS: Mapping[str, Mapping[str, tuple[str, Draw]]] = {
    "Bernoulli": {
        "p and 1 - p exchanged": ("chances", _bernoulli(lambda p: 1 - p)),
        "a half for every probability": ("chances", _bernoulli(lambda p: p * 0 + 0.5)),
        "no luck, 1 above a half": ("chances", _bernoulli(lambda p: p > 0.5)),
        "square of p": ("chances", _bernoulli(lambda p: p * p)),
        "the mean probability for all": (
            "chances",
            _bernoulli(lambda p: p * 0 + p.sum() / max(p.size, 1)),
        ),
        "one draw for all elements": ("chances", _one_draw_for_all),
        "always 0": ("certain", _bernoulli(lambda p: p * 0)),
        "always 1": ("certain", _bernoulli(lambda p: p * 0 + 1)),
    },
    "Multinomial": {
        "p and 1 - p exchanged": ("two_outcomes", _multinomial(lambda x: _softmax(x)[:, ::-1])),
        "the input taken for probabilities": ("probabilities", _multinomial(_of_plain_numbers)),
        "powers of 2": ("to_the_base_of_e", _multinomial(_of_powers_of_two)),
        "every outcome as likely": ("one_row", _multinomial(lambda x: _softmax(x * 0))),
        "the likeliest alone": (
            "one_row",
            _multinomial(lambda x: (_softmax(x) == _softmax(x).max(1, keepdims=True)) * 1.0),
        ),
        "the first row for all": (
            "rows",
            _multinomial(lambda x: np.repeat(_softmax(x)[:1], len(x), axis=0)),
        ),
        "outcomes from 1 on": ("one_row", _multinomial(move=lambda drawn, _: drawn + 1)),
        "never the last outcome": (
            "one_row",
            _multinomial(move=lambda drawn, size: np.minimum(drawn, max(size - 2, 0))),
        ),
        "never the first outcome": (
            "equal",
            _multinomial(move=lambda drawn, size: np.maximum(drawn, min(1, size - 1))),
        ),
    },
    "RandomUniform": {
        "upper end ignored": ("moved", _uniform(lambda u, low, _: low + u[0])),
        "lower end ignored": ("moved", _uniform(lambda u, _, high: high * u[0])),
        "both ends ignored": ("moved", _uniform(lambda u, _low, _high: u[0])),
        "width taken for the upper end": (
            "moved",
            _uniform(lambda u, low, high: low + high * u[0]),
        ),
        "upper half of the range": (
            "standard",
            _uniform(lambda u, low, high: low + (high - low) * (1 + u[0]) / 2),
        ),
        "variance of a half": (
            "standard",
            _uniform(lambda u, low, high: low + (high - low) * (u[0] + u[1]) / 2),
        ),
        "nothing but the ends": (
            "standard",
            _uniform(lambda u, low, high: np.where(u[0] < 0.5, low, high)),
        ),
        "whole numbers": (
            "standard",
            _uniform(lambda u, low, high: np.floor(low + (high - low) * u[0])),
        ),
        "one number for all": (
            "standard",
            _uniform(lambda u, low, high: u[0] * 0 + low + (high - low) * u[0].ravel()[:1].sum()),
        ),
        "normal distribution": (
            "standard",
            _uniform(lambda u, low, high: low + (high - low) * np.sqrt(-2 * np.log1p(-u[0]))),
        ),
    },
    "RandomNormal": {
        "scale taken for the variance": ("wide", _normal(lambda n, m, s: m + np.sqrt(s) * n[0])),
        "scale squared": ("wide", _normal(lambda n, m, s: m + s * s * n[0])),
        "half the variance": ("standard", _normal(lambda n, m, s: m + s * n[0] * np.sqrt(0.5))),
        "scale ignored": ("moved", _normal(lambda n, m, _: m + n[0])),
        "mean ignored": ("moved", _normal(lambda n, _, s: s * n[0])),
        "mean and scale exchanged": ("moved", _normal(lambda n, m, s: s + m * n[0])),
        "mean scaled": ("moved", _normal(lambda n, m, s: s * (m + n[0]))),
        "one side alone": ("standard", _normal(lambda n, m, s: m + s * abs(n[0]))),
        "even distribution": ("many", _normal(_even)),
        "one number for all": (
            "standard",
            _normal(lambda n, m, s: m + s * (n[0] * 0 + n[0].ravel()[:1].sum())),
        ),
    },
    "Dropout": {
        "p and 1 - p exchanged": ("training", _dropout(lambda ratio: 1 - ratio)),
        "a half for every ratio": ("training", _dropout(lambda _: 0.5)),
        "what is kept is not scaled": ("training", _dropout(scale=lambda _: 1)),
        "scaled by the ratio": ("training", _dropout(scale=lambda ratio: 1 / ratio)),
        "mask of what is dropped": ("training", _dropout(inverted=True)),
        "mask of another draw": ("training_default", _dropout(apart=True)),
        "nothing dropped": ("training", _dropout(lambda _: 0)),
        "all dropped": ("training", _dropout(lambda _: 1)),
    },
}
