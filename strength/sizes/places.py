"""Where each element of a tensor comes from in a runtime with a fault of size.

A map has for each row-major position the position whose element stands there: itself in a correct
runtime, `NOTHING` where nothing was written. It is None where the tensor is too small for the
fault to change anything.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ..changing import NOTHING

Shape: TypeAlias = "tuple[int, ...]"
Places: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Fault: TypeAlias = "Callable[[Shape], Places | None]"

#: Elements from which a runtime has two threads work on them.
THREADED = 32_768
#: How many elements offsets of 16 bits tell apart.
OFFSETS = 1 << 16


def _everything(shape: Shape) -> Places:
    return np.arange(prod(shape), dtype=np.int64)


def first(most: int) -> Fault:
    """Nothing beyond the first elements, as of one workgroup too few."""

    def places(shape: Shape) -> Places | None:
        found = _everything(shape)
        if len(found) <= most:
            return None
        found[most:] = NOTHING
        return found

    return places


def no_tail(width: int) -> Fault:
    """Nothing at the end that does not fill a vector of this width."""

    def places(shape: Shape) -> Places | None:
        found = _everything(shape)
        tail = len(found) % width
        if not tail or len(found) <= width:
            return None
        found[-tail:] = NOTHING
        return found

    return places


def no_tail_of_rows(width: int) -> Fault:
    """Nothing at the end of each row along the last axis that does not fill a vector."""

    def places(shape: Shape) -> Places | None:
        length = shape[-1] if shape else 1
        tail = length % width
        if not tail or length <= width or not prod(shape):
            return None
        found = _everything(shape).reshape(-1, length)
        found[:, -tail:] = NOTHING
        return found.reshape(-1)

    return places


def last_block_again(size: int) -> Fault:
    """The last block, which is not full, has the elements of the block before it."""

    def places(shape: Shape) -> Places | None:
        found = _everything(shape)
        begin = len(found) // size * size
        if not begin or begin == len(found):
            return None
        found[begin:] = np.arange(begin - size, len(found) - size)
        return found

    return places


def second_thread_shifted(shape: Shape) -> Places | None:
    """The half of the second thread begins one element too early."""
    found = _everything(shape)
    if len(found) < THREADED:
        return None
    half = len(found) // 2
    found[half:] = np.arange(half - 1, len(found) - 1)
    return found


def read_at_16_bits(shape: Shape) -> Places | None:
    """Offsets at which is read have 16 bits: beyond 65,536 elements the first ones come again."""
    found = _everything(shape)
    return found % OFFSETS if len(found) > OFFSETS else None


def written_at_16_bits(shape: Shape) -> Places | None:
    """Offsets at which is written have 16 bits: what lies beyond falls upon the first elements."""
    found = _everything(shape)
    if len(found) <= OFFSETS:
        return None
    written = np.full(len(found), NOTHING, dtype=np.int64)
    written[found % OFFSETS] = found  # the last one that is written stays
    return written


def rows_begin_again(longest: int) -> Fault:
    """Of each row along the last axis, what lies beyond some elements is its beginning again."""

    def places(shape: Shape) -> Places | None:
        length = shape[-1] if shape else 1
        if length <= longest or not prod(shape):
            return None
        rows = _everything(shape).reshape(-1, length)
        return np.ascontiguousarray(rows[:, np.arange(length) % longest]).reshape(-1)

    return places


def first_rows_again(most: int) -> Fault:
    """Rows along the last axis beyond some are the first ones again."""

    def places(shape: Shape) -> Places | None:
        length = shape[-1] if shape else 1
        count = prod(shape[:-1])
        if len(shape) < 2 or count <= most or not length:
            return None
        rows = _everything(shape).reshape(count, length)
        return np.ascontiguousarray(rows[np.arange(count) % most]).reshape(-1)

    return places
