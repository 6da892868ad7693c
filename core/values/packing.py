"""Elements side by side in bytes, as raw_data holds them: little-endian, narrow ones packed.

Source: onnx.proto, TensorProto.raw_data and the comments on 4- and 2-bit types: the first element
is in the low bits, and packing goes on over the whole tensor.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .elements import ElementType

_STRUCT_CODES = {8: "B", 16: "H", 32: "I", 64: "Q"}


def pack(element: ElementType, patterns: Sequence[int]) -> bytes:
    """Bit patterns of an element type as raw_data."""
    return pack_bits(patterns, element.bits)


def pack_bits(patterns: Sequence[int], bits: int) -> bytes:
    """Bit patterns of `bits` bits each as raw_data."""
    if bits in _STRUCT_CODES:
        return struct.pack(f"<{len(patterns)}{_STRUCT_CODES[bits]}", *patterns)
    if bits > 8:
        return b"".join(pattern.to_bytes(bits // 8, "little") for pattern in patterns)
    if bits == 4:
        padded = [*patterns, 0] if len(patterns) % 2 else patterns
        return bytes(low | high << 4 for low, high in zip(padded[::2], padded[1::2], strict=True))
    everything = 0
    for pattern in reversed(patterns):
        everything = everything << bits | pattern
    return everything.to_bytes((len(patterns) * bits + 7) // 8, "little")


def unpack_bits(data: bytes, bits: int, count: int) -> list[int]:
    """The bit patterns, of `bits` bits each, of `count` elements in raw_data."""
    if bits in _STRUCT_CODES:
        return list(struct.unpack(f"<{count}{_STRUCT_CODES[bits]}", data))
    if bits > 8:
        step = bits // 8
        return [int.from_bytes(data[at : at + step], "little") for at in range(0, len(data), step)]
    everything, mask = int.from_bytes(data, "little"), (1 << bits) - 1
    return [(everything >> (bits * place)) & mask for place in range(count)]
