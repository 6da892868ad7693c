"""Elements of tensors and attributes, drawn at random; tensors of other types and shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack_bits, unpack_bits
from onnx_conformance.core.values.tensors import Tensor

from ..oracle.arith.numbers import INF, NAN, NEG_INF, NEG_ZERO, Number
from ..oracle.arith.rationals import Fraction
from ..oracle.arith.rounding import (
    decode,
    encode,
    greatest,
    least_normal,
    least_subnormal,
    limits,
    saturate,
)

if TYPE_CHECKING:
    import random


#: Elements that a tensor may be given.
MOST = 1 << 14
_WORDS = (b"", b"a", b"B", b"1.5", b"-7", b"\xc3\xa9", b"a b", b"nan", b"A", b"0", b"ab")
_POWERS_OF_TWO = "float8e8m0"
_SMALL = (0, 1, -1, 2, -2, 3, -3, 4, 5, 7, 8, 13, 100)
_DENOMINATORS = (1, 1, 2, 4, 8, 3, 10, 1000)
_INTEGERS = (0, 1, -1, 2, -2, 3, 4, 5, 7)
_REALS = (0.0, 1.0, -1.0, 0.5, 2.0, 1e-5, 0.25, 3.0, -0.5)
# The integers of an attribute are below it.
_END = 1 << 63


def codes_of(tensor: Tensor) -> list[int]:
    """The bits of each element of a tensor that holds no strings."""
    if isinstance(tensor.data, tuple):
        raise TypeError("strings have no codes")
    bits = element_type(tensor.type).bits
    return unpack_bits(tensor.data, bits, tensor.element_count)


def tensor_of_codes(name: str, shape: tuple[int, ...], codes: Sequence[int]) -> Tensor:
    """The tensor whose elements have these bits."""
    return Tensor(name, shape, pack_bits(codes, element_type(name).bits))


def filled(name: str, shape: tuple[int, ...], chance: random.Random) -> Tensor:
    """A tensor of small numbers, a few of any bits: nothing that many operators refuse."""
    count = math.prod(shape)
    if element_type(name).kind == "string":
        return Tensor(name, shape, tuple(chance.choice(_WORDS) for _ in range(count)))
    return tensor_of_codes(name, shape, [ordinary(name, chance) for _ in range(count)])


def ordinary(name: str, chance: random.Random) -> int:
    """The bits of an element: a small number as a rule."""
    element = element_type(name)
    if element.kind == "bool":
        return chance.randrange(2)
    if element.kind in ("int", "uint"):
        if chance.random() < 0.05:
            return chance.getrandbits(element.bits)
        least, most = limits(name)
        return min(most, max(least, chance.choice(_SMALL))) & (1 << element.bits) - 1
    if element.kind == "complex":
        half = "float32" if element.bits == 64 else "float64"
        return ordinary(half, chance) | ordinary(half, chance) << element.bits // 2
    if name == _POWERS_OF_TWO:
        return chance.randint(120, 134)  # 1/128 to 128; the type has neither zero nor signs
    number = Fraction(chance.randint(-40, 40), chance.choice(_DENOMINATORS))
    code = _code(name, number)
    return encode(name, Fraction(1)) if code is None else code


def specials(name: str) -> list[int]:
    """The bits of the elements that kernels forget: infinities, NaN, -0, the ends of the range."""
    element = element_type(name)
    if element.kind == "bool":
        return [0, 1]
    if element.kind in ("int", "uint"):
        least, most = limits(name)
        mask = (1 << element.bits) - 1
        return list(dict.fromkeys(item & mask for item in (least, most, 0, -1, 1, most // 2)))
    if element.kind == "complex":
        half = "float32" if element.bits == 64 else "float64"
        return [item | other << element.bits // 2 for item in specials(half) for other in (0, item)]
    if name == _POWERS_OF_TWO:
        return [0, 1, 127, 254, 255]
    numbers: list[Number] = [NAN, INF, NEG_INF, NEG_ZERO, greatest(name), -greatest(name)]
    numbers += [least_subnormal(name), least_normal(name), Fraction(0), Fraction(1, 2)]
    codes = (_code(name, item) for item in numbers)
    return list(dict.fromkeys(code for code in codes if code is not None))


def _code(name: str, number: Number) -> int | None:
    """The bits of a number; None where a type has nothing for it, as for a sign or an infinity."""
    try:
        return encode(name, number)
    except (ValueError, TypeError, OverflowError):
        return None


def with_specials(tensor: Tensor, chance: random.Random) -> Tensor:
    """The tensor with one to a third of its elements special."""
    count = tensor.element_count
    if not count:
        return tensor
    places = chance.sample(range(count), chance.randint(1, max(1, min(count // 3, 8))))
    if isinstance(tensor.data, tuple):
        words = list(tensor.data)
        for place in places:
            words[place] = chance.choice(_WORDS)
        return Tensor(tensor.type, tensor.shape, tuple(words))
    codes, known = codes_of(tensor), specials(tensor.type)
    for place in places:
        codes[place] = chance.choice(known)
    return tensor_of_codes(tensor.type, tensor.shape, codes)


def nudged(tensor: Tensor, chance: random.Random) -> Tensor:
    """A tensor of integers with one element a little other: an index, an axis, a size."""
    codes = codes_of(tensor)
    if not codes:
        return tensor
    bits = element_type(tensor.type).bits
    place = chance.randrange(len(codes))
    change = chance.choice((1, -1, 1, -1, 2, -2))
    codes[place] = codes[place] + change & (1 << bits) - 1
    if chance.random() < 0.2:
        chance.shuffle(codes)
    return tensor_of_codes(tensor.type, tensor.shape, codes)


def reshaped(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The elements in another shape, from the first on, again and again if it has more.

    The tensor as it is where the shape has too many.
    """
    count, have = math.prod(shape), tensor.element_count
    if count > MOST:
        return tensor
    if isinstance(tensor.data, tuple):
        words = tensor.data or (b"a",)
        return Tensor(tensor.type, shape, tuple(words[i % len(words)] for i in range(count)))
    codes = codes_of(tensor) if have else [0]
    return tensor_of_codes(tensor.type, shape, [codes[i % len(codes)] for i in range(count)])


def retyped(tensor: Tensor, name: str) -> Tensor:
    """The same numbers in another element type, as near as it has them."""
    if name == tensor.type:
        return tensor
    kind = element_type(name).kind
    if isinstance(tensor.data, tuple):
        codes = [_encoded(name, Fraction(len(item))) for item in tensor.data]
        return tensor_of_codes(name, tensor.shape, codes)
    numbers = [decode(tensor.type, code) for code in codes_of(tensor)]
    if kind == "string":
        words = tuple(str(int(_real(item))).encode() for item in numbers)
        return Tensor(name, tensor.shape, words)
    return tensor_of_codes(name, tensor.shape, [_encoded(name, item) for item in numbers])


def _encoded(name: str, number: Number) -> int:
    element = element_type(name)
    if element.kind == "complex":
        half = "float32" if element.bits == 64 else "float64"
        return _encoded(half, _real_part(number))
    number = _real_part(number)
    if element.kind == "float":
        code = _code(name, number)
        return encode(name, _number(1, name)) if code is None else code
    return encode(name, _number(_real(number), name))


def _real_part(number: Number) -> Number:
    return getattr(number, "re", number)


def _real(number: Number) -> Fraction:
    """A number as a whole one; 0 for NaN and infinities."""
    number = _real_part(number)
    if isinstance(number, (int, Fraction)):
        return Fraction(int(number))
    return Fraction(0)


def _number(value: Fraction | int, name: str) -> Number:
    """A whole number in the range of a type."""
    kind = element_type(name).kind
    if kind == "bool":
        return value != 0
    if kind in ("int", "uint"):
        return saturate(name, int(value))
    return Fraction(value)


def attribute_value(kind: str, current: Any, seen: Any, chance: random.Random) -> Any:  # noqa: ANN401
    """A value for an attribute of a kind, near the current one; None if there is no idea of one."""
    known = current if current is not None else None if seen is None else seen.value
    if kind == "int":
        near = [known + 1, known - 1, 1 - known, -known] if isinstance(known, int) else []
        return chance.choice([item for item in (*near, *_INTEGERS) if -_END <= item < _END])
    if kind == "float":
        return chance.choice(_REALS)
    if kind == "ints" and isinstance(known, tuple):
        base = [int(item) for item in known]
        if not base:
            return (chance.choice(_INTEGERS),)
        place = chance.randrange(len(base))
        way = chance.randrange(4)
        if way == 0:
            chance.shuffle(base)
        elif way == 1:
            base[place] = chance.choice(_INTEGERS)
        else:
            base[place] += chance.choice((1, -1))
        return tuple(base) if all(-_END <= item < _END for item in base) else None
    if kind == "floats" and isinstance(known, tuple) and known:
        numbers = [float(item) for item in known]
        numbers[chance.randrange(len(numbers))] = chance.choice(_REALS)
        return tuple(numbers)
    return None
