"""Which elements of a tensor are near enough to the expected ones, and how near.

Two tensors of one element type and shape come in, by their bit patterns. The rules and their
reasons are in docs/tolerance.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .describing import bit_patterns, part_count, part_type
from .elements import element_type
from .floats import (
    FLOAT_FORMATS,
    is_infinite,
    is_nan,
    is_negative,
    is_zero,
    numbers,
    ulps_between,
)
from .limits import EXACT_RESULT, GPU, IEEE, ONNX, PROFILES, limits_for, signed, used, within
from .tensors import Bounded
from .tolerance import ABSOLUTE_RELATIVE_KIND, EXACT, ULP_KIND, pair

if TYPE_CHECKING:
    import numpy as np

    from .tensors import Tensor
    from .tolerance import Tolerance

    Array = np.ndarray[Any, Any]

# What outputs can meet, the tightest first; each but the last accepts what those before it accept.
NONE = "none"
MET = (EXACT_RESULT, *PROFILES, NONE)


@dataclass(frozen=True)
class Nearness:
    """How near the elements of a tensor are.

    Attributes:
        near: for each element, whether it is near enough.
        max_ulp: the largest distance in ulps of those that have one, or None.
        used: the largest used fraction of the limits, where there are some and it is a number.
        met: the tightest of MET that all elements meet, where there are limits.
        notes: facts that change no verdict.
    """

    near: Array
    max_ulp: int | None = None
    used: float | None = None
    met: str | None = None
    notes: tuple[str, ...] = ()


def nearness(expected: Tensor, got: Tensor, tolerance: Tolerance) -> Nearness:
    """Hold the elements of two tensors of one type and shape against each other."""
    import numpy as np

    if isinstance(expected.data, tuple) and isinstance(got.data, tuple):
        same = [one == other for one, other in zip(expected.data, got.data, strict=True)]
        return Nearness(np.array(same, bool))
    first, second = bit_patterns(expected), bit_patterns(got)
    part, parts = part_type(expected.type), part_count(expected.type)
    notes: tuple[str, ...] = ()
    if part == "bool":
        odd = int(np.count_nonzero(second > 1))
        if odd:
            notes = (f"{odd} true elements are bytes other than 1",)
    near, max_ulp = _near(first, second, part, tolerance)
    share = met = None
    if isinstance(expected, Bounded):
        near, share, met = _by_limits(expected, first, second, tolerance)
    whole = np.asarray(near.reshape(-1, parts).all(axis=1))
    return Nearness(whole, max_ulp, share, met, notes)


def _near(expected: Array, got: Array, part: str, tolerance: Tolerance) -> tuple[Array, int | None]:
    """Which parts of elements are near enough without limits, and the largest distance in ulps."""
    if part in FLOAT_FORMATS:
        return _near_floats(expected, got, part, tolerance)
    if part == "bool":
        return (expected != 0) == (got != 0), None
    return _near_integers(expected, got, part, tolerance), None


# --- limits -----------------------------------------------------------------------------------


def _by_limits(
    value: Bounded, expected: Array, got: Array, tolerance: Tolerance
) -> tuple[Array, float | None, str]:
    """Which parts the tolerance's profile accepts, the largest used fraction, and what is met."""
    import numpy as np

    part = part_type(value.type)
    bounds = {
        profile: [bit_patterns(limit) for limit in limits_for(value, profile)]
        for profile in PROFILES
    }
    carried = pair(tolerance.rtol, tolerance.atol)
    accepted = {EXACT_RESULT: _near(expected, got, part, EXACT)[0]}
    accepted[IEEE] = accepted[EXACT_RESULT] | within(expected, got, bounds[IEEE], part)
    accepted[GPU] = accepted[IEEE] | within(expected, got, bounds[GPU], part)
    accepted[ONNX] = accepted[GPU] | _near(expected, got, part, carried)[0]
    met = next((name for name, near in accepted.items() if near.all()), NONE)
    share = used(expected, got, bounds[tolerance.profile], part)
    if tolerance.profile == ONNX:
        share = np.minimum(share, _used_pair(expected, got, part, carried))
    near = accepted[tolerance.profile]
    # What is accepted uses the whole bound at most, however the division was rounded.
    largest = float(np.max(np.where(near, np.minimum(share, 1), share), initial=0))
    return near, largest if np.isfinite(largest) else None, met


def _used_pair(expected: Array, got: Array, part: str, tolerance: Tolerance) -> Array:
    """How much of `atol + rtol * |expected|` is used; infinity where there is no distance."""
    import numpy as np

    if part not in FLOAT_FORMATS:
        return np.full(expected.shape, np.inf)
    form = FLOAT_FORMATS[part]
    wanted, came = numbers(expected, form), numbers(got, form)
    rtol = max(tolerance.rtol, tolerance.bfloat16_rtol if part == "bfloat16" else 0)
    with np.errstate(all="ignore"):
        share = np.abs(came - wanted) / (tolerance.atol + rtol * np.abs(wanted))
    result: Array = np.where(np.isnan(share), np.inf, share)
    return result


# --- distances --------------------------------------------------------------------------------


def _near_floats(
    expected: Array, got: Array, part: str, tolerance: Tolerance
) -> tuple[Array, int | None]:
    """Which elements are near enough, and the largest distance of those that have one."""
    import numpy as np

    form = FLOAT_FORMATS[part]
    near = (expected == got) | (is_nan(expected, form) & is_nan(got, form))
    finite = is_finite(expected, part) & is_finite(got, part)
    zeros = is_zero(expected, form) & is_zero(got, form)
    alike = is_negative(expected, form) == is_negative(got, form)
    ulps = ulps_between(expected, got, form)
    measurable = finite & alike
    if tolerance.kind == ULP_KIND:
        near |= measurable & (ulps <= (tolerance.half_ulps if form.width <= 16 else tolerance.ulps))
    elif tolerance.kind == ABSOLUTE_RELATIVE_KIND:
        wanted, came = numbers(expected, form), numbers(got, form)
        largest = np.max(np.abs(wanted), where=np.isfinite(wanted), initial=0)
        atol = tolerance.atol + tolerance.of_largest * 2.0**-form.mantissa * float(largest)
        rtol = max(tolerance.rtol, tolerance.bfloat16_rtol if part == "bfloat16" else 0)
        # Two zeros have no distance; whether their signs count is the tolerance's to say.
        near |= finite & ~zeros & _close(wanted, came, rtol, atol)
    if not tolerance.signed_zero:
        near |= zeros
    return near, int(np.max(ulps, where=measurable, initial=0)) if measurable.any() else None


def is_finite(bits: Array, part: str) -> Array:
    """Where an element of a float type is neither NaN nor infinite."""
    form = FLOAT_FORMATS[part]
    result: Array = ~(is_nan(bits, form) | is_infinite(bits, form))
    return result


def _close(expected: Array, got: Array, rtol: float, atol: float) -> Array:
    import numpy as np

    with np.errstate(invalid="ignore", over="ignore"):
        result: Array = np.abs(got - expected) <= atol + rtol * np.abs(expected)
    return result


def _near_integers(expected: Array, got: Array, part: str, tolerance: Tolerance) -> Array:
    import numpy as np

    near: Array = expected == got
    if tolerance.kind != ABSOLUTE_RELATIVE_KIND or not tolerance.integers:
        return near
    element = element_type(part)
    if element.kind == "int":
        expected, got = signed(expected, element.bits), signed(got, element.bits)
    wide = expected.astype(np.float64), got.astype(np.float64)
    return near | _close(*wide, tolerance.rtol, tolerance.atol)
