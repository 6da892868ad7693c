"""Pieces of matrix products: some rows of one with some columns of the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..questions import NotCutError
from .pieces import Piece, places, whole
from .shaping import attributes_of, broadcast, narrowed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import onnx

    from .choosing import Chooser
    from .pieces import Part, Sample, Shape

_ROWS, _COLUMNS, _MATRICES = 2, 3, 2
_TURNS = 6
_FACTORS = {"MatMul": (0, 1), "MatMulInteger": (0, 1), "QLinearMatMul": (0, 3)}
# Inputs with one number for each row of the first, and for each column of the second.
_BY_ROW = {"MatMulInteger": (2,), "QLinearMatMul": (1, 2)}
_BY_COLUMN = {"MatMulInteger": (3,), "QLinearMatMul": (4, 5)}


def matmul(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """MatMul, MatMulInteger and QLinearMatMul."""
    name = node.op_type
    one, other = (shapes[index] for index in _FACTORS[name])
    if one is None or other is None or not one or not other:
        raise NotCutError("a matrix product of a scalar")
    if one[-1] != (other[-2] if len(other) > 1 else other[0]):
        raise NotCutError("its matrices do not fit")
    stacked = broadcast((one[:-2], other[:-2]))
    rows = one[-2:-1]
    columns = other[-1:] if len(other) > 1 else ()
    shape = (*stacked, *rows, *columns)
    for index in (*_BY_ROW.get(name, ()), *_BY_COLUMN.get(name, ())):
        listed = shapes[index]
        if listed is not None and len(listed) > 1:
            raise NotCutError("its scales or zero points are of more dimensions than one")

    def pieces() -> Iterator[Piece]:
        for turn in range(_TURNS):
            batch = chooser.grid(stacked, _MATRICES if turn else 1)
            row = tuple(chooser.some(size, _ROWS) for size in rows)
            column = tuple(chooser.some(size, _COLUMNS) for size in columns)
            part = (*batch, *row, *column)
            parts = _multiplied(name, shapes, batch, row, column)
            yield Piece(node, parts, tuple(map(len, part)), places(part, shape))

    return shape, pieces()


def _multiplied(
    name: str, shapes: Sequence[Shape | None], batch: Part, row: Part, column: Part
) -> tuple[Part | None, ...]:
    """The parts of a product's inputs for some matrices, rows and columns."""
    one, other = _FACTORS[name]
    parts: list[Part | None] = []
    for index, own in enumerate(shapes):
        if own is None:
            parts.append(None)
        elif index == one:
            parts.append((*narrowed(batch, own[:-2]), *row, range(own[-1])))
        elif index == other:
            inner = range(own[-2] if len(own) > 1 else own[0])
            parts.append((*narrowed(batch, own[:-2]), inner, *column))
        elif index in _BY_ROW.get(name, ()) and math.prod(own) > 1:
            parts.append(row)
        elif index in _BY_COLUMN.get(name, ()) and math.prod(own) > 1:
            parts.append(column)
        else:
            parts.append(whole(own))
    return tuple(parts)


def gemm(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """Gemm, with either matrix transposed, and what is added to it."""
    attributes = attributes_of(node)
    one, other = shapes[:2]
    if one is None or other is None or len(one) != 2 or len(other) != 2:
        raise NotCutError("Gemm takes matrices")
    across, back = bool(attributes.get("transA")), bool(attributes.get("transB"))
    rows, inner = reversed(one) if across else one
    same, columns = reversed(other) if back else other
    if inner != same:
        raise NotCutError("its matrices do not fit")
    shape = (rows, columns)

    def pieces() -> Iterator[Piece]:
        for _ in range(_TURNS):
            row, column = chooser.some(rows, _ROWS), chooser.some(columns, _COLUMNS)
            length = range(inner)
            parts: list[Part | None] = [
                (length, row) if across else (row, length),
                (column, length) if back else (length, column),
            ]
            whole_part = (row, column)
            parts += [None if item is None else narrowed(whole_part, item) for item in shapes[2:]]
            output = (len(row), len(column))
            yield Piece(node, tuple(parts), output, places((row, column), shape))

    return shape, pieces()
