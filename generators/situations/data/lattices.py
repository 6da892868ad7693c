"""The lattice of an element type: bit patterns at which runtimes go wrong.

Floats: both zeros, the ends of the subnormal and normal numbers, values that lie between the
numbers of narrower types, the ends of the integers that a format holds, halves (ties of
rounding), infinities and NaNs. Integers: both ends, and the neighbours of 2**24, 2**31, 2**53 and
2**62, where a detour through float or a narrower integer shows.
"""

from __future__ import annotations

from functools import cache

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.floats import (
    ALL_ONES,
    FLOAT_FORMATS,
    IEEE,
    NEGATIVE_ZERO,
    FloatFormat,
)

from ...oracle.arith.numbers import from_float
from ...oracle.arith.rounding import encode

# Numbers that every lattice of floats has if the format can represent them.
_PLAIN = (1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.0, -2.0, 2.5, -2.5, 3.0, -3.0, 0.25, 10.0, -10.0)
_BETWEEN = (0.1, -0.1, 3.14159265358979, 2.71828182845905, -123.456, 0.333333333333333)


@cache
def special_values(type_name: str, *, nan: bool = True, infinity: bool = True) -> tuple[int, ...]:
    """The bit patterns of an element type's lattice, each once, zeros first.

    Args:
        type_name: an element type other than string.
        nan: whether NaNs are included.
        infinity: whether infinities are included.
    """
    element = element_type(type_name)
    if element.kind == "bool":
        return (0, 1)
    if element.name in FLOAT_FORMATS:
        form = FLOAT_FORMATS[element.name]
        patterns = _finite(form, element.name)
        if infinity and form.special == IEEE:
            top = ((1 << form.exponent) - 1) << form.mantissa
            patterns += [top, top | 1 << form.magnitude_bits]
        if nan:
            patterns += _nans(form)
        return tuple(dict.fromkeys(patterns))
    if element.kind == "complex":
        part = special_values(
            "float32" if element.bits == 64 else "float64", nan=nan, infinity=infinity
        )
        shifted = part[7:] + part[:7]
        half = element.bits // 2
        mixed = (real | imaginary << half for real, imaginary in zip(part, shifted, strict=True))
        return tuple(dict.fromkeys((0, *mixed)))
    if element.bits <= 4:
        return tuple(range(1 << element.bits))
    return _integers(element.bits, signed=element.kind == "int")


def _finite(form: FloatFormat, name: str) -> list[int]:
    sign = 1 << form.magnitude_bits if form.signed else 0
    codes = 1 << form.magnitude_bits
    if form.width <= 8:
        every = list(range(1 << form.width))
        unwanted = set(_nans(form)) | _infinities(form)
        return [code for code in every if code not in unwanted]
    top = (((1 << form.exponent) - 1) << form.mantissa) if form.special == IEEE else codes
    one = form.bias << form.mantissa
    magnitudes = [
        0,
        1,  # smallest subnormal
        (1 << form.mantissa) - 1,  # largest subnormal
        1 << form.mantissa,  # smallest normal
        (1 << form.mantissa) + 1,
        top - 1,  # largest finite
        one - 1,  # just below 1
        one + 1,  # just above 1
    ]
    patterns = [item for code in magnitudes for item in (code, code | sign)]
    wide = [2.0**form.mantissa - 0.5, 2.0 ** (form.mantissa + 1), 2.0 ** (form.mantissa + 1) + 2]
    values = (*_PLAIN, *_BETWEEN, *wide)
    return patterns + [encode(name, from_float(value)) for value in values]


def _nans(form: FloatFormat) -> list[int]:
    sign = 1 << form.magnitude_bits if form.signed else 0
    if form.special == NEGATIVE_ZERO:
        return [1 << form.magnitude_bits]
    if form.special == ALL_ONES:
        code = (1 << form.magnitude_bits) - 1
        return [code, code | sign] if form.signed else [code]
    if form.special == IEEE:
        top = ((1 << form.exponent) - 1) << form.mantissa
        if form.width <= 8:
            return [
                top | signed | low for signed in (0, sign) for low in range(1, 1 << form.mantissa)
            ]
        return [top | 1 << (form.mantissa - 1), top | sign | (1 << form.mantissa) - 1]
    return []


def _infinities(form: FloatFormat) -> set[int]:
    if form.special != IEEE:
        return set()
    top = ((1 << form.exponent) - 1) << form.mantissa
    return {top, top | 1 << form.magnitude_bits}


def _integers(bits: int, *, signed: bool) -> tuple[int, ...]:
    low = -(1 << bits - 1) if signed else 0
    high = (1 << bits - signed) - 1
    values = [0, 1, -1, low, low + 1, high, high - 1, 2, -2, 3, 7, -7, 10, 100]
    for power in (8, 11, 15, 16, 24, 31, 32, 53, 62):
        values += [(1 << power) - 1, 1 << power, (1 << power) + 1, -(1 << power) - 1]
    mask = (1 << bits) - 1
    return tuple(dict.fromkeys(value & mask for value in values if low <= value <= high))
