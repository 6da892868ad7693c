"""Linear quantization, and products of quantized tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array, round_to
from ...values.tensors import Arr, CannotAnswerError, fit, is_float, span
from ..products.convolutions import integer_convolution
from ..products.matrices import product
from ..shared import on_axis, type_of_code
from .casts import converted


def _spread(call: Call, values: Array, shape: tuple[int, ...]) -> Array:
    """A scale or zero point as something that broadcasts with the tensor."""
    if values.ndim == 0:
        return values
    block, axis = call.attr("block_size", 0), call.attr("axis", 1)
    if block:
        axis %= len(shape)
        return np.take(np.repeat(values, block, axis), np.arange(shape[axis]), axis)
    return on_axis(values.reshape(-1), len(shape), axis if -len(shape) <= axis < len(shape) else 0)


def saturated(name: str, numbers: Array) -> Arr:
    """Whole numbers, kept within the range of an integer type."""
    if np.isnan(numbers).any():
        raise CannotAnswerError("a NaN to quantize")
    low, high = span(name)
    return fit(name, np.clip(numbers, low, high).astype(np.int64))


def _in(precision: str, numbers: Array) -> Array:
    """Numbers in the precision of the division; an integer one leaves them to `_undoubted`."""
    return round_to(precision, numbers) if is_float(precision) else numbers


def _undoubted(name: str, quotient: Array, shift: Any) -> Arr:  # noqa: ANN401  an array or 0
    """What quotients of integers give, if it is the same rounded and truncated."""
    found = saturated(name, np.rint(quotient) + shift)
    if (found.data != saturated(name, np.trunc(quotient) + shift).data).any():
        raise CannotAnswerError("a division of integers that leaves a remainder")
    return found


def _require_powers_of_two(quotient: Array) -> None:
    """CannotAnswerError for a quotient that float8e8m0, whose precision it has, does not hold."""
    if not ((quotient > 0) & (np.frexp(quotient)[0] == 0.5)).all():
        raise CannotAnswerError("a division in the precision of float8e8m0, by the document")


@evaluates("QuantizeLinear")
def quantize(call: Call) -> Arr:
    """`saturate(round(x / y_scale) + y_zero_point)`."""
    scale, zero = call.arr(1), call.opt(2)
    name = zero.type if zero else "uint8"
    if call.attr("output_dtype", 0):
        name = type_of_code(call.attr("output_dtype"))
    precision = scale.type
    if call.attr("precision", 0):
        precision = type_of_code(call.attr("precision"))
    data = call.data(0).astype(LD)
    if precision == "float8e8m0":
        _require_powers_of_two(data / _spread(call, scale.data.astype(LD), data.shape))
        precision = call.arr(0).type
    spread = _spread(call, _in(precision, scale.data.astype(LD)), data.shape)
    data = _in(precision, data)
    shift: Any = 0
    if zero is not None:
        shift = _spread(call, zero.data, data.shape).astype(LD)
    quotient = _in(precision, data / spread)
    if is_float(name):
        return converted(fit("float64", quotient + shift), name, bool(call.attr("saturate", 1)))
    if not is_float(precision):
        return _undoubted(name, quotient, shift)
    return saturated(name, np.rint(quotient) + shift)


@evaluates("DequantizeLinear")
def dequantize(call: Call) -> Arr:
    """`(x - x_zero_point) * x_scale`."""
    data, scale, zero = call.data(0).astype(LD), call.arr(1), call.opt(2)
    name = scale.type
    if call.attr("output_dtype", 0):
        name = type_of_code(call.attr("output_dtype"))
    if zero is not None:
        data = data - _spread(call, zero.data, data.shape).astype(LD)
    return fit(name, data * _spread(call, scale.data, data.shape))


def _single(numbers: Any) -> Any:  # noqa: ANN401  an array of long doubles
    return round_to("float32", np.asarray(numbers, LD))


@evaluates("DynamicQuantizeLinear")
def dynamic(call: Call) -> tuple[Arr, Arr, Arr]:
    """Scale and zero point from the range of x, each step in float32."""
    data = call.data(0)
    if data.size == 0 or not np.isfinite(data).all():
        raise CannotAnswerError("no range to quantize")
    most, least = max(LD(0), data.max()), min(LD(0), data.min())
    scale = _single(_single(most - least) / 255)
    if scale == 0:
        raise CannotAnswerError("a scale of zero")
    zero = np.clip(np.rint(np.clip(_single(0 - _single(least / scale)), 0, 255)), 0, 255)
    found = saturated("uint8", np.rint(_single(data / scale)) + zero)
    return found, Arr("float32", np.asarray(scale)), fit("uint8", np.asarray(zero).astype(np.int64))


def _requantized(total: Array, factor: Array, zero: Arr) -> Arr:
    real = total.astype(LD) * factor
    return saturated(zero.type, np.rint(real) + zero.data.astype(LD))


@evaluates("QLinearConv")
def q_conv(call: Call) -> Arr:
    """The convolution of what the quantized values stand for, quantized."""
    total = integer_convolution(call, call.opt(2), call.opt(5), 0, 3)
    if call.has(8):
        total = total + on_axis(call.data(8).astype(object), total.ndim, 1)
    scales = call.data(1).reshape(-1)[0] * call.data(4) / call.data(6).reshape(-1)[0]
    factor = on_axis(scales, total.ndim, 1)
    zero = Arr(call.arr(7).type, call.data(7).reshape(-1)[0:1].reshape(()))
    return _requantized(total, factor, zero)


def _rows(values: Array, rank: int) -> Array:
    """By row of a: an entry for each row where it is a vector."""
    return on_axis(values, max(rank, 1), -2)


@evaluates("QLinearMatMul")
def q_matmul(call: Call) -> Arr:
    """The product of what the quantized values stand for, quantized."""
    if is_float(call.arr(7).type) or is_float(call.type) or is_float(call.arr(3).type):
        return _float8_product(call)
    a, b = call.data(0).astype(object), call.data(3).astype(object)
    left = a - _rows(call.data(2).astype(object), a.ndim)
    right = b - on_axis(call.data(5).astype(object), 1, -1)
    total = product(left, right)
    scale_a, scale_b = _rows(call.data(1), a.ndim), on_axis(call.data(4), 1, -1)
    scale_y, zero_y = call.data(6), call.data(7)
    rank = np.ndim(total)
    factor = scale_a * scale_b / _rows(scale_y, rank)
    return _requantized(total, factor, Arr(call.arr(7).type, _rows(zero_y, rank)))


def _float8_product(call: Call) -> Arr:
    """The same where an operand or the result is a float of 8 bits: a cast in place of rounding."""
    a, b = call.data(0).astype(LD), call.data(3).astype(LD)
    zero = call.arr(7)
    left = (a - _rows(call.data(2).astype(LD), a.ndim)) * _rows(call.data(1), a.ndim)
    right = (b - on_axis(call.data(5).astype(LD), 1, -1)) * on_axis(call.data(4), 1, -1)
    real = product(left, right)
    real = real / _rows(call.data(6), real.ndim)
    shift = _rows(zero.data.astype(LD), real.ndim)
    if not is_float(zero.type):
        return saturated(zero.type, np.rint(real) + shift)
    return converted(fit("float64", real + shift), zero.type)
