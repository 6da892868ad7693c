"""Which elements of a tensor are near enough to the expected ones, and how near they are.

Both tensors have the same element type and shape and are compared by their bit patterns.
docs/tolerance.md has the rules and their reasons.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from .floats import IEEE as IEEE_FORMAT
from .limits import (
    EXACT_RESULT,
    GPU,
    IEEE,
    ONNX,
    PROFILES,
    between,
    limits_for,
    ranked,
    signed,
    used,
)
from .tensors import Bounded, Tensor
from .tolerance import ABSOLUTE_RELATIVE_KIND, EXACT, ULP_KIND, Tolerance, pair

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

# The levels that outputs can meet, tightest first; each but the last accepts all before it.
NONE = "none"
MET = (EXACT_RESULT, *PROFILES, NONE)


@dataclass(frozen=True)
class Nearness:
    """How near the elements of a tensor are.

    Attributes:
        near: for each element, whether it is near enough.
        max_ulp: the largest distance in ulps among elements that have a distance, or None.
        used: the largest used fraction of the limits, if there are limits and it is a number.
        met: the tightest of MET that all elements meet, if there are limits.
        notes: facts that change no verdict.
    """

    near: Array
    max_ulp: int | None = None
    used: float | None = None
    met: str | None = None
    notes: tuple[str, ...] = ()


def nearness(expected: Tensor, got: Tensor, tolerance: Tolerance) -> Nearness:
    """Compare the elements of two tensors of the same type and shape."""
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
    share = met = None
    if isinstance(expected, Bounded):
        exact, max_ulp = _near(first, second, part, EXACT)
        near, share, met = _by_limits(expected, first, second, exact, tolerance)
    else:
        near, max_ulp = _near(first, second, part, tolerance)
    whole = near if parts == 1 else np.asarray(near.reshape(-1, parts).all(axis=1))
    return Nearness(whole, max_ulp, share, met, notes)


def _near(expected: Array, got: Array, part: str, tolerance: Tolerance) -> tuple[Array, int | None]:
    """Which parts of elements are near enough without limits, and their largest ulp distance."""
    if part in FLOAT_FORMATS:
        return _near_floats(expected, got, part, tolerance)
    if part == "bool":
        return (expected != 0) == (got != 0), None
    return _near_integers(expected, got, part, tolerance), None


# --- limits -----------------------------------------------------------------------------------


def _by_limits(
    value: Bounded, expected: Array, got: Array, exact: Array, tolerance: Tolerance
) -> tuple[Array, float | None, str]:
    """Which parts the tolerance's profile accepts, the largest used fraction, and the level met.

    `exact` tells which parts equal the expected ones. Limits of wider profiles are not looked at if
    a tighter one is met, as nearly every output does.
    """
    near = met = None
    for profile, accepted in _accepted(value, expected, got, exact, tolerance):
        if met is None and accepted.all():
            met = profile
        if near is None and profile in (met, tolerance.profile):
            # If a tighter profile accepts everything, so does the profile that was chosen.
            near = accepted
        if met is not None and near is not None:
            break
    if near is None:
        raise ValueError(f"unknown accuracy profile {tolerance.profile!r}")
    return near, _largest_share(value, expected, got, (exact, near), tolerance), met or NONE


def _accepted(
    value: Bounded, expected: Array, got: Array, exact: Array, tolerance: Tolerance
) -> Iterator[tuple[str, Array]]:
    """What each profile accepts, tightest first; each accepts all that the one before it does."""
    part = part_type(value.type)
    yield EXACT_RESULT, exact
    accepted = exact
    required, actual = ranked(expected, part), ranked(got, part)
    for profile in (IEEE, GPU):
        if profile in value.limits:
            ends = (ranked(bit_patterns(limit), part) for limit in value.limits[profile])
            accepted = accepted | between(required, actual, *ends)
        yield profile, accepted
    carried = pair(tolerance.rtol, tolerance.atol)
    yield ONNX, accepted | _near(expected, got, part, carried)[0]


def _largest_share(
    value: Bounded,
    expected: Array,
    got: Array,
    masks: tuple[Array, Array],
    tolerance: Tolerance,
) -> float | None:
    """The largest used fraction of the profile's limits; None if it is not a number.

    `masks` tell which parts are exact, and which are accepted.
    """
    import numpy as np

    part = part_type(value.type)
    exact, near = masks
    other = np.flatnonzero(~exact)
    if not len(other):
        return 0.0
    required, actual = expected[other], got[other]
    limits = [bit_patterns(limit)[other] for limit in limits_for(value, tolerance.profile)]
    share = used(required, actual, limits, part)
    if tolerance.profile == ONNX:
        carried = pair(tolerance.rtol, tolerance.atol)
        share = np.minimum(share, _used_pair(required, actual, part, carried))
    # An accepted element uses at most the whole bound, however the division was rounded.
    share[near[other] & (share > 1)] = 1
    largest = float(share.max())
    return largest if largest != float("inf") else None


def _used_pair(expected: Array, got: Array, part: str, tolerance: Tolerance) -> Array:
    """How much of `atol + rtol * |expected|` is used; infinity for elements without a distance."""
    import numpy as np

    if part not in FLOAT_FORMATS:
        return np.full(expected.shape, np.inf)
    form = FLOAT_FORMATS[part]
    required, actual = numbers(expected, form), numbers(got, form)
    rtol = max(tolerance.rtol, tolerance.bfloat16_rtol if part == "bfloat16" else 0)
    with np.errstate(all="ignore"):
        share = np.abs(actual - required) / (tolerance.atol + rtol * np.abs(required))
    result: Array = np.where(np.isnan(share), np.inf, share)
    return result


# --- distances --------------------------------------------------------------------------------


def _near_floats(
    expected: Array, got: Array, part: str, tolerance: Tolerance
) -> tuple[Array, int | None]:
    """Which elements are near enough, and the largest distance among those that have one."""
    import numpy as np

    form = FLOAT_FORMATS[part]
    near = expected == got
    missing = is_nan(expected, form), is_nan(got, form)
    near |= missing[0] & missing[1]
    finite = ~(missing[0] | missing[1])
    if form.special == IEEE_FORMAT:
        finite &= ~(is_infinite(expected, form) | is_infinite(got, form))
    alike = is_negative(expected, form) == is_negative(got, form)
    measurable = finite & alike
    ulps = ulps_between(expected, got, form)
    if tolerance.kind == ULP_KIND:
        near |= measurable & (ulps <= (tolerance.half_ulps if form.width <= 16 else tolerance.ulps))
    elif tolerance.kind == ABSOLUTE_RELATIVE_KIND:
        required, actual = numbers(expected, form), numbers(got, form)
        largest = np.max(np.abs(required), where=np.isfinite(required), initial=0)
        atol = tolerance.atol + tolerance.of_largest * 2.0**-form.mantissa * float(largest)
        rtol = max(tolerance.rtol, tolerance.bfloat16_rtol if part == "bfloat16" else 0)
        # Two zeros have no distance; the tolerance decides whether their signs count.
        near |= finite & ~_zeros(expected, got, part) & _close(required, actual, rtol, atol)
    if not tolerance.signed_zero:
        near |= _zeros(expected, got, part)
    return near, int(np.max(ulps, where=measurable, initial=0)) if measurable.any() else None


def _zeros(expected: Array, got: Array, part: str) -> Array:
    """Where both elements are zeros of either sign."""
    form = FLOAT_FORMATS[part]
    result: Array = is_zero(expected, form) & is_zero(got, form)
    return result


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
