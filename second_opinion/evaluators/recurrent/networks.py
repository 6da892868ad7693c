"""RNN, GRU and LSTM, by the equations of their documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit
from ..elementwise.functions import sigmoid, softplus
from ..shared import text

Function = Callable[[Array], Array]
# Each with its defaults of alpha and beta, those of the operators of the same names; None of what
# it does not take.
_ACTIVATIONS: dict[str, tuple[float | None, float | None, Any]] = {
    "relu": (None, None, lambda x, _a, _b: np.maximum(x, 0)),
    "tanh": (None, None, lambda x, _a, _b: np.tanh(x)),
    "sigmoid": (None, None, lambda x, _a, _b: sigmoid(x)),
    "affine": (1.0, 0.0, lambda x, a, b: a * x + b),
    "leakyrelu": (0.01, None, lambda x, a, _b: np.where(x >= 0, x, a * x)),
    "thresholdedrelu": (1.0, None, lambda x, a, _b: np.where(x >= a, x, LD(0))),
    "scaledtanh": (1.0, 1.0, lambda x, a, b: a * np.tanh(b * x)),
    "hardsigmoid": (0.2, 0.5, lambda x, a, b: np.minimum(np.maximum(a * x + b, 0), 1)),
    "elu": (1.0, None, lambda x, a, _b: np.where(x >= 0, x, a * np.expm1(x))),
    "softsign": (None, None, lambda x, _a, _b: x / (1 + np.abs(x))),
    "softplus": (None, None, lambda x, _a, _b: softplus(x)),
}


def _functions(call: Call, defaults: list[str], directions: int) -> list[Function]:
    names = [text(item).lower() for item in call.attr("activations") or []]
    names = names[: len(defaults) * directions] or defaults * directions
    alphas = list(call.attr("activation_alpha") or [])
    betas = list(call.attr("activation_beta") or [])
    found = []
    for name in names:
        if (name == "affine" and not (alphas or betas)) or (
            name == "scaledtanh" and not (alphas and betas)
        ):
            raise CannotAnswerError(f"the defaults of {name}")
        alpha, beta, function = _ACTIVATIONS[name]
        given = [_taken(alpha, alphas), _taken(beta, betas)]
        found.append(_clipped(partial(_applied, function, given), call.attr("clip")))
    return found


def _taken(default: float | None, given: list[float]) -> Any:  # noqa: ANN401  a long double
    """The next that is given to an activation that takes one, or its default in float32."""
    if default is None:
        return LD(0)
    return LD(given.pop(0) if given else np.float32(default))


def _applied(function: Any, given: list[Any], x: Array) -> Array:  # noqa: ANN401  a function
    return np.asarray(function(x, *given))


def _clipped(function: Function, clip: float | None) -> Function:
    if clip is None:
        return function
    return lambda x: function(np.clip(x, -LD(clip), LD(clip)))


@dataclass(frozen=True)
class Layer:
    """One direction of a network.

    Attributes:
        weights, recurrence: [gates * hidden, inputs] and [gates * hidden, hidden].
        bias, other_bias: of each, [gates * hidden].
        peepholes: [3 * hidden]; zeros where there are none.
        functions: f, g, h.
        hidden: the hidden size.
    """

    weights: Array
    recurrence: Array
    bias: Array
    other_bias: Array
    peepholes: Array
    functions: list[Function]
    hidden: int

    def gate(self, place: int) -> Layer:
        """The part of one gate."""
        rows = slice(place * self.hidden, (place + 1) * self.hidden)
        return replace(
            self,
            weights=self.weights[rows],
            recurrence=self.recurrence[rows],
            bias=self.bias[rows],
            other_bias=self.other_bias[rows],
        )

    def sum(self, x: Array, h: Array) -> Array:
        """`x * W^T + h * R^T + Wb + Rb`."""
        return np.asarray(x @ self.weights.T + h @ self.recurrence.T + self.bias + self.other_bias)


Step = Callable[[Layer, Array, Array, Array], tuple[Array, Array]]


def _rnn_step(layer: Layer, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
    return layer.functions[0](layer.sum(x, h)), c


def _gru_step(before: bool) -> Step:  # noqa: FBT001
    def step(layer: Layer, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
        f, g = layer.functions[:2]
        z = f(layer.gate(0).sum(x, h))
        r = f(layer.gate(1).sum(x, h))
        last = layer.gate(2)
        if before:
            inner = r * (h @ last.recurrence.T + last.other_bias)
        else:
            inner = (r * h) @ last.recurrence.T + last.other_bias
        new = g(x @ last.weights.T + inner + last.bias)
        return (1 - z) * new + z * h, c

    return step


def _lstm_step(coupled: bool) -> Step:  # noqa: FBT001
    def step(layer: Layer, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
        f, g, last = layer.functions[:3]
        p = layer.peepholes.reshape(3, layer.hidden)
        i = f(layer.gate(0).sum(x, h) + p[0] * c)
        forget = 1 - i if coupled else f(layer.gate(2).sum(x, h) + p[2] * c)
        new = forget * c + i * g(layer.gate(3).sum(x, h))
        o = f(layer.gate(1).sum(x, h) + p[1] * new)
        return o * last(new), new

    return step


@evaluates("RNN", "GRU", "LSTM")
def network(call: Call) -> tuple[Any, ...]:
    """Each direction over each sequence of a batch, with lengths, layouts and initial states."""
    gates, defaults, step = {
        "RNN": (1, ["tanh"], _rnn_step),
        "GRU": (3, ["sigmoid", "tanh"], _gru_step(bool(call.attr("linear_before_reset", 0)))),
        "LSTM": (
            4,
            ["sigmoid", "tanh", "tanh"],
            _lstm_step(bool(call.attr("input_forget", 0))),
        ),
    }[call.operator]
    layout = call.attr("layout", 0)
    x = call.data(0).swapaxes(0, 1) if layout else call.data(0)
    steps, batch = x.shape[:2]
    weights, recurrence = call.data(1), call.data(2)
    directions, hidden = weights.shape[0], recurrence.shape[2]
    bias = call.data(3) if call.has(3) else np.zeros((directions, 2 * gates * hidden), LD)
    lengths = call.arr(4).ints if call.has(4) else [steps] * batch
    peepholes = call.data(7) if call.has(7) else np.zeros((directions, 3 * hidden), LD)
    functions = _functions(call, defaults, directions)
    backward = [item == 1 for item in range(directions)]
    if text(call.attr("direction")) == "reverse":
        backward = [True]
    h = _state(call, 5, layout, (directions, batch, hidden))
    c = _state(call, 6, layout, (directions, batch, hidden))
    every = np.zeros((steps, directions, batch, hidden), LD)
    for number in range(directions):
        layer = Layer(
            weights[number],
            recurrence[number],
            bias[number, : gates * hidden],
            bias[number, gates * hidden :],
            peepholes[number],
            functions[number * len(defaults) :],
            hidden,
        )
        for item in range(batch):
            order = range(lengths[item])
            for place in order[::-1] if backward[number] else order:
                h[number, item], c[number, item] = step(
                    layer, x[place, item], h[number, item], c[number, item]
                )
                every[place, number, item] = h[number, item]
    states = [every.transpose(2, 0, 1, 3) if layout else every]
    states += [item.swapaxes(0, 1) if layout else item for item in (h, c)]
    outputs: tuple[Arr, ...] = tuple(fit(call.type, item) for item in states)
    return outputs if call.operator == "LSTM" else outputs[:2]


def _state(call: Call, place: int, layout: int, shape: tuple[int, ...]) -> Array:
    if not call.has(place):
        return np.zeros(shape, LD)
    data = call.data(place)
    return np.array(data.swapaxes(0, 1) if layout else data)
