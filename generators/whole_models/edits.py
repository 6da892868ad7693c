"""Changes that ONNX's text syntax cannot express: single fields, and how tensors are stored.

Source of which field holds which type, and of external data: onnx.proto, TensorProto.
"""

from __future__ import annotations

import re
import struct
from collections.abc import MutableSequence, Sequence
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import Tensor

from ..situations.data.literals import tensor_of
from .model import Edits, Stored

if TYPE_CHECKING:
    import onnx


_STEP = re.compile(r"([a-z0-9_]+)(?:\[(\d+)\])?")


def apply(edits: Edits, model: onnx.ModelProto, type_name: str) -> dict[str, bytes]:
    """Change a model in place.

    Args:
        edits: the changes.
        model: the model.
        type_name: the element type of stored tensors without a type.

    Returns the files beside the model by name. Raises BadInputError for a path that does not exist
    or a text that does not fit.
    """
    for path in edits.clear:
        _clear(model, path)
    for path, value in edits.put.items():
        _put(model, path, value)
    for path, text in edits.merge.items():
        _merge(model, path, text)
    files: dict[str, bytes] = {}
    for stored in edits.tensors:
        _store(model, stored, stored.type or type_name, files)
    return files


def _clear(model: onnx.ModelProto, path: str) -> None:
    parent, name, index = _place(model, path)
    if index is None:
        parent.ClearField(name)
    else:
        del getattr(parent, name)[index]


def _put(model: onnx.ModelProto, path: str, value: float | str | bool) -> None:  # noqa: FBT001  of a field
    parent, name, index = _place(model, path)
    try:
        if index is not None:
            getattr(parent, name)[index] = value
        elif isinstance(getattr(parent, name), bytes) and isinstance(value, str):
            setattr(parent, name, value.encode())
        else:
            setattr(parent, name, value)
    except (TypeError, ValueError, AttributeError) as error:
        raise BadInputError(f"'{path}' cannot be {value!r}: {error}") from None


def _place(model: onnx.ModelProto, path: str) -> tuple[Any, str, int | None]:
    """The message with the last field of a path, the field, and the index in its list."""
    from google.protobuf.message import Message

    message: Any = model
    steps = path.split(".")
    for position, step in enumerate(steps):
        found = _STEP.fullmatch(step)
        name = found.group(1) if found else ""
        if not isinstance(message, Message):
            raise BadInputError(f"'{path}': '{steps[position - 1]}' has no fields")
        if name not in message.DESCRIPTOR.fields_by_name:
            raise BadInputError(f"'{path}': {message.DESCRIPTOR.name} has no field '{step}'")
        index = int(found.group(2)) if found and found.group(2) else None
        value = getattr(message, name)
        listed = isinstance(value, MutableSequence)
        if index is not None and not (listed and index < len(value)):
            raise BadInputError(f"'{path}': '{name}' has no element {index}")
        if position == len(steps) - 1:
            return message, name, index
        message = value if index is None else value[index]
    raise BadInputError("a path has at least one field")


def _merge(model: onnx.ModelProto, path: str, text: str) -> None:
    from google.protobuf import text_format
    from google.protobuf.message import Message

    parent, name, index = _place(model, path)
    message = getattr(parent, name) if index is None else getattr(parent, name)[index]
    if not isinstance(message, Message):
        raise BadInputError(f"'{path}' is no message, into which a text could be merged")
    try:
        text_format.Merge(text, message)
    except text_format.ParseError as error:
        raise BadInputError(f"cannot be merged into '{path}': {error}") from None


# --- stored tensors ------------------------------------------------------------------------


def _store(model: onnx.ModelProto, stored: Stored, type_name: str, files: dict[str, bytes]) -> None:
    tensor = tensor_of(stored.literal, type_name, stored.name)
    proto = to_proto(tensor, stored.name)
    if stored.kept == "typed":
        _as_typed(proto, tensor)
    elif stored.kept == "external":
        _as_external(proto, stored, files)
    known = {item.name: item for item in model.graph.initializer}
    if stored.name in known:
        known[stored.name].CopyFrom(proto)
    else:
        model.graph.initializer.append(proto)


def _as_typed(proto: onnx.TensorProto, tensor: Tensor) -> None:
    """Move the elements from raw_data to the field of their type."""
    if not isinstance(tensor.data, bytes):
        return  # strings have only one field
    proto.ClearField("raw_data")
    name, data = tensor.type, tensor.data
    if name in {"float32", "complex64"}:
        proto.float_data.extend(_unpacked("f", 4, data))
    elif name in {"float64", "complex128"}:
        proto.double_data.extend(_unpacked("d", 8, data))
    elif name == "int64":
        proto.int64_data.extend(_unpacked("q", 8, data))
    elif name in {"uint32", "uint64"}:
        code, size = ("I", 4) if name == "uint32" else ("Q", 8)
        proto.uint64_data.extend(_unpacked(code, size, data))
    else:
        # Floats of at most 16 bits by their bits; elements narrower than a byte stay packed.
        element = element_type(name)
        size = max(element.bits, 8) // 8
        code = {1: "b", 2: "h", 4: "i"}[size]
        if element.kind != "int":
            code = code.upper()
        proto.int32_data.extend(_unpacked(code, size, data))


def _unpacked(code: str, size: int, data: bytes) -> Sequence[Any]:
    return struct.unpack(f"<{len(data) // size}{code}", data)


def _as_external(proto: onnx.TensorProto, stored: Stored, files: dict[str, bytes]) -> None:
    """Move the elements into a file, after unrelated bytes."""
    import onnx

    content = proto.raw_data
    proto.ClearField("raw_data")
    proto.data_location = onnx.TensorProto.EXTERNAL
    entries = [("location", stored.location)]
    if stored.offset is not None:
        entries.append(("offset", str(stored.offset)))
    if stored.length:
        entries.append(("length", str(len(content))))
    for key, value in entries:
        proto.external_data.add(key=key, value=value)
    before = files.get(stored.location, b"")
    gap = (stored.offset or 0) - len(before)
    if gap < 0:
        raise BadInputError(f"'{stored.name}' would overlap another tensor in {stored.location}")
    files[stored.location] = before + b"\xff" * gap + content
