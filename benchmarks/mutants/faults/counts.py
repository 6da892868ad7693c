"""Bugs in how Size counts, and in the tensor that holds the count."""

from __future__ import annotations

import struct

from onnx_conformance.core.values.tensors import Tensor

from ..backend import Backend
from ..outcomes import CrashError, NotImplementedHereError, RefusedError
from ..registry import mutant
from ..values import count_of, element, int64, through_float32, wrapped


class _Product(Backend):
    """The product is rounded or cut after each factor."""

    def step(self, product: int) -> int:
        return product

    def size_count(self, data):
        product = 1
        for size in data.shape:
            product = self.step(product * size)
        return product


@mutant("onnx/onnx#532")
class SizeIsAVector(Backend):
    """The result has shape [1]."""

    def size_result(self, count):
        return int64((count,))


@mutant()
class SizeOfScalarIsAVector(Backend):
    """The result has shape [1] where the input is a scalar."""

    def run_size(self, call):
        result = super().run_size(call)
        return result if call.inputs[0].shape else int64((1,))


@mutant()
class SizeIsInt32(Backend):
    """The result is int32."""

    def size_result(self, count):
        return Tensor("int32", (), wrapped(count, 32).to_bytes(4, "little", signed=True))


@mutant()
class SizeIsUint64(Backend):
    """The result is uint64, as size_t."""

    def size_result(self, count):
        return Tensor("uint64", (), count.to_bytes(8, "little"))


@mutant()
class SizeIsFloat32(Backend):
    """The result is float32."""

    def size_result(self, count):
        return Tensor("float32", (), struct.pack("<f", count))


@mutant()
class SizeOfScalarIsZero(Backend):
    """A product without factors is 0."""

    def size_count(self, data):
        return count_of(data.shape) if data.shape else 0


@mutant()
class SizeOfScalarIsRefused(Backend):
    """A scalar has no size."""

    def size_count(self, data):
        if not data.shape:
            raise RefusedError("a scalar has no size")
        return count_of(data.shape)


@mutant()
class SizeOfScalarCrashes(Backend):
    """The first dimension is read before anything else."""

    def size_count(self, data):
        if not data.shape:
            raise CrashError
        return count_of(data.shape)


@mutant()
class SizeOfEmptyIsOne(Backend):
    """The count is at least 1."""

    def size_count(self, data):
        return max(count_of(data.shape), 1)


@mutant()
class SizeSkipsZeros(Backend):
    """Dimensions of 0 are left out of the product."""

    def size_count(self, data):
        return count_of(size for size in data.shape if size)


@mutant()
class SizeOfEmptyIsRefused(Backend):
    """A tensor without elements is an error."""

    def size_count(self, data):
        if 0 in data.shape:
            raise RefusedError("the tensor is empty")
        return count_of(data.shape)


@mutant()
class SizeOfEmptyCrashes(Backend):
    """The size in bytes is divided by that of one element, which a null buffer does not have."""

    def size_count(self, data):
        if 0 in data.shape:
            raise CrashError
        return count_of(data.shape)


@mutant()
class SizeIsTheRank(Backend):
    """The number of dimensions is returned."""

    def size_count(self, data):
        return len(data.shape)


@mutant()
class SizeIsTheSum(Backend):
    """The dimensions are added."""

    def size_count(self, data):
        return sum(data.shape) if data.shape else 1


@mutant()
class SizeIsTheFirstDimension(Backend):
    """The length of the outermost dimension is returned, as len() of an array is."""

    def size_count(self, data):
        return data.shape[0] if data.shape else 1


@mutant()
class SizeLeavesOutTheBatch(Backend):
    """The first dimension is the batch and does not count."""

    def size_count(self, data):
        return count_of(data.shape[1:]) if len(data.shape) > 1 else count_of(data.shape)


@mutant()
class SizeLeavesOutTheBatchOfFour(Backend):
    """The first of four dimensions is the batch and does not count."""

    def size_count(self, data):
        return count_of(data.shape[1:]) if len(data.shape) == 4 else count_of(data.shape)


@mutant()
class SizeOfFourDimensions(Backend):
    """Only four dimensions are kept."""

    def size_count(self, data):
        return count_of(data.shape[:4])


@mutant()
class SizeOfEightDimensions(Backend):
    """Only eight dimensions are kept."""

    def size_count(self, data):
        return count_of(data.shape[:8])


@mutant()
class SizeOfThirtyTwoDimensions(Backend):
    """Only 32 dimensions are kept."""

    def size_count(self, data):
        return count_of(data.shape[:32])


@mutant()
class SizeInBytes(Backend):
    """Bytes are counted."""

    def size_count(self, data):
        return count_of(data.shape) * max(element(data).bits // 8, 1)


@mutant()
class SizeOfPackedInBytes(Backend):
    """Bytes of a packed type are counted."""

    def size_count(self, data):
        bits = element(data).bits
        return len(data.data) if 0 < bits < 8 else count_of(data.shape)


@mutant()
class SizeOfPackedIsWholeBytes(Backend):
    """A packed type is counted by the elements that its bytes have room for."""

    def size_count(self, data):
        bits = element(data).bits
        return len(data.data) * 8 // bits if 0 < bits < 8 else count_of(data.shape)


@mutant()
class SizeOfComplexDoubles(Backend):
    """Real and imaginary parts count apart."""

    def size_count(self, data):
        return count_of(data.shape) * (2 if element(data).kind == "complex" else 1)


@mutant()
class SizeOfStringsInBytes(Backend):
    """The bytes of all strings are counted."""

    def size_count(self, data):
        if isinstance(data.data, tuple):
            return sum(len(item) for item in data.data)
        return count_of(data.shape)


@mutant()
class SizeSkipsEmptyStrings(Backend):
    """Empty strings are missing values, and do not count."""

    def size_count(self, data):
        if isinstance(data.data, tuple):
            return sum(1 for item in data.data if item)
        return count_of(data.shape)


@mutant()
class SizeCountsNonzero(Backend):
    """Elements that are not zero are counted, for bool."""

    def size_count(self, data):
        return sum(data.data) if data.type == "bool" else count_of(data.shape)


@mutant("microsoft/onnxruntime: NOT_IMPLEMENTED for Size of bfloat16, float8 and packed types")
class SizeLacksNewTypes(Backend):
    """Size is implemented for the element types of its first version only."""

    def size_count(self, data):
        if element(data).since_ir > 1:
            raise NotImplementedHereError
        return count_of(data.shape)


@mutant("microsoft/onnxruntime: Size of float16 at opset 1")
class SizeLacksHalfAtVersionOne(Backend):
    """float16 is not implemented for Size-1."""

    def run_size(self, call):
        if call.definition.since == 1 and call.inputs[0].type == "float16":
            raise NotImplementedHereError
        return super().run_size(call)


@mutant()
class CountIsUint8(_Product):
    """The product is kept in 8 bits."""

    def step(self, product):
        return product & 0xFF


@mutant()
class CountIsInt16(_Product):
    """The product is kept in int16."""

    def step(self, product):
        return wrapped(product, 16)


@mutant()
class CountIsUint16(_Product):
    """The product is kept in uint16."""

    def step(self, product):
        return product & 0xFFFF


@mutant(
    equivalent="Beside a zero every wrapped product is 0 too, so that only data of 2**31 elements"
    " tells: 512 MiB at two bits an element, where a vector has 64 KiB"
)
class CountIsInt32(_Product):
    """The product is kept in int32."""

    def step(self, product):
        return wrapped(product, 32)


@mutant(
    equivalent="Beside a zero every wrapped product is 0 too, so that only data of 2**32 elements"
    " tells: 1 GiB at two bits an element, where a vector has 64 KiB"
)
class CountIsUint32(_Product):
    """The product is kept in uint32."""

    def step(self, product):
        return product & (2**32 - 1)


@mutant()
class CountIsFloat16(_Product):
    """The product is kept in float16, which has no odd number above 2048."""

    def step(self, product):
        limited = min(product, 65504)
        return int(struct.unpack("<e", struct.pack("<e", limited))[0])


@mutant(
    equivalent="float32 holds every integer to 2**24, so that only data of more elements tells:"
    " 4 MiB at two bits an element, where a vector has 64 KiB"
)
class CountIsFloat32(_Product):
    """The product is kept in float32, which has no odd number above 2**24."""

    def step(self, product):
        return through_float32(product)


@mutant()
class CountOverflowIsRefused(_Product):
    """A product that leaves 32 bits on the way is an error, beside a zero too."""

    def step(self, product):
        if product >= 2**31:
            raise RefusedError("overflow")
        return product


@mutant()
class LargeFactorsAreRefused(Backend):
    """A dimension beyond int32 is an error, on a tensor without elements too."""

    def size_count(self, data):
        if any(size >= 2**31 for size in data.shape):
            raise RefusedError("the dimension is too large")
        return count_of(data.shape)


@mutant()
class SizeIsUpToTheZero(Backend):
    """The product ends at the first 0, which is read as the end of the dimensions."""

    def size_count(self, data):
        dims = data.shape
        return count_of(dims[: dims.index(0)] if 0 in dims else dims)


@mutant()
class SizeOfOddPackedRoundsUp(Backend):
    """Rows of packed types are padded to bytes, and the padding counts."""

    def size_count(self, data):
        bits = element(data).bits
        if 0 < bits < 8 and data.shape:
            per_byte = 8 // bits
            row = -(-data.shape[-1] // per_byte) * per_byte
            return count_of((*data.shape[:-1], row))
        return count_of(data.shape)
