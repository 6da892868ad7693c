"""Bugs in how Shape reads start and end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..backend import Backend
from ..outcomes import CrashError, RefusedError
from ..registry import mutant
from ..values import through_float64, wrapped

if TYPE_CHECKING:
    from ..backend import Call

CLAMPS = "onnx/onnx#6862"


@mutant(CLAMPS)
class EndClampsToLastAxis(Backend):
    """end is clamped to r-1, so that a given end never includes the last axis."""

    def end_bound(self, end, rank):
        return min(super().end_bound(end, rank), max(rank - 1, 0))


@mutant()
class RankZeroDividesByZero(Backend):
    """Axes are normalised by (axis + r) % r, which ends the process for a scalar."""

    def slice_bounds(self, start, end, rank):
        if rank == 0 and (start is not None or end is not None):
            raise CrashError
        return super().slice_bounds(start, end, rank)


@mutant()
class StartIsReadAgainAsIndex(Backend):
    """r is added to a negative start, and what is still negative is an index from the back."""

    def start_bound(self, start, rank):
        once = start + rank if start < 0 else start
        return slice(once, None).indices(rank)[0]


@mutant()
class ComparedBeforeNormalising(Backend):
    """start > end is tested on the attributes as they are given."""

    def slice_bounds(self, start, end, rank):
        if start is not None and end is not None and start > end:
            return 0, 0
        return super().slice_bounds(start, end, rank)


@mutant()
class StartOfRankIsRefused(Backend):
    """start must be an axis: r is an error."""

    def start_bound(self, start, rank):
        if start == rank:
            raise RefusedError("start is no axis")
        return super().start_bound(start, rank)


@mutant()
class EndOfMinusRankIsRefused(Backend):
    """An end of -r is an error, as nothing is before the first axis."""

    def end_bound(self, end, rank):
        if rank and end == -rank:
            raise RefusedError("end is out of range")
        return super().end_bound(end, rank)


class _Narrow(Backend):
    """Both attributes pass through a type that is too small."""

    def narrow(self, value: int) -> int:
        return value

    def slice_attributes(self, call: Call) -> tuple[int | None, int | None]:
        start, end = super().slice_attributes(call)
        return (
            None if start is None else self.narrow(start),
            None if end is None else self.narrow(end),
        )


@mutant()
class AttributesAreFloat64(_Narrow):
    """start and end pass through float64, in which 2**63 - 1 becomes 2**63 and overflows."""

    def narrow(self, value):
        return through_float64(value)


@mutant()
class LengthWraps(Backend):
    """Whether anything is selected is asked of end - start before clamping, which wraps."""

    def slice_bounds(self, start, end, rank):
        first = 0 if start is None else start + rank if start < 0 else start
        last = rank if end is None else end + rank if end < 0 else end
        if wrapped(last - first, 64) <= 0:
            return 0, 0
        return super().slice_bounds(start, end, rank)


@mutant()
class StartIsAddedBeforeTheTest(Backend):
    """r is added to start whatever its sign, and the sum reduced modulo r."""

    def start_bound(self, start, rank):
        if start == rank:
            return 0
        return super().start_bound(start, rank)


@mutant()
class SliceOfScalarIsRefused(Backend):
    """A scalar has no axis: start or end is an error."""

    def slice_bounds(self, start, end, rank):
        if rank == 0 and (start is not None or end is not None):
            raise RefusedError("a scalar has no axis")
        return super().slice_bounds(start, end, rank)


@mutant()
class ExplicitStartZeroIsRefused(Backend):
    """The attribute start is supported only where it differs from 0, its default."""

    def slice_attributes(self, call):
        start, end = super().slice_attributes(call)
        return (1 if start == 0 else start), end
