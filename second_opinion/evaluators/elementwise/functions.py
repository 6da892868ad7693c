"""Elementary functions and activations, in long double (Erf in SciPy's, or mpmath)."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array, largest
from ...values.tensors import Arr, fit, is_float, span
from ..shared import as_float32, exactly, text

_DIGITS = 30


def with_mpmath(function: Any, data: Array) -> Array:  # noqa: ANN401  a function of mpmath
    """A function of mpmath, element by element, as long double."""

    def one(item: Any) -> Any:  # noqa: ANN401  long doubles
        if np.isnan(item):
            return item
        with mpmath.workdps(_DIGITS):
            found = function(mpmath.mpf(_text(item)))
            return LD(mpmath.nstr(found, 25, strip_zeros=False))

    flat = [one(item) for item in data.reshape(-1)]
    return np.array(flat, LD).reshape(data.shape)


def _text(item: Any) -> str:  # noqa: ANN401  a long double
    return np.format_float_scientific(item, precision=25)


def erf(data: Array) -> Array:
    """The error function in long double; the sign of a zero stays."""
    ends = np.where(np.isinf(data), np.sign(data), data)
    inside = np.isfinite(data) & (np.abs(data) > LD(1e-9)) & (np.abs(data) < 60)
    found = np.where(np.abs(data) >= 60, np.sign(data), ends * (2 / np.sqrt(LD_PI)))
    middle = with_mpmath(mpmath.erf, np.where(inside, data, LD(0)))
    return np.where(inside, middle, found)


LD_PI = LD("3.14159265358979323846264338327950288")


@evaluates("Erf")
def error_function(call: Call) -> Arr:
    """`Erf`: the error function, by mpmath."""
    if is_float(call.type):
        return exactly(call.type, erf, call.data(0))
    found = erf(call.data(0).astype(LD))
    return fit(call.type, np.trunc(found).astype(np.int64))


def sigmoid(data: Array) -> Array:
    """1 / (1 + exp(-x)) without overflow."""
    small = np.exp(-np.abs(data))
    return np.where(data >= 0, 1 / (1 + small), small / (1 + small))


def softplus(data: Array) -> Array:
    """log(1 + exp(x)) without overflow."""
    result: Array = np.maximum(data, 0) + np.log1p(np.exp(-np.abs(data)))
    return result


@evaluates("Relu")
def relu(call: Call) -> Arr:
    """`y = max(0, x)`."""
    data = call.data(0)
    if not is_float(call.type):
        return fit(call.type, np.maximum(data, 0))
    return Arr(call.type, np.where(np.isnan(data) | (data > 0), data, LD(0)))


@evaluates("PRelu")
def prelu(call: Call) -> Arr:
    """`f(x) = slope * x for x < 0`; before opset 7 the slope is by channel."""
    data, slope = call.data(0), call.data(1)
    if call.version < 7 and slope.ndim == 1 and slope.size > 1:
        slope = slope.reshape((-1,) + (1,) * (data.ndim - 2))
    if call.version < 7 and slope.size == 1:
        slope = slope.reshape(())
    return exactly(call.type, lambda x, s: np.where(x < 0, s * x, x), data, slope)


#: By operator the attributes that its formula takes, and the formula of inputs and these.
_FORMULAS: dict[str, tuple[tuple[str, ...], Any]] = {
    "Acos": ((), np.arccos),
    "Acosh": ((), np.arccosh),
    "Asin": ((), np.arcsin),
    "Asinh": ((), np.arcsinh),
    "Atan": ((), np.arctan),
    "Atanh": ((), np.arctanh),
    "Cos": ((), np.cos),
    "Cosh": ((), np.cosh),
    "Exp": ((), np.exp),
    "Log": ((), np.log),
    "Sin": ((), np.sin),
    "Sinh": ((), np.sinh),
    "Tan": ((), np.tan),
    "Tanh": ((), np.tanh),
    "Sigmoid": ((), sigmoid),
    "Softplus": ((), softplus),
    "Softsign": ((), lambda x: x / (1 + np.abs(x))),
    "LeakyRelu": (("alpha",), lambda x, alpha: np.where(x < 0, alpha * x, x)),
    "ThresholdedRelu": (("alpha",), lambda x, alpha: np.where(x > alpha, x, LD(0))),
    "Elu": (("alpha",), lambda x, alpha: np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x)),
    "Celu": (
        ("alpha",),
        lambda x, alpha: np.maximum(0, x) + np.minimum(0, alpha * np.expm1(x / alpha)),
    ),
    "Selu": (
        ("alpha", "gamma"),
        lambda x, alpha, gamma: np.where(x <= 0, gamma * alpha * np.expm1(x), gamma * x),
    ),
    "HardSigmoid": (
        ("alpha", "beta"),
        lambda x, alpha, beta: np.maximum(0, np.minimum(1, alpha * x + beta)),
    ),
    "HardSwish": ((), lambda x: x * np.maximum(0, np.minimum(1, x / 6 + LD(0.5)))),
    "Mish": ((), lambda x: x * np.tanh(softplus(x))),
    "Swish": (("alpha",), lambda x, alpha: x * sigmoid(alpha * x)),
    "SwiGLU": (("alpha",), lambda a, b, alpha: a * sigmoid(alpha * a) * b),
}


@evaluates(*_FORMULAS)
def formula(call: Call) -> Arr:
    """Elementary functions of C's long double, and activations by the formulas of their pages."""
    names, function = _FORMULAS[call.operator]
    given = as_float32(call, *names)
    data = [item.data for item in call.inputs]
    return exactly(call.type, lambda *inputs: function(*inputs, *given), *data)


@evaluates("Gelu")
def gelu(call: Call) -> Arr:
    """`0.5 * x * (1 + erf(x / sqrt(2)))`, or its approximation by tanh."""
    if text(call.attr("approximate")) == "tanh":
        root = np.sqrt(2 / LD_PI)
        factor = LD("0.044715")

        def approximate(x: Array) -> Array:
            inner = root * (x + factor * x * x * x)
            # 1 + tanh(t) = 2 / (1 + exp(-2 t)), which loses nothing where t is far below zero.
            return np.asarray(x * sigmoid(2 * inner))

        return exactly(call.type, approximate, call.data(0))
    root = np.sqrt(LD(2))

    def exact(x: Array) -> Array:
        tail = with_mpmath(mpmath.erfc, np.where(np.isfinite(x), -x / root, LD(0)))
        tail = np.where(x == np.inf, LD(2), np.where(x == -np.inf, LD(0), tail))
        return np.asarray(x / 2 * np.where(np.isnan(x), x, tail))

    return exactly(call.type, exact, call.data(0))


@evaluates("Shrink")
def shrink(call: Call) -> Arr:
    """`x + bias` below -lambd, `x - bias` above lambd, otherwise 0."""
    bias, lambd = as_float32(call, "bias", "lambd")

    def compute(x: Array) -> Array:
        return np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, LD(0)))

    if is_float(call.type):
        return exactly(call.type, compute, call.data(0))
    found = compute(call.data(0).astype(LD))
    return fit(call.type, np.trunc(found).astype(object))


@evaluates("Clip")
def clip(call: Call) -> Arr:
    """`Min(max, Max(input, min))`; bounds that are left out are the limits of the type."""
    data = call.data(0)
    if call.version < 11:
        start, end = (LD(call.attr(name, default)) for name, default in _ENDS)
        return exactly(call.type, lambda x: np.minimum(np.maximum(x, start), end), data)
    if is_float(call.type):
        least, most = -largest(call.type), largest(call.type)
    else:
        least, most = span(call.type)
    low: Any = call.data(1).reshape(()) if call.has(1) else np.asarray(least, data.dtype)
    high: Any = call.data(2).reshape(()) if call.has(2) else np.asarray(most, data.dtype)
    return fit(call.type, np.minimum(high, np.maximum(data, low)))


_ENDS = (("min", -3.4028234663852886e38), ("max", 3.4028234663852886e38))
