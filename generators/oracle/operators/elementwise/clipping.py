"""Clip, all versions: elements limited to a range. Source: the Clip page, Summary and Inputs.

Versions 1 and 6 have the bounds as FLOAT attributes; since 11 they are scalar inputs.
"""

from __future__ import annotations

from ...arith.grid import AnyOf, Item
from ...arith.numbers import (
    NAN,
    NEG_ZERO,
    ZERO,
    Real,
    fraction,
    from_float,
    is_infinite,
    is_nan,
    is_zero,
    less,
    real,
)
from ...arith.rounding import greatest, is_float, round_to
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

_BOUNDS_ARE_INPUTS = 11
_MIN_ABOVE_MAX_IS_SAID = 13
_LARGEST_SINGLE = greatest("float32")


@oracle("Clip", versions=(1, 6))
def clip_by_attributes(call: Call) -> Result:
    """Each element between two attributes, which are rounded to the elements' type."""
    grid = call.grid("input")
    low, high = _given(call, "min"), _given(call, "max")
    if low is not None and high is not None and less(high, low):
        low, high = _crossed(call, low, high)
    low, high = (
        None if bound is None else real(round_to(grid.type, bound)) for bound in (low, high)
    )
    return (grid.map(lambda item: _between(call, grid.type, item, low, high)),)


@oracle("Clip", versions=(_BOUNDS_ARE_INPUTS, None))
def clip_by_inputs(call: Call) -> Result:
    """Each element between two scalars of its type: Min(max, Max(input, min))."""
    grid = call.grid("input")
    low, high = _scalar(call, "min", grid.type), _scalar(call, "max", grid.type)
    if (
        low is not None
        and high is not None
        and less(high, low)
        and call.since_version < _MIN_ABOVE_MAX_IS_SAID
    ):
        low, high = _crossed(call, low, high)
    return (grid.map(lambda item: _between(call, grid.type, item, low, high)),)


def _given(call: Call, name: str) -> Real | None:
    """A bound that is an attribute; None if it is absent or has the value of its default."""
    if name not in call.attributes:
        return None
    value = from_float(call.float_attribute(name))
    default = -_LARGEST_SINGLE if name == "min" else _LARGEST_SINGLE
    return None if value == default else value


def _scalar(call: Call, name: str, type_name: str) -> Real | None:
    """A bound that is an input; InvalidCallError if it is not a scalar of the elements' type."""
    grid = call.optional_grid(name)
    if grid is None:
        return None
    if grid.type != type_name:
        raise InvalidCallError(f"'{name}' is {grid.type}, the input {type_name}")
    if grid.shape != ():
        raise InvalidCallError(f"'{name}' has shape {list(grid.shape)}, not that of a scalar")
    bound: Real = grid.items[0]
    return bound


def _crossed(call: Call, low: Real, high: Real) -> tuple[Real, Real]:
    """The bounds if min is above max, which the pages before version 13 do not mention."""
    refuse_if_chosen(call, "min-above-max", "computed")
    wins = call.choose("bound-that-wins", "max", "min")
    return (high, high) if wins == "max" else (low, low)


def _between(call: Call, name: str, item: Real, low: Real | None, high: Real | None) -> Item:
    """An element limited to the range between the bounds; None is an absent one."""
    if is_nan(item):
        return _of_nan(call, low, high)
    if any(bound is not None and is_nan(bound) for bound in (low, high)):
        if call.choose("nan-bound", "propagates", "ignored") == "propagates":
            return NAN
        low = None if low is None or is_nan(low) else low
        high = None if high is None or is_nan(high) else high
    beyond = _bound_beyond(item, low, high)
    if beyond is not None:
        return _taken(call, name, beyond, low, high)
    if is_float(name) and is_zero(item) and any(_is_other_zero(item, x) for x in (low, high)):
        return AnyOf((item, _other_zero(item)))
    return _at_the_ends(call, name, item, low, high)


def _taken(call: Call, name: str, bound: Real, low: Real | None, high: Real | None) -> Item:
    """The bound in the place of an element that is beyond it."""
    if high is None:
        # A min of infinity is above the greatest number, which the page has for an absent max.
        return _at_the_ends(call, name, bound, low, high)
    if is_float(name) and is_zero(bound) and _is_other_zero(bound, high):
        # Min of two zeros, the sign of which no page says.
        return AnyOf((bound, _other_zero(bound)))
    return bound


def _of_nan(call: Call, low: Real | None, high: Real | None) -> Item:
    """NaN, which is beyond no bound; or what Min and Max make of it where they ignore NaN."""
    bounds = [bound for bound in (low, high) if bound is not None and not is_nan(bound)]
    if not bounds or call.choose("nan-element", "stays", "bound") == "stays":
        return NAN
    return bounds[-1] if less(bounds[-1], bounds[0]) else bounds[0]


def _bound_beyond(item: Real, low: Real | None, high: Real | None) -> Real | None:
    """The bound that the element is beyond, or None; max where they are crossed."""
    if high is not None and (less(high, item) or (low is not None and less(high, low))):
        return high
    return low if low is not None and less(item, low) else None


def _is_other_zero(item: Real, bound: Real | None) -> bool:
    return bound is not None and is_zero(bound) and (item is NEG_ZERO) != (bound is NEG_ZERO)


def _other_zero(item: Real) -> Real:
    return ZERO if item is NEG_ZERO else NEG_ZERO


def _at_the_ends(call: Call, name: str, item: Real, low: Real | None, high: Real | None) -> Item:
    """The element if a bound is absent: limited to the type's greatest number, or unchanged."""
    if not is_float(name):
        return item
    absent = high is None if not less(item, 0) else low is None
    limit = _absent_bound(call, name, item) if absent else None
    return item if limit is None else limit


def _absent_bound(call: Call, name: str, item: Real) -> Real | None:
    """The default bound that the element is beyond, in one reading of the page, or None."""
    negative = less(item, 0)
    if is_infinite(item):
        reading = call.choose("infinity-without-bound", "kept", "greatest-number")
        bound = greatest(name)
    elif (
        call.since_version < _BOUNDS_ARE_INPUTS
        and name == "float64"
        and abs(fraction(item)) > _LARGEST_SINGLE
    ):
        reading = call.choose("bound-of-float64", "kept", "greatest-float32")
        bound = _LARGEST_SINGLE
    else:
        return None
    return None if reading == "kept" else (-bound if negative else bound)
