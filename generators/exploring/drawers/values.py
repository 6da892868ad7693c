"""Elements by profile: numbers with which sums are exact, and numbers at the ends of a type."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor

from ...oracle.arith.numbers import Number
from ...oracle.arith.rationals import Fraction
from ...oracle.arith.rounding import encode, greatest, least_normal, limits
from ..elements import filled, tensor_of_codes

if TYPE_CHECKING:
    import random


def exact(name: str, shape: tuple[int, ...], chance: random.Random) -> Tensor:
    """Small whole numbers and halves: sums and products of a few of them round in no type."""
    kind = element_type(name).kind
    if kind not in ("float", "int", "uint") or name == "float8e8m0":
        return filled(name, shape, chance)
    count = math.prod(shape)
    if kind == "float":
        numbers: list[Number] = [Fraction(chance.randint(-8, 8), 2) for _ in range(count)]
        return tensor_of_codes(name, shape, [encode(name, item) for item in numbers])
    least, most = limits(name)
    mask = (1 << element_type(name).bits) - 1
    codes = [chance.randint(max(least, -4), min(most, 4)) & mask for _ in range(count)]
    return tensor_of_codes(name, shape, codes)


def extreme(name: str, shape: tuple[int, ...], chance: random.Random) -> Tensor:
    """Numbers of any size: integers of all bits, floats from the least normal to the greatest."""
    element = element_type(name)
    if element.kind in ("int", "uint"):
        codes = [chance.getrandbits(element.bits) for _ in range(math.prod(shape))]
        return tensor_of_codes(name, shape, codes)
    if element.kind != "float" or element.bits < 16:
        return filled(name, shape, chance)
    low, high = least_normal(name), greatest(name)
    first, last = low.denominator.bit_length() - 1, high.numerator.bit_length() - 1
    codes = []
    for _ in range(math.prod(shape)):
        power = chance.randint(-first, last)
        number = Fraction(chance.randint(1 << 20, (1 << 21) - 1), 1 << 20) * Fraction(2) ** power
        number = min(number, high)
        codes.append(encode(name, -number if chance.random() < 0.4 else number))
    return tensor_of_codes(name, shape, codes)
