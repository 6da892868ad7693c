"""Pieces of operators whose axes can be thinned: the same operator on some indices of each axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import Tensor

from ..questions import NotCutError
from .pieces import Piece, places, whole
from .shaping import attributes_of, axis_of, broadcast, narrowed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import onnx

    from .choosing import Chooser, Rule
    from .pieces import Part, Sample, Shape

_ELEMENTS, _TURNS, _ROWS = 12, 4, 3
_ROWS_TURNS = 6


def elementwise(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """Element by element, broadcast in both directions."""
    given = [item for item in shapes if item is not None]
    if not given:
        raise NotCutError("it has no input")
    shape = broadcast(given)

    def pieces() -> Iterator[Piece]:
        for _ in range(_TURNS):
            part = chooser.grid(shape, _ELEMENTS)
            parts = tuple(None if item is None else narrowed(part, item) for item in shapes)
            yield Piece(node, parts, tuple(map(len, part)), places(part, shape))

    return shape, pieces()


def clipped(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """Element by element of the first input; the others are numbers for all of it."""
    (data,) = shapes[:1]
    if data is None:
        raise NotCutError("it has no input")

    def pieces() -> Iterator[Piece]:
        for _ in range(_TURNS):
            part = chooser.grid(data, _ELEMENTS)
            parts = (part, *(None if item is None else whole(item) for item in shapes[1:]))
            yield Piece(node, parts, tuple(map(len, part)), places(part, data))

    return data, pieces()


def by_axis(axis: int | None, first: int) -> Rule:
    """A rule: element by element, with one number for each index of an axis in the other inputs.

    Args:
        axis: the axis; None takes it from the attribute `axis`.
        first: its default.
    """

    def rule(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
        (data,) = shapes[:1]
        if data is None:
            raise NotCutError("it has no input")
        number = attributes_of(node).get("axis", first) if axis is None else axis
        several = [item for item in shapes[1:] if item is not None and math.prod(item) > 1]
        if any(len(item) > 1 for item in several):
            raise NotCutError("its shapes are too much for the oracle, and it has blocks")
        along = axis_of(number, len(data)) if several else 0
        if any(item != (data[along],) for item in several):
            raise NotCutError("its inputs have other sizes than their axis")

        def pieces() -> Iterator[Piece]:
            for _ in range(_TURNS):
                part = chooser.grid(data, _ELEMENTS)
                parts: list[Part | None] = [part]
                for item in shapes[1:]:
                    if item is None:
                        parts.append(None)
                    else:
                        parts.append((part[along],) if item in several else whole(item))
                yield Piece(node, tuple(parts), tuple(map(len, part)), places(part, data))

        return data, pieces()

    return rule


def rows(
    node: onnx.NodeProto,
    shapes: Sequence[Shape | None],
    chooser: Chooser,
    axes: Sequence[int],
    *,
    dropped: bool | None = None,
) -> Sample:
    """Whole rows along some axes, and some indices of the others.

    Args:
        node: the node.
        shapes: of its inputs. Those behind the first broadcast to it if the output has its shape,
            and are taken whole otherwise.
        chooser: of the indices.
        axes: the axes of the rows.
        dropped: whether the output has no such axes; False: size 1; None: it has them whole.
    """
    (data,) = shapes[:1]
    if data is None:
        raise NotCutError("it has no input")
    if dropped is None:
        shape = data
    elif dropped:
        shape = tuple(size for axis, size in enumerate(data) if axis not in axes)
    else:
        shape = tuple(1 if axis in axes else size for axis, size in enumerate(data))

    def pieces() -> Iterator[Piece]:
        others = tuple(1 if axis in axes else size for axis, size in enumerate(data))
        for _ in range(_ROWS_TURNS):
            thin = chooser.grid(others, _ROWS)
            part = tuple(
                range(size) if axis in axes else thin[axis] for axis, size in enumerate(data)
            )
            made: Part = part
            if dropped is not None:
                made = tuple(
                    [0] if axis in axes else along
                    for axis, along in enumerate(part)
                    if not (dropped and axis in axes)
                )
            parts = [part] + [
                None
                if item is None
                else narrowed(part, item)
                if dropped is None and len(item) <= len(part)
                else whole(item)
                for item in shapes[1:]
            ]
            yield Piece(node, tuple(parts), tuple(map(len, made)), places(made, shape))

    return shape, pieces()


def channels(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """InstanceNormalization: some instances of some channels, each whole."""
    (data,) = shapes[:1]
    if data is None or len(data) < 3 or any(item != (data[1],) for item in shapes[1:]):
        raise NotCutError("its inputs have other shapes than channels")

    def pieces() -> Iterator[Piece]:
        for _ in range(_ROWS_TURNS):
            batch, channel = [chooser.below(data[0])], [chooser.below(data[1])]
            part = (batch, channel, *whole(data[2:]))
            parts = (part, *((channel,) for _ in shapes[1:]))
            yield Piece(node, parts, tuple(map(len, part)), places(part, data))

    return data, pieces()


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
            yield Piece(node, (tuple(back),), tuple(map(len, part)), places(part, shape))

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
            yield Piece(node, parts, tuple(map(len, part)), places(part, shape))

    return shape, pieces()


def filled(node: onnx.NodeProto, sizes: Sequence[int] | None, chooser: Chooser) -> Sample:
    """ConstantOfShape: some of the elements, as a smaller tensor has them."""
    if sizes is None or any(item < 0 for item in sizes):
        raise NotCutError("its shapes are too much for the oracle, and its input is not known")
    shape = tuple(sizes)

    def pieces() -> Iterator[Piece]:
        part = chooser.grid(shape, _ELEMENTS)
        made = tuple(map(len, part))
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
            yield Piece(node, parts, tuple(map(len, part)), places(part, shape))

    return shape, pieces()
