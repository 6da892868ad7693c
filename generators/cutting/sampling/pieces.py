"""A node on a part of its inputs, and where its results lie in the whole output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor

if TYPE_CHECKING:
    import onnx


Shape: TypeAlias = "tuple[int, ...]"
# The indices that are taken along each axis.
Part: TypeAlias = "tuple[Sequence[int], ...]"


# The shape of the output, and pieces of it.
Sample: TypeAlias = "tuple[Shape, Iterator[Piece]]"


@dataclass(frozen=True)
class Piece:
    """A node on a part of its inputs.

    Attributes:
        node: the node, with the attributes that the part needs.
        parts: what is taken of each input by position; None for an absent input.
        shape: of the piece's output.
        places: row-major positions in the piece's output, each with its position in the whole one.
        given: inputs that hold something else than a part of the node's, by position.
    """

    node: onnx.NodeProto
    parts: tuple[Part | None, ...]
    shape: Shape
    places: tuple[tuple[int, int], ...]
    given: Mapping[int, Tensor] = field(default_factory=dict)

    @property
    def shapes(self) -> tuple[Shape | None, ...]:
        """The shapes of the piece's inputs."""
        return tuple(None if item is None else sizes(item) for item in self.parts)


def sizes(part: Part) -> Shape:
    """The shape of a part."""
    return tuple(map(len, part))


def whole(shape: Shape) -> Part:
    """All of a tensor."""
    return tuple(range(size) for size in shape)


def taken(tensor: Tensor, part: Part) -> Tensor:
    """A part of a tensor; BadInputError for types that are packed or have no bytes."""
    import numpy as np

    shape = sizes(part)
    if shape == tensor.shape:
        return tensor
    bits = element_type(tensor.type).bits
    if bits % 8 or not bits or not isinstance(tensor.data, bytes):
        raise BadInputError(f"{tensor.type} is packed or has no bytes: no part of it is taken")
    array = np.frombuffer(tensor.data, f"V{bits // 8}").reshape(tensor.shape)
    return Tensor(tensor.type, shape, array[np.ix_(*part)].tobytes() if part else tensor.data)


def position(index: Sequence[int], shape: Shape) -> int:
    """The row-major position of an element."""
    found = 0
    for along, size in zip(index, shape, strict=True):
        found = found * size + along
    return found


def places(part: Part, shape: Shape) -> tuple[tuple[int, int], ...]:
    """The elements of a part in order, each with its position in a tensor of some shape."""
    found = [0]
    for chosen, size in zip(part, shape, strict=True):
        found = [start * size + along for start in found for along in chosen]
    return tuple(enumerate(found))
