"""Bugs in how Reshape carries elements from its data to its result."""

from __future__ import annotations

import struct
import unicodedata
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.floats import FLOAT_FORMATS
from onnx_conformance.core.values.tensors import Tensor

from ..backend import Backend
from ..outcomes import CrashError, NotImplementedHereError
from ..registry import mutant
from ..values import cells, count_of, element, mapped, of_cells, of_patterns, patterns, signed

if TYPE_CHECKING:
    from collections.abc import Sequence

FLOATS = ("float16", "bfloat16", "float32", "float64")


class _Elements(Backend):
    """Changes the elements of some types on the way."""

    types: tuple[str, ...] = ()

    def change(self, code: int, bits: int) -> int:
        return code

    def copied(self, data, dims):
        result = super().copied(data, dims)
        if data.type not in self.types:
            return result
        bits = element(data).bits
        return mapped(result, lambda code: self.change(code, bits))


class _Strings(Backend):
    """Changes strings on the way."""

    def change(self, text: bytes) -> bytes:
        return text

    def copied(self, data, dims):
        if not isinstance(data.data, tuple):
            return super().copied(data, dims)
        return Tensor("string", dims, tuple(self.change(item) for item in data.data))


class _Retyped(Backend):
    """Returns another element type."""

    types: tuple[tuple[str, str], ...] = ()

    def copied(self, data, dims):
        other = dict(self.types).get(data.type)
        return super().copied(data, dims) if other is None else self.cast(data, dims, other)

    def cast(self, data, dims, other):
        return Tensor(other, dims, data.data)


# --- order ---------------------------------------------------------------------------------


def column_major(items: Sequence[int] | Sequence[bytes], dims: tuple[int, ...]) -> list[int]:
    """The indices of a row-major tensor in column-major order."""
    indices = []
    for number in range(len(items)):
        rest, index, stride = number, 0, len(items)
        places = []
        for size in dims:
            places.append(rest % size)
            rest //= size
        for size, place in zip(dims, places, strict=True):
            stride //= size
            index += place * stride
        indices.append(index)
    return indices


@mutant()
class ColumnMajor(Backend):
    """Elements are read and written in column-major order."""

    def copied(self, data, dims):
        if count_of(dims) == 0:
            return super().copied(data, dims)
        items = cells(data)
        read = [items[index] for index in column_major(items, data.shape)]
        written = list(items)
        for value, index in zip(read, column_major(items, dims), strict=True):
            written[index] = value
        return of_cells(data.type, dims, written)


@mutant()
class ReadsColumnMajor(Backend):
    """Elements are read in column-major order and written in row-major order."""

    def copied(self, data, dims):
        if count_of(dims) == 0:
            return super().copied(data, dims)
        items = cells(data)
        return of_cells(
            data.type, dims, [items[index] for index in column_major(items, data.shape)]
        )


@mutant()
class RankFourIsReadChannelsLast(Backend):
    """Data of rank 4 is kept with channels last, and reshaped as it is kept."""

    def copied(self, data, dims):
        if len(data.shape) != 4 or count_of(dims) == 0:
            return super().copied(data, dims)
        n, c, h, w = data.shape
        items = cells(data)
        order = [
            ((i * c + j) * h + k) * w + m
            for i in range(n)
            for k in range(h)
            for m in range(w)
            for j in range(c)
        ]
        return of_cells(data.type, dims, [items[index] for index in order])


@mutant()
class SwappedDimensionsTranspose(Backend):
    """A result whose dimensions are those of the data in another order is a transposition."""

    def copied(self, data, dims):
        if len(dims) == 2 and dims == data.shape[::-1] and count_of(dims):
            rows, columns = data.shape
            items = cells(data)
            order = [row * columns + column for column in range(columns) for row in range(rows)]
            return of_cells(data.type, dims, [items[index] for index in order])
        return super().copied(data, dims)


# --- how much is copied --------------------------------------------------------------------


@mutant()
class CopiesCountBytes(Backend):
    """As many bytes are copied as there are elements; the rest stays zero."""

    def copied(self, data, dims):
        if isinstance(data.data, tuple):
            return super().copied(data, dims)
        kept = data.data[: count_of(dims)]
        return Tensor(data.type, dims, kept + bytes(len(data.data) - len(kept)))


@mutant()
class CopiesFourBytesAnElement(Backend):
    """Four bytes an element are copied, also of wider types."""

    def copied(self, data, dims):
        if isinstance(data.data, tuple):
            return super().copied(data, dims)
        kept = data.data[: 4 * count_of(dims)]
        return Tensor(data.type, dims, kept + bytes(len(data.data) - len(kept)))


@mutant()
class CopiesEightBytesAnElement(Backend):
    """Eight bytes an element are copied, also of complex128."""

    def copied(self, data, dims):
        if data.type != "complex128":
            return super().copied(data, dims)
        kept = data.data[: 8 * count_of(dims)]
        return Tensor(data.type, dims, kept + bytes(len(data.data) - len(kept)))


@mutant()
class TailIsNotCopied(Backend):
    """Elements are copied four at a time, and what is left over is not."""

    def copied(self, data, dims):
        items = cells(data)
        whole = len(items) // 4 * 4
        zero = b"" if data.type == "string" else 0
        return of_cells(data.type, dims, [*items[:whole], *[zero] * (len(items) - whole)])


@mutant()
class OnlySixtyFourElementsAreCopied(Backend):
    """One thread copies 64 elements, and only one is started."""

    def copied(self, data, dims):
        items = cells(data)
        zero = b"" if data.type == "string" else 0
        return of_cells(data.type, dims, [*items[:64], *[zero] * (len(items) - 64)])


@mutant()
class StringsAreTheLast(Backend):
    """Strings are copied as pointers to one buffer: all are the last."""

    def copied(self, data, dims):
        if not isinstance(data.data, tuple) or not data.data:
            return super().copied(data, dims)
        return Tensor("string", dims, data.data[-1:] * len(data.data))


@mutant()
class StringsAreCopiedAsBytes(Backend):
    """Strings are copied as objects of bytes, which ends the process when they are freed."""

    def copied(self, data, dims):
        if isinstance(data.data, tuple) and any(len(item) > 15 for item in data.data):
            raise CrashError
        return super().copied(data, dims)


# --- packed types --------------------------------------------------------------------------


@mutant()
class PackedRowsArePadded(Backend):
    """Every row of a packed type is expected to begin with a byte."""

    def copied(self, data, dims):
        bits = element(data).bits
        if not 0 < bits < 8 or not data.shape:
            return super().copied(data, dims)
        per_byte, row = 8 // bits, data.shape[-1]
        padded = -(-row // per_byte) * per_byte if row else 0
        stored = [*patterns(_whole(data))]
        stored += [0] * (padded * count_of(data.shape))
        items = [
            stored[line * padded + place]
            for line in range(count_of(data.shape[:-1]))
            for place in range(row)
        ]
        return of_patterns(data.type, dims, items)


def _whole(data: Tensor) -> Tensor:
    """A packed tensor with every element that its bytes have room for."""
    bits = element_type(data.type).bits
    return Tensor(data.type, (len(data.data) * 8 // bits,), data.data)


@mutant()
class PackedHighBitsComeFirst(Backend):
    """The result of a packed type is written with the first element in the high bits."""

    def copied(self, data, dims):
        bits = element(data).bits
        if not 0 < bits < 8:
            return super().copied(data, dims)
        per_byte = 8 // bits
        items = patterns(data)
        items += [0] * (-len(items) % per_byte)
        swapped = [
            item
            for at in range(0, len(items), per_byte)
            for item in reversed(items[at : at + per_byte])
        ]
        return of_patterns(data.type, dims, swapped[: count_of(dims)])


@mutant(
    equivalent="What is swapped when it is read and again when it is written is where it was; the"
    " bits behind the last element are undefined"
)
class PackedHighBitsComeFirstBothWays(Backend):
    """A packed type is read and written with the first element in the high bits."""

    def copied(self, data, dims):
        bits = element(data).bits
        if not 0 < bits < 8:
            return super().copied(data, dims)
        per_byte = 8 // bits
        items = patterns(_whole(data))
        return of_patterns(
            data.type, dims, _swapped(_swapped(items, per_byte), per_byte)[: count_of(dims)]
        )


def _swapped(items: list[int], per_byte: int) -> list[int]:
    return [
        item
        for at in range(0, len(items), per_byte)
        for item in reversed(items[at : at + per_byte])
    ]


@mutant()
class PackedLosesTheOddElement(Backend):
    """count / 2 bytes of a packed type are copied, rounded down."""

    def copied(self, data, dims):
        bits = element(data).bits
        if not 0 < bits < 8:
            return super().copied(data, dims)
        kept = data.data[: count_of(dims) * bits // 8]
        return Tensor(data.type, dims, kept + bytes(len(data.data) - len(kept)))


@mutant()
class TwoBitsAreReadAsFour(Backend):
    """2-bit types are unpacked as 4-bit ones."""

    def copied(self, data, dims):
        if element(data).bits != 2:
            return super().copied(data, dims)
        wide = [code & 3 for byte in data.data for code in (byte & 15, byte >> 4)]
        items = (wide + [0] * count_of(dims))[: count_of(dims)]
        return of_patterns(data.type, dims, items)


@mutant()
class PackedNegativesAreZero(_Elements):
    """Negative elements of int4 and int2 are clipped to 0 where they are unpacked as unsigned."""

    types = ("int4", "int2")

    def change(self, code, bits):
        return max(signed(code, bits), 0)


@mutant()
class FourBitFloatsAreIntegers(_Elements):
    """float4e2m1 is unpacked as int4 and clipped to its range again, so that -8 becomes -7."""

    types = ("float4e2m1",)

    def change(self, code, bits):
        return 9 if code == 8 else code


@mutant("microsoft/onnxruntime: Reshape of 4- and 2-bit types")
class ReshapeLacksPackedTypes(Backend):
    """4- and 2-bit types are not implemented for Reshape."""

    def copied(self, data, dims):
        if 0 < element(data).bits < 8:
            raise NotImplementedHereError
        return super().copied(data, dims)


# --- conversions on the way ----------------------------------------------------------------


class _ThroughFloat(_Elements):
    """Numbers pass through a floating-point type."""

    format = "f"

    def change(self, code, bits):
        kind = element_type(self.types[0]).kind
        value = signed(code, bits) if kind == "int" else code
        rounded = struct.unpack(f"<{self.format}", struct.pack(f"<{self.format}", float(value)))[0]
        low = -(1 << (bits - 1)) if kind == "int" else 0
        high = (1 << (bits - (kind == "int"))) - 1
        return min(max(int(rounded), low), high) & ((1 << bits) - 1)


@mutant()
class Int32ThroughFloat32(_ThroughFloat):
    """int32 passes through float32."""

    types = ("int32",)


@mutant()
class Int64ThroughFloat64(_ThroughFloat):
    """int64 passes through float64."""

    types = ("int64",)
    format = "d"


@mutant()
class Int64ThroughFloat32(_ThroughFloat):
    """int64 passes through float32."""

    types = ("int64",)


@mutant()
class Uint64ThroughFloat64(_ThroughFloat):
    """uint64 passes through float64, as numbers of JavaScript do."""

    types = ("uint64",)
    format = "d"


@mutant()
class Uint32ThroughFloat32(_ThroughFloat):
    """uint32 passes through float32."""

    types = ("uint32",)


@mutant()
class Int64ThroughInt32(_Elements):
    """int64 is cut to int32 and widened again."""

    types = ("int64",)

    def change(self, code, bits):
        return signed(code & 0xFFFFFFFF, 32) & (2**64 - 1)


@mutant()
class Int64SaturatesAtInt32(_Elements):
    """int64 is saturated to int32."""

    types = ("int64",)

    def change(self, code, bits):
        return min(max(signed(code, 64), -(2**31)), 2**31 - 1) & (2**64 - 1)


@mutant()
class Uint64ThroughInt64(_Elements):
    """uint64 is saturated to int64."""

    types = ("uint64",)

    def change(self, code, bits):
        return min(code, 2**63 - 1)


@mutant()
class Uint8ThroughInt8(_Elements):
    """uint8 is saturated to int8."""

    types = ("uint8",)

    def change(self, code, bits):
        return min(code, 127)


@mutant()
class Uint16ThroughInt16(_Elements):
    """uint16 is saturated to int16."""

    types = ("uint16",)

    def change(self, code, bits):
        return min(code, 2**15 - 1)


@mutant()
class Int16ThroughInt8(_Elements):
    """int16 is saturated to int8."""

    types = ("int16",)

    def change(self, code, bits):
        return min(max(signed(code, 16), -128), 127) & 0xFFFF


@mutant()
class Int8IsNeverMinus128(_Elements):
    """int8 is kept as a symmetric quantity: -128 becomes -127."""

    types = ("int8",)

    def change(self, code, bits):
        return 0x81 if code == 0x80 else code


def _float32(code: int) -> float:
    return struct.unpack("<f", struct.pack("<I", code))[0]


def _nan(code: int, name: str) -> bool:
    format_ = FLOAT_FORMATS[name]
    exponent = (1 << format_.exponent) - 1
    return (code >> format_.mantissa & exponent) == exponent and bool(
        code & ((1 << format_.mantissa) - 1)
    )


@mutant("iree-org/iree: demotes f64 to f32 unless told not to")
class Float64ThroughFloat32(_Elements):
    """float64 passes through float32."""

    types = ("float64",)

    def change(self, code, bits):
        value = struct.unpack("<d", struct.pack("<Q", code))[0]
        try:
            narrow = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            narrow = float("inf") if value > 0 else float("-inf")
        return int(struct.unpack("<Q", struct.pack("<d", narrow))[0])


@mutant()
class Float32ThroughFloat16(_Elements):
    """float32 passes through float16."""

    types = ("float32",)

    def change(self, code, bits):
        value = _float32(code)
        try:
            narrow = struct.unpack("<e", struct.pack("<e", value))[0]
        except OverflowError:
            narrow = float("inf") if value > 0 else float("-inf")
        return int(struct.unpack("<I", struct.pack("<f", narrow))[0])


@mutant()
class Float32ThroughBfloat16(_Elements):
    """float32 loses its lower half."""

    types = ("float32",)

    def change(self, code, bits):
        return code if _nan(code, "float32") else code & 0xFFFF0000


@mutant()
class Bfloat16ThroughFloat16(_Elements):
    """bfloat16 passes through float16, whose range is smaller."""

    types = ("bfloat16",)

    def change(self, code, bits):
        value = _float32(code << 16)
        try:
            narrow = struct.unpack("<e", struct.pack("<e", value))[0]
        except OverflowError:
            narrow = float("inf") if value > 0 else float("-inf")
        return int(struct.unpack("<I", struct.pack("<f", narrow))[0]) >> 16


@mutant()
class Float16ThroughBfloat16(_Elements):
    """float16 passes through bfloat16, which has fewer digits."""

    types = ("float16",)

    def change(self, code, bits):
        value = struct.unpack("<e", struct.pack("<H", code))[0]
        cut = struct.unpack("<I", struct.pack("<f", value))[0] & 0xFFFF0000
        return int(struct.unpack("<H", struct.pack("<e", _float32(cut)))[0])


@mutant()
class NegativeZeroIsLost(_Elements):
    """-0 becomes +0."""

    types = FLOATS

    def change(self, code, bits):
        return 0 if code == 1 << (bits - 1) else code


@mutant()
class NegativeZeroOfFloat8IsLost(_Elements):
    """-0 of float8e4m3fn and float8e5m2 becomes +0."""

    types = ("float8e4m3fn", "float8e5m2")

    def change(self, code, bits):
        return 0 if code == 0x80 else code


@mutant()
class NegativeZeroOfFloat4IsLost(_Elements):
    """-0 of float4e2m1 becomes +0."""

    types = ("float4e2m1",)

    def change(self, code, bits):
        return 0 if code == 8 else code


class _Flushed(_Elements):
    """Subnormal numbers become zero of their sign."""

    def change(self, code, bits):
        format_ = FLOAT_FORMATS[self.types[0]]
        exponent = code >> format_.mantissa & ((1 << format_.exponent) - 1)
        return code if exponent else code & 1 << (bits - 1)


@mutant()
class Float32SubnormalsAreFlushed(_Flushed):
    """Subnormal float32 numbers become zero."""

    types = ("float32",)


@mutant()
class Float64SubnormalsAreFlushed(_Flushed):
    """Subnormal float64 numbers become zero."""

    types = ("float64",)


@mutant()
class Float16SubnormalsAreFlushed(_Flushed):
    """Subnormal float16 numbers become zero."""

    types = ("float16",)


@mutant()
class Bfloat16SubnormalsAreFlushed(_Flushed):
    """Subnormal bfloat16 numbers become zero."""

    types = ("bfloat16",)


@mutant()
class Float8SubnormalsAreFlushed(_Flushed):
    """Subnormal float8e4m3fn numbers become zero."""

    types = ("float8e4m3fn",)


@mutant()
class InfinityIsTheLargest(_Elements):
    """Infinities become the largest finite number."""

    types = FLOATS

    def change(self, code, bits):
        name = next(item for item in self.types if element_type(item).bits == bits)
        infinity = ((1 << FLOAT_FORMATS[name].exponent) - 1) << FLOAT_FORMATS[name].mantissa
        magnitude = code & ~(1 << (bits - 1))
        return code - 1 if magnitude == infinity else code


@mutant()
class InfinityIsNan(_Elements):
    """Infinities of float32 become NaN, as inf - inf."""

    types = ("float32",)

    def change(self, code, bits):
        return 0x7FC00000 if code in {0x7F800000, 0xFF800000} else code


@mutant()
class InfinityOfFloat8Saturates(_Elements):
    """Infinities of float8e5m2 become its largest number, as Cast saturates by default."""

    types = ("float8e5m2",)

    def change(self, code, bits):
        return code - 1 if code & 0x7F == 0x7C else code


@mutant()
class NanIsZero(_Elements):
    """NaN of float32 and float64 becomes 0."""

    types = ("float32", "float64")

    def change(self, code, bits):
        return 0 if _nan(code, f"float{bits}") else code


@mutant()
class NanOfFloat16IsInfinity(_Elements):
    """NaN of float16 becomes infinity: the payload is shifted away."""

    types = ("float16",)

    def change(self, code, bits):
        return code & 0xFC00 if _nan(code, "float16") else code


@mutant()
class NanOfFnuzIsNegativeZero(_Elements):
    """The NaN of the fnuz types is taken for -0 and becomes 0."""

    types = ("float8e4m3fnuz", "float8e5m2fnuz")

    def change(self, code, bits):
        return 0 if code == 0x80 else code


@mutant()
class NanOfFloat8IsTheLargest(_Elements):
    """NaN of float8e4m3fn becomes 448."""

    types = ("float8e4m3fn",)

    def change(self, code, bits):
        return code - 1 if code & 0x7F == 0x7F else code


@mutant()
class NanOfE8m0IsTheLargest(_Elements):
    """NaN of float8e8m0 becomes its largest number."""

    types = ("float8e8m0",)

    def change(self, code, bits):
        return 0xFE if code == 0xFF else code


@mutant()
class SmallestOfE8m0IsFlushed(_Elements):
    """The smallest number of float8e8m0 passes through float32 that flushes subnormals."""

    types = ("float8e8m0",)

    def change(self, code, bits):
        return code or 1


@mutant(
    equivalent="Any NaN equals any NaN: ONNX does not say that payloads are kept, and IEEE 754"
    " leaves them to the implementation"
)
class NansAreCanonical(_Elements):
    """Every NaN of float32 becomes the quiet one without payload."""

    types = ("float32",)

    def change(self, code, bits):
        return 0x7FC00000 if _nan(code, "float32") else code


@mutant()
class FnuzIsReadAsFn(_Elements):
    """float8e4m3fnuz passes through another type, and its largest number becomes smaller."""

    types = ("float8e4m3fnuz",)

    def change(self, code, bits):
        return 0x7E if code == 0x7F else 0xFE if code == 0xFF else code


@mutant()
class BoolsAreBits(Backend):
    """Booleans are kept as bits, eight a byte, and written back so."""

    def copied(self, data, dims):
        if data.type != "bool":
            return super().copied(data, dims)
        packed = bytearray(len(data.data))
        for index, value in enumerate(data.data):
            packed[index // 8] |= value << index % 8
        return Tensor("bool", dims, bytes(1 if value else 0 for value in packed))


@mutant()
class BoolsAreInverted(_Elements):
    """Booleans come back as 0 for true, a mask."""

    types = ("bool",)

    def change(self, code, bits):
        return 1 - code


@mutant()
class ImaginaryPartsAreLost(_Elements):
    """The imaginary part of complex numbers becomes 0."""

    types = ("complex64", "complex128")

    def change(self, code, bits):
        return code & ((1 << bits // 2) - 1)


@mutant()
class ComplexPartsAreSwapped(_Elements):
    """Real and imaginary parts change places."""

    types = ("complex64", "complex128")

    def change(self, code, bits):
        half = bits // 2
        return code >> half | (code & ((1 << half) - 1)) << half


@mutant()
class ComplexIsConjugated(_Elements):
    """The imaginary part changes its sign."""

    types = ("complex64",)

    def change(self, code, bits):
        return code ^ 1 << (bits - 1)


@mutant()
class Complex128ThroughComplex64(Float64ThroughFloat32):
    """complex128 passes through complex64."""

    types = ("complex128",)

    def change(self, code, bits):
        mask = 2**64 - 1
        return super().change(code & mask, 64) | super().change(code >> 64, 64) << 64


@mutant()
class ComplexPartsAreElements(Backend):
    """A complex tensor is reshaped as real numbers: real parts first, then imaginary parts."""

    def copied(self, data, dims):
        if element(data).kind != "complex":
            return super().copied(data, dims)
        half = element(data).bits // 2
        codes, mask = patterns(data), (1 << element(data).bits // 2) - 1
        parts = [code & mask for code in codes] + [code >> half for code in codes]
        joined = [parts[at] | parts[at + 1] << half for at in range(0, len(parts), 2)]
        return of_patterns(data.type, dims, joined)


# --- strings -------------------------------------------------------------------------------


@mutant()
class StringsEndAtNul(_Strings):
    """Strings are C strings."""

    def change(self, text):
        return text.split(b"\0")[0]


@mutant()
class StringsAreStripped(_Strings):
    """White space around strings is lost."""

    def change(self, text):
        return text.strip()


@mutant()
class StringsAreLatin1(_Strings):
    """Strings are read as UTF-8 and written as Latin-1."""

    def change(self, text):
        return text.decode().encode("latin-1", "replace")


@mutant()
class StringsAreEncodedTwice(_Strings):
    """UTF-8 is read as Latin-1 and encoded again."""

    def change(self, text):
        return text.decode("latin-1").encode()


@mutant()
class StringsAreAscii(_Strings):
    """What is not ASCII becomes a question mark."""

    def change(self, text):
        return text.decode().encode("ascii", "replace")


@mutant()
class StringsLoseSurrogates(_Strings):
    """Characters beyond 16 bits are lost."""

    def change(self, text):
        return "".join(item if ord(item) < 2**16 else "\ufffd" for item in text.decode()).encode()


@mutant()
class StringsAreModifiedUtf8(_Strings):
    """Strings come back in the modified UTF-8 of Java: NUL takes two bytes."""

    def change(self, text):
        return text.replace(b"\0", b"\xc0\x80")


@mutant()
class StringsAreNormalised(_Strings):
    """Unicode is normalised to composed characters."""

    def change(self, text):
        return unicodedata.normalize("NFC", text.decode()).encode()


@mutant()
class StringsHaveFifteenBytes(_Strings):
    """Strings are kept in a buffer of 16 bytes."""

    def change(self, text):
        return text[:15]


@mutant()
class StringsHaveThirtyOneBytes(_Strings):
    """Strings are kept in a buffer of 32 bytes, the last a NUL."""

    def change(self, text):
        return text[:31]


@mutant()
class EmptyStringsAreNan(_Strings):
    """Empty strings become 'nan', as in data frames."""

    def change(self, text):
        return text or b"nan"


@mutant()
class NanStringsAreEmpty(_Strings):
    """The text 'nan' becomes an empty string, as in data frames."""

    def change(self, text):
        return b"" if text == b"nan" else text


@mutant()
class StringsLoseLineBreaks(_Strings):
    """Strings are joined by line breaks and split again."""

    def change(self, text):
        return text.split(b"\n")[0]


@mutant()
class StringsEndInNul(_Strings):
    """The NUL behind a string is taken along."""

    def change(self, text):
        return text + b"\0"


@mutant(
    "onnx/onnx: numpy_helper.to_array strips trailing NULs",
    equivalent="onnx.proto says that elements of string_data have no trailing NUL: a file that has"
    " one is no valid tensor",
)
class StringsLoseTrailingNuls(_Strings):
    """Trailing NULs are lost, as in NumPy's fixed-width strings."""

    def change(self, text):
        return text.rstrip(b"\0")


# --- the type of the result ----------------------------------------------------------------


@mutant()
class HalfBecomesFloat(_Retyped):
    """float16 comes back as float32."""

    types = (("float16", "float32"),)

    def cast(self, data, dims, other):
        values = [
            struct.unpack("<e", data.data[at : at + 2])[0] for at in range(0, len(data.data), 2)
        ]
        return Tensor(other, dims, struct.pack(f"<{len(values)}f", *values))


@mutant()
class DoubleBecomesFloat(_Retyped):
    """float64 comes back as float32."""

    types = (("float64", "float32"),)

    def cast(self, data, dims, other):
        import numpy as np

        with np.errstate(all="ignore"):
            return Tensor(other, dims, np.frombuffer(data.data, "<f8").astype("<f4").tobytes())


@mutant()
class Int64BecomesInt32(_Retyped):
    """int64 comes back as int32."""

    types = (("int64", "int32"),)

    def cast(self, data, dims, other):
        codes = [code & 0xFFFFFFFF for code in patterns(data)]
        return of_patterns(other, dims, codes)


@mutant("microsoft/onnxruntime: OrtValue.numpy() of float8")
class Float8BecomesUint8(_Retyped):
    """float8 types come back as uint8."""

    types = tuple(
        (name, "uint8")
        for name in ("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float8e8m0")
    )


@mutant("microsoft/onnxruntime: OrtValue.numpy() of bfloat16")
class Bfloat16BecomesUint16(_Retyped):
    """bfloat16 comes back as uint16."""

    types = (("bfloat16", "uint16"),)


@mutant()
class Bfloat16BecomesFloat16(_Retyped):
    """bfloat16 comes back as float16, with its bits."""

    types = (("bfloat16", "float16"),)


@mutant()
class BoolBecomesUint8(_Retyped):
    """bool comes back as uint8."""

    types = (("bool", "uint8"),)


@mutant()
class FourBitsBecomeInt8(_Retyped):
    """4-bit integers come back as 8-bit ones."""

    types = (("int4", "int8"), ("uint4", "uint8"))

    def cast(self, data, dims, other):
        return of_patterns(other, dims, [_widened(code, data.type) for code in patterns(data)])


def _widened(code: int, type_name: str) -> int:
    return signed(code, 4) & 0xFF if type_name == "int4" else code


@mutant()
class SignednessOfTwoBitsIsLost(_Retyped):
    """int2 comes back as uint2."""

    types = (("int2", "uint2"),)


@mutant()
class FnuzBecomesFn(_Retyped):
    """The fnuz types come back as their relatives, with their bits."""

    types = (("float8e4m3fnuz", "float8e4m3fn"), ("float8e5m2fnuz", "float8e5m2"))


@mutant()
class StringsBecomeBytes(_Retyped):
    """Strings come back as one tensor of their bytes."""

    types = (("string", "uint8"),)

    def cast(self, data, dims, other):
        joined = b"".join(data.data)
        return Tensor(other, (len(joined),), joined)


@mutant()
class ReshapeGivesFloat32(_Retyped):
    """The result is declared float32 whatever the data: its bytes are read as such."""

    types = (("uint32", "float32"), ("int32", "float32"))


@mutant("microsoft/onnxruntime: Reshape of float8 at opsets 19 and 20")
class ReshapeLacksFloat8BeforeTwentyOne(Backend):
    """float8 is implemented for Reshape since version 21 only."""

    def run_reshape(self, call):
        data = call.inputs[0]
        if call.definition.since == 19 and data.type.startswith("float8"):
            raise NotImplementedHereError
        return super().run_reshape(call)


@mutant()
class ReshapeLacksStrings(Backend):
    """Strings are not implemented for Reshape."""

    def copied(self, data, dims):
        if data.type == "string":
            raise NotImplementedHereError
        return super().copied(data, dims)
