"""Vectors with limits that say next to nothing, and what their specs say of it.

An output says next to nothing where an element may be infinite beside a finite expectation, or
where a range is wider than 2 % of the largest value (float32, float64, complex), 25 % in narrow
types. Such a vector stands only where the key `wide` of its spec says why; what is said there has
to be needed, and as wide as it says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.vectors import DataSet, Kind, Vector
from onnx_conformance.core.values.limits import IEEE

from ...specs.wide import Wide
from ..described.limits import limits_of

_WIDE = 0.02
_WIDE_NARROW = 0.25
_FULL = {"float32", "float64", "complex64", "complex128"}


def says_little(element_type: str, width: float) -> bool:
    """Whether limits of this type and width say next to nothing."""
    return width > (_WIDE if element_type in _FULL else _WIDE_NARROW)


def width_of(vector: Vector, data_sets: Iterable[DataSet]) -> float:
    """The widest of a vector's limits that say next to nothing, in three digits; 0 for none."""
    if vector.kind != Kind.VALID:
        return 0.0
    found = (
        item.width
        for item in limits_of(data_sets)
        if item.profile == IEEE and says_little(item.expected.type, item.width)
    )
    return float(f"{max(found, default=0.0):.3g}")


def wide_gaps(path: str, entries: Sequence[Wide], widths: Mapping[str, float]) -> Iterator[str]:
    """A line for each wide vector that the spec says nothing of, and for what it need not say.

    Args:
        path: the spec's file.
        entries: what the spec says.
        widths: the vectors whose limits say next to nothing, with their widths.
    """
    index = IdIndex(widths)
    said: set[str] = set()
    for entry in entries:
        for pattern in entry.ids:
            if not index.matching(pattern):
                yield (
                    f"{entry.where}: `wide` has {pattern}, and no vector of that name has limits"
                    " that say next to nothing; take it out"
                )
        named = {item for pattern in entry.ids for item in index.matching(pattern)}
        said |= named
        yield from _otherwise(entry, {item: widths[item] for item in named})
    for vector_id in widths.keys() - said:
        yield (
            f"{path}: the limits of {vector_id} are {_share(widths[vector_id])} wide, which says"
            " next to nothing: give it other data, or say under `wide` why it stands"
        )


def _otherwise(entry: Wide, widths: Mapping[str, float]) -> Iterator[str]:
    """A line if the widest of the vectors is not as wide as the entry says."""
    if not widths:
        return
    widest = max(widths, key=lambda item: (widths[item], item))
    if widths[widest] != entry.width:
        yield (
            f"{entry.where}: the limits of {widest} are {_share(widths[widest])} wide, and `wide`"
            f" says {_share(entry.width)}"
        )


def _share(width: float) -> str:
    if math.isinf(width):
        return "infinitely"
    return f"{width:.3g} of the largest value"
