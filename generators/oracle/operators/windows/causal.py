"""CausalConvWithState 27. Source: its page, Summary, Inputs, Outputs, and its function body.

Each channel is convolved with its own kernel over earlier elements and the input; the state is the
end of these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...accuracy.bounds import enclosed
from ...accuracy.profiles import GPU, REAL, accumulator
from ...accuracy.steps import Steps
from ...accuracy.sums import dot_value
from ...arith.grid import AnyOf, Enclosed, Grid, Item, any_of, value_of
from ...arith.intervals import Interval, hull, point
from ...arith.numbers import NAN, NEG_INF, NEG_ZERO, ONE, ZERO, is_finite
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from .convolution import bias_of

_ACTIVATIONS = ("none", "silu", "swish")


@oracle("CausalConvWithState")
def causal_convolution(call: Call) -> Result:
    """The convolution over the past and the input, and the state for the next call."""
    x, w = call.grid("input"), call.grid("weight")
    activation = word(call, "activation", _ACTIVATIONS, "none")
    if x.rank != 3 or w.rank != 3 or w.shape[:2] != (x.shape[1], 1) or not w.shape[2]:
        raise InvalidCallError(f"weight {list(w.shape)} for an input of {list(x.shape)}")
    batch, channels, length = x.shape
    taps = w.shape[2]
    before = _state(call, (batch, channels, taps - 1), x.type)
    bias = bias_of(call, channels, "bias")
    output: list[Item] = []
    kept: list[Any] = []
    for row in range(batch * channels):
        past = before[row * (taps - 1) : (row + 1) * (taps - 1)]
        line = [*past, *x.items[row * length : (row + 1) * length]]
        kernel = w.items[row % channels * taps : (row % channels + 1) * taps]
        output += [
            _sum(x.type, line[at : at + taps], kernel, bias[row % channels]) for at in range(length)
        ]
        kept += line[length:]
    if activation != "none":
        output = [_silu(x.type, item) for item in output]
    return (
        Grid(x.type, x.shape, output),
        Grid(x.type, (batch, channels, taps - 1), kept),
    )


def _state(call: Call, shape: tuple[int, ...], kind: str) -> Sequence[Any]:
    """The elements before the first one of each channel: zeros, unless given."""
    given = call.optional_grid("past_state")
    if given is None:
        given = Grid(kind, shape, (ZERO,) * math.prod(shape))
    if given.shape != shape:
        raise InvalidCallError(f"past_state has shape {list(given.shape)}, not {list(shape)}")
    return given.items


def _sum(name: str, line: Sequence[Any], kernel: Sequence[Any], bias: Any) -> Item:  # noqa: ANN401  an element or None
    if bias is None:
        return dot_value(name, line, kernel)
    return dot_value(name, [*line, bias], [*kernel, ONE])


def _silu(name: str, item: Item) -> Item:
    """The product x * sigmoid(x) of what a sum may be, in steps of float32 for narrower types."""
    if isinstance(item, AnyOf):  # a sum that may overflow against an infinity
        each = [_silu(name, number) for number in item.numbers]
        flat = [x for one in each for x in (one.numbers if isinstance(one, AnyOf) else (one,))]
        return any_of(value_of(one) for one in flat)

    def formula(steps: Steps) -> Interval:
        x = _interval(item, steps.profile)
        return steps.mul(x, steps.sigmoid(x))

    value: Any = item.value if isinstance(item, Enclosed) else item
    if value is NEG_INF:  # times 0; the limit is 0
        return AnyOf((NAN, NEG_ZERO, ZERO))
    if not is_finite(value):
        return value  # type: ignore[no-any-return]  # NaN or an infinity
    return enclosed(name, formula, working=accumulator(name))


def _interval(item: Item, profile: str) -> Interval:
    """What a sum may be in a profile; the exact sum where steps have no error."""
    if not isinstance(item, Enclosed):
        value: Any = item
        return point(value)
    low, high = (item.gpu_low, item.gpu_high) if profile == GPU else (item.low, item.high)
    if profile == REAL:
        low, high = item.value, item.value
    ends: Any = low, high
    return hull(*map(point, ends))  # a -0 times a range is no infinity
