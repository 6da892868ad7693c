"""Reductions over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit, is_float, span
from ..shared import axes_of, lp_norm

_AXES_AS_INPUT = {"ReduceSum": 13}


def _axes(call: Call) -> tuple[int, ...]:
    rank = call.data(0).ndim
    if call.version >= _AXES_AS_INPUT.get(call.operator, 18):
        given = call.arr(1).ints if call.has(1) else []
        if not given and call.attr("noop_with_empty_axes", 0):
            return ()
    else:
        given = call.attr("axes") or []
    return axes_of(given, rank) if given else tuple(range(rank))


def _log_sum_exp(data: Array, axes: tuple[int, ...]) -> Array:
    if not all(data.shape[axis] for axis in axes):
        shape = [1 if place in axes else item for place, item in enumerate(data.shape)]
        return np.full(shape, -np.inf, LD)
    top = np.max(data, axes, keepdims=True)
    shift = np.where(np.isfinite(top), top, LD(0))
    result: Array = np.log(np.sum(np.exp(data - shift), axes, keepdims=True)) + shift
    return result


#: By operator, what it makes of data and axes.
_FUNCTIONS: dict[str, Any] = {
    "ReduceSum": lambda x, a: np.sum(x, a, keepdims=True),
    "ReduceMean": lambda x, a: np.mean(x, a, keepdims=True),
    "ReduceProd": lambda x, a: np.prod(x, a, keepdims=True),
    "ReduceSumSquare": lambda x, a: np.sum(x * x, a, keepdims=True),
    "ReduceL1": lambda x, a: lp_norm(x, 1, a),
    "ReduceL2": lambda x, a: lp_norm(x, 2, a),
    "ReduceLogSum": lambda x, a: np.log(np.sum(x, a, keepdims=True)),
    "ReduceLogSumExp": _log_sum_exp,
}


def _alone(operator: str, data: Array) -> Array:
    """What is left where nothing is reduced; a sum of one term keeps the sign of its zero."""
    if operator in ("ReduceSum", "ReduceMean", "ReduceProd"):
        return data
    return np.asarray(_FUNCTIONS[operator](data[..., None], (data.ndim,))[..., 0])


@evaluates(*_FUNCTIONS)
def reductions(call: Call) -> Arr:
    """Reductions in long double, or in integers of any size, rounded or wrapped at the end."""
    data, axes = call.data(0), _axes(call)
    name, operator = call.type, call.operator
    if is_float(name):
        found = _FUNCTIONS[operator](data, axes) if axes else _alone(operator, data)
    else:
        found = _integers(operator, data, axes)
    found = np.asarray(found)
    kept = call.attr("keepdims")
    return fit(name, found if kept else found.squeeze(axes))


def _integers(operator: str, data: Array, axes: tuple[int, ...]) -> Array:
    exact = data.astype(object)
    if operator in ("ReduceSum", "ReduceProd", "ReduceSumSquare", "ReduceL1"):
        return np.asarray(_FUNCTIONS[operator](exact, axes), object)
    count = int(np.prod([data.shape[axis] for axis in axes], dtype=np.int64))
    if operator == "ReduceMean":
        if count == 0:
            raise CannotAnswerError("a mean of nothing")
        sums = np.asarray(np.sum(exact, axes, keepdims=True), object)
        quotient = np.frompyfunc(lambda item: _exact_quotient(item, count), 1, 1)
        return np.asarray(quotient(sums), object)
    found = _FUNCTIONS[operator](data.astype(LD), axes)
    if not np.isfinite(found).all():
        raise CannotAnswerError(f"{operator} of integers that is no number")
    return np.asarray(np.frompyfunc(int, 1, 1)(found), object)


def _exact_quotient(total: int, count: int) -> int:
    """Truncated, as a cast of the real quotient would be; the document is silent."""
    return abs(total) // count * (1 if total >= 0 else -1)


@evaluates("ReduceMax", "ReduceMin")
def extremes(call: Call) -> Arr:
    """`ReduceMax`, `ReduceMin`; of nothing the least or greatest value of the type."""
    data, axes = call.data(0), _axes(call)
    largest = call.operator == "ReduceMax"
    if call.type == "bool":
        function: Any = np.any if largest else np.all
        found = function(data, axis=axes, keepdims=True)
    elif all(data.shape[axis] for axis in axes):
        function = np.max if largest else np.min
        found = function(data, axis=axes, keepdims=True)
    else:
        shape = [1 if place in axes else item for place, item in enumerate(data.shape)]
        end: Any = -np.inf if largest else np.inf
        if not is_float(call.type):
            end = span(call.type)[0 if largest else 1]
        found = np.full(shape, end, data.dtype)
    found = np.asarray(found)
    return Arr(call.type, found if call.attr("keepdims") else found.squeeze(axes))
