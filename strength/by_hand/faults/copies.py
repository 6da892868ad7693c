"""Bugs in how Reshape carries elements from its data to its result."""

from __future__ import annotations

import struct
import unicodedata

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.floats import FLOAT_FORMATS
from onnx_conformance.core.values.tensors import Tensor

from ..backend import Backend
from ..outcomes import CrashError
from ..registry import mutant
from ..values import cells, count_of, element, mapped, of_cells, of_patterns, patterns, signed


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


# --- order ---------------------------------------------------------------------------------


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


# --- how much is copied --------------------------------------------------------------------


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
class TwoBitsAreReadAsFour(Backend):
    """2-bit types are unpacked as 4-bit ones."""

    def copied(self, data, dims):
        if element(data).bits != 2:
            return super().copied(data, dims)
        wide = [code & 3 for byte in data.data for code in (byte & 15, byte >> 4)]
        items = (wide + [0] * count_of(dims))[: count_of(dims)]
        return of_patterns(data.type, dims, items)


@mutant()
class FourBitFloatsAreIntegers(_Elements):
    """float4e2m1 is unpacked as int4 and clipped to its range again, so that -8 becomes -7."""

    types = ("float4e2m1",)

    def change(self, code, bits):
        return 9 if code == 8 else code


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
class Uint64ThroughFloat64(_ThroughFloat):
    """uint64 passes through float64, as numbers of JavaScript do."""

    types = ("uint64",)
    format = "d"


@mutant()
class Uint32ThroughFloat32(_ThroughFloat):
    """uint32 passes through float32."""

    types = ("uint32",)


@mutant()
class Uint64ThroughInt64(_Elements):
    """uint64 is saturated to int64."""

    types = ("uint64",)

    def change(self, code, bits):
        return min(code, 2**63 - 1)


@mutant()
class Uint16ThroughInt16(_Elements):
    """uint16 is saturated to int16."""

    types = ("uint16",)

    def change(self, code, bits):
        return min(code, 2**15 - 1)


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
class Bfloat16SubnormalsAreFlushed(_Flushed):
    """Subnormal bfloat16 numbers become zero."""

    types = ("bfloat16",)


@mutant()
class Float8SubnormalsAreFlushed(_Flushed):
    """Subnormal float8e4m3fn numbers become zero."""

    types = ("float8e4m3fn",)


@mutant()
class NanOfFloat16IsInfinity(_Elements):
    """NaN of float16 becomes infinity: the payload is shifted away."""

    types = ("float16",)

    def change(self, code, bits):
        return code & 0xFC00 if _nan(code, "float16") else code


@mutant()
class NanOfFnuzIsNegativeZero(_Elements):
    """The NaN of the fnuz types is mistaken for -0 and becomes 0."""

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
class SmallestOfE8m0IsFlushed(_Elements):
    """The smallest number of float8e8m0 passes through float32 that flushes subnormals."""

    types = ("float8e8m0",)

    def change(self, code, bits):
        return code or 1


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


# --- the type of the result ----------------------------------------------------------------
