"""What may be accepted in place of an expected value: limits, element by element.

Limits are values of the output's own type. An element is accepted where `low <= got <= high` in
the order of the real numbers, with -0 before +0 and the infinities at the ends; where NaN is
expected, both limits are NaN and only NaN is accepted. Limits of -inf and +inf accept NaN too:
where terms may overflow either way, their sum may be inf - inf. Each part of a complex number is
judged alone. No arithmetic is needed: `order` maps elements to integers with the same order.

vectors/README.md has the rule for judges in other languages; docs/tolerance.md says where the
limits come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import BadInputError
from .describing import bit_patterns, part_type, text
from .elements import element_type
from .floats import (
    FINITE,
    FLOAT_FORMATS,
    NEGATIVE_ZERO,
    infinity_of,
    is_infinite,
    is_nan,
    is_negative,
    is_zero,
    magnitude,
    nan_of,
    numbers,
    ulps_between,
)
from .tensors import Bounded, MapValue, OptionalValue, SequenceValue, Tensor, Value, parts_of

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

Pair = tuple[Value, Value]

EXACT_RESULT = "exact"  # not a profile that a user can choose: the nearest values themselves
IEEE = "ieee"
GPU = "gpu"
ONNX = "onnx"
# Each profile accepts everything that the profiles before it accept.
PROFILES = (IEEE, GPU, ONNX)
_WIDE = 8  # bits from which numbers are so many that limits which hold all of them say nothing


def limits_for(value: Bounded, profile: str) -> tuple[Tensor, Tensor]:
    """The lowest and the highest values that a profile accepts.

    Without limits of its own, `gpu` uses those of `ieee`, and `onnx` those of `gpu`; `ieee` without
    limits accepts only the value itself.
    """
    for name in (GPU, IEEE) if profile != IEEE else (IEEE,):
        if name in value.limits:
            return value.limits[name]
    return value, value


# --- whole values -----------------------------------------------------------------------------


def with_limits(value: Value, limits: Mapping[str, Pair]) -> Value:
    """A value whose tensors are replaced by Bounded tensors.

    Args:
        value: the expected value.
        limits: (low, high) of each profile, values of the same structure.

    Raises BadInputError if a limit differs in kind, type or shape, or the value is not numeric.
    """
    for low, high in limits.values():
        for limit in (low, high):
            _check_alike(value, limit)
    return _bounded(value, limits)


def _bounded(value: Value, limits: Mapping[str, Pair]) -> Value:
    if isinstance(value, Tensor):
        pairs = {
            profile: (low, high)
            for profile, (low, high) in limits.items()
            if isinstance(low, Tensor) and isinstance(high, Tensor)
        }
        return Bounded(value.type, value.shape, value.data, pairs)
    ends = {name: (parts_of(low), parts_of(high)) for name, (low, high) in limits.items()}
    parts = [
        _bounded(part, {name: (low[i], high[i]) for name, (low, high) in ends.items()})
        for i, part in enumerate(parts_of(value))
    ]
    return _made_of(value, parts)


def limit_values(value: Value, profile: str) -> Pair:
    """The lowest and the highest values that a profile accepts, in the structure of `value`."""
    if isinstance(value, Bounded):
        return limits_for(value, profile)
    if isinstance(value, Tensor):
        return value, value
    pairs = [limit_values(part, profile) for part in parts_of(value)]
    return _made_of(value, [low for low, _ in pairs]), _made_of(value, [high for _, high in pairs])


def profiles_of(value: Value) -> tuple[str, ...]:
    """The profiles for which a value has limits, in the order of PROFILES."""
    if isinstance(value, Bounded):
        return tuple(profile for profile in PROFILES if profile in value.limits)
    if isinstance(value, Tensor):
        return ()
    found = {profile for part in parts_of(value) for profile in profiles_of(part)}
    return tuple(profile for profile in PROFILES if profile in found)


def is_bounded(value: Value) -> bool:
    """Whether a value is Bounded or holds one that is."""
    if isinstance(value, Tensor):
        return isinstance(value, Bounded)
    return any(is_bounded(part) for part in parts_of(value))


def check_limits(value: Value) -> None:
    """Raise BadInputError if limits contradict the expected value or each other.

    They must satisfy `low <= value <= high`, with NaN exactly where NaN is expected, and `gpu` must
    accept everything that `ieee` accepts.
    """
    if not isinstance(value, Tensor):
        for part in parts_of(value):
            check_limits(part)
        return
    if not isinstance(value, Bounded):
        return
    unknown = set(value.limits) - {IEEE, GPU}
    if unknown:
        raise BadInputError(f"limits of an unknown profile '{min(unknown)}'")
    inner: tuple[Tensor, Tensor] = value, value
    for profile in profiles_of(value):
        low, high = value.limits[profile]
        for limit in (low, high):
            _check_alike(value, limit)
        for outer, due in ((low, inner[0]), (high, inner[1])):
            ends = (low, due) if outer is low else (due, high)
            _check_order(*ends, f"the {profile} limits")
        inner = low, high


def permit_everything(low: Tensor, high: Tensor) -> bool:
    """Whether limits permit every number at each element, so that they judge NaN alone."""
    one, other = bit_patterns(low), bit_patterns(high)
    part = part_type(low.type)
    element = element_type(part)
    if part in FLOAT_FORMATS:
        form = FLOAT_FORMATS[part]
        every = is_infinite(one, form) & is_negative(one, form)
        every &= is_infinite(other, form) & ~is_negative(other, form)
    elif element.kind in {"int", "uint"} and element.bits >= _WIDE:
        lowest = -(1 << element.bits - 1) if element.kind == "int" else 0
        every = (order(one, part) == lowest) & (
            order(other, part) == lowest + (1 << element.bits) - 1
        )
    else:
        return False  # of a few numbers all may be near enough
    return bool(every.size and every.all())


def _check_order(low: Tensor, high: Tensor, what: str) -> None:
    import numpy as np

    one, other = bit_patterns(low), bit_patterns(high)
    part = part_type(low.type)
    wrong = order(one, part) > order(other, part)
    if part in FLOAT_FORMATS:
        form = FLOAT_FORMATS[part]
        first, second = is_nan(one, form), is_nan(other, form)
        wrong = (wrong & ~first & ~second) | (first != second)
    if wrong.any():
        raise BadInputError(
            f"{what} do not hold the expected value at element {int(np.flatnonzero(wrong)[0])}:"
            f" {text(low)} above {text(high)}"
        )


def _check_alike(value: Value, limit: Value) -> None:
    if isinstance(value, Tensor):
        if isinstance(value.data, tuple):
            raise BadInputError("strings have no limits")
        alike = isinstance(limit, Tensor) and (value.type, value.shape) == (limit.type, limit.shape)
    else:
        alike = type(value) is type(limit) and len(parts_of(value)) == len(parts_of(limit))
    if not alike:
        raise BadInputError(f"a limit is {text(limit)}, which is no limit of {text(value)}")
    if not isinstance(value, Tensor):
        for part, other in zip(parts_of(value), parts_of(limit), strict=True):
            _check_alike(part, other)


def _made_of(value: Value, parts: list[Value]) -> Value:
    """A value of the same structure made of other parts."""
    if isinstance(value, SequenceValue):
        return SequenceValue(tuple(parts))
    if isinstance(value, OptionalValue):
        return OptionalValue(parts[0] if parts else None)
    return MapValue(value.keys, tuple(parts)) if isinstance(value, MapValue) else value


# --- elements ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranked:
    """Elements in the order in which limits are compared.

    Attributes:
        key: integers in the order of the elements: neighbours are 1 apart, and so are -0 and +0.
            The key of a NaN means nothing.
        nan: which elements are NaN; None for a type without NaN.
        infinity: the key of +inf; None for a type without infinities.
    """

    key: Array
    nan: Array | None
    infinity: int | None = None


def ranked(bits: Array, part: str) -> Ranked:
    """The order of elements.

    Args:
        bits: bit patterns of elements, as `describing.bit_patterns` gives them.
        part: their element type; neither complex nor string.
    """
    import numpy as np

    if part in FLOAT_FORMATS:
        form = FLOAT_FORMATS[part]
        sizes = magnitude(bits, form)
        nan = None if form.special == FINITE else nan_of(bits, sizes, form)
        wide = sizes.astype(np.int64)
        if not form.signed:
            return Ranked(wide, nan)
        # In a format without -0, the number just below 0 is its direct neighbour.
        below = -wide if form.special == NEGATIVE_ZERO else ~wide
        return Ranked(np.where(bits == sizes, wide, below), nan, infinity_of(form))
    element = element_type(part)
    if element.kind == "bool":
        return Ranked((bits != 0).astype(np.int64), None)
    return Ranked(
        signed(bits, element.bits).astype(np.int64) if element.kind == "int" else bits, None
    )


def order(bits: Array, part: str) -> Array:
    """The keys of `ranked` alone."""
    return ranked(bits, part).key


def signed(bits: Array, width: int) -> Array:
    """Two's complement integers of a width in bits, the 4- and 2-bit types included."""
    import numpy as np

    shift = 8 * bits.dtype.itemsize - width
    target = np.dtype(f"i{bits.dtype.itemsize}")
    result: Array = (bits << bits.dtype.type(shift)).view(target) >> target.type(shift)
    return result


def between(expected: Ranked, got: Ranked, low: Ranked, high: Ranked) -> Array:
    """Which elements the limits accept."""
    inside: Array = (low.key <= got.key) & (got.key <= high.key)
    if expected.nan is None or got.nan is None or low.nan is None or high.nan is None:
        return inside
    inside &= ~(got.nan | low.nan | high.nan | expected.nan)
    inside |= expected.nan & got.nan
    if low.infinity is not None and got.nan.any():
        inside |= got.nan & (low.key == ~low.infinity) & (high.key == low.infinity)
    return inside


def steps(one: Array, other: Array, part: str) -> Array:
    """How many representable steps lie between elements, as uint64; the two zeros are 1 apart."""
    import numpy as np

    first, second = order(one, part), order(other, part)
    # The difference of two int64 may overflow; modulo 2**64 it is right.
    distance = np.maximum(first, second) - np.minimum(first, second)
    result: Array = distance.astype(np.uint64)
    return result


def used(expected: Array, got: Array, limits: Sequence[Array], part: str) -> Array:
    """How much of the way to the limit on its side an element goes, as float64: 1 is on the limit.

    |got - expected| / |limit - expected|. If an infinity makes this undefined, representable steps
    are counted instead. The result is infinity if only the expected value is accepted and another
    was returned, and for a NaN where none is permitted.
    """
    import numpy as np

    low, high = limits
    here, there = ranked(got, part), ranked(expected, part)
    limit = np.where(here.key > there.key, high, low)
    same = got == expected
    if part not in FLOAT_FORMATS:
        return np.where(same, 0.0, _counted(expected, got, limit, part))
    form = FLOAT_FORMATS[part]
    due = numbers(expected, form)
    with np.errstate(all="ignore"):
        far = np.abs(numbers(got, form) - due)
        bound = np.abs(numbers(limit, form) - due)
        ratio = far / bound
    plain = np.isfinite(far) & np.isfinite(bound) & (bound > 0)
    if not plain.all():
        ratio = np.where(plain, ratio, _counted(expected, got, limit, part))
    result: Array = np.where((far == 0) | same, 0.0, ratio)
    if here.nan is not None and there.nan is not None:
        result[here.nan != there.nan] = np.inf
        result[here.nan & there.nan] = 0
    return result


def _counted(expected: Array, got: Array, limit: Array, part: str) -> Array:
    """The same fraction, counted in representable steps."""
    import numpy as np

    with np.errstate(all="ignore"):
        result: Array = steps(got, expected, part) / steps(limit, expected, part).astype(np.float64)
    return result


def steps_outside(got: Array, limits: Sequence[Array], part: str) -> int | None:
    """How many representable steps one element lies beyond the nearer of its limits.

    For a complex element, the larger of its parts. None if it lies inside, or if there is no such
    number: for NaN and infinities, and across zero.
    """
    import numpy as np

    low, high = limits
    above = order(got, part) > order(high, part)
    limit = np.where(above, high, low)
    beyond = above | (order(got, part) < order(low, part))
    if part in FLOAT_FORMATS:
        form = FLOAT_FORMATS[part]
        for item in (got, limit):
            if (beyond & (is_nan(item, form) | is_infinite(item, form))).any():
                return None
        zero = is_zero(got, form) | is_zero(limit, form)
        if (beyond & ~zero & (is_negative(got, form) != is_negative(limit, form))).any():
            return None
        far = ulps_between(got, limit, form)
    else:
        far = steps(got, limit, part)
    return int(np.max(far, where=beyond, initial=0)) or None
