"""Tensors whose data are in files of their own (onnx.proto, TensorProto.external_data)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import onnx


def bring_in(model: onnx.ModelProto, files: Mapping[str, bytes]) -> None:
    """Put the bytes that tensors keep elsewhere into the tensors."""
    for tensor in _tensors(model):
        if tensor.data_location != onnx.TensorProto.EXTERNAL:
            continue
        said = {item.key: item.value for item in tensor.external_data}
        content = files[said["location"].removeprefix("./")]
        start = int(said.get("offset", 0))
        end = start + int(said["length"]) if "length" in said else len(content)
        tensor.raw_data = content[start:end]
        tensor.data_location = onnx.TensorProto.DEFAULT


def _tensors(message: Any) -> Iterator[onnx.TensorProto]:  # noqa: ANN401  any message
    """Every TensorProto in a message, at any depth."""
    if isinstance(message, onnx.TensorProto):
        yield message
        return
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        parts = [value] if hasattr(value, "ListFields") else value
        for part in parts:
            if hasattr(part, "ListFields"):
                yield from _tensors(part)
