"""Floating-point formats by their bits: which codes are NaN, infinite or negative, and distances.

Everything works on the bit patterns (unsigned integers), so that types that NumPy does not have
are judged by the same code as the others, and no conversion can change a value.

Sources: IEEE 754-2019, 3.4; onnx docs "Float stored in 8 bits" and "Float stored in 4 bits"
(which float8 types have infinities, a negative zero, and which codes are NaN); the OCP
Microscaling Formats specification 1.0 for E8M0, E2M1, E2M3 and E3M2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from .elements import ROWS

if TYPE_CHECKING:
    import numpy as np


Bits: TypeAlias = "np.ndarray[Any, np.dtype[np.unsignedinteger[Any]]]"
Mask: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"
Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"

# Which codes are not finite numbers, as element_types.json says it.
IEEE = "ieee"  # the greatest exponent is infinity or NaN
ALL_ONES = "all ones"  # no infinity; NaN has all exponent and mantissa bits set
NEGATIVE_ZERO = "negative zero"  # no infinity and no negative zero, whose code is the only NaN
FINITE = "finite"  # every code is a number


@dataclass(frozen=True)
class FloatFormat:
    """How a floating-point type uses its bits.

    Attributes:
        exponent, mantissa: number of bits of each.
        bias: the exponent's bias.
        special: which codes are not finite numbers: IEEE, ALL_ONES, NEGATIVE_ZERO or FINITE.
        signed: False if there is no sign bit (and then no zero: E8M0).
    """

    exponent: int
    mantissa: int
    bias: int
    special: str
    signed: bool = True

    @property
    def magnitude_bits(self) -> int:
        """Bits below the sign."""
        return self.exponent + self.mantissa

    @property
    def width(self) -> int:
        """All bits."""
        return self.magnitude_bits + int(self.signed)


#: By the names of their element types: the columns of element_types.json that say it.
FLOAT_FORMATS = {
    row["name"]: FloatFormat(
        row["exponent"], row["mantissa"], row["bias"], row["special"], row.get("signed", True)
    )
    for row in ROWS
    if row["kind"] == "float"
}


def magnitude(bits: Bits, form: FloatFormat) -> Bits:
    """The bits without the sign. Equal signs: greater magnitude means greater absolute value."""
    return bits & bits.dtype.type((1 << form.magnitude_bits) - 1)


def is_negative(bits: Bits, form: FloatFormat) -> Mask:
    """Where the sign bit is set (also on zeros and NaNs)."""
    import numpy as np

    if not form.signed:
        return np.zeros(bits.shape, bool)
    return (bits >> bits.dtype.type(form.magnitude_bits)).astype(bool)


def is_nan(bits: Bits, form: FloatFormat) -> Mask:
    """Where the value is NaN."""
    import numpy as np

    if form.special == FINITE:
        return np.zeros(bits.shape, bool)
    return nan_of(bits, magnitude(bits, form), form)


def nan_of(bits: Bits, sizes: Bits, form: FloatFormat) -> Mask:
    """As `is_nan`, for callers that have the magnitudes already; the format must have NaN."""
    result: Mask
    if form.special == NEGATIVE_ZERO:
        result = bits == bits.dtype.type(1 << form.magnitude_bits)
    elif form.special == ALL_ONES:
        result = sizes == bits.dtype.type((1 << form.magnitude_bits) - 1)
    else:
        result = sizes > bits.dtype.type(_infinity(form))
    return result


def is_infinite(bits: Bits, form: FloatFormat) -> Mask:
    """Where the value is an infinity of either sign."""
    import numpy as np

    if form.special != IEEE:
        return np.zeros(bits.shape, bool)
    result: Mask = magnitude(bits, form) == bits.dtype.type(_infinity(form))
    return result


def is_zero(bits: Bits, form: FloatFormat) -> Mask:
    """Where the value is a zero of either sign; E8M0 has none."""
    import numpy as np

    if not form.signed:
        return np.zeros(bits.shape, bool)
    result: Mask = (magnitude(bits, form) == 0) & ~is_nan(bits, form)
    return result


def ulps_between(first: Bits, second: Bits, form: FloatFormat) -> Bits:
    """How many representable steps lie between finite values of equal sign.

    Neighbours are 1 apart, also across a power of two and between subnormal and normal numbers.
    The result means nothing if a value is not finite or the signs differ.
    """
    import numpy as np

    one, other = magnitude(first, form), magnitude(second, form)
    return np.maximum(one, other) - np.minimum(one, other)


def numbers(bits: Bits, form: FloatFormat) -> Numbers:
    """The values as float64, which holds every value of every format."""
    import numpy as np

    native = {(8, 23): "f4", (11, 52): "f8", (5, 10): "f2"}.get((form.exponent, form.mantissa))
    if native is not None and bits.dtype.itemsize == np.dtype(native).itemsize:
        with np.errstate(invalid="ignore"):  # a signalling NaN is still just a NaN
            return bits.view(native).astype(np.float64)
    if form.width == 16:
        with np.errstate(invalid="ignore"):
            return (bits.astype(np.uint32) << np.uint32(16)).view("f4").astype(np.float64)
    return np.array(_table(form), np.float64)[bits]


@cache
def _table(form: FloatFormat) -> tuple[float, ...]:
    """The value of every code of a format of at most 8 bits."""
    return tuple(_number(code, form) for code in range(1 << form.width))


def _number(code: int, form: FloatFormat) -> float:
    import numpy as np

    bits = np.array([code], np.uint8)
    if is_nan(bits, form)[0]:
        return float("nan")
    sign = -1.0 if is_negative(bits, form)[0] else 1.0
    if is_infinite(bits, form)[0]:
        return sign * float("inf")
    exponent = (code >> form.mantissa) & ((1 << form.exponent) - 1)
    fraction = (code & ((1 << form.mantissa) - 1)) / (1 << form.mantissa)
    if exponent == 0 and form.signed:
        return sign * float(fraction * 2.0 ** (1 - form.bias))
    return sign * float((1 + fraction) * 2.0 ** (exponent - form.bias))


def infinity_of(form: FloatFormat) -> int | None:
    """The bits of +inf; None for a format without infinities."""
    return _infinity(form) if form.special == IEEE else None


def _infinity(form: FloatFormat) -> int:
    """The magnitude bits of infinity in an IEEE format."""
    return ((1 << form.exponent) - 1) << form.mantissa
