"""Bugs in the dimensions that Reshape makes of its shape."""

from __future__ import annotations

from ..backend import Backend
from ..outcomes import CrashError, HangError, NotImplementedHereError, RefusedError
from ..registry import mutant
from ..values import count_of, through_float32, through_float64, wrapped

# --- zeros and allowzero -------------------------------------------------------------------


@mutant("openvinotoolkit/openvino#36046")
class AllowzeroIsAlwaysOn(Backend):
    """Every 0 is literal."""

    def literal_zeros(self, call):
        return True


@mutant("tracel-ai/burn#639, sonos/tract#2698, huggingface/candle#3907")
class AllowzeroIsIgnored(Backend):
    """allowzero is not read."""

    def literal_zeros(self, call):
        return False


@mutant()
class AllowzeroIsOnWhereGiven(Backend):
    """allowzero is on where it is given, whatever its value."""

    def literal_zeros(self, call):
        return "allowzero" in call.attributes


@mutant()
class AllowzeroIsInverted(Backend):
    """allowzero=0, given, makes zeros literal, and 1 copies."""

    def literal_zeros(self, call):
        return "allowzero" in call.attributes and not call.attributes["allowzero"]


@mutant()
class AllowzeroIsOffForFullData(Backend):
    """allowzero is read only where the data is empty."""

    def with_copies(self, dims, requested, literal):
        return super().with_copies(dims, requested, literal and 0 in dims)


@mutant()
class AllowzeroIsOnForEmptyData(Backend):
    """A 0 is literal where the data is empty."""

    def with_copies(self, dims, requested, literal):
        return super().with_copies(dims, requested, literal or 0 in dims)


@mutant()
class LiteralZeroBeyondRankIsRefused(Backend):
    """With allowzero, a 0 beyond the rank of the data is an error."""

    def with_copies(self, dims, requested, literal):
        if literal and any(not value for value in requested[len(dims) :]):
            raise RefusedError("a 0 beyond the rank")
        return super().with_copies(dims, requested, literal)


@mutant()
class LiteralZeroCopiesWithinRank(Backend):
    """With allowzero, only a 0 beyond the rank of the data is literal."""

    def with_copies(self, dims, requested, literal):
        if not literal:
            return super().with_copies(dims, requested, literal)
        return tuple(
            dims[index] if not value and index < len(dims) else value
            for index, value in enumerate(requested)
        )


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


@mutant("microsoft/onnxruntime#10664")
class AllowzeroForbidsInference(Backend):
    """With allowzero, -1 is an error, with a 0 beside it or without."""

    def check_requested(self, dims, requested, literal):
        if literal and -1 in requested:
            raise RefusedError("-1 with allowzero")
        super().check_requested(dims, requested, literal)


@mutant()
class AllowzeroNeedsEmptyData(Backend):
    """allowzero on data with elements is an error."""

    def check_requested(self, dims, requested, literal):
        if literal and 0 not in dims:
            raise RefusedError("allowzero with data")
        super().check_requested(dims, requested, literal)


@mutant()
class AllowzeroNeedsAZero(Backend):
    """allowzero without a 0 in the shape is an error."""

    def check_requested(self, dims, requested, literal):
        if literal and 0 not in requested:
            raise RefusedError("allowzero without a zero")
        super().check_requested(dims, requested, literal)


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


@mutant("microsoft/onnxruntime#15203, MathWorks prepareReshapeArgs.m")
class ZerosAlignRight(Backend):
    """A 0 copies the dimension at the same place counted from the last axis."""

    def with_copies(self, dims, requested, literal):
        if literal or 0 not in requested:
            return requested
        offset = len(dims) - len(requested)
        return tuple(
            value or self.copied_dim(dims, index + offset if index + offset >= 0 else len(dims))
            for index, value in enumerate(requested)
        )


@mutant()
class ZerosAreCounted(Backend):
    """The n-th 0 copies the n-th dimension."""

    def with_copies(self, dims, requested, literal):
        if literal:
            return requested
        zeros = [index for index, value in enumerate(requested) if not value]
        return tuple(
            value or self.copied_dim(dims, zeros.index(index))
            for index, value in enumerate(requested)
        )


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
class OnlyBatchZeroCopies(Backend):
    """Only a 0 at the first place copies; others are literal."""

    def with_copies(self, dims, requested, literal):
        if literal or not requested or requested[0]:
            return requested
        return (self.copied_dim(dims, 0), *requested[1:])


@mutant()
class ZerosAreOnes(Backend):
    """A 0 is taken for 1."""

    def copied_dim(self, dims, index):
        return 1


@mutant()
class ZerosAreInferred(Backend):
    """A single 0 is taken for -1 where there is none, as in older libraries."""

    def with_copies(self, dims, requested, literal):
        if not literal and requested.count(0) == 1 and -1 not in requested:
            return tuple(value or -1 for value in requested)
        return super().with_copies(dims, requested, literal)


@mutant()
class CopiedZeroIsOne(Backend):
    """A copied dimension of 0 becomes 1."""

    def copied_dim(self, dims, index):
        return super().copied_dim(dims, index) or 1


@mutant()
class CopiedZeroIsInferred(Backend):
    """A copied dimension of 0 is read again, as -1."""

    def with_copies(self, dims, requested, literal):
        known = super().with_copies(dims, requested, literal)
        if literal or -1 in known:
            return known
        return tuple(
            -1 if not value and known.index(0) == index else value
            for index, value in enumerate(known)
        )


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


@mutant("ml-explore/mlx#789")
class InferredIsLeft(Backend):
    """-1 stays in the shape of the result."""

    def target(self, dims, requested, literal):
        super().target(dims, requested, literal)
        return self.with_copies(dims, requested, literal)


@mutant("sonos/tract#2707")
class UnresolvedHangs(Backend):
    """Where -1 cannot be inferred, resolving goes on forever."""

    def inferred(self, dims, known):
        try:
            return super().inferred(dims, known)
        except RefusedError:
            raise HangError from None


@mutant("sonos/tract#2707")
class SecondInferredHangs(Backend):
    """Two -1 wait for each other."""

    def check_requested(self, dims, requested, literal):
        if requested.count(-1) > 1:
            raise HangError
        super().check_requested(dims, requested, literal)


@mutant()
class InferredIsOne(Backend):
    """-1 is taken for 1, as an unknown dimension is."""

    def inferred(self, dims, known):
        super().inferred(dims, known)
        return tuple(1 if value == -1 else value for value in known)

    def check_count(self, dims, known):
        if len(known) and count_of(known) > count_of(dims):
            raise RefusedError("too large")


@mutant("huggingface/candle#3908")
class InferredWithoutCopies(Backend):
    """Copied dimensions are left out when -1 is inferred."""

    def target(self, dims, requested, literal):
        self.check_requested(dims, requested, literal)
        if literal or 0 not in requested or -1 not in requested:
            return super().target(dims, requested, literal)
        others = count_of(value for value in requested if value > 0)
        found = count_of(dims) // others
        known = self.with_copies(dims, requested, literal)
        known = tuple(found if value == -1 else value for value in known)
        self.check_count(dims, known)
        return known


@mutant()
class InferredFromWhatStandsBefore(Backend):
    """Dimensions after the -1 are left out when it is inferred."""

    def inferred(self, dims, known):
        place = known.index(-1)
        before = super().inferred(dims, known[: place + 1])
        return (*before, *known[place + 1 :])


@mutant()
class InferredFromWhatStandsAfter(Backend):
    """Dimensions before the -1 are left out when it is inferred."""

    def inferred(self, dims, known):
        place = known.index(-1)
        return (*known[:place], *super().inferred(dims, known[place:]))


@mutant()
class InferredKeepsTheDimension(Backend):
    """-1 is the data's dimension at its place where it has one."""

    def inferred(self, dims, known):
        place = known.index(-1)
        if place < len(dims) and len(known) == len(dims):
            return (*known[:place], dims[place], *known[place + 1 :])
        return super().inferred(dims, known)


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


@mutant("onnx/onnx#3149 (TensorRT)")
class InferredOnEmptyIsRefused(Backend):
    """-1 on data without elements has no solution."""

    def inferred(self, dims, known):
        if 0 in dims:
            raise RefusedError("-1 has no solution")
        return super().inferred(dims, known)


@mutant("microsoft/onnxruntime#3777, Xilinx/onnx-mlir#261")
class InferredOnEmptyCrashes(Backend):
    """-1 on data without elements divides by zero."""

    def inferred(self, dims, known):
        if 0 in dims:
            raise CrashError
        return super().inferred(dims, known)


@mutant("microsoft/onnxruntime#3777")
class DivisorOfZeroCrashes(Backend):
    """-1 beside a dimension of 0 divides by zero."""

    def inferred(self, dims, known):
        if 0 in known:
            raise CrashError
        return super().inferred(dims, known)


@mutant()
class InferredOnEmptyIsOne(Backend):
    """-1 on data without elements is 1."""

    def inferred(self, dims, known):
        if 0 in dims:
            return tuple(1 if value == -1 else value for value in known)
        return super().inferred(dims, known)

    def check_count(self, dims, known):
        if 0 not in dims:
            super().check_count(dims, known)


@mutant()
class InferredOnEmptyStays(Backend):
    """-1 on data without elements stays."""

    def inferred(self, dims, known):
        return known if 0 in dims else super().inferred(dims, known)

    def check_count(self, dims, known):
        if 0 not in dims:
            super().check_count(dims, known)


@mutant("huggingface/candle#3908")
class SeveralInferredGiveOnes(Backend):
    """The first -1 is inferred, and further ones are 1."""

    def target(self, dims, requested, literal):
        if requested.count(-1) > 1:
            first = requested.index(-1)
            requested = tuple(
                1 if value == -1 and index > first else value
                for index, value in enumerate(requested)
            )
        return super().target(dims, requested, literal)


@mutant()
class LastInferredWins(Backend):
    """The last -1 is inferred, and those before it are 1."""

    def target(self, dims, requested, literal):
        if requested.count(-1) > 1:
            last = len(requested) - 1 - requested[::-1].index(-1)
            requested = tuple(
                1 if value == -1 and index < last else value
                for index, value in enumerate(requested)
            )
        return super().target(dims, requested, literal)


@mutant()
class InferredIsRefusedAtTheFirstPlace(Backend):
    """-1 may not stand first, where the batch is."""

    def check_requested(self, dims, requested, literal):
        if requested[:1] == (-1,) and len(requested) > 1:
            raise NotImplementedHereError
        super().check_requested(dims, requested, literal)


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
class NegativesAreAbsolute(Backend):
    """Dimensions below -1 lose their sign."""

    def target(self, dims, requested, literal):
        return super().target(
            dims, tuple(-value if value < -1 else value for value in requested), literal
        )


@mutant()
class MinusTwoCopiesTheRest(Backend):
    """-2 is inferred as in another framework: all remaining dimensions are copied."""

    def target(self, dims, requested, literal):
        if -2 in requested:
            place = requested.index(-2)
            return (
                super().target(
                    dims, (*requested[:place], *dims[place:], *requested[place + 1 :]), literal
                )
                if requested.count(-2) == 1 and place
                else dims
            )
        return super().target(dims, requested, literal)


@mutant()
class NegativeProductsMatch(Backend):
    """Only the product is looked at: two negative dimensions make a positive one."""

    def check_requested(self, dims, requested, literal):
        if requested.count(-1) > 1 or (literal and 0 in requested and -1 in requested):
            super().check_requested(dims, requested, literal)

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        if any(value < 0 for value in known) and sum(value < 0 for value in known) % 2:
            raise RefusedError("negative")
        return known


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
class CountIsNotCompared(_Uncounted):
    """Any count is taken."""

    def same(self, count, wanted):
        return True


@mutant()
class SmallerIsAccepted(_Uncounted):
    """A result with fewer elements takes the first of the data."""

    def same(self, count, wanted):
        return wanted <= count


@mutant()
class LargerIsAccepted(_Uncounted):
    """A result with more elements is filled up with zeros."""

    def same(self, count, wanted):
        return wanted >= count


@mutant()
class EmptyResultIsAccepted(_Uncounted):
    """A result without elements fits any data."""

    def same(self, count, wanted):
        return wanted in {0, count}


@mutant("onnx/onnx: shape inference reports (3, 4, 4) for (0, 3, 4)")
class EmptyDataFitsAnything(_Uncounted):
    """Data without elements fits any shape."""

    def same(self, count, wanted):
        return count in {0, wanted}


@mutant()
class ScalarFitsEmpty(_Uncounted):
    """A scalar may be made of a tensor without elements."""

    def same(self, count, wanted):
        return count == wanted or (count == 0 and wanted == 1)


@mutant()
class CountsAreComparedInInt32(_Uncounted):
    """Counts are compared modulo 2**32."""

    def same(self, count, wanted):
        return (count - wanted) % 2**32 == 0


@mutant()
class CountsAreComparedInInt64(_Uncounted):
    """Counts are compared modulo 2**64."""

    def same(self, count, wanted):
        return (count - wanted) % 2**64 == 0


@mutant(
    equivalent="float32 holds every integer to 2**24, and larger counts that are near each other"
    " need data of as many elements: 4 MiB at two bits, where a vector has 64 KiB"
)
class CountsAreComparedAsFloat32(_Uncounted):
    """Counts are compared as float32."""

    def same(self, count, wanted):
        return abs(count - wanted) <= max(count, wanted) * 2**-24


@mutant()
class RanksAreComparedToo(Backend):
    """Data whose rank is the one asked for is returned as it is."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        return dims if len(known) == len(dims) else known


@mutant()
class SameCountOfRowsIsUnchanged(Backend):
    """Where the first dimension stays, the rest is flattened to it."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        if len(known) > 2 and known[:1] == dims[:1] and known[0]:
            return (known[0], count_of(known[1:]))
        return known


# --- narrow arithmetic ---------------------------------------------------------------------


class _NarrowShape(Backend):
    """The shape is read through a type that is too small."""

    def narrow(self, value: int) -> int:
        return value

    def target(self, dims, requested, literal):
        return super().target(dims, tuple(self.narrow(value) for value in requested), literal)


@mutant()
class ShapeIsReadAsInt32(_NarrowShape):
    """The shape is cut to int32."""

    def narrow(self, value):
        return wrapped(value, 32)


@mutant()
class ShapeIsReadAsUint32(_NarrowShape):
    """The shape is cut to uint32, but for -1."""

    def narrow(self, value):
        return value if value == -1 else value & (2**32 - 1)


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


@mutant("microsoft/onnxruntime#24594 (CoreML)")
class EmptyShapeIsRefused(Backend):
    """A shape without elements is an error."""

    def check_requested(self, dims, requested, literal):
        if not requested:
            raise RefusedError("the shape is empty")
        super().check_requested(dims, requested, literal)


@mutant()
class EmptyShapeKeepsTheData(Backend):
    """A shape without elements asks for nothing: the data is returned as it is."""

    def target(self, dims, requested, literal):
        return dims if not requested else super().target(dims, requested, literal)


@mutant("RustNN/rustnn#106")
class EmptyShapeGivesOne(Backend):
    """A shape without elements gives a vector of one."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        return known or (1,)


@mutant()
class EmptyShapeCrashes(Backend):
    """The data of a shape without elements is a null pointer."""

    def check_requested(self, dims, requested, literal):
        if not requested:
            raise CrashError
        super().check_requested(dims, requested, literal)


@mutant()
class OneIsAScalar(Backend):
    """A result of shape [1] becomes a scalar."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        return () if known == (1,) else known


@mutant("onnx/onnx#2449")
class ScalarDataIsRefused(Backend):
    """Data of rank 0 is an error."""

    def check_requested(self, dims, requested, literal):
        if not dims:
            raise RefusedError("the data is a scalar")
        super().check_requested(dims, requested, literal)


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
class LeadingOnesAreDropped(Backend):
    """Dimensions of 1 at the beginning of the result are left out."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        while len(known) > 1 and known[0] == 1:
            known = known[1:]
        return known


@mutant()
class TrailingOnesAreDropped(Backend):
    """Dimensions of 1 at the end of the result are left out."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        while len(known) > 1 and known[-1] == 1:
            known = known[:-1]
        return known


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
class DataOfMoreThanEightIsRefused(Backend):
    """The data has at most eight dimensions."""

    def target(self, dims, requested, literal):
        if len(dims) > 8:
            raise RefusedError("too many dimensions")
        return super().target(dims, requested, literal)


@mutant()
class BatchIsKept(Backend):
    """The first dimension is the batch: it stays where the number of elements allows it."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        if dims and known and dims[0] and known[0] != dims[0] and not count_of(known[1:]) % dims[0]:
            rest = count_of(known) // dims[0]
            return (dims[0], rest) if len(known) == 2 else known
        return known


@mutant()
class FlattenForCopyAndInfer(Backend):
    """[0, -1] is replaced by a Flatten that keeps the first dimension, which a vector has not."""

    def target(self, dims, requested, literal):
        if requested == (-1,):
            return (1, count_of(dims))
        return super().target(dims, requested, literal)


@mutant()
class FlattenForTwoCopiesAndInfer(Backend):
    """[0, 0, -1] is replaced by Flatten with axis 2, which has two dimensions."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        if requested == (0, 0, -1):
            return (known[0] * known[1], known[2])
        return known


@mutant()
class EmptyDataIsReturnedAsItIs(Backend):
    """Data without elements is returned as it is."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        return dims if 0 in dims else known


@mutant()
class EmptyResultIsOneDimension(Backend):
    """A result without elements has shape [0]."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        return (0,) if 0 in known else known


@mutant("opencv/opencv#18209")
class EmptyDataIsRefused(Backend):
    """Data without elements is an error."""

    def target(self, dims, requested, literal):
        if 0 in dims:
            raise RefusedError("the data is empty")
        return super().target(dims, requested, literal)


@mutant("openvinotoolkit/openvino#17490")
class EmptyDataCrashes(Backend):
    """The buffer of data without elements is a null pointer, which is read."""

    def target(self, dims, requested, literal):
        known = super().target(dims, requested, literal)
        if 0 in dims:
            raise CrashError
        return known
