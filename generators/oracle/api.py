"""All that an oracle is written with, under one name: for packages of operators of one's own.

    from onnx_conformance.generators.oracle.api import Call, Result, enclosed, oracle

docs/oracle.md says what each is for. A name that is here stays as it is within a version of this
package with the same first two numbers; the modules behind it may move.
"""

from __future__ import annotations

from .accuracy.bounds import (
    enclosed,
    enclosed_all,
    function_value,
    power_value,
    rounded,
    rounded_sqrt,
)
from .accuracy.steps import Steps
from .accuracy.sums import dot_value, sum_value
from .arith.grid import (
    AnyOf,
    Grid,
    Item,
    broadcast,
    broadcast_to,
    combine,
    from_function,
    grid_of,
    lines,
    normalize_axes,
    normalize_axis,
    reduce_groups,
    reduced_shape,
    tensor_of,
    transpose,
    unidirectional,
)
from .arith.intervals import Interval
from .arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Real,
    absolute,
    add,
    div,
    equal,
    from_float,
    is_finite,
    is_infinite,
    is_nan,
    is_zero,
    less,
    mul,
    neg,
    sub,
)
from .arith.rationals import Fraction
from .arith.rounding import is_float, limits, round_to, saturate, wrap
from .errors import InvalidCallError
from .registry import Call, Result, oracle

__all__ = [
    "INF",
    "NAN",
    "NEG_INF",
    "NEG_ZERO",
    "ZERO",
    "AnyOf",
    "Call",
    "Fraction",
    "Grid",
    "Interval",
    "InvalidCallError",
    "Item",
    "Real",
    "Result",
    "Steps",
    "absolute",
    "add",
    "broadcast",
    "broadcast_to",
    "combine",
    "div",
    "dot_value",
    "enclosed",
    "enclosed_all",
    "equal",
    "from_float",
    "from_function",
    "function_value",
    "grid_of",
    "is_finite",
    "is_float",
    "is_infinite",
    "is_nan",
    "is_zero",
    "less",
    "limits",
    "lines",
    "mul",
    "neg",
    "normalize_axes",
    "normalize_axis",
    "oracle",
    "power_value",
    "reduce_groups",
    "reduced_shape",
    "round_to",
    "rounded",
    "rounded_sqrt",
    "saturate",
    "sub",
    "sum_value",
    "tensor_of",
    "transpose",
    "unidirectional",
    "wrap",
]
