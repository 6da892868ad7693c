"""The floating-point element types: decoding bits, and rounding real numbers to them.

The bits of the narrow ones are those of ml_dtypes, which onnx takes them from, too. All real
numbers are held in 80-bit long double, which has each of their values.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from onnx_conformance.core.values.elements import ROWS, element_type

Array = np.ndarray[Any, Any]
LD = np.longdouble

WIDE: dict[str, Any] = {"float32": np.float32, "float64": np.float64}
#: The types of 16 bits and less, as NumPy's.
NARROW: dict[str, np.dtype[Any]] = {
    "float16": np.dtype(np.float16),
    **{
        row["name"]: np.dtype(getattr(ml_dtypes, row["ml_dtypes"]))
        for row in ROWS
        if row["kind"] == "float" and "ml_dtypes" in row
    },
}
FLOATS = frozenset((*NARROW, *WIDE))
# A power of two alone, without a sign and a zero.
_SCALE = "float8e8m0"


def decoded(name: str, patterns: Array) -> Array:
    """The numbers that bit patterns of a narrow type stand for."""
    form = NARROW[name]
    with np.errstate(invalid="ignore"):  # a signaling NaN
        return patterns.astype(f"u{form.itemsize}").view(form).astype(np.float64).astype(LD)


@cache
def table(name: str) -> Array:
    """The value of every bit pattern of a narrow type, as long double."""
    return decoded(name, np.arange(1 << element_type(name).bits))


def has_infinities(name: str) -> bool:
    """Whether a narrow type has infinities."""
    return bool(np.isinf(table(name)).any())


def has_nan(name: str) -> bool:
    """Whether a narrow type has a NaN."""
    return bool(np.isnan(table(name)).any())


@cache
def _finite(name: str) -> tuple[Array, Array]:
    """The non-negative finite values of a narrow type in order, and their bit patterns."""
    values = table(name)
    codes = np.flatnonzero(np.isfinite(values) & ~np.signbit(values))
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
    result = result if name == _SCALE else np.copysign(result, numbers)
    return np.where(np.isnan(numbers), LD(np.nan), result)


def nearest(name: str, sizes: Array) -> Array:
    """The place of the nearest value, ties to the even pattern, among a narrow type's.

    A place one beyond the last stands for what rounds beyond the largest.
    """
    values, codes = _finite(name)
    step = values[-1] - values[-2]
    # The number that would follow the largest, were there one more exponent or mantissa.
    grid = np.append(values, 2 * values[-1] if name == _SCALE else values[-1] + step)
    even = np.append(codes % 2 == 0, codes[-1] % 2 == 1)
    sizes = np.where(np.isnan(sizes), LD(0), sizes)
    above = np.clip(np.searchsorted(grid, sizes), 1, len(grid) - 1)
    below = above - 1
    middle = (grid[below] + grid[above]) / 2
    up = (sizes > middle) | ((sizes == middle) & even[above])
    place: Array = np.where(up, above, below)
    return np.where(sizes >= grid[-1], len(values), place)


def _beyond(name: str) -> Any:  # noqa: ANN401  a long double
    if has_infinities(name):
        return LD(np.inf)
    return LD(np.nan) if has_nan(name) else largest(name)


def encode(name: str, numbers: Array) -> Array:
    """The bit patterns of numbers that a narrow type holds exactly."""
    form = NARROW[name]
    with np.errstate(all="ignore"):
        patterns = numbers.astype(np.float64).astype(form).view(f"u{form.itemsize}")
    wrong = np.isfinite(numbers) & (decoded(name, patterns) != numbers)
    if wrong.any():
        raise ValueError(f"{numbers[wrong][0]} is no value of {name}")
    encoded: Array = patterns.astype(np.int64)
    return encoded
