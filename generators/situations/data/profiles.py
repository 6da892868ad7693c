"""Data profiles: the elements of an input, chosen by what an operator does with them.

Elements depend on a seed alone (the vector's id) and are the same on every machine: only bit
patterns and rationals are used, no library of mathematical functions.

| profile | elements | for |
|---|---|---|
| `any` | the values that careless copies change, then hashed bits | what moves elements |
| `specials` | the whole lattice of the type, in order, again and again | functions of one element |
| `numbers` | the lattice without NaN | selections whose document says nothing of NaN |
| `finite` | the lattice without NaN and infinities | |
| `exact` | whole numbers from -4 to 4 | sums: 64 terms in any order, from bfloat16 on |
| `distinct` | all different, as far as the type goes, in no order | a misplaced element shows |
| `tame` | between -4 and 4, with full significands | rounding, without overflow |
| `positive` | between 1/8 and 8 | logarithms, roots, divisors |
| `unit` | between -1 and 1 | |
| `fraction` | above 0 and below 1 | probabilities, ratios |
| `counts` | 0, 1, 2, 3 | |
| `halves` | 1/2 | probabilities of draws |
| `chances` | 1/4, 3/4, 0 and 1, each a quarter of the tensor long | probabilities of draws |
| `zeros`, `ones` | | |
| `products` | 1 and -1, one 2 and one half | products of long rows |
| `impulse` | zeros, and 1 at the end | sums of which one term is left |
| `ill_formed` | of strings: bytes that are no UTF-8; of others as `any` | what asks for UTF-8 |
| `nonzero` | the lattice without zeros | divisors |
| `lattice:P` | as P, in one dimension as long as the type's lattice | |
| `codes:0` to `codes:f` | the 4,096 patterns of a type of 16 bits that begin so, in order | |
| `crossed0:P` | values of P along the rows of a square | functions of two elements: each of |
| `crossed1:P` | along its columns | the one meets each of the other |
| `crossed2:P` | along its diagonals | |
| `cycle251:P` | the first 251 of P, again and again, the same in every vector | large tensors: |
| | | a block shifted, repeated or left out shows, and the oracle is asked once for each |
| `cycle251x2:P` | another such row of values, as `x0` to `x99` are | a second input |
| `peaks251:P`, `dips251:P` | the same with ever greater (smaller) ones between | extremes |
| `below300:spread` | 0 to 299 in no order, each once before any comes again | indices |
| `upto300:spread` | 1 to 300 likewise | lengths |
| `text65:lines` | of strings: 65 bytes each, lines that end in CR LF, and a number | long texts |

Profiles of conversions, `into:T` and others, are in `conversions`; those of the factors of dot
products, `first1:dot0` and others, in `dots`; arguments whose results are hard to round, `hard:exp`
and others, in `hard`.

`P/Q` is P for floating-point and complex types, and Q for all others.

The table and what each profile makes stay in one module (of more than 400 lines): who writes a spec
looks here.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES, ElementType, element_type
from onnx_conformance.core.values.floats import FLOAT_FORMATS
from onnx_conformance.core.values.packing import pack
from onnx_conformance.core.values.tensors import Tensor

from ...oracle.arith.rationals import Fraction
from ...oracle.arith.rounding import encode, least_subnormal, limits
from .conversions import conversion_values, is_conversion
from .dots import DOT_SETS, dot_factors, dot_layout
from .element_values import derived_tensor
from .hard import HARD, hard_codes, hard_tensor
from .lattices import special_values
from .repeating import cycle_of, is_cycle, is_numbered, numbered, repeated

Patterns: TypeAlias = Callable[[ElementType, int, str], list[int]]

ANY = "any"
ILL_FORMED = "ill_formed"
# A byte of no character, one of the middle of a character, a character cut short, half a UTF-16
# pair, a NUL in two bytes, and a character beyond Unicode (RFC 3629, sections 3 and 4).
_ILL_FORMED = (b"\xff", b"a\x80b", b"\xc3", b"\xed\xa0\x80 ", b"\xc0\x80", b"\xf4\x90\x80\x80")
_LAYOUTS = ("", "lattice", "crossed0", "crossed1", "crossed2")
CROSSED = 20  # values along each side of a `crossed` square
CODES = "codes"
CODES_EACH = 1 << 12  # a vector of all codes at once would be too large
_DIGITS = tuple(f"{digit:x}" for digit in range(16))
_LONGEST_LATTICE = 256  # the lattice of a type with 8 bits: all its codes


def own_shape(profile: str | None, type_name: str, shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of a profile that has a fixed one, else `shape`."""
    if profile is None:
        return tuple(shape)
    if profile.startswith("lattice:"):
        return (_lattice_length(type_name),)
    layout, _, target = profile.partition(":")
    if layout == CODES:
        return (CODES_EACH,)
    if layout == HARD:
        return (len(hard_codes(target, type_name)),)
    if is_conversion(layout):
        return (len(conversion_values(layout, type_name, target)),)
    return (CROSSED, CROSSED) if profile.startswith("crossed") else tuple(shape)


def _lattice_length(type_name: str) -> int:
    return 16 if element_type(type_name).kind == "string" else len(special_values(type_name))


def profile_tensor(profile: str, type_name: str, shape: Sequence[int], seed: str) -> Tensor:
    """A tensor of a profile; BadInputError if the profile is unknown."""
    layout, _, name = profile.rpartition(":")
    if is_conversion(layout) or layout == HARD:
        return _listed(layout, name, type_name)
    if name in DOT_SETS:
        return _dot_factor(layout, name, type_name, shape, seed)
    if layout.startswith("crossed"):
        return _crossed(layout, _of_class(name, type_name), type_name, seed)
    if is_cycle(layout):
        few, which = cycle_of(layout)
        first = profile_tensor(name, type_name, (min(few, math.prod(shape)),), f"cycle {which}")
        return repeated(layout, first, tuple(shape))
    if is_numbered(profile):
        return numbered(profile, type_name, shape)
    return _in_order(layout, _of_class(name, type_name), type_name, shape, seed)


def _in_order(layout: str, name: str, type_name: str, shape: Sequence[int], seed: str) -> Tensor:
    """A tensor whose elements are those of a profile, in their order."""
    if name == ILL_FORMED and element_type(type_name).kind == "string":
        return _ill_formed(type_name, shape)
    if name in {ANY, ILL_FORMED}:
        return derived_tensor(type_name, shape, seed)
    patterns = _codes(name) if layout == CODES else _patterns_of(name)
    element = element_type(type_name)
    count = math.prod(shape)
    if element.kind == "string":
        words = tuple(f"{name} {index}".encode() for index in range(count))
        return Tensor(type_name, tuple(shape), words)
    return Tensor(type_name, tuple(shape), pack(element, patterns(element, count, seed)))


def _dot_factor(layout: str, name: str, type_name: str, shape: Sequence[int], seed: str) -> Tensor:
    element, found = element_type(type_name), dot_layout(layout)
    if found is None or found.axis >= len(shape) or element.kind == "string":
        raise BadInputError(
            f"a tensor of {type_name} {list(shape)} is no factor '{layout}' of a dot product"
        )
    values = dot_factors(name, found, type_name, shape, seed)
    return Tensor(type_name, tuple(shape), pack(element, _encoded(element, values)))


def _ill_formed(type_name: str, shape: Sequence[int]) -> Tensor:
    texts = [_ILL_FORMED[place % len(_ILL_FORMED)] for place in range(math.prod(shape))]
    return Tensor(type_name, tuple(shape), tuple(texts))


def _listed(layout: str, name: str, type_name: str) -> Tensor:
    """The elements of a profile that lists them, in one dimension."""
    if layout == HARD:
        return hard_tensor(name, type_name)
    values = conversion_values(layout, type_name, name)
    texts = tuple(item.encode() for item in values if isinstance(item, str))
    if texts:
        return Tensor(type_name, (len(texts),), texts)
    codes = [item for item in values if isinstance(item, int)]
    return Tensor(type_name, (len(codes),), pack(element_type(type_name), codes))


def check_profile(profile: str) -> None:
    """Raise BadInputError, with the list of profiles, if a profile is unknown."""
    layout, _, name = profile.rpartition(":")
    if is_conversion(layout):
        if name not in {item.name for item in ELEMENT_TYPES}:
            raise BadInputError(f"unknown element type '{name}' of the data profile '{layout}'")
        return
    if layout == CODES and name in _DIGITS:
        return
    if name in DOT_SETS and dot_layout(layout) is not None:
        return
    if layout == HARD:
        hard_codes(name, "float32")
        return
    if is_numbered(profile):
        return
    if layout not in _LAYOUTS and not is_cycle(layout):
        raise BadInputError(
            f"unknown layout '{layout}' of a data profile; known are:"
            f" {', '.join(_LAYOUTS[1:])}, cycle251"
        )
    for part in name.split("/", 1):
        if part not in {ANY, ILL_FORMED}:
            _patterns_of(part)


def _of_class(name: str, type_name: str) -> str:
    """The profile for this class of types: `P/Q` is P for floats, Q for others."""
    first, slash, second = name.partition("/")
    if not slash:
        return name
    return first if element_type(type_name).kind in {"float", "complex"} else second


def _patterns_of(name: str) -> Patterns:
    try:
        return _PATTERNS[name]
    except KeyError:
        known = ", ".join(PROFILES)
        raise BadInputError(f"unknown data profile '{name}'; known are: {known}") from None


def _crossed(layout: str, name: str, type_name: str, seed: str) -> Tensor:
    """A square with `CROSSED` values along rows, columns or diagonals."""
    element = element_type(type_name)
    if element.kind == "string":
        values: list[int] = []
        words = derived_tensor(type_name, (CROSSED,), seed).data
    elif name in {"specials", ANY}:
        values = _sampled(special_values(type_name))
    elif name in {"numbers", "finite", "nonzero"}:
        every = _patterns_of(name)(element, _LONGEST_LATTICE, seed)
        values = _sampled(tuple(dict.fromkeys(every)))
    else:
        values = _patterns_of(name)(element, CROSSED, seed)
    places = {
        "crossed0": [row for row in range(CROSSED) for _ in range(CROSSED)],
        "crossed1": [column for _ in range(CROSSED) for column in range(CROSSED)],
        "crossed2": [
            (row + column) % CROSSED for row in range(CROSSED) for column in range(CROSSED)
        ],
    }[layout]
    shape = (CROSSED, CROSSED)
    if element.kind == "string":
        return Tensor(type_name, shape, tuple(words[place] for place in places))  # type: ignore[misc]
    return Tensor(type_name, shape, pack(element, [values[place] for place in places]))


def _sampled(values: Sequence[int]) -> list[int]:
    """`CROSSED` of the values, evenly spread; repeated if there are fewer."""
    count = len(values)
    if count <= CROSSED:
        return [values[index % count] for index in range(CROSSED)]
    # The first are zeros and ends of ranges, the last infinities and NaNs: all of them are used.
    middle = CROSSED - 10
    between = [values[6 + index * (count - 10) // middle] for index in range(middle)]
    return [*values[:6], *between, *values[-4:]]


def _cycled(values: Sequence[int], count: int) -> list[int]:
    return [values[index % len(values)] for index in range(count)]


def _of_lattice(*, nan: bool = True, infinity: bool = True) -> Patterns:
    """The lattice in order, again and again."""
    return lambda element, count, _: _cycled(
        special_values(element.name, nan=nan, infinity=infinity), count
    )


def _codes(digit: str) -> Patterns:
    """The patterns of 16 bits with this first hexadecimal digit."""
    return lambda _element, count, _: [(int(digit, 16) << 12) + place for place in range(count)]


def _nonzero(element: ElementType, count: int, _seed: str) -> list[int]:
    sign = 1 << (element.bits - 1)
    values = [item for item in special_values(element.name) if item not in {0, sign}]
    if element.kind in {"int", "uint"}:
        values = [item for item in special_values(element.name) if item]
    return _cycled(values or (1,), count)


def _encoded(element: ElementType, values: Sequence[Fraction]) -> list[int]:
    """Numbers as patterns: rounded for floats, wrapped into the range of integer types."""
    if element.name in FLOAT_FORMATS:
        signed = FLOAT_FORMATS[element.name].signed  # e8m0 has only powers of two
        least = Fraction(1, 8)
        return [
            encode(element.name, value if signed else max(abs(value), least)) for value in values
        ]
    if element.kind == "bool":
        return [int(value != 0) for value in values]
    if element.kind == "complex":
        part = "float32" if element.bits == 64 else "float64"
        half = element.bits // 2
        codes = [encode(part, value) for value in values]
        return [code | codes[-1 - place] << half for place, code in enumerate(codes)]
    low, high = limits(element.name)
    mask = (1 << element.bits) - 1
    return [min(max(math.trunc(value), low), high) & mask for value in values]


def _hash(element: ElementType, count: int, seed: str) -> list[int]:
    """`count` whole numbers below 2**24."""
    stream = hashlib.shake_256(f"{seed}:{element.name}".encode()).digest(count * 3)
    return [int.from_bytes(stream[at : at + 3], "little") for at in range(0, len(stream), 3)]


def _exact(element: ElementType, count: int, seed: str) -> list[int]:
    signed = element.name in FLOAT_FORMATS or element.kind in {"int", "complex"}
    choices = [1, -2, 3, -1, 2, 0, -3, 4, -4] if signed else [1, 2, 3, 0, 4, 1, 2]
    return _encoded(
        element, [Fraction(choices[item % len(choices)]) for item in _hash(element, count, seed)]
    )


def _distinct(element: ElementType, count: int, _seed: str) -> list[int]:
    """A permutation of 1 to count (a step that shares no factor with it), around 0 where signed."""
    step = next(
        item
        for item in range(max(count * 5 // 8, 1), 2 * count + 2)
        if math.gcd(item, max(count, 1)) == 1
    )
    order = [(index * step) % max(count, 1) for index in range(count)]
    if element.kind == "bool":
        return [(item >> 1 ^ item) & 1 for item in order]
    if element.kind == "complex" or (element.name in FLOAT_FORMATS and element.bits > 8):
        return _encoded(element, [Fraction(item - count // 3) + Fraction(1, 2) for item in order])
    mask = (1 << element.bits) - 1
    if element.name in FLOAT_FORMATS:
        finite = special_values(element.name, nan=False, infinity=False)
        return [finite[item % len(finite)] for item in order]
    return [(item - (count // 3 if element.kind == "int" else 0)) & mask for item in order]


def _between(low: Fraction, high: Fraction) -> Patterns:
    """Numbers in a range; if it excludes zero, rounding to any type gives no zero either."""

    def patterns(element: ElementType, count: int, seed: str) -> list[int]:
        span = high - low
        values = [low + span * (2 * item + 1) / 2**25 for item in _hash(element, count, seed)]
        if low > 0:
            values = [max(value, _least_positive(element)) for value in values]
        return _encoded(element, values)

    return patterns


def _least_positive(element: ElementType) -> Fraction:
    if element.name in FLOAT_FORMATS:
        return least_subnormal(element.name)
    return Fraction(1) if element.kind in {"int", "uint"} else Fraction(0)


def _fraction(element: ElementType, count: int, seed: str) -> list[int]:
    """Numbers between 0 and 1; rounding to a narrow type gives neither 0 nor 1."""
    values = [Fraction(2 * item + 1, 2**25) for item in _hash(element, count, seed)]
    if element.name not in FLOAT_FORMATS:
        return _encoded(element, values)
    least, one = _least_positive(element), encode(element.name, Fraction(1))
    codes = _encoded(element, [max(value, least) for value in values])
    return [min(code, one - 1) for code in codes]  # codes of positive numbers have their order


def _chances(element: ElementType, count: int, _seed: str) -> list[int]:
    values = (Fraction(1, 4), Fraction(3, 4), Fraction(0), Fraction(1))
    return _encoded(element, [values[4 * place // max(count, 1)] for place in range(count)])


def _products(element: ElementType, count: int, seed: str) -> list[int]:
    """1 and -1 in no order, and between them a 2 that a later half takes back.

    So the product of many is small in whatever order a runtime multiplies them.
    """
    values = [Fraction(-1 if item & 1 else 1) for item in _hash(element, count, seed)]
    if count and element.name in FLOAT_FORMATS:
        values[count // 5] *= 2
        values[count * 3 // 5] /= 2
    return _encoded(element, values)


def _constant(value: int) -> Patterns:
    return lambda element, count, _: _encoded(element, [Fraction(value)] * count)


_PATTERNS: dict[str, Patterns] = {
    "specials": _of_lattice(),
    "numbers": _of_lattice(nan=False),
    "finite": _of_lattice(nan=False, infinity=False),
    "nonzero": _nonzero,
    "exact": _exact,
    "distinct": _distinct,
    "tame": _between(Fraction(-4), Fraction(4)),
    "positive": _between(Fraction(1, 8), Fraction(8)),
    "unit": _between(Fraction(-1), Fraction(1)),
    "fraction": _fraction,
    "counts": lambda element, count, seed: _encoded(
        element, [Fraction(item % 4) for item in _hash(element, count, seed)]
    ),
    "chances": _chances,
    "halves": lambda element, count, _: _encoded(element, [Fraction(1, 2)] * count),
    "zeros": _constant(0),
    "ones": _constant(1),
    "impulse": lambda element, count, _: _encoded(
        element, [Fraction(place == count - 1) for place in range(count)]
    ),
    "products": _products,
}
PROFILES = (ANY, ILL_FORMED, *_PATTERNS)
