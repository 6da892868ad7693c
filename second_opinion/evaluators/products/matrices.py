"""Products of matrices."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, fit, is_float
from ..shared import as_float32, on_axis, text


def exact(data: Array, name: str) -> Array:
    """Long double, or integers of any size."""
    return data if is_float(name) or name.startswith("complex") else data.astype(object)


def product(first: Array, second: Array) -> Array:
    """NumPy's matmul; of nothing it is zero."""
    return np.asarray(np.matmul(first, second))


@evaluates("MatMul")
def matmul(call: Call) -> Arr:
    """`MatMul`: as numpy.matmul."""
    return fit(call.type, product(*(exact(item.data, item.type) for item in call.inputs)))


@evaluates("Gemm")
def gemm(call: Call) -> Arr:
    """`alpha * A' * B' + beta * C`."""
    name = call.type
    first, second = (exact(call.data(place), name) for place in (0, 1))
    first = first.T if call.attr("transA") else first
    second = second.T if call.attr("transB") else second
    alpha, beta = as_float32(call, "alpha", "beta")
    if not is_float(name):
        alpha, beta = (int(item) if item == int(item) else item for item in (alpha, beta))
    found = product(first, second)
    found = found if alpha == 1 else found * alpha
    if call.has(2):
        added = exact(call.data(2), name)
        found = found + (added if beta == 1 else beta * added)
    if not is_float(name):
        found = np.asarray(np.frompyfunc(int, 1, 1)(found), object)
    return fit(name, found)


@evaluates("Einsum")
def einsum(call: Call) -> Arr:
    """`Einsum`: NumPy's own, in long double or integers of any size."""
    equation = text(call.attr("equation"))
    operands = [exact(item.data, item.type) for item in call.inputs]
    return fit(call.type, np.asarray(np.einsum(equation, *operands)))


def zero_point(point: Arr | None, rank: int, axis: int) -> Any:  # noqa: ANN401  an array or 0
    """A zero point as something to subtract: a scalar, or one for each entry of an axis."""
    return 0 if point is None else on_axis(point.data.astype(object), rank, axis)


@evaluates("MatMulInteger")
def matmul_integer(call: Call) -> Arr:
    """`(A - a_zero_point) * (B - b_zero_point)` in int32."""
    first, second = (call.data(place).astype(object) for place in (0, 1))
    left = first - zero_point(call.opt(2), max(first.ndim, 1), -2 if first.ndim > 1 else -1)
    right = second - zero_point(call.opt(3), max(second.ndim, 1), -1)
    return fit("int32", product(left, right))


@evaluates("Det")
def determinant(call: Call) -> Arr:
    """`Det`: in fractions; by rows where an element is no number."""
    data = call.data(0)
    made = np.empty(data.shape[:-2], LD)
    for place in np.ndindex(made.shape):
        made[place] = _determinant(data[place])
    return fit(call.type, made)


def _determinant(matrix: Array) -> Any:  # noqa: ANN401  a long double
    if not np.isfinite(matrix).all():
        return _by_rows(matrix)
    rows = [[Fraction(float(item)) for item in row] for row in matrix]
    sign, found = 1, Fraction(1)
    for column in range(len(rows)):
        pivot = next((row for row in range(column, len(rows)) if rows[row][column]), None)
        if pivot is None:
            return LD(0)
        if pivot != column:
            rows[pivot], rows[column] = rows[column], rows[pivot]
            sign = -sign
        found *= rows[column][column]
        for row in range(column + 1, len(rows)):
            factor = rows[row][column] / rows[column][column]
            rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return from_fraction(sign * found)


def from_fraction(number: Fraction) -> Any:  # noqa: ANN401  a long double
    """The long double next to a fraction."""
    top = number.numerator.bit_length() - number.denominator.bit_length()
    shift = 66 - top
    scaled = number * Fraction(2) ** shift
    whole = scaled.numerator // scaled.denominator
    # A bit that stands for all that follows keeps ties apart.
    whole = (whole << 1) | int(scaled.denominator != 1)
    high, low = divmod(abs(whole), 1 << 34)
    size = LD(high) * LD(1 << 34) + LD(low)
    return np.ldexp(size if number >= 0 else -size, -shift - 1)


def _by_rows(matrix: Array) -> Any:  # noqa: ANN401  a long double
    if len(matrix) == 0:
        return LD(1)
    total = LD(0)
    for column in range(len(matrix)):
        rest = np.delete(matrix[1:], column, 1)
        total += (-1) ** column * matrix[0, column] * _by_rows(rest)
    return total
