"""Pieces of operators that move elements: some indices of each axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.models.attributes import attributes_of
from onnx_conformance.core.values.tensors import Tensor

from ..questions import NotCutError
from .choosing import Chooser
from .pieces import Piece, Sample, Shape, places, sizes, whole
from .shaping import axis_of

if TYPE_CHECKING:
    import onnx


_ELEMENTS, _TURNS = 12, 4


def transpose(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """Transpose: some indices of each axis."""
    (data,) = shapes[:1]
    if data is None:
        raise NotCutError("it has no input")
    order = list(attributes_of(node).get("perm") or reversed(range(len(data))))
    if sorted(order) != list(range(len(data))):
        raise NotCutError("its perm is no permutation")
    shape = tuple(data[axis] for axis in order)

    def pieces() -> Iterator[Piece]:
        for _ in range(_TURNS):
            part = chooser.grid(shape, _ELEMENTS)
            back: list[Sequence[int]] = [()] * len(data)
            for along, axis in zip(part, order, strict=True):
                back[axis] = along
            yield Piece(node, (tuple(back),), sizes(part), places(part, shape))

    return shape, pieces()


def concat(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """Concat: some indices of each input."""
    given = [item for item in shapes if item is not None]
    if not given or not given[0]:
        raise NotCutError("it joins no tensors")
    axis = axis_of(attributes_of(node).get("axis", 0), len(given[0]))
    rest = {(*item[:axis], *item[axis + 1 :]) for item in given}
    if len(rest) != 1 or len({*map(len, given)}) != 1:
        raise NotCutError("its inputs do not fit")
    shape = (*given[0][:axis], sum(item[axis] for item in given), *given[0][axis + 1 :])

    def pieces() -> Iterator[Piece]:
        for _ in range(_TURNS):
            thin = chooser.grid(tuple(1 if i == axis else s for i, s in enumerate(shape)), 4)
            own = [chooser.some(item[axis], 2) for item in given]
            parts = tuple((*thin[:axis], chosen, *thin[axis + 1 :]) for chosen in own)
            starts = [sum(item[axis] for item in given[:index]) for index in range(len(given))]
            joined = [
                start + along for start, chosen in zip(starts, own, strict=True) for along in chosen
            ]
            part = (*thin[:axis], joined, *thin[axis + 1 :])
            yield Piece(node, parts, sizes(part), places(part, shape))

    return shape, pieces()


def filled(node: onnx.NodeProto, shape: Shape, chooser: Chooser) -> Sample:
    """ConstantOfShape: some of the elements, as a smaller tensor has them."""

    def pieces() -> Iterator[Piece]:
        part = chooser.grid(shape, _ELEMENTS)
        made = sizes(part)
        content = b"".join(item.to_bytes(8, "little") for item in made)
        smaller = Tensor("int64", (len(made),), content)
        parts = (whole(smaller.shape),)
        yield Piece(node, parts, made, places(part, shape), {0: smaller})

    return shape, pieces()


def gather(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """Gather: some of the indices, and some indices of the axes that are not gathered from."""
    data, indices = shapes[:2]
    if data is None or indices is None or not data:
        raise NotCutError("it gathers from no axis")
    axis = axis_of(attributes_of(node).get("axis", 0), len(data))
    shape = (*data[:axis], *indices, *data[axis + 1 :])

    def pieces() -> Iterator[Piece]:
        for _ in range(_TURNS):
            before, after = chooser.grid(data[:axis], 2), chooser.grid(data[axis + 1 :], 2)
            taken = chooser.grid(indices, 4)
            part = (*before, *taken, *after)
            parts = ((*before, range(data[axis]), *after), taken)
            yield Piece(node, parts, sizes(part), places(part, shape))

    return shape, pieces()
