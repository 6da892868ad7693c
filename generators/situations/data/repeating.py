"""Elements of large tensors: few that are repeated, whole numbers of a range, and long texts.

- `cycle251:P` is the first 251 elements of the profile P again and again, the same in every vector;
  `cycle251x2:P` another such row of values, which begins elsewhere. Their number is prime to the
  sizes of blocks, so that no block begins as its neighbours do.
- `peaks251:P` is the same with elements between that grow to the end of the tensor, beyond all
  others: the greatest of a row stands in its last block. `dips251:P` has them below all others.
- `below300:spread` is the numbers 0 to 299 in no order, each once before any comes again;
  `upto300:spread` is 1 to 300.
- `text65:lines` is strings of 65 bytes: a number that tells them apart, lines that end in CR LF.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack, pack_bits, unpack_bits
from onnx_conformance.core.values.tensors import Tensor

from ...oracle.arith.rationals import Fraction
from ...oracle.arith.rounding import encode, is_float

_CYCLE = re.compile("(?:cycle|peaks|dips)([1-9][0-9]{0,6})(?:x([0-9]{1,2}))?")
_RANGE = re.compile("(below|upto)([1-9][0-9]{0,9}):spread")
_LINES = re.compile("text([1-9][0-9]{0,6}):lines")
_APART = 61  # elements between two that are beyond the others
_BEYOND = 900  # more than what the profiles have; 1,000 more are numbers of float16
_TURNED = 37  # by how much a further row of values begins later
_LINE = b"lines of a text that goes on and on,\r\n"


def is_cycle(layout: str) -> bool:
    """Whether a layout repeats the elements of a profile."""
    return _CYCLE.fullmatch(layout) is not None


def cycle_of(layout: str) -> tuple[int, int]:
    """How many elements a layout repeats, and the number of the row of values."""
    found = _CYCLE.fullmatch(layout)
    if found is None:
        raise BadInputError(f"'{layout}' is no cycle: write cycle251, or cycle251x2")
    return int(found[1]), int(found[2] or 0)


def repeated(layout: str, first: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A tensor of a shape that is filled with the elements of another, as a layout says."""
    count, few = math.prod(shape), first.element_count
    times = -(-count // few) + 1 if few else 0
    start = cycle_of(layout)[1] * _TURNED % max(few, 1)
    if isinstance(first.data, tuple):
        return Tensor(first.type, shape, (first.data * times)[start : start + count])
    bits = element_type(first.type).bits
    if bits % 8:
        patterns = (unpack_bits(first.data, bits, few) * times)[start : start + count]
        return Tensor(first.type, shape, pack_bits(patterns, bits))
    size = bits // 8
    plain = (first.data * times)[start * size : (start + count) * size]
    if layout.startswith("cycle"):
        return Tensor(first.type, shape, plain)
    return Tensor(first.type, shape, _beyond(plain, first.type, -1 if layout[0] == "d" else 1))


def _beyond(plain: bytes, type_name: str, sign: int) -> bytes:
    """The elements with some that go beyond all others, the further the nearer to the end."""
    data, size = bytearray(plain), element_type(type_name).bits // 8
    last = len(plain) // size - 1
    most = _BEYOND + last // _APART
    for number, place in enumerate(range(last, -1, -_APART)):
        value = sign * (most - number)
        code = encode(type_name, Fraction(value) if is_float(type_name) else value)
        data[place * size : (place + 1) * size] = code.to_bytes(size, "little")
    return bytes(data)


def is_numbered(profile: str) -> bool:
    """Whether a profile gives each element a number of its own."""
    return bool(_RANGE.fullmatch(profile) or _LINES.fullmatch(profile))


def numbered(profile: str, type_name: str, shape: Sequence[int]) -> Tensor:
    """The tensor of such a profile; BadInputError for a type that cannot hold it."""
    found = _RANGE.fullmatch(profile)
    if found is not None:
        return _spread(int(found[2]), int(found[1] == "upto"), type_name, shape)
    lines = _LINES.fullmatch(profile)
    if lines is None or type_name != "string":
        raise BadInputError(f"a tensor of {type_name} cannot have the data profile '{profile}'")
    length = int(lines[1])
    texts = (
        (f"{place} ".encode() + _LINE * (length // len(_LINE) + 1))[:length]
        for place in range(math.prod(shape))
    )
    return Tensor(type_name, tuple(shape), tuple(texts))


def _spread(size: int, first: int, type_name: str, shape: Sequence[int]) -> Tensor:
    """Whole numbers of a range, all different as long as the range goes, in no order."""
    step = next(
        item for item in range(size * 5 // 8 + 1, 2 * size + 2) if math.gcd(item, size) == 1
    )
    element = element_type(type_name)
    numbers = [first + place * step % size for place in range(math.prod(shape))]
    if element.kind not in {"int", "uint"} or max(numbers, default=0) >= 1 << element.bits - 1:
        raise BadInputError(f"{type_name} does not hold the indices below {size}")
    return Tensor(type_name, tuple(shape), pack(element, numbers))
