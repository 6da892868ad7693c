"""Reshape 1 to 25. Source: the Reshape page, Summary and Attributes.

Version 1 takes the shape as an attribute, 5 and later as an input; allowzero exists since 14.
"""

from __future__ import annotations

import math

from onnx_conformance.core.values.tensors import Tensor

from ...arith.integers import int64_values
from ...errors import InvalidCallError
from ...registry import Call, oracle


@oracle("Reshape")
def evaluate(call: Call) -> tuple[Tensor, ...]:
    """`data` with the requested shape and its elements in the same row-major order."""
    data = call.tensor("data")
    requested = _requested(call)
    zero_is_literal = call.attributes.get("allowzero", 0) != 0
    shape = _resolved(requested, data, zero_is_literal=zero_is_literal)
    return (Tensor(data.type, shape, data.data),)


def _requested(call: Call) -> tuple[int, ...]:
    if "shape" in call.inputs:
        tensor = call.tensor("shape")
        if tensor.type != "int64":
            raise InvalidCallError(f"shape has element type {tensor.type}, not int64")
        if len(tensor.shape) != 1:
            raise InvalidCallError(f"shape has rank {len(tensor.shape)}, not 1")
        return int64_values(tensor)
    if "shape" not in call.attributes:
        raise InvalidCallError("no shape is given")
    return call.ints_attribute("shape")


def _resolved(
    requested: tuple[int, ...], data: Tensor, *, zero_is_literal: bool
) -> tuple[int, ...]:
    """The output's shape: zeros copied or kept, the one -1 inferred, the count unchanged."""
    if any(value < -1 for value in requested):
        raise InvalidCallError(f"a dimension below -1 in {list(requested)}")
    if requested.count(-1) > 1:
        raise InvalidCallError(f"more than one -1 in {list(requested)}")
    if zero_is_literal:
        if 0 in requested and -1 in requested:
            raise InvalidCallError(f"allowzero with both 0 and -1 in {list(requested)}")
        dimensions = list(requested)
    else:
        dimensions = [_copied(index, value, data) for index, value in enumerate(requested)]
    if -1 in dimensions:
        rest = math.prod(value for value in dimensions if value != -1)
        dimensions[dimensions.index(-1)] = _inferred(data.element_count, rest)
    if math.prod(dimensions) != data.element_count:
        raise InvalidCallError(
            f"{math.prod(dimensions)} elements requested, {data.element_count} given"
        )
    return tuple(dimensions)


def _copied(index: int, value: int, data: Tensor) -> int:
    """A 0 takes the dimension that the data has at the same index."""
    if value != 0:
        return value
    if index >= len(data.shape):
        raise InvalidCallError(f"0 at index {index} of data with rank {len(data.shape)}")
    return data.shape[index]


def _inferred(count: int, rest: int) -> int:
    if rest == 0:
        raise InvalidCallError("-1 beside a zero dimension: no value, or any, would fit")
    if count % rest:
        raise InvalidCallError(f"{count} elements do not divide by {rest}")
    return count // rest
