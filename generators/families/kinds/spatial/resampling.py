"""The family of values at places between elements: lengths of axes that are solved for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....oracle.arith.rationals import Fraction
from ....specs.words import Spread
from ...assigning import assigned
from ...operator import dims_text
from ...registry import Template, family

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ....specs.model import Case
    from ...operator import Operator

PLACES = "place-of-each-element"
NEAREST = "nearest-element"
LINEAR = "linear-average"
CUBIC = "cubic-average"

TEMPLATES = {
    PLACES: Template(
        "An element of the output lies, along each axis by itself, at the place in the input that"
        " the formula of coordinate_transformation_mode gives for it.",
        "coordinate_transformation_mode",
    ),
    NEAREST: Template(
        "In mode nearest the element is that of the input which nearest_mode chooses for the"
        " place: the nearest one, of two that are as near the lower or the upper one, or the next"
        " one below or above. At a place beyond the ends of an axis it is the element at that end.",
        "mode and nearest_mode",
    ),
    LINEAR: Template(
        "In mode linear the element is the average of the two neighbours along each axis, weighted"
        " by their distance; a neighbour beyond the ends of an axis has the value of that end.",
        "mode",
    ),
    CUBIC: Template(
        "In mode cubic the element is the sum of four neighbours along each axis, weighted by the"
        " cubic function of their distance; a neighbour beyond the ends of an axis has the value of"
        " that end.",
        "mode and cubic_coeff_a",
    ),
}

_HALF = Fraction(1, 2)
_NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
_MOST = 8
# The least distance from a boundary of a place that float32 cannot represent.
_BESIDE = Fraction(1, 32)


@dataclass(frozen=True)
class _Pair:
    """The length of an axis before and after."""

    #: Elements of the input along the axis.
    before: int
    #: Elements of the output along it.
    after: int


def _half_pixel(x: int, one: _Pair) -> Fraction:
    return (x + _HALF) * one.before / one.after - _HALF


def _by_lengths(x: int, one: _Pair) -> Fraction:
    return Fraction(x * one.before, one.after)


# The transformations: the place that each computes, whether the lengths count from one end to the
# other, and the last version that has it.
_FORMULAS: dict[str, tuple[Callable[[int, _Pair], Fraction], bool, int | None]] = {
    "half_pixel": (_half_pixel, False, None),
    "asymmetric": (_by_lengths, False, None),
    "align_corners": (lambda x, one: Fraction(x * (one.before - 1), one.after - 1), True, None),
    "pytorch_half_pixel": (
        lambda x, one: _half_pixel(x, one) if one.after > 1 else Fraction(0),
        False,
        None,
    ),
    "half_pixel_symmetric": (_half_pixel, False, None),
    "tf_half_pixel_for_nn": (lambda x, one: _half_pixel(x, one) + _HALF, False, 11),
}
_SYMMETRIC_SINCE = 19
_SIZES_SINCE = 13


@family("resampling", TEMPLATES)
def resampling(operator: Operator, *, data: str = "distinct", full: int = 19) -> Iterator[Case]:
    """Sizes of which each place falls on a boundary, or beside one, for every transformation.

    The lengths of an axis before and after are solved for: the fewest and shortest pairs of them
    that together have a place on a whole number, on a half, below and above one, and beyond either
    end, with a ratio that float32 holds, so that no correct runtime finds another place; then
    one whose ratio it does not hold, whose places are all beside a boundary. They are the axes
    of one case, two of them in mode cubic. Every transformation stands with two nearest_modes,
    linear and cubic; by scales and by sizes in turn. Ids say the numbers:
    `asymmetric_floor_4x3_to_8x2`.

    Parameters:
        data: data profile of X in mode nearest; averages have `exact` data, or `tame` data where
            weights are rounded.
        full: the version from which all of them stand; those before it have a sample.
    """
    for name, (formula, ends, until) in _FORMULAS.items():
        since = _SYMMETRIC_SINCE if name == "half_pixel_symmetric" else 11
        pairs = solved(formula, ends=ends)
        first_mode = list(_FORMULAS).index(name)
        modes = [_NEAREST[(first_mode + step) % len(_NEAREST)] for step in (0, 1)]
        for mode in (*modes, "linear", "cubic"):
            for axes, exact in _axes(pairs, beside(formula, ends=ends), mode):
                sample = exact and mode in {modes[0], "linear"}
                first = since if sample else max(since, min(full, until or full))
                profile = _profile(mode, data, exact=exact)
                yield _case(operator, name, mode, axes, profile, (first, until), sample=sample)


def solved(formula: Callable[[int, _Pair], Fraction], *, ends: bool) -> list[_Pair]:
    """The fewest short pairs of lengths that together have exact places of every kind."""
    pairs = sorted(_exact_pairs(ends=ends), key=lambda one: (one.before * one.after, one.before))
    kinds = {one: _kinds(formula, one) for one in pairs}
    left = set().union(*kinds.values())
    found = []
    while left:
        best = max(pairs, key=lambda one: len(kinds[one] & left))
        found.append(best)
        left -= kinds[best]
    return found


def beside(formula: Callable[[int, _Pair], Fraction], *, ends: bool) -> _Pair:
    """A pair with places that float32 cannot represent, near boundaries but not on them."""

    def distance(one: _Pair) -> Fraction:
        places = (2 * formula(x, one) for x in range(one.after))
        return min(abs(place - round(place)) / 2 for place in places if place.denominator != 1)

    lengths = range(3, _MOST + 1)
    pairs = [_Pair(before, after) for before in lengths for after in lengths]
    inexact = [one for one in pairs if not _is_exact(one, ends=ends)]
    far = [one for one in inexact if _is_clear(formula, one) and distance(one) >= _BESIDE]
    return min(far, key=lambda one: (distance(one), one.before * one.after))


def _is_clear(formula: Callable[[int, _Pair], Fraction], one: _Pair) -> bool:
    """Whether no place except the first and the last lies on a whole number or a half."""
    return all((2 * formula(x, one)).denominator != 1 for x in range(1, one.after - 1))


def _exact_pairs(*, ends: bool) -> Iterator[_Pair]:
    for before in range(2, _MOST + 1):
        for after in range(1 + ends, _MOST + 1):
            one = _Pair(before, after)
            if before != after and _is_exact(one, ends=ends):
                yield one


def _is_exact(one: _Pair, *, ends: bool) -> bool:
    """Whether the ratio of the lengths is a power of two."""
    ratio = Fraction(one.before - ends, one.after - ends)
    return all(part & (part - 1) == 0 for part in (ratio.numerator, ratio.denominator))


def _kinds(formula: Callable[[int, _Pair], Fraction], one: _Pair) -> set[str]:
    """The kinds of places that a pair has, when the length goes down or up."""
    way = "down" if one.after < one.before else "up"
    found = set()
    for x in range(one.after):
        place = formula(x, one)
        part = place - math.floor(place)
        if one.after == 1:
            found.add("single")
        elif place < 0:
            found.add("before")
        elif place > one.before - 1:
            found.add("behind")
        elif part == 0:
            found.add(f"whole {way}")
        elif part == _HALF:
            found.add(f"half {way}")
        else:
            found.add("below half" if part < _HALF else "above half")
    return found


def _axes(pairs: Sequence[_Pair], other: _Pair, mode: str) -> Iterator[tuple[list[_Pair], bool]]:
    """All pairs as axes of one case, or two at a time; for some modes the inexact pair as well."""
    yield list(pairs[:2] if mode == "cubic" else pairs), True
    if mode in {"round_prefer_floor", "floor", "linear"}:
        yield [other, pairs[0]], False


def _profile(mode: str, data: str, *, exact: bool) -> str:
    if mode in _NEAREST:
        return data
    return "exact" if exact else "tame"


def _case(  # noqa: PLR0917  what its id says
    operator: Operator,
    name: str,
    mode: str,
    axes: Sequence[_Pair],
    profile: str,
    versions: tuple[int, int | None],
    *,
    sample: bool,
) -> Case:
    since, until = versions
    before, after = [one.before for one in axes], [one.after for one in axes]
    given: dict[str, object] = {"X": before, "coordinate_transformation_mode": name}
    if mode in _NEAREST:
        given |= {"mode": "nearest", "nearest_mode": mode}
    else:
        given["mode"] = mode
    # By sizes if the scales would have to be rounded, and for every other case.
    scales = [Fraction(one.after, one.before) for one in axes]
    held = all(scale.denominator & (scale.denominator - 1) == 0 for scale in scales)
    empty = {"shape": [0], "values": []}
    if held and (since < _SIZES_SINCE or len(name) % 2):
        given |= {"roi": empty, "scales": [float(scale) for scale in scales]}
    elif until is not None and until < _SIZES_SINCE:
        given |= {"roi": empty, "scales": empty, "sizes": after}
    else:
        given["sizes"] = after
        since = max(since, _SIZES_SINCE)
    settled, inputs = assigned(operator, given, profile)
    return operator.case(
        f"{name}_{mode}_{dims_text(before)}_to_{dims_text(after)}",
        inputs,
        settled,
        covers=(PLACES, {"linear": LINEAR, "cubic": CUBIC}.get(mode, NEAREST)),
        since=since,
        until=until,
        # In other types and forms the sample is enough.
        spread=Spread.CLASSES if sample else Spread.ENDS,
    )
