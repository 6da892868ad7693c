"""Bugs in the dimensions that Shape reports, and in the tensor that holds them."""

from __future__ import annotations

from onnx_conformance.core.values.tensors import Tensor

from ..backend import Backend
from ..outcomes import CrashError, NotImplementedHereError, RefusedError
from ..registry import mutant
from ..values import element, int64, through_float32, through_float64, wrapped


@mutant("microsoft/onnxruntime#18504")
class ShapeOfScalarIsOne(Backend):
    """A scalar is held as a vector of one element, whose shape is [1]."""

    def reported_dims(self, data):
        return data.shape or (1,)


@mutant()
class ShapeOfScalarIsZero(Backend):
    """The shape of a scalar is [0], as one element."""

    def reported_dims(self, data):
        return data.shape or (0,)


@mutant("microsoft/onnxruntime#18504")
class ShapeOfScalarIsAScalar(Backend):
    """The shape of a scalar is returned as a scalar 1."""

    def run_shape(self, call):
        result = super().run_shape(call)
        return int64((1,), ()) if call.inputs[0].shape == () else result


@mutant()
class EmptyShapeIsAScalarZero(Backend):
    """A result without elements becomes a scalar 0."""

    def shape_result(self, dims):
        return super().shape_result(dims) if dims else int64((0,), ())


@mutant()
class ShapeOfScalarIsRefused(Backend):
    """The shape of a scalar is an error."""

    def reported_dims(self, data):
        if not data.shape:
            raise RefusedError("a scalar has no shape")
        return data.shape


@mutant()
class ShapeOfScalarCrashes(Backend):
    """The dimensions of a scalar are a null pointer."""

    def reported_dims(self, data):
        if not data.shape:
            raise CrashError
        return data.shape


@mutant()
class ShapeOfOneIsAScalars(Backend):
    """A vector of one element is taken for a scalar."""

    def reported_dims(self, data):
        return () if data.shape == (1,) else data.shape


@mutant()
class SingleResultIsAScalar(Backend):
    """A single selected dimension is returned as a scalar."""

    def shape_result(self, dims):
        return int64(dims, ()) if len(dims) == 1 else super().shape_result(dims)


@mutant()
class ShapeIsARow(Backend):
    """The result has two dimensions: [1, n]."""

    def shape_result(self, dims):
        return int64(dims, (1, len(dims)))


@mutant()
class ShapeIsInt32(Backend):
    """The result is int32."""

    def shape_result(self, dims):
        data = b"".join(wrapped(size, 32).to_bytes(4, "little", signed=True) for size in dims)
        return Tensor("int32", (len(dims),), data)


@mutant()
class ShapeIsUint64(Backend):
    """The result is uint64."""

    def shape_result(self, dims):
        result = super().shape_result(dims)
        return Tensor("uint64", result.shape, result.data)


@mutant()
class ShapeIsFloat32(Backend):
    """The result is float32, as every tensor of the runtime."""

    def shape_result(self, dims):
        import struct

        return Tensor("float32", (len(dims),), struct.pack(f"<{len(dims)}f", *dims))


@mutant()
class OnesAreSqueezed(Backend):
    """Dimensions of 1 are left out."""

    def reported_dims(self, data):
        return tuple(size for size in data.shape if size != 1)


@mutant()
class LeadingOnesAreSqueezed(Backend):
    """Dimensions of 1 at the beginning are left out."""

    def reported_dims(self, data):
        dims = data.shape
        while len(dims) > 1 and dims[0] == 1:
            dims = dims[1:]
        return dims


@mutant()
class TrailingOnesAreSqueezed(Backend):
    """Dimensions of 1 at the end are left out."""

    def reported_dims(self, data):
        dims = data.shape
        while len(dims) > 1 and dims[-1] == 1:
            dims = dims[:-1]
        return dims


@mutant("opencv/opencv#21340")
class ZeroDimensionsAreRefused(Backend):
    """A dimension of 0 means a dimension that is not known, which is an error."""

    def reported_dims(self, data):
        if 0 in data.shape:
            raise RefusedError("dynamic 'zero' shapes are not supported")
        return data.shape


@mutant()
class ZeroDimensionsAreOne(Backend):
    """A dimension of 0 is reported as 1."""

    def reported_dims(self, data):
        return tuple(size or 1 for size in data.shape)


@mutant()
class ZeroDimensionsAreUnknown(Backend):
    """A dimension of 0 is reported as -1."""

    def reported_dims(self, data):
        return tuple(size or -1 for size in data.shape)


@mutant()
class ZeroDimensionsAreLeftOut(Backend):
    """Dimensions of 0 are left out."""

    def reported_dims(self, data):
        return tuple(size for size in data.shape if size)


@mutant()
class EmptyTensorsHaveOneShape(Backend):
    """Every tensor without elements is the same empty one, of shape [0]."""

    def reported_dims(self, data):
        return (0,) if 0 in data.shape else data.shape


@mutant()
class ZeroEndsTheDimensions(Backend):
    """The dimensions end at the first 0, as a C string does."""

    def reported_dims(self, data):
        dims = data.shape
        return dims[: dims.index(0)] if 0 in dims else dims


@mutant()
class EmptyTensorCrashesShape(Backend):
    """The buffer of an empty tensor is a null pointer, which is read."""

    def reported_dims(self, data):
        if 0 in data.shape:
            raise CrashError
        return data.shape


@mutant()
class DimensionsAreReversed(Backend):
    """The dimensions are reported from the last axis to the first."""

    def reported_dims(self, data):
        return data.shape[::-1]


@mutant()
class RankFourIsChannelsLast(Backend):
    """A tensor of rank 4 is kept with its channels last, and so reported."""

    def reported_dims(self, data):
        dims = data.shape
        return (dims[0], dims[2], dims[3], dims[1]) if len(dims) == 4 else dims


@mutant()
class RankIsPaddedToFour(Backend):
    """Dimensions are kept in four places, of which the first are filled with ones."""

    def reported_dims(self, data):
        return (1,) * (4 - len(data.shape)) + data.shape


@mutant()
class FourDimensionsAreKept(Backend):
    """Only four dimensions are kept."""

    def reported_dims(self, data):
        return data.shape[:4]


@mutant()
class MoreThanEightDimensionsAreRefused(Backend):
    """A tensor has at most eight dimensions."""

    def reported_dims(self, data):
        if len(data.shape) > 8:
            raise RefusedError("too many dimensions")
        return data.shape


@mutant()
class MoreThanThirtyTwoDimensionsAreRefused(Backend):
    """A tensor has at most 32 dimensions, as in NumPy before version 2."""

    def reported_dims(self, data):
        if len(data.shape) > 32:
            raise NotImplementedHereError
        return data.shape


@mutant()
class AxesAreABitMaskOfThirtyTwo(Backend):
    """The selected axes are a 32-bit mask: axis 32 is axis 0."""

    def selected(self, dims, first, last):
        mask = 0
        for axis in range(first, last):
            mask |= 1 << axis % 32
        return tuple(size for axis, size in enumerate(dims) if axis < 32 and mask >> axis & 1)


@mutant()
class DimensionsAreInt32(Backend):
    """Dimensions are kept in int32 and wrap."""

    def reported_dims(self, data):
        return tuple(wrapped(size, 32) for size in data.shape)


@mutant()
class DimensionsAreUint32(Backend):
    """Dimensions are kept in uint32 and wrap."""

    def reported_dims(self, data):
        return tuple(size & (2**32 - 1) for size in data.shape)


@mutant()
class DimensionsAreInt16(Backend):
    """Dimensions are kept in int16 and wrap."""

    def reported_dims(self, data):
        return tuple(wrapped(size, 16) for size in data.shape)


@mutant()
class DimensionsSaturateAtInt32(Backend):
    """Dimensions are saturated to int32."""

    def reported_dims(self, data):
        return tuple(min(size, 2**31 - 1) for size in data.shape)


@mutant()
class DimensionsAreFloat32(Backend):
    """Dimensions pass through float32."""

    def reported_dims(self, data):
        return tuple(through_float32(size) for size in data.shape)


@mutant()
class DimensionsAreFloat64(Backend):
    """Dimensions pass through float64, as numbers of JavaScript do."""

    def reported_dims(self, data):
        return tuple(through_float64(size) for size in data.shape)


@mutant()
class LargeDimensionsAreRefused(Backend):
    """A dimension beyond int32 is an error, on a tensor without elements too."""

    def reported_dims(self, data):
        if any(size > 2**31 - 1 for size in data.shape):
            raise RefusedError("the dimension is too large")
        return data.shape


@mutant()
class StridesOverflow(Backend):
    """Strides are computed without the zero, and an overflow of 64 bits is an error."""

    def reported_dims(self, data):
        product = 1
        for size in data.shape:
            product *= max(size, 1)
        if product * 8 >= 2**63:
            raise RefusedError("the tensor is too large")
        return data.shape


@mutant()
class PackedDimensionsAreBytes(Backend):
    """The last dimension of a packed type is reported in bytes."""

    def reported_dims(self, data):
        bits = element(data).bits
        if 0 < bits < 8 and data.shape:
            return (*data.shape[:-1], (data.shape[-1] * bits + 7) // 8)
        return data.shape


@mutant()
class PackedTensorsAreFlat(Backend):
    """A tensor of a packed type is its buffer: one dimension of bytes."""

    def reported_dims(self, data):
        bits = element(data).bits
        return (len(data.data),) if 0 < bits < 8 and data.shape else data.shape


@mutant()
class ComplexHasATrailingTwo(Backend):
    """A complex tensor is one of real numbers with a last dimension of 2."""

    def reported_dims(self, data):
        return (*data.shape, 2) if element(data).kind == "complex" else data.shape


@mutant()
class WideTypesAreBytes(Backend):
    """A bfloat16 tensor is kept as bytes, and its last dimension doubles."""

    def reported_dims(self, data):
        if data.type == "bfloat16" and data.shape:
            return (*data.shape[:-1], data.shape[-1] * 2)
        return data.shape


@mutant()
class ShapeLacksStrings(Backend):
    """Strings are not implemented for Shape."""

    def reported_dims(self, data):
        if data.type == "string":
            raise NotImplementedHereError
        return data.shape


@mutant("microsoft/onnxruntime: no 4-bit Shape unless folded")
class ShapeLacksFourBits(Backend):
    """4-bit types are not implemented for Shape."""

    def reported_dims(self, data):
        if element(data).bits == 4:
            raise NotImplementedHereError
        return data.shape


@mutant("microsoft/onnxruntime: no complex types")
class ComplexIsNotImplemented(Backend):
    """Complex types are not implemented at all."""

    def check_data(self, node, data, definition):
        super().check_data(node, data, definition)
        if element(data).kind == "complex":
            raise NotImplementedHereError
