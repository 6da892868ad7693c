"""Tensors by their codes, with limits beside them, of every type that can have some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.floats import FLOAT_FORMATS, is_nan, is_negative, numbers
from onnx_conformance.core.values.packing import pack
from onnx_conformance.core.values.tensors import Bounded, Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def coded(name: str, codes: Sequence[int], shape: tuple[int, ...] | None = None) -> Tensor:
    """A tensor of elements given by their bit patterns."""
    data = pack(element_type(name), codes)
    return Tensor(name, (len(codes),) if shape is None else shape, data)


def bounded(
    name: str,
    codes: Sequence[int],
    limits: Mapping[str, tuple[Sequence[int], Sequence[int]]],
    shape: tuple[int, ...] | None = None,
) -> Bounded:
    """A tensor with limits, all given by bit patterns."""
    nearest = coded(name, codes, shape)
    pairs = {
        profile: (coded(name, low, shape), coded(name, high, shape))
        for profile, (low, high) in limits.items()
    }
    return Bounded(name, nearest.shape, nearest.data, pairs)


def float32(value: float) -> int:
    """The bit pattern of a float32."""
    return int(np.float32(value).view("u4"))


def real(name: str, code: int) -> tuple[float, int] | None:
    """Where an element is among the real numbers, -0 before +0; None for NaN."""
    form = FLOAT_FORMATS[name]
    bits = np.array([code], f"u{max(8, form.width) // 8}")
    if is_nan(bits, form)[0]:
        return None
    return float(numbers(bits, form)[0]), 0 if is_negative(bits, form)[0] else 1


def in_order(name: str) -> list[int]:
    """Every code of a format that is a number, in the order of the real numbers."""
    places = {code: real(name, code) for code in range(1 << FLOAT_FORMATS[name].width)}
    known = {code: place for code, place in places.items() if place is not None}
    return sorted(known, key=lambda code: known[code])
