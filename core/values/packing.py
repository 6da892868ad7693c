"""Elements side by side in bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .elements import ElementType


def pack(element: ElementType, patterns: Sequence[int]) -> bytes:
    """Bit patterns as raw_data: little-endian, narrow types packed with the first in the low bits.

    Source: onnx.proto, TensorProto.raw_data and the comments on 4- and 2-bit types.
    """
    if element.bits >= 8:
        width = element.bits // 8
        return b"".join(pattern.to_bytes(width, "little") for pattern in patterns)
    packed = 0
    for index, pattern in enumerate(patterns):
        packed |= pattern << (index * element.bits)
    return packed.to_bytes(element.byte_count(len(patterns)), "little")
