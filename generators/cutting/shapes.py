"""Gives dynamic dimensions of a model's inputs numbers, so that every shape is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from onnx_conformance.core.models.inferring import inferred

if TYPE_CHECKING:
    import onnx

    from onnx_conformance.core.values.tensors import Value

# A batch of two tells a batch from its first element; networks halve images up to five times.
BATCH, LENGTH, IMAGE = 2, 4, 64
_IMAGE_RANK = 4
_IMAGE_AXES = (2, 3)


def with_shapes(
    model: onnx.ModelProto, chosen: Mapping[str, int], fed: Mapping[str, Value]
) -> tuple[onnx.ModelProto, str | None, dict[str, int]]:
    """The model with numbers for the dimensions of its inputs, and types inferred again.

    Args:
        model: the model without weights, see `inferring.without_weights`.
        chosen: numbers for named dimensions.
        fed: values of graph inputs, whose shapes count.

    Returns the model, why nothing could be inferred or None, and the number of each name.
    """
    fixed = type(model)()
    fixed.CopyFrom(model)
    numbers = dict(chosen)
    stored = {item.name for item in fixed.graph.initializer}
    for item in fixed.graph.input:
        if item.name not in stored and item.type.HasField("tensor_type"):
            value = fed.get(item.name)
            shape = getattr(value, "shape", None)
            _fix(item.type.tensor_type, shape, numbers)
    # What was inferred before may hold names that have numbers now.
    del fixed.graph.value_info[:]
    for item in fixed.graph.output:
        if item.type.HasField("tensor_type"):
            item.type.tensor_type.ClearField("shape")
    typed, reason = inferred(fixed)
    return typed, reason, numbers


def _fix(
    declared: onnx.TypeProto.Tensor, shape: tuple[int, ...] | None, numbers: dict[str, int]
) -> None:
    """Number the dimensions of one input."""
    dims = declared.shape.dim
    if shape is not None and len(shape) == len(dims):
        for item, size in zip(dims, shape, strict=True):
            if item.dim_param:
                numbers.setdefault(item.dim_param, size)
            item.dim_value = size
        return
    for axis, item in enumerate(dims):
        if item.WhichOneof("value") == "dim_value" and item.dim_value > 0:
            continue
        usual = BATCH if axis == 0 else LENGTH
        if len(dims) == _IMAGE_RANK and axis in _IMAGE_AXES:
            usual = IMAGE
        name = item.dim_param
        item.dim_value = numbers.setdefault(name, usual) if name else usual
