"""Draws values for the inputs of a cut vector: the same for the same seed, everywhere.

Realistic ones look like activations: around zero, a few units wide, no two alike. Special ones have
zeros of both signs, infinities and NaN among them. Subnormal numbers are left out: whether they may
be flushed is a question of its own, which the corpus asks.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor

from ..oracle.arith.grid import tensor_of_numbers
from ..oracle.arith.numbers import INF, NAN, NEG_INF, NEG_ZERO, ZERO, Complex, Number
from ..oracle.arith.rationals import Fraction

_WORDS = (b"", b"a", b"onnx", b"Two words", "naïve".encode(), b"0.5")
# Float types that have infinities and zeros of both signs.
SPECIAL_TYPES = frozenset({"float16", "bfloat16", "float32", "float64"})
_STEP = 1024
_SPECIAL = 6
# So many are drawn for a large tensor, and repeated: a prime, so that its rows are not alike.
_PERIOD = 16_381


def drawn(type_name: str, shape: tuple[int, ...], seed: str, *, special: bool = False) -> Tensor:
    """A tensor of an element type; `special` puts special numbers among the others."""
    kind = element_type(type_name).kind
    if math.prod(shape) > _PERIOD and not element_type(type_name).bits % 8 and kind != "string":
        return _repeated(drawn(type_name, (_PERIOD,), seed, special=special), shape)
    numbers = [_number(type_name, kind, code) for code in _codes(seed, math.prod(shape))]
    if special and type_name in SPECIAL_TYPES:
        specials = (NAN, INF, NEG_INF, NEG_ZERO, ZERO, Fraction(1), Fraction(-1))
        step = max(1, min(_SPECIAL, len(numbers) // len(specials)))
        for turn, index in enumerate(range(0, len(numbers), step)):
            numbers[index] = specials[turn % len(specials)]
    return tensor_of_numbers(type_name, shape, numbers)


def _repeated(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The elements of a tensor over and over again."""
    size = element_type(tensor.type).byte_count(math.prod(shape))
    data = tensor.data if isinstance(tensor.data, bytes) else b""
    return Tensor(tensor.type, shape, (data * (size // len(data) + 1))[:size])


def positions(shape: tuple[int, ...], type_name: str, below: int, seed: str) -> Tensor:
    """Indices of at least 0 and below a size, which must be positive."""
    numbers: list[Number] = [code % below for code in _codes(seed, math.prod(shape))]
    return tensor_of_numbers(type_name, shape, numbers)


def positive(type_name: str, shape: tuple[int, ...], seed: str) -> Tensor:
    """Numbers between 1/2 and 2, such as variances and scales."""
    numbers: list[Number] = [
        Fraction(_STEP // 2 + code % (3 * _STEP // 2), _STEP)
        for code in _codes(seed, math.prod(shape))
    ]
    return tensor_of_numbers(type_name, shape, numbers)


def _number(type_name: str, kind: str, code: int) -> Number:
    if kind == "bool":
        return bool(code & 1)
    if kind == "string":
        return _WORDS[code % len(_WORDS)]
    if kind in ("int", "uint"):
        bits = element_type(type_name).bits
        if bits == 8:  # quantized values use all of the range
            return code % 256 - (128 if kind == "int" else 0)
        most = min(4, 1 << (bits - 1))
        return code % most
    # The sum of four uniform numbers: about normal, within -4 and 4.
    total = sum((code >> (12 * part)) & 0x7FF for part in range(4))
    number = Fraction(total - 2 * 0x7FF, _STEP)
    if kind == "complex":
        return Complex(number, Fraction((code >> 48 & 0x7FF) - _STEP, _STEP))
    return number


def _codes(seed: str, count: int) -> Iterator[int]:
    """That many whole numbers of 64 bits."""
    state = hashlib.shake_256(seed.encode()).digest(8 * count)
    for index in range(count):
        yield int.from_bytes(state[8 * index : 8 * index + 8], "little")
