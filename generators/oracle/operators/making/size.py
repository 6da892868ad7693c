"""Size 1 to 25. Source: the Size page, Summary; scalars and zeros: IR.md, Static tensor shapes."""

from __future__ import annotations

from onnx_conformance.core.values.tensors import Tensor

from ...arith.integers import int64_scalar
from ...registry import Call, oracle


@oracle("Size")
def evaluate(call: Call) -> tuple[Tensor, ...]:
    """The number of elements of `data` as an int64 scalar."""
    return (int64_scalar(call.tensor("data").element_count),)
