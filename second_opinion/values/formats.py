"""The floating-point element types: decoding bits, and rounding real numbers to them.

Source: IEEE 754 for float16, float32 and float64; onnx's technical pages on float8 and float4 for
the narrow ones. All real numbers are held in 80-bit long double, which has each of their values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
LD = np.longdouble


@dataclass(frozen=True)
class Format:
    """A narrow floating-point type.

    Attributes:
        exponent, mantissa: widths in bits.
        bias: of the exponent.
        infinite: whether it has infinities, with the NaNs beside them, as IEEE 754 has.
        nans: the bit patterns that are NaN, where `infinite` is false.
        signed: whether it has a sign bit and a zero; E8M0 is a power of two alone.
    """

    exponent: int
    mantissa: int
    bias: int
    infinite: bool = False
    nans: tuple[int, ...] = ()
    signed: bool = True

    @property
    def width(self) -> int:
        """Bits of one element."""
        return int(self.signed) + self.exponent + self.mantissa


NARROW = {
    "float16": Format(5, 10, 15, infinite=True),
    "bfloat16": Format(8, 7, 127, infinite=True),
    "float8e4m3fn": Format(4, 3, 7, nans=(0x7F, 0xFF)),
    "float8e4m3fnuz": Format(4, 3, 8, nans=(0x80,)),
    "float8e5m2": Format(5, 2, 15, infinite=True),
    "float8e5m2fnuz": Format(5, 2, 16, nans=(0x80,)),
    "float8e8m0": Format(8, 0, 127, nans=(0xFF,), signed=False),
    "float6e2m3": Format(2, 3, 1),
    "float6e3m2": Format(3, 2, 3),
    "float4e2m1": Format(2, 1, 1),
}
WIDE: dict[str, Any] = {"float32": np.float32, "float64": np.float64}
FLOATS = frozenset((*NARROW, *WIDE))


@cache
def table(name: str) -> Array:
    """The value of every bit pattern of a narrow type, as long double."""
    form = NARROW[name]
    codes = np.arange(1 << form.width, dtype=np.int64)
    field = (codes >> form.mantissa) & ((1 << form.exponent) - 1)
    fraction = codes & ((1 << form.mantissa) - 1)
    if not form.signed:
        numbers: Array = np.ldexp(LD(1), (field - form.bias).astype(np.int32))
    else:
        whole = np.where(field == 0, fraction, fraction + (1 << form.mantissa)).astype(LD)
        power = np.maximum(field, 1) - form.bias - form.mantissa
        numbers = np.ldexp(whole, power.astype(np.int32))
        if form.infinite:
            top = field == (1 << form.exponent) - 1
            numbers[top & (fraction == 0)] = np.inf
            numbers[top & (fraction != 0)] = np.nan
        numbers = np.where(codes >> (form.width - 1) == 1, -numbers, numbers)
    numbers[list(form.nans)] = np.nan
    return numbers


@cache
def _finite(name: str) -> tuple[Array, Array]:
    """The non-negative finite values of a narrow type in order, and their bit patterns."""
    form, values = NARROW[name], table(name)
    codes = np.arange(1 << (form.width - int(form.signed)))
    codes = codes[np.isfinite(values[codes])]
    return values[codes], codes


def largest(name: str) -> Any:  # noqa: ANN401  a long double
    """The largest finite value of a type."""
    return LD(np.finfo(WIDE[name]).max) if name in WIDE else _finite(name)[0][-1]


def round_to(name: str, numbers: Array) -> Array:
    """Real numbers rounded to nearest, ties to even, beyond the range as IEEE 754 does.

    A type without infinities gives NaN there, or its largest value if it has no NaN either; what
    an operator's document says of saturation is the operator's business.
    """
    numbers = np.asarray(numbers, LD)
    if name in WIDE:
        with np.errstate(all="ignore"):
            return numbers.astype(WIDE[name]).astype(LD)
    values, _ = _finite(name)
    place = nearest(name, np.abs(numbers))
    beyond = place == len(values)
    result = np.where(beyond, _beyond(name), values[np.minimum(place, len(values) - 1)])
    result = np.copysign(result, numbers) if NARROW[name].signed else result
    return np.where(np.isnan(numbers), LD(np.nan), result)


def nearest(name: str, sizes: Array) -> Array:
    """The place of the nearest value, ties to the even pattern, among a narrow type's.

    A place one beyond the last stands for what rounds beyond the largest.
    """
    values, codes = _finite(name)
    step = values[-1] - values[-2]
    # The number that would follow the largest, were there one more exponent or mantissa.
    grid = np.append(values, values[-1] + step if NARROW[name].signed else 2 * values[-1])
    even = np.append(codes % 2 == 0, codes[-1] % 2 == 1)
    sizes = np.where(np.isnan(sizes), LD(0), sizes)
    above = np.clip(np.searchsorted(grid, sizes), 1, len(grid) - 1)
    below = above - 1
    middle = (grid[below] + grid[above]) / 2
    up = (sizes > middle) | ((sizes == middle) & even[above])
    place: Array = np.where(up, above, below)
    return np.where(sizes >= grid[-1], len(values), place)


def _beyond(name: str) -> Any:  # noqa: ANN401  a long double
    form = NARROW[name]
    if form.infinite:
        return LD(np.inf)
    return LD(np.nan) if form.nans else _finite(name)[0][-1]


def encode(name: str, numbers: Array) -> Array:
    """The bit patterns of numbers that a narrow type holds exactly."""
    form = NARROW[name]
    values, codes = _finite(name)
    sizes = np.abs(numbers)
    place = np.clip(np.searchsorted(values, np.where(np.isfinite(sizes), sizes, 0)), 0, None)
    place = np.minimum(place, len(values) - 1)
    result = codes[place]
    wrong = np.isfinite(numbers) & (values[place] != sizes)
    if wrong.any():
        raise ValueError(f"{numbers[wrong][0]} is no value of {name}")
    sign = (np.signbit(numbers) & form.signed).astype(np.int64) << (form.width - 1)
    infinite = ((1 << form.exponent) - 1) << form.mantissa
    result = np.where(np.isinf(numbers), infinite, result)
    if form.nans == (1 << (form.width - 1),):
        sign = np.where(numbers == 0, 0, sign)  # the pattern of -0 is NaN there
    result = result | sign
    nan = form.nans[0] if form.nans else infinite | (1 << max(form.mantissa - 1, 0))
    encoded: Array = np.where(np.isnan(numbers), nan, result)
    return encoded
