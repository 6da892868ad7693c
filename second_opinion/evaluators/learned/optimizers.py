"""One step of Adagrad, Adam and Momentum, by their pseudo code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import TRAINING, evaluates
from ...values.formats import LD
from ...values.tensors import Arr, fit
from ..shared import as_float32, text


def _groups(call: Call, parts: int) -> tuple[Any, Any, list[list[Arr]]]:
    """R, T, and for each optimized tensor its parts."""
    values = [call.arr(place) for place in range(2, len(call.inputs))]
    count = len(values) // parts
    rows = [[values[part * count + place] for part in range(parts)] for place in range(count)]
    return call.arr(0).item, call.arr(1).item, rows


def _outputs(rows: list[list[Arr]]) -> tuple[Arr, ...]:
    return tuple(row[part] for part in range(len(rows[0])) for row in rows)


@evaluates("Adagrad", domain=TRAINING)
def adagrad(call: Call) -> tuple[Arr, ...]:
    """`Adagrad`."""
    rate, count, rows = _groups(call, 3)
    norm, decay, epsilon = as_float32(call, "norm_coefficient", "decay_factor", "epsilon")
    made = []
    r = rate / (1 + count * decay)
    for x, g, h in rows:
        regular = norm * x.data + g.data
        new = h.data + regular * regular
        moved = x.data - r * regular / (np.sqrt(new) + epsilon)
        made.append([fit(x.type, moved), fit(h.type, new)])
    return _outputs(made)


@evaluates("Adam", domain=TRAINING)
def adam(call: Call) -> tuple[Arr, ...]:
    """`Adam`."""
    rate, count, rows = _groups(call, 4)
    names = ("norm_coefficient", "norm_coefficient_post", "epsilon", "alpha", "beta")
    norm, post, epsilon, alpha, beta = as_float32(call, *names)
    made = []
    power = LD(int(count))
    adjusted = rate * np.sqrt(1 - beta**power) / (1 - alpha**power) if count > 0 else rate
    for x, g, v, h in rows:
        regular = norm * x.data + g.data
        mean = alpha * v.data + (1 - alpha) * regular
        square = beta * h.data + (1 - beta) * regular * regular
        moved = x.data - adjusted * mean / (np.sqrt(square) + epsilon)
        made.append([fit(x.type, (1 - post) * moved), fit(v.type, mean), fit(h.type, square)])
    return _outputs(made)


@evaluates("Momentum", domain=TRAINING)
def momentum(call: Call) -> tuple[Arr, ...]:
    """`Momentum`, standard or Nesterov's."""
    rate, count, rows = _groups(call, 3)
    norm, alpha, beta = as_float32(call, "norm_coefficient", "alpha", "beta")
    nesterov = text(call.attr("mode")) == "nesterov"
    made = []
    share = beta if count > 0 else LD(1)
    for x, g, v in rows:
        regular = norm * x.data + g.data
        new = alpha * v.data + share * regular
        step = regular + alpha * new if nesterov else new
        made.append([fit(x.type, x.data - rate * step), fit(v.type, new)])
    return _outputs(made)
