"""Shape 1 to 25. Source: the Shape page, Summary and Attributes (start and end since 15)."""

from __future__ import annotations

from onnx_conformance.core.values.tensors import Tensor

from ...arith.integers import int64_tensor
from ...registry import Call, oracle


@oracle("Shape")
def evaluate(call: Call) -> tuple[Tensor, ...]:
    """The dimensions of `data` from axis start up to, not including, axis end."""
    shape = call.tensor("data").shape
    rank = len(shape)
    start = _clamped(call.int_attribute("start", 0), rank)
    end = _clamped(call.int_attribute("end", rank), rank)
    return (int64_tensor(shape[start:end] if start < end else ()),)


def _clamped(axis: int, rank: int) -> int:
    """Add r to a negative axis, then clamp to [0, r]."""
    if axis < 0:
        axis += rank
    return min(max(axis, 0), rank)
