"""Bugs in the dimensions that Shape reports, and in the tensor that holds them."""

from __future__ import annotations

from ..backend import Backend
from ..outcomes import NotImplementedHereError, RefusedError
from ..registry import mutant
from ..values import element


@mutant()
class ShapeOfOneIsAScalars(Backend):
    """A vector of one element is mistaken for a scalar."""

    def reported_dims(self, data):
        return () if data.shape == (1,) else data.shape


@mutant()
class LeadingOnesAreSqueezed(Backend):
    """Dimensions of 1 at the beginning are left out."""

    def reported_dims(self, data):
        dims = data.shape
        while len(dims) > 1 and dims[0] == 1:
            dims = dims[1:]
        return dims


@mutant()
class RankFourIsChannelsLast(Backend):
    """A tensor of rank 4 is kept with its channels last, and so reported."""

    def reported_dims(self, data):
        dims = data.shape
        return (dims[0], dims[2], dims[3], dims[1]) if len(dims) == 4 else dims


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
class WideTypesAreBytes(Backend):
    """A bfloat16 tensor is kept as bytes, and its last dimension doubles."""

    def reported_dims(self, data):
        if data.type == "bfloat16" and data.shape:
            return (*data.shape[:-1], data.shape[-1] * 2)
        return data.shape
