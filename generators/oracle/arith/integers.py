"""int64 tensors as Python integers, and back."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_conformance.core.values.tensors import Tensor


def int64_tensor(values: Sequence[int]) -> Tensor:
    """A one-dimensional int64 tensor; OverflowError where a value does not fit."""
    data = b"".join(value.to_bytes(8, "little", signed=True) for value in values)
    return Tensor("int64", (len(values),), data)


def int64_scalar(value: int) -> Tensor:
    """An int64 scalar: shape []."""
    return Tensor("int64", (), value.to_bytes(8, "little", signed=True))


def int64_values(tensor: Tensor) -> tuple[int, ...]:
    """The elements of an int64 tensor."""
    if not isinstance(tensor.data, bytes):
        raise TypeError("strings are not int64")
    return tuple(
        int.from_bytes(tensor.data[start : start + 8], "little", signed=True)
        for start in range(0, len(tensor.data), 8)
    )
