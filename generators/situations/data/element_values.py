"""Element values derived from a vector's id: the same everywhere, and hard on conversions.

A tensor starts with the patterns that a careless copy changes (extremes, values between the numbers
of a narrower type, subnormals, signed zeros, infinities, NaNs, strings with NUL and non-ASCII
characters). They are rotated by the id, so that short tensors of different vectors have different
ones. The rest are bytes of a hash. No mathematical library is used: the patterns are integers, so
no platform can round them differently.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from functools import cache

from onnx_conformance.core.values.elements import ElementType, element_type
from onnx_conformance.core.values.floats import (
    ALL_ONES,
    FINITE,
    FLOAT_FORMATS,
    NEGATIVE_ZERO,
    FloatFormat,
    infinity_of,
)
from onnx_conformance.core.values.packing import pack
from onnx_conformance.core.values.tensors import Tensor

# Bit patterns, element type by element type. Formats: IEEE 754 for float16/32/64; bfloat16 is
# the upper half of float32; float8 and float4 as in the ONNX documents on these types.
_FLOAT32 = (
    0x80000000,  # -0
    0x00000001,  # smallest subnormal
    0x3F800001,  # 1 + one ulp: between the numbers of float16 and bfloat16
    0x7F7FFFFF,  # largest finite: infinity in float16
    0x7F800000,  # +infinity
    0xFF800000,  # -infinity
    0x7FC00000,  # quiet NaN
    0x4B800001,  # 2**24 + 2: beyond the integers of float16
    0x807FFFFF,  # largest subnormal, negative
    0x00800000,  # smallest normal
    0x3DCCCCCD,  # 0.1
    0xFFC12345,  # NaN with sign and payload
    0x477FF000,  # 65520: the first that rounds to infinity in float16
    0xC2F6E979,  # -123.456
    0x33000001,  # just above half of the smallest float16 subnormal
    0x00000000,  # +0
)
_FLOAT64 = (
    0x8000000000000000,  # -0
    0x0000000000000001,  # smallest subnormal
    0x3FF0000000000001,  # 1 + one ulp
    0x3FF0000010000000,  # 1 + half an ulp of float32
    0x7FEFFFFFFFFFFFFF,  # largest finite: infinity in float32
    0x7FF0000000000000,  # +infinity
    0xFFF0000000000000,  # -infinity
    0x7FF8000000000000,  # quiet NaN
    0x4340000000000001,  # 2**53 + 2
    0x36A0000000000000,  # smallest float32 subnormal
    0x800FFFFFFFFFFFFF,  # largest subnormal, negative
    0x3FB999999999999A,  # 0.1
    0xFFF8123456789ABC,  # NaN with sign and payload
    0x47EFFFFFF0000000,  # the first that rounds to infinity in float32
    0xC05EDD2F1A9FBE77,  # -123.456
    0x0000000000000000,  # +0
)
_FLOAT16 = (
    0x8000,  # -0
    0x0001,  # smallest subnormal
    0x3C01,  # 1 + one ulp
    0x7BFF,  # largest finite, 65504
    0x7C00,  # +infinity
    0xFC00,  # -infinity
    0x7E00,  # quiet NaN
    0x83FF,  # largest subnormal, negative
    0x6801,  # 2050: beyond the odd integers
    0x2E66,  # 0.1
    0xFE5A,  # NaN with sign and payload
    0x0400,  # smallest normal
    0xD7B7,  # -123.4
    0x0000,  # +0
)
_BFLOAT16 = (
    0x8000,  # -0
    0x0001,  # smallest subnormal
    0x3F81,  # 1 + one ulp
    0x7F7F,  # largest finite: infinity in float16
    0x7F80,  # +infinity
    0xFF80,  # -infinity
    0x7FC0,  # quiet NaN
    0x807F,  # largest subnormal, negative
    0x4380,  # 256
    0x3DCD,  # 0.1
    0xFFD5,  # NaN with sign and payload
    0x0080,  # smallest normal
    0xC2F7,  # -123.5
    0x0000,  # +0
)
_SPECIAL: dict[str, tuple[int, ...]] = {
    "float32": _FLOAT32,
    "float64": _FLOAT64,
    "float16": _FLOAT16,
    "bfloat16": _BFLOAT16,
    # Extremes, ±0, infinities and NaNs where the format has them, subnormals, ones.
    "float8e4m3fn": (0x80, 0x01, 0x7E, 0xFE, 0x7F, 0xFF, 0x39, 0x87, 0x08, 0xB8, 0x00, 0x38),
    "float8e4m3fnuz": (0x80, 0x01, 0x7F, 0xFF, 0x41, 0x87, 0x08, 0xC0, 0x00, 0x40),
    "float8e5m2": (0x80, 0x01, 0x7B, 0xFB, 0x7C, 0xFC, 0x7E, 0xFF, 0x3D, 0x83, 0x04, 0x00, 0x3C),
    "float8e5m2fnuz": (0x80, 0x01, 0x7F, 0xFF, 0x41, 0x83, 0x04, 0xC0, 0x00, 0x40),
    "float8e8m0": (0x00, 0xFE, 0xFF, 0x7F, 0x80, 0x01, 0x3F),
    "bool": (1, 0, 0, 1, 1, 0, 1, 0),
}

_STRINGS = (
    b"",
    "Zürich".encode(),
    b"a\0b",  # a NUL inside: a C string ends there
    "日本語".encode(),
    b"\0leading",
    "🦔".encode(),  # outside the Basic Multilingual Plane: two UTF-16 units
    b" surrounded ",
    "e\u0301".encode(),  # a decomposed accent: normalization would change the bytes
    b"line\nbreak\ttab",
    b"0123456789abcdef0123456789abcdef",  # longer than small-string buffers
    b"nan",
)


def derived_tensor(type_name: str, shape: Sequence[int], seed: str) -> Tensor:
    """A tensor of `shape` with elements that depend on `seed` alone."""
    element = element_type(type_name)
    count = math.prod(shape)
    if element.kind == "string":
        return Tensor(type_name, tuple(shape), tuple(_strings(count, seed)))
    special = _special(element)
    width = (element.bits + 7) // 8
    stream = _hash_bytes(f"{seed}:{element.name}", count * width + 1)
    length = len(special)
    first = [special[(index + stream[-1]) % length] for index in range(min(count, length))]
    further = stream[length * width : count * width]
    if element.bits % 8 == 0 and element.kind != "bool":  # bytes of the hash are elements
        return Tensor(type_name, tuple(shape), pack(element, first) + further)
    mask = 1 if element.kind == "bool" else (1 << element.bits) - 1
    return Tensor(type_name, tuple(shape), pack(element, first + [item & mask for item in further]))


@cache
def _special(element: ElementType) -> tuple[int, ...]:
    if element.name in _SPECIAL:
        return _SPECIAL[element.name]
    if element.kind == "complex":
        return _complex_patterns(_FLOAT32 if element.bits == 64 else _FLOAT64, element.bits // 2)
    if element.bits < 8:
        # Every value, in an order without equal neighbours or halves: 0x1, 0xE, 0x3, 0xC ...
        size = 1 << element.bits
        return tuple((index * 5 + 1) % size for index in range(size))
    if element.kind == "float":
        return _format_patterns(FLOAT_FORMATS[element.name])
    return _integer_patterns(element)


def _format_patterns(form: FloatFormat) -> tuple[int, ...]:
    """Ends, subnormal numbers, ones, infinities, NaN and zeros, as far as a format has them."""
    top, sign = (1 << form.magnitude_bits) - 1, int(form.signed) << form.magnitude_bits
    infinity, one = infinity_of(form), form.bias << form.mantissa
    last = {ALL_ONES: top - 1}.get(form.special, top) if infinity is None else infinity - 1
    found = [1, last, one, one + 1, (1 << form.mantissa) - 1, 1 << form.mantissa]
    found += [] if infinity is None else [infinity]
    nan = {NEGATIVE_ZERO: [sign], FINITE: []}.get(form.special, [top, top | sign])
    zeros = [0] if form.special == NEGATIVE_ZERO or not form.signed else [sign, 0]
    both = [code | half for code in found for half in (0, sign)]
    return tuple(dict.fromkeys([*both, *nan, *zeros]))


def _complex_patterns(parts: tuple[int, ...], bits: int) -> tuple[int, ...]:
    """Each special value as the real and as the imaginary part, beside different others."""
    shifted = parts[5:] + parts[:5]
    return tuple(real | imaginary << bits for real, imaginary in zip(parts, shifted, strict=True))


def _integer_patterns(element: ElementType) -> tuple[int, ...]:
    bits = element.bits
    top = 1 << (bits - 1)
    patterns = [top, top - 1, (1 << bits) - 1, 0, 1, 0x5A, top + 1]
    # Beyond the exact integers of float16, float32 and float64, and at the widths of types.
    patterns += [(1 << power) + 1 for power in (8, 11, 15, 16, 24, 31, 32, 53, 62) if power < bits]
    if element.kind == "int":
        patterns += [(1 << bits) - ((1 << power) + 1) for power in (8, 24, 53) if power < bits - 1]
    return tuple(dict.fromkeys(patterns))


def _strings(count: int, seed: str) -> Iterator[bytes]:
    stream = _hash_bytes(seed, count + 1)
    for index in range(count):
        if index < len(_STRINGS):
            yield _STRINGS[(index + stream[-1]) % len(_STRINGS)]
        else:
            yield f"{index}:{stream[index]:02x}".encode()


def _hash_bytes(seed: str, count: int) -> bytes:
    return hashlib.shake_256(seed.encode()).digest(count)
