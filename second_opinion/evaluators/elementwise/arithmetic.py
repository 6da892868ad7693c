"""Operators of one rounding, integers, and comparisons."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit, is_float, span
from ..shared import exactly, legacy_broadcast, rounded_once, text

_SUMS = {"Add": operator.add, "Sub": operator.sub, "Mul": operator.mul}


@evaluates(*_SUMS)
def sums(call: Call) -> Arr:
    """`Add`, `Sub`, `Mul`: element-wise, rounded once."""
    return rounded_once(call.type, _SUMS[call.operator], *legacy_broadcast(call))


@evaluates("Div")
def quotient(call: Call) -> Arr:
    """`Div`: rounded once; integers truncate toward zero."""
    first, second = legacy_broadcast(call)
    if is_float(call.type):
        return rounded_once(call.type, np.true_divide, first, second)
    return exactly(call.type, np.frompyfunc(_truncated, 2, 1), first, second)


def _truncated(first: int, second: int) -> int:
    size = abs(first) // abs(second)
    return size if (first < 0) == (second < 0) else -size


@evaluates("Mod")
def modulo(call: Call) -> Arr:
    """`Mod`: `A - floor(A / B) * B`, or with fmod the truncated quotient."""
    first, second = call.data(0), call.data(1)
    if not is_float(call.type):
        function = _fmod_whole if call.attr("fmod") else operator.mod
        return exactly(call.type, np.frompyfunc(function, 2, 1), first, second)
    if call.attr("fmod"):
        return fit(call.type, np.fmod(first, second))
    left = np.fmod(first, second)
    # The sum of the remainder and the divisor is rounded once.
    moved = rounded_once(call.type, operator.add, left, second).data
    result = np.where((left != 0) & (np.signbit(left) != np.signbit(second)), moved, left)
    result = np.where(left == 0, np.copysign(LD(0), second), result)
    far = np.isinf(second) & np.isfinite(first) & (first != 0)
    same = np.signbit(first) == np.signbit(second)
    return fit(call.type, np.where(far, np.where(same, first, second), result))


def _fmod_whole(first: int, second: int) -> int:
    return first - _truncated(first, second) * second


@evaluates("Pow")
def power(call: Call) -> Arr:
    """`Pow`: exact in integers of any size, else in long double."""
    base, exponent = legacy_broadcast(call)
    kinds = is_float(call.type), is_float(call.arr(1).type)
    if kinds[0]:
        return fit(call.type, np.power(base, exponent.astype(LD)))
    return fit(call.type, np.asarray(np.frompyfunc(_whole_power(call), 2, 1)(base, exponent)))


def _whole_power(call: Call) -> Any:  # noqa: ANN401  a function
    low, high = span(call.type)

    def raised(base: int, exponent: Any) -> int:  # noqa: ANN401  an integer or long double
        base = int(base)
        if np.isfinite(LD(exponent)) and exponent == int(exponent) and exponent >= 0:
            if abs(base) <= 1:
                return int(base ** int(exponent))
            return pow(base, int(exponent), 1 << 64)
        found = np.power(LD(base), LD(exponent))
        if not low <= found <= high:
            raise CannotAnswerError(f"{base} to the power of {exponent} is no {call.type}")
        return int(np.trunc(found))

    return raised


_SINGLE: dict[str, Any] = {
    "Neg": np.negative,
    "Abs": np.abs,
    "Reciprocal": lambda x: 1 / x,
    "Sqrt": np.sqrt,
    "Floor": np.floor,
    "Ceil": np.ceil,
    "Sign": np.sign,
    "Round": np.rint,
}


@evaluates(*_SINGLE)
def single(call: Call) -> Arr:
    """Operators of one operand and at most one rounding."""
    return rounded_once(call.type, _SINGLE[call.operator], call.data(0))


@evaluates("Max", "Min")
def extreme(call: Call) -> Arr:
    """`Max`, `Min` of any number of tensors; a NaN wins."""
    function: Any = np.maximum if call.operator == "Max" else np.minimum
    return fit(call.type, reduce(function, (item.data for item in call.inputs)))


@evaluates("Sum", "Mean")
def total(call: Call) -> Arr:
    """`Sum`, `Mean` of any number of tensors, in long double."""
    parts = [item.data for item in call.inputs]
    divisor = len(parts) if call.operator == "Mean" else 1
    if len(parts) == 1:
        return Arr(call.type, parts[0])

    def compute(*parts: Array) -> Array:
        return np.asarray(reduce(operator.add, parts) / LD(divisor))

    return exactly(call.type, compute, *parts)


_TRUTHS: dict[str, Any] = {
    "Equal": operator.eq,
    "Greater": operator.gt,
    "Less": operator.lt,
    "GreaterOrEqual": operator.ge,
    "LessOrEqual": operator.le,
    "And": np.logical_and,
    "Or": np.logical_or,
    "Xor": np.logical_xor,
}


@evaluates(*_TRUTHS)
def compared(call: Call) -> Arr:
    """Comparisons, which are false where an operand is NaN, and logical operators on booleans."""
    return Arr("bool", np.asarray(_TRUTHS[call.operator](*legacy_broadcast(call))).astype(bool))


@evaluates("Not")
def negated(call: Call) -> Arr:
    """`Not`: the other truth value."""
    return Arr("bool", np.asarray(~call.data(0)))


_BITWISE = {"BitwiseAnd": operator.and_, "BitwiseOr": operator.or_, "BitwiseXor": operator.xor}


@evaluates(*_BITWISE)
def bitwise(call: Call) -> Arr:
    """Bit by bit in two's complement."""
    return fit(call.type, _BITWISE[call.operator](call.data(0), call.data(1)))


@evaluates("BitwiseNot")
def inverted(call: Call) -> Arr:
    """Each bit the other."""
    return fit(call.type, np.asarray(~call.data(0)))


@evaluates("BitShift")
def shifted(call: Call) -> Arr:
    """`BitShift`: to the left modulo the width, to the right with copies of the sign."""
    left = text(call.attr("direction")) == "LEFT"
    low, high = span(call.type)
    width = (high - low + 1).bit_length() - 1

    def one(number: int, amount: int) -> int:
        number, amount = int(number), int(amount)
        if not 0 <= amount < width:
            return -1 if not left and number < 0 else 0
        return number << amount if left else number >> amount

    return fit(call.type, np.asarray(np.frompyfunc(one, 2, 1)(call.data(0), call.data(1))))


@evaluates("IsNaN")
def is_nan(call: Call) -> Arr:
    """`IsNaN`: true where the element is NaN."""
    return Arr("bool", np.asarray(np.isnan(call.data(0))))


@evaluates("IsInf")
def is_infinite(call: Call) -> Arr:
    """`IsInf`: true at the infinities that the attributes ask for."""
    ends = (("detect_positive", np.inf), ("detect_negative", -np.inf))
    wanted = [end for name, end in ends if call.attr(name, 1)]
    return Arr("bool", np.isin(call.data(0), wanted))
