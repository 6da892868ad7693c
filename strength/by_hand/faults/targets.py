"""Bugs in the dimensions that Reshape makes of its shape."""

from __future__ import annotations

from ..backend import Backend
from ..outcomes import CrashError, HangError, NotImplementedHereError, RefusedError
from ..registry import mutant
from ..values import count_of, through_float32, through_float64, wrapped

# --- zeros and allowzero -------------------------------------------------------------------


@mutant()
class AllowzeroIsOffForFullData(Backend):
    """allowzero is read only where the data is empty."""

    def with_copies(self, dims, requested, literal):
        return super().with_copies(dims, requested, literal and 0 in dims)


@mutant()
class LiteralZeroBeyondRankIsRefused(Backend):
    """With allowzero, a 0 beyond the rank of the data is an error."""

    def with_copies(self, dims, requested, literal):
        if literal and any(not value for value in requested[len(dims) :]):
            raise RefusedError("a 0 beyond the rank")
        return super().with_copies(dims, requested, literal)


@mutant()
class OnlyFirstZeroIsLiteral(Backend):
    """With allowzero, only the first 0 is literal."""

    def with_copies(self, dims, requested, literal):
        if not literal or 0 not in requested:
            return super().with_copies(dims, requested, literal)
        first = requested.index(0)
        rest = super().with_copies(
            dims, (*requested[:first], 1, *requested[first + 1 :]), literal=False
        )
        return (*rest[:first], 0, *rest[first + 1 :])


class _NoExclusion(Backend):
    """allowzero with both 0 and -1 is not refused as such."""

    def check_requested(self, dims, requested, literal):
        super().check_requested(dims, requested, literal=False)


@mutant("onnx/onnx#4550")
class ZeroAndInferredIsZero(_NoExclusion):
    """With allowzero and both 0 and -1, -1 becomes 0 where the data is empty."""

    def inferred(self, dims, known):
        if 0 in known and 0 in dims:
            return tuple(0 if value == -1 else value for value in known)
        return super().inferred(dims, known)


@mutant("microsoft/onnxruntime#29027")
class ZerosAreSkippedOnBothSides(_NoExclusion):
    """-1 is inferred from the dimensions that are not 0, with allowzero and 0 too."""

    def inferred(self, dims, known):
        if 0 not in known or 0 not in dims:
            return super().inferred(dims, known)
        others = count_of(value for value in known if value not in {-1, 0})
        count = count_of(size for size in dims if size)
        if count % others:
            raise RefusedError("does not divide")
        return tuple(count // others if value == -1 else value for value in known)


@mutant()
class ZeroAndInferredIsTestedForFullData(Backend):
    """allowzero with both 0 and -1 is refused only where the data has elements; else -1 is 1."""

    def check_requested(self, dims, requested, literal):
        super().check_requested(dims, requested, literal and 0 not in dims)

    def inferred(self, dims, known):
        if 0 in known and 0 in dims:
            return tuple(1 if value == -1 else value for value in known)
        return super().inferred(dims, known)


@mutant("microsoft/onnxruntime: the same shape as an initializer is refused")
class ZeroAndInferredIsTestedForConstants(_NoExclusion):
    """allowzero with both 0 and -1 is refused only where the shape is an initializer."""

    def requested(self, call):
        values = super().requested(call)
        constant = len(call.node.inputs) > 1 and (
            call.node.inputs[1] in call.frame.session.program.graph.initializers
        )
        if constant and self.literal_zeros(call) and 0 in values and -1 in values:
            raise RefusedError("allowzero with both 0 and -1", "load")
        return values

    def inferred(self, dims, known):
        if 0 in known and 0 in dims:
            return tuple(0 if value == -1 else value for value in known)
        return super().inferred(dims, known)


@mutant()
class ZerosCountFromTheEndAfterInferred(Backend):
    """A 0 after -1 copies the dimension at its place counted from the last axis."""

    def with_copies(self, dims, requested, literal):
        known = super().with_copies(dims, requested, literal)
        if literal or -1 not in requested:
            return known
        place, length = requested.index(-1), len(requested)
        return tuple(
            dims[index - length]
            if not value and index > place and length - index <= len(dims)
            else known[index]
            for index, value in enumerate(requested)
        )


@mutant()
class ZerosCopyTheNextDimension(Backend):
    """A 0 copies the dimension after the last one that was copied or passed."""

    def with_copies(self, dims, requested, literal):
        if literal:
            return requested
        known, place = [], 0
        for value in requested:
            known.append(value or self.copied_dim(dims, place))
            place += 1 if value != 1 else 0
        return tuple(known)


@mutant()
class OnlyFirstZeroCopies(Backend):
    """Only the first 0 copies; later ones are literal."""

    def with_copies(self, dims, requested, literal):
        if literal or 0 not in requested:
            return requested
        first = requested.index(0)
        return (*requested[:first], self.copied_dim(dims, first), *requested[first + 1 :])


@mutant()
class ZerosAreInferred(Backend):
    """A single 0 is mistaken for -1 where there is none, as in older libraries."""

    def with_copies(self, dims, requested, literal):
        if not literal and requested.count(0) == 1 and -1 not in requested:
            return tuple(value or -1 for value in requested)
        return super().with_copies(dims, requested, literal)


@mutant()
class ZeroAtRankIsOne(Backend):
    """A 0 where the data has no dimension is 1."""

    def copied_dim(self, dims, index):
        return dims[index] if index < len(dims) else 1


@mutant()
class ZeroAtRankIsZero(Backend):
    """A 0 where the data has no dimension is literal."""

    def copied_dim(self, dims, index):
        return dims[index] if index < len(dims) else 0


@mutant()
class ZeroAtRankCopiesTheLast(Backend):
    """A 0 where the data has no dimension copies the last one."""

    def copied_dim(self, dims, index):
        return dims[min(index, len(dims) - 1)] if dims else 1


@mutant()
class ZeroAtRankCrashes(Backend):
    """A 0 where the data has no dimension is read beyond the array."""

    def copied_dim(self, dims, index):
        if index >= len(dims):
            raise CrashError
        return dims[index]


@mutant()
class ZeroAtRankIsLeftOut(Backend):
    """A 0 where the data has no dimension is left out."""

    def with_copies(self, dims, requested, literal):
        if literal:
            return requested
        kept = tuple(value for index, value in enumerate(requested) if value or index < len(dims))
        return super().with_copies(dims, kept, literal)


# --- the inferred dimension ----------------------------------------------------------------


@mutant("sonos/tract#2707")
class UnresolvedHangs(Backend):
    """Where -1 cannot be inferred, resolving goes on forever."""

    def inferred(self, dims, known):
        try:
            return super().inferred(dims, known)
        except RefusedError:
            raise HangError from None


class _NoDivision(Backend):
    """What does not divide is not refused."""

    def quotient(self, count: int, others: int) -> int:
        return count // others

    def inferred(self, dims, known):
        others = count_of(value for value in known if value != -1)
        if not others:
            return super().inferred(dims, known)
        found = self.quotient(count_of(dims), others)
        return tuple(found if value == -1 else value for value in known)

    def check_count(self, dims, known):
        """Counts are compared only where nothing was inferred."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        if -1 not in requested:
            Backend.check_count(self, dims, known)
        return known

    def copied(self, data, dims):
        return _resized(super().copied(data, dims))


def _resized(tensor):
    """The tensor with its elements cut, or zeros added, to fit the dimensions."""
    from onnx_conformance.core.values.tensors import Tensor

    from ..values import element

    needed = count_of(tensor.shape)
    if isinstance(tensor.data, tuple):
        return Tensor(tensor.type, tensor.shape, (tensor.data + (b"",) * needed)[:needed])
    if needed > 2**20:
        raise CrashError
    size = element(tensor).byte_count(needed)
    return Tensor(tensor.type, tensor.shape, (tensor.data + b"\0" * size)[:size])


@mutant()
class DivisionRoundsDown(_NoDivision):
    """-1 is the quotient rounded down, and the rest of the data is lost."""


@mutant()
class DivisionRoundsUp(_NoDivision):
    """-1 is the quotient rounded up, and zeros are added."""

    def quotient(self, count, others):
        return -(-count // others)


@mutant("microsoft/onnxruntime#3777")
class DivisorOfZeroCrashes(Backend):
    """-1 beside a dimension of 0 divides by zero."""

    def inferred(self, dims, known):
        if 0 in known:
            raise CrashError
        return super().inferred(dims, known)


@mutant()
class InferredPlaceIsABitMask(Backend):
    """The place of -1 is kept in a 32-bit mask."""

    def target(self, dims, requested, literal):
        if -1 in requested and requested.index(-1) >= 32:
            place = requested.index(-1)
            others = count_of(value for value in requested if value != -1)
            moved = list(requested)
            moved[place], moved[place % 32] = 1, count_of(dims) // others
            return tuple(moved)
        return super().target(dims, requested, literal)


# --- other negative dimensions -------------------------------------------------------------


@mutant("onnx/onnx: onnx.reference hands the shape to NumPy")
class AnyNegativeIsInferred(Backend):
    """A single negative dimension, whatever its value, is inferred."""

    def target(self, dims, requested, literal):
        if sum(value < 0 for value in requested) == 1:
            requested = tuple(max(value, -1) for value in requested)
        return super().target(dims, requested, literal)


@mutant()
class SmallestDimensionCrashes(Backend):
    """The smallest int64 is negated, which traps."""

    def check_requested(self, dims, requested, literal):
        if -(2**63) in requested:
            raise CrashError
        super().check_requested(dims, requested, literal)


# --- the number of elements ----------------------------------------------------------------


class _Uncounted(Backend):
    """Counts are compared in another way; the data is cut or padded to what is asked for."""

    def same(self, count: int, wanted: int) -> bool:
        raise NotImplementedError

    def check_count(self, dims, known):
        if not self.same(count_of(dims), count_of(known)):
            super().check_count(dims, known)

    def copied(self, data, dims):
        return _resized(super().copied(data, dims))


@mutant()
class SmallerIsAccepted(_Uncounted):
    """A result with fewer elements takes the first of the data."""

    def same(self, count, wanted):
        return wanted <= count


@mutant()
class EmptyResultIsAccepted(_Uncounted):
    """A result without elements fits any data."""

    def same(self, count, wanted):
        return wanted in {0, count}


@mutant()
class CountsAreComparedInInt64(_Uncounted):
    """Counts are compared modulo 2**64."""

    def same(self, count, wanted):
        return (count - wanted) % 2**64 == 0


# --- narrow arithmetic ---------------------------------------------------------------------


class _NarrowShape(Backend):
    """The shape is read through a type that is too small."""

    def narrow(self, value: int) -> int:
        return value

    def target(self, dims, requested, literal):
        return super().target(dims, tuple(self.narrow(value) for value in requested), literal)


@mutant()
class ShapeIsReadAsFloat32(_NarrowShape):
    """The shape passes through float32."""

    def narrow(self, value):
        return through_float32(value)


@mutant()
class ShapeIsReadAsFloat64(_NarrowShape):
    """The shape passes through float64."""

    def narrow(self, value):
        return through_float64(value)


@mutant()
class ShapeSaturatesAtInt32(_NarrowShape):
    """The shape is saturated to int32."""

    def narrow(self, value):
        return min(max(value, -(2**31)), 2**31 - 1)


@mutant()
class CopiedDimensionIsInt32(Backend):
    """A copied dimension is cut to int32."""

    def copied_dim(self, dims, index):
        return wrapped(super().copied_dim(dims, index), 32)


@mutant()
class LargeShapesAreRefused(Backend):
    """A dimension beyond int32 is an error, where the result is empty too."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        if any(value > 2**31 - 1 for value in known):
            raise RefusedError("the dimension is too large")
        return known


@mutant()
class DivisorIsInt32(Backend):
    """The product beside -1 is kept in int32; 0 ends the process."""

    def inferred(self, dims, known):
        others = wrapped(count_of(value for value in known if value != -1), 32)
        if others == 0:
            raise CrashError
        return tuple(count_of(dims) // others if value == -1 else value for value in known)


@mutant()
class DivisorIsInt64(Backend):
    """The product beside -1 is kept in int64 and wraps; 0 ends the process."""

    def inferred(self, dims, known):
        others = wrapped(count_of(value for value in known if value != -1), 64)
        if others == 0 and 0 not in known:
            raise CrashError
        return super().inferred(dims, known)


@mutant()
class BytesAreCountedInInt32(Backend):
    """A result whose dimensions, the zeros left out, take more than 2 GiB is an error."""

    def copied(self, data, dims):
        if count_of(size for size in dims if size) > 2**31 - 1:
            raise RefusedError("the tensor is too large")
        return super().copied(data, dims)


# --- scalars, ones and ranks ---------------------------------------------------------------


@mutant()
class ScalarDataIsEmpty(Backend):
    """The product of no dimensions is 0: -1 on a scalar is 0."""

    def inferred(self, dims, known):
        return super().inferred(dims or (0,), known)

    def check_count(self, dims, known):
        if dims:
            super().check_count(dims, known)

    def copied(self, data, dims):
        return _resized(super().copied(data, dims))


@mutant()
class ScalarDataIsAVector(Backend):
    """A scalar is a vector of one, so that a 0 copies its 1."""

    def target(self, dims, requested, literal):
        return super().target(dims or (1,), requested, literal)


@mutant()
class ResultsOfMoreThanFourAreRefused(Backend):
    """A result has at most four dimensions."""

    def target(self, dims, requested, literal):
        if len(requested) > 4:
            raise RefusedError("too many dimensions")
        return super().target(dims, requested, literal)


@mutant()
class ResultsOfMoreThanEightAreRefused(Backend):
    """A result has at most eight dimensions."""

    def target(self, dims, requested, literal):
        if len(requested) > 8:
            raise RefusedError("too many dimensions")
        return super().target(dims, requested, literal)


@mutant()
class ResultsOfMoreThanThirtyTwoAreRefused(Backend):
    """A result has at most 32 dimensions."""

    def target(self, dims, requested, literal):
        if len(requested) > 32:
            raise NotImplementedHereError
        return super().target(dims, requested, literal)


@mutant()
class DataOfMoreThanEightIsCut(Backend):
    """Only eight dimensions of the data are kept."""

    def target(self, dims, requested, literal):
        return super().target(dims[:8], requested, literal)


@mutant()
class FlattenForTwoCopiesAndInfer(Backend):
    """[0, 0, -1] is replaced by Flatten with axis 2, which has two dimensions."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        if requested == (0, 0, -1):
            return (known[0] * known[1], known[2])
        return known
