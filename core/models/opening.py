"""Opens the file of a user's model; its external data is looked for, and not read.

The file may come from anybody: nothing is read outside its folder, and whatever is wrong with it
is one sentence.
"""

from __future__ import annotations

import hashlib
import math
import os
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BadInputError
from ..files import require_plain_file
from ..limits import VECTOR_FILE
from ..text import brief, quantity
from ..values.elements import element_type_of_code
from .attributes import graphs_in

if TYPE_CHECKING:
    import onnx

_PIECE = 1 << 20
_SHOWN = 3


@dataclass(frozen=True)
class OpenedModel:
    """A model whose file was read.

    Attributes:
        path: the file.
        proto: its content; tensors with external data hold none.
        digest: SHA-256 of the file, in hexadecimal; without the files beside it.
        remarks: what is wrong with its external data, one sentence each.
        beside: the usable files with external data, relative to the model's folder: their sizes
            in bytes.
    """

    path: Path
    proto: onnx.ModelProto
    digest: str
    remarks: tuple[str, ...]
    beside: dict[str, int]


def open_model(path: Path) -> OpenedModel:
    """Read the file of a model, without the weights that it keeps in other files.

    Raises BadInputError if there is no such file, or if it holds no model.
    """
    import onnx
    from google.protobuf.message import DecodeError

    content, digest = _read(path)
    try:
        proto = onnx.ModelProto.FromString(content)
    except DecodeError:
        raise BadInputError(
            f"{path}: is no ONNX model: its {quantity(len(content), 'byte')} are no ModelProto;"
            " a truncated download looks like this, and so does the pointer file of Git LFS"
        ) from None
    if not proto.ir_version or not proto.HasField("graph"):
        missing = "graph" if proto.ir_version else "IR version"
        raise BadInputError(
            f"{path}: is no ONNX model: it has no {missing}; a truncated file looks like this, and"
            " so does another message of Protocol Buffers"
        )
    remarks, beside = _external(proto, path.parent)
    return OpenedModel(path, proto, digest, tuple(remarks), beside)


def _read(path: Path) -> tuple[bytes, str]:
    """Content and digest of a file."""
    try:
        require_plain_file(path)
        size = path.stat().st_size
        if size > VECTOR_FILE:
            raise BadInputError(
                f"{path}: has {size:,} bytes, and Protocol Buffers ends at {VECTOR_FILE:,}: a model"
                " of this size keeps its weights in files of their own (onnx.save with"
                " save_as_external_data=True)"
            )
        content = path.read_bytes()
    except FileNotFoundError:
        raise BadInputError(f"{path}: no such file") from None
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    digest = hashlib.sha256()
    view = memoryview(content)
    for start in range(0, len(view), _PIECE):
        digest.update(view[start : start + _PIECE])
    return content, digest.hexdigest()


def digests_of(opened: OpenedModel) -> dict[str, str]:
    """The SHA-256 of each usable file with external data; BadInputError if one cannot be read."""
    found = {}
    for location in opened.beside:
        path = opened.path.parent / location
        try:
            digest = hashlib.sha256()
            with path.open("rb") as file:
                while piece := file.read(_PIECE):
                    digest.update(piece)
            found[location] = digest.hexdigest()
        except OSError as error:
            raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    return found


# --- external data --------------------------------------------------------------------------


def _external(proto: onnx.ModelProto, folder: Path) -> tuple[list[str], dict[str, int]]:
    """What is wrong with the external data of a model, and the files that can be used."""
    found: dict[str, str] = {}
    sizes: dict[str, int] = {}
    tensors: dict[str, list[str]] = {}
    short: list[str] = []
    for tensor in external_tensors(proto.graph):
        place = {item.key: item.value for item in tensor.external_data}
        location = place.get("location", "")
        tensors.setdefault(location, []).append(tensor.name)
        if location not in found:
            found[location], size = _checked(folder, location)
            if not found[location]:
                sizes[location] = size
        if not found[location] and _end(place, tensor) > sizes[location]:
            short.append(tensor.name)
    remarks = [
        f"{quantity(len(names), 'tensor')} in {brief(location, 80)}, which {found[location]}"
        for location, names in tensors.items()
        if found[location]
    ]
    if short:
        names = ", ".join(brief(name, 60) for name in short[:_SHOWN])
        remarks.append(
            f"{quantity(len(short), 'tensor ends', 'tensors end')} behind the end of the file with"
            f" their data, which may be truncated: {names}{' …' if len(short) > _SHOWN else ''}"
        )
    return remarks, sizes


def external_tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """The initializers of a graph and its subgraphs that keep their data in other files."""
    for tensor in graph.initializer:
        if tensor.data_location == tensor.EXTERNAL:
            yield tensor
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t") and attribute.t.data_location == attribute.t.EXTERNAL:
                yield attribute.t
            for inner in graphs_in(attribute):
                yield from external_tensors(inner)


def _checked(folder: Path, location: str) -> tuple[str, int]:
    """Why a file with external data cannot be used, and its size if it can."""
    parts = posixpath.normpath(location).split("/")
    if not location or location.startswith("/") or ".." in parts or "\\" in location:
        return "is no place inside the model's folder: it is not read", 0
    path = folder / location
    try:
        real = os.path.realpath(path)
        if os.path.commonpath([real, os.path.realpath(folder)]) != os.path.realpath(folder):
            return "leads out of the model's folder: it is not read", 0
        if not path.is_file():
            return "is not there", 0
        return "", path.stat().st_size
    except (OSError, ValueError) as error:
        return f"cannot be read: {getattr(error, 'strerror', None) or error}", 0


def _end(place: dict[str, str], tensor: onnx.TensorProto) -> int:
    """Where a tensor's data ends in its file; 0 if its numbers are none.

    A tensor needs the bytes of its elements, whatever length it names, or none.
    """
    try:
        start, length = int(place.get("offset") or 0), int(place.get("length") or 0)
        needed = element_type_of_code(tensor.data_type).byte_count(math.prod(tensor.dims))
    except (ValueError, BadInputError):
        return 0
    return start + max(length, needed)
