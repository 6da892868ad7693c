"""Bugs in how Shape reads start and end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..backend import Backend
from ..outcomes import CrashError, RefusedError
from ..registry import mutant
from ..values import INT64_MAX, INT64_MIN, through_float32, through_float64, wrapped

if TYPE_CHECKING:
    from ..backend import Call

CLAMPS = "onnx/onnx#6862"


@mutant(CLAMPS)
class BoundsClampToLastAxis(Backend):
    """start and end are clamped to [0, r-1], as the page said until onnx 1.18."""

    def start_bound(self, start, rank):
        return min(super().start_bound(start, rank), max(rank - 1, 0))

    def end_bound(self, end, rank):
        return min(super().end_bound(end, rank), max(rank - 1, 0))


@mutant(CLAMPS)
class StartClampsToLastAxis(Backend):
    """start is clamped to r-1, so that the last axis is always selected."""

    def start_bound(self, start, rank):
        return min(super().start_bound(start, rank), max(rank - 1, 0))


@mutant(CLAMPS)
class EndClampsToLastAxis(Backend):
    """end is clamped to r-1, so that a given end never includes the last axis."""

    def end_bound(self, end, rank):
        return min(super().end_bound(end, rank), max(rank - 1, 0))


@mutant()
class EndIsInclusive(Backend):
    """The axis of end is included."""

    def end_bound(self, end, rank):
        return min(super().end_bound(end, rank) + 1, rank)


@mutant()
class NegativeEndIsInclusive(Backend):
    """A negative end includes its axis, so that -1 means to the end."""

    def end_bound(self, end, rank):
        return (
            min(super().end_bound(end + 1, rank), rank)
            if end < -1
            else (rank if end == -1 else super().end_bound(end, rank))
        )


@mutant()
class EndMinusOneIsAbsent(Backend):
    """-1 is the default of end and means that it is absent."""

    def end_bound(self, end, rank):
        return rank if end == -1 else super().end_bound(end, rank)


@mutant()
class EndZeroIsAbsent(Backend):
    """An end of 0 is false and taken for absent."""

    def end_bound(self, end, rank):
        return super().end_bound(end, rank) if end else rank


@mutant()
class EndInt64MinIsAbsent(Backend):
    """The smallest int64 stands for an absent end."""

    def end_bound(self, end, rank):
        return rank if end == INT64_MIN else super().end_bound(end, rank)


@mutant(equivalent="An end of the largest int64 is above every rank, and clamped to it: to the end")
class EndInt64MaxIsAbsent(Backend):
    """The largest int64 stands for an absent end."""

    def end_bound(self, end, rank):
        return rank if end == INT64_MAX else super().end_bound(end, rank)


@mutant()
class AbsentEndIsZero(Backend):
    """An absent end is read as the 0 of an empty field."""

    def slice_attributes(self, call):
        start, end = super().slice_attributes(call)
        return start, 0 if end is None else end


@mutant()
class AbsentEndIsZeroBesideStart(Backend):
    """Where only start is given, end is read as 0."""

    def slice_attributes(self, call):
        start, end = super().slice_attributes(call)
        return start, 0 if end is None and start is not None else end


@mutant()
class AbsentEndIsMinusOne(Backend):
    """An absent end is taken for -1, which excludes the last axis."""

    def slice_attributes(self, call):
        start, end = super().slice_attributes(call)
        return start, -1 if end is None else end


@mutant()
class StartAloneSelectsOneAxis(Backend):
    """Where only start is given, one dimension is selected, as indexing does."""

    def slice_bounds(self, start, end, rank):
        first, last = super().slice_bounds(start, end, rank)
        return first, min(first + 1, rank) if end is None and start is not None else last


@mutant("inisis/OnnxSlim#38")
class StartIsIgnored(Backend):
    """start is not read."""

    def slice_attributes(self, call):
        return None, super().slice_attributes(call)[1]


@mutant()
class EndIsIgnored(Backend):
    """end is not read."""

    def slice_attributes(self, call):
        return super().slice_attributes(call)[0], None


@mutant("openvinotoolkit/openvino#20194, apache/tvm#20050")
class StartAndEndAreIgnored(Backend):
    """The operator is implemented as it was before version 15."""

    def slice_attributes(self, call):
        return None, None


@mutant()
class EndIsIgnoredWithoutStart(Backend):
    """end is read only where start is given too."""

    def slice_attributes(self, call):
        start, end = super().slice_attributes(call)
        return start, None if start is None else end


@mutant()
class StartAndEndAreSwapped(Backend):
    """The attributes are read by position: end first, as protobuf happens to order them by name."""

    def slice_attributes(self, call):
        start, end = super().slice_attributes(call)
        return (end, start) if start is not None and end is not None else (start, end)


@mutant()
class NegativeStartIsZero(Backend):
    """A negative start is clamped to 0 without counting back."""

    def start_bound(self, start, rank):
        return min(max(start, 0), rank)


@mutant()
class NegativeEndIsZero(Backend):
    """A negative end is clamped to 0 without counting back."""

    def end_bound(self, end, rank):
        return min(max(end, 0), rank)


@mutant()
class NegativeStartIsIgnored(Backend):
    """A negative start is no axis, and is taken for absent."""

    def start_bound(self, start, rank):
        return 0 if start < 0 else super().start_bound(start, rank)


@mutant()
class NegativeEndIsIgnored(Backend):
    """A negative end is no axis, and is taken for absent."""

    def end_bound(self, end, rank):
        return rank if end < 0 else super().end_bound(end, rank)


@mutant()
class NegativeEndCountsFromOnePast(Backend):
    """A negative end counts back from r+1, so that -1 is r."""

    def end_bound(self, end, rank):
        return (
            super().end_bound(end + 1, rank)
            if end < -1
            else (rank if end == -1 else super().end_bound(end, rank))
        )


@mutant()
class NegativeStartIsOffByOne(Backend):
    """r-1 is added to a negative start."""

    def start_bound(self, start, rank):
        return (
            min(max(start + rank - 1, 0), rank) if start < 0 else super().start_bound(start, rank)
        )


@mutant()
class StartIsModuloRank(Backend):
    """start is taken modulo r, by an arithmetic that ends the process for a rank of 0."""

    def start_bound(self, start, rank):
        if rank == 0:
            raise CrashError
        return start % rank


@mutant()
class StartIsModuloRankUnlessScalar(Backend):
    """start is taken modulo r, and scalars are looked after."""

    def start_bound(self, start, rank):
        return start % rank if rank else 0


@mutant()
class NegativeStartIsModuloRank(Backend):
    """A negative start is taken modulo r."""

    def start_bound(self, start, rank):
        return start % rank if rank and start < 0 else super().start_bound(start, rank)


@mutant()
class NegativeEndIsModuloRank(Backend):
    """A negative end is taken modulo r."""

    def end_bound(self, end, rank):
        return end % rank if rank and end < 0 else super().end_bound(end, rank)


@mutant()
class RankZeroDividesByZero(Backend):
    """Axes are normalised by (axis + r) % r, which ends the process for a scalar."""

    def slice_bounds(self, start, end, rank):
        if rank == 0 and (start is not None or end is not None):
            raise CrashError
        return super().slice_bounds(start, end, rank)


@mutant()
class NegativeIsAddedTwice(Backend):
    """r is added until start is not negative."""

    def start_bound(self, start, rank):
        if start < -rank:
            return super().start_bound(max(start + rank, INT64_MIN) % rank if rank else 0, rank)
        return super().start_bound(start, rank)


@mutant("onnx/onnx: onnx.reference, op_shape.py")
class EndIsReadAgainAsIndex(Backend):
    """r is added to a negative end, and what is still negative is an index from the back."""

    def slice_bounds(self, start, end, rank):
        last = rank if end is None else end + rank if end < 0 else end
        return slice(super().slice_bounds(start, None, rank)[0], last).indices(rank)[:2]


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


@mutant("sonos/tract#2864")
class StartAfterEndCrashes(Backend):
    """A start after end ends the process."""

    def selected(self, dims, first, last):
        if first > last:
            raise CrashError
        return super().selected(dims, first, last)


@mutant()
class StartAfterEndIsRefused(Backend):
    """A start after end is an error."""

    def selected(self, dims, first, last):
        if first > last:
            raise RefusedError("start is after end")
        return super().selected(dims, first, last)


@mutant()
class EmptyResultIsRefused(Backend):
    """A result without elements is an error, but for scalars."""

    def selected(self, dims, first, last):
        if first >= last and dims:
            raise RefusedError("nothing is selected")
        return super().selected(dims, first, last)


@mutant()
class StartAfterEndSwaps(Backend):
    """start and end change places where they are in the wrong order."""

    def selected(self, dims, first, last):
        return dims[min(first, last) : max(first, last)]


@mutant()
class StartAfterEndGoesToTheEnd(Backend):
    """An end before start is taken for absent."""

    def selected(self, dims, first, last):
        return dims[first:] if first > last else dims[first:last]


@mutant()
class AtLeastOneAxis(Backend):
    """At least one dimension is selected where there is one at start."""

    def selected(self, dims, first, last):
        return dims[first : max(last, first + 1)]


@mutant("ROCm/AMDMIGraphX#1511")
class StartBelowRankIsRefused(Backend):
    """A start below -r is an error."""

    def start_bound(self, start, rank):
        if start < -rank:
            raise RefusedError("start is out of range")
        return super().start_bound(start, rank)


@mutant("ROCm/AMDMIGraphX#1511")
class StartAboveRankIsRefused(Backend):
    """A start above r is an error."""

    def start_bound(self, start, rank):
        if start > rank:
            raise RefusedError("start is out of range")
        return super().start_bound(start, rank)


@mutant()
class StartOfRankIsRefused(Backend):
    """start must be an axis: r is an error."""

    def start_bound(self, start, rank):
        if start == rank:
            raise RefusedError("start is no axis")
        return super().start_bound(start, rank)


@mutant("ROCm/AMDMIGraphX#1923")
class EndAboveRankIsRefused(Backend):
    """An end above r is an error."""

    def end_bound(self, end, rank):
        if end > rank:
            raise RefusedError("end is out of range")
        return super().end_bound(end, rank)


@mutant("ROCm/AMDMIGraphX#1923")
class EndBelowRankIsRefused(Backend):
    """An end below -r is an error."""

    def end_bound(self, end, rank):
        if end < -rank:
            raise RefusedError("end is out of range")
        return super().end_bound(end, rank)


@mutant()
class EndOfMinusRankIsRefused(Backend):
    """An end of -r is an error, as nothing is before the first axis."""

    def end_bound(self, end, rank):
        if rank and end == -rank:
            raise RefusedError("end is out of range")
        return super().end_bound(end, rank)


@mutant("tracel-ai/burn-onnx#216")
class StartIsNotClamped(Backend):
    """start is not clamped: what lies outside is read beyond the array and ends the process."""

    def start_bound(self, start, rank):
        first = start + rank if start < 0 else start
        if not 0 <= first <= rank:
            raise CrashError
        return first


@mutant("tracel-ai/burn-onnx#301, kendryte/nncase#321")
class EndIsNotClamped(Backend):
    """end is not clamped above: what lies behind the dimensions is read as ones."""

    def slice_bounds(self, start, end, rank):
        first, last = super().slice_bounds(start, end, rank)
        return first, end if end is not None and end > rank else last

    def selected(self, dims, first, last):
        if last > 64:
            raise CrashError
        return (dims + (1,) * max(0, last - len(dims)))[first:last] if first < last else ()


@mutant()
class EndIsALength(Backend):
    """end is the number of dimensions to select, as in other slice operators."""

    def slice_bounds(self, start, end, rank):
        first, last = super().slice_bounds(start, end, rank)
        return first, min(first + last, rank) if end is not None and end >= 0 else last


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
class AttributesAreInt32(_Narrow):
    """start and end are cut to int32."""

    def narrow(self, value):
        return wrapped(value, 32)


@mutant()
class AttributesAreInt8(_Narrow):
    """start and end are cut to int8."""

    def narrow(self, value):
        return wrapped(value, 8)


@mutant()
class AttributesAreUnsigned(_Narrow):
    """start and end are read as unsigned 64-bit integers."""

    def narrow(self, value):
        return value & (2**64 - 1)


@mutant()
class AttributesAreUint32(_Narrow):
    """start and end are read as unsigned 32-bit integers."""

    def narrow(self, value):
        return value & (2**32 - 1)


@mutant()
class AttributesAreFloat64(_Narrow):
    """start and end pass through float64, in which 2**63 - 1 becomes 2**63 and overflows."""

    def narrow(self, value):
        return through_float64(value)


@mutant(
    equivalent="A float32 keeps every integer up to 2**24 and the order of all; what is above a"
    " rank stays above it, and a cast that saturates keeps the sign"
)
class AttributesAreFloat32(_Narrow):
    """start and end pass through float32 and a cast that saturates."""

    def narrow(self, value):
        return min(max(through_float32(value), INT64_MIN), INT64_MAX)


@mutant(
    equivalent="A saturated value stays above, or below, every rank that a tensor can have, and"
    " both are clamped alike"
)
class AttributesSaturateAtInt32(_Narrow):
    """start and end are saturated to int32."""

    def narrow(self, value):
        return min(max(value, -(2**31)), 2**31 - 1)


@mutant()
class OnlyEndIsInt32(Backend):
    """end is cut to int32."""

    def end_bound(self, end, rank):
        return super().end_bound(wrapped(end, 32), rank)


@mutant()
class OnlyStartIsInt32(Backend):
    """start is cut to int32."""

    def start_bound(self, start, rank):
        return super().start_bound(wrapped(start, 32), rank)


@mutant()
class LengthWraps(Backend):
    """Whether anything is selected is asked of end - start before clamping, which wraps."""

    def slice_bounds(self, start, end, rank):
        first = 0 if start is None else start + rank if start < 0 else start
        last = rank if end is None else end + rank if end < 0 else end
        if wrapped(last - first, 64) <= 0:
            return 0, 0
        return super().slice_bounds(start, end, rank)


@mutant(equivalent="r - |INT64_MIN| wraps to r + INT64_MIN, which was wanted, and is clamped to 0")
class NegativeIsNegatedFirst(Backend):
    """A negative start is negated and subtracted from r, in 64 bits that wrap."""

    def start_bound(self, start, rank):
        if start >= 0:
            return super().start_bound(start, rank)
        return min(max(wrapped(rank - wrapped(-start, 64), 64), 0), rank)


@mutant()
class StartIsAddedBeforeTheTest(Backend):
    """r is added to start whatever its sign, and the sum taken modulo r."""

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
