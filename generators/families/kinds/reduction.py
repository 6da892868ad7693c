"""The family of operators that reduce axes to one element: which axes, and what is left of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from onnx_conformance.core.corpus.vectors import Kind

from ...specs.model import Case
from ..assigning import assigned
from ..operator import Operator, dims_text
from ..registry import Template, family

ANY_AXES = "any-axes-of-any-rank"
ALL_AXES = "without-axes-all-are-reduced"
KEEPDIMS = "keepdims-leaves-ones"
NO_AXES = "noop-with-empty-axes"
OUTSIDE = "axes-are-in-range"
NEGATIVE = "negative-axes-count-from-the-back"

TEMPLATES = {
    ANY_AXES: Template(
        "Any of the axes are reduced, in whatever order they are given; the rank is not limited.",
        "Summary and axes",
    ),
    ALL_AXES: Template(
        "Without axes all axes are reduced; a scalar is reduced to itself.",
        "Summary and axes",
    ),
    KEEPDIMS: Template(
        "A reduced axis is left with size 1, also without the attribute keepdims; with keepdims 0"
        " it is gone.",
        "Attributes",
    ),
    NO_AXES: Template(
        "With noop_with_empty_axes other than 0 no axes, or an empty list of them, reduce nothing;"
        " with 0 they reduce all.",
        "Attributes",
    ),
    NEGATIVE: Template(
        "A negative axis counts from the back: -1 is the last, -r the first.", "axes"
    ),
    OUTSIDE: Template(
        "An axis that the data does not have makes the model invalid: one below -r or above r-1.",
        "axes",
    ),
}

_SUBSETS = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
# Axes from the back, in an order other than theirs, and at the ends of other ranks.
_NEGATIVE_AXES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2, 3, 4), (-1,)),
    ((2, 3, 4), (-3,)),
    ((2, 3, 4), (-1, 0)),
    ((2, 3, 4, 2, 3), (-4, -2)),
    ((2, 1, 2, 1, 3, 1, 1, 2), (-8, -1)),
)
_OTHERS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((5,), (0,)),
    ((2, 3), (1, 0)),
    ((2, 3, 4), (2, 0)),
    ((2, 3, 4, 2, 3), (1, 3)),
    ((2, 1, 2, 1, 3, 1, 1, 2), (7,)),
    ((2, 1, 3), (1,)),
    ((1, 3, 1), (0, 2)),
    ((3, 7), (1,)),
    ((3, 8), (1,)),
    ((3, 33), (1,)),
    ((33, 3), (0,)),
)
_THREE = (2, 3, 4)
_GONE = {"keepdims": 0}
_NOOP = "noop_with_empty_axes"
_BEYOND = ((3,), (-4,), (0, 3), (2**32,))


@family("reduction", TEMPLATES)
def reduction(
    operator: Operator,
    *,
    data: str = "exact",
    negative_since: int = 11,
    nothing: bool = True,
    few: bool = False,
) -> Iterator[Case]:
    """Input `data` reduced over `axes`, an attribute or an input as the version has it.

    Every subset of three axes with and without `keepdims`, axes from the back and out of order, no
    axes at ranks 0 to 3, a scalar as the axes, widths of vector registers, axes of size 1 and 0,
    noop_with_empty_axes; invalid: one beyond each end, and 2^32, which is 0 in 32 bits.

    Parameters:
        data: data profile; one whose results need no rounding shows a misplaced element.
        negative_since: the first version at which an axis below 0 counts from the back.
        nothing: whether an axis of size 0 may be reduced; empty results are tried in any case.
        few: only a few of these, for versions that show nothing else than a newer one.
    """
    first = max(operator.since or 1, negative_since)
    if few:
        yield from _few(operator, data, first)
        return
    noop = _NOOP in operator.newest.attributes
    for situation in (
        *_kept_and_gone(),
        *_negative(first),
        *_without_axes(),
        *_empty(nothing=nothing),
        *(_noop(operator.first(lambda version: _NOOP in version.attributes)) if noop else ()),
    ):
        yield _case(operator, data, situation)
    yield from _scalar(operator, data)
    control = _case(operator, data, _Situation(_THREE, (0,))).id
    for axes in _BEYOND:
        for suffix, phase, limits in _eras(operator, first):
            more = {"kind": Kind.INVALID, "control": control, "reject": phase, **limits}
            yield _case(operator, data, _Situation(_THREE, axes, suffix, (OUTSIDE,), {}, more))


def _few(operator: Operator, data: str, first: int) -> Iterator[Case]:
    """Axes out of order, counted from the back, and none; kept and removed; one out of range."""
    for situation in (
        _Situation(_THREE, (0,)),
        _Situation(_THREE, (2, 0), "_gone", (ANY_AXES, KEEPDIMS), _GONE),
        _Situation(_THREE, None, "", (ALL_AXES, KEEPDIMS)),
        _Situation((), None, "_gone", (ALL_AXES,), _GONE),
    ):
        yield _case(operator, data, situation)
    if operator.newest.since_version < first:
        return
    limits = {"since": first}
    yield _case(operator, data, _Situation(_THREE, (-1,), "", (ANY_AXES, NEGATIVE), more=limits))
    control = _case(operator, data, _Situation(_THREE, (0,))).id
    for suffix, phase, era in _eras(operator, first):
        more = {"kind": Kind.INVALID, "control": control, "reject": phase, **era}
        yield _case(operator, data, _Situation(_THREE, (3,), suffix, (OUTSIDE,), {}, more))


@dataclass(frozen=True)
class _Situation:
    """The input, the axes, and the attributes; None means without axes."""

    #: The shape of the input.
    shape: tuple[int, ...]
    #: The axes to reduce; None if the node names none.
    axes: tuple[int, ...] | None
    #: The end of the case's id.
    suffix: str = ""
    #: The requirements that it exercises.
    covers: tuple[str, ...] = (ANY_AXES,)
    #: Attributes other than the axes.
    attributes: Mapping[str, int] = field(default_factory=dict)
    #: Further keys of the case, such as the versions at which it holds.
    more: Mapping[str, Any] = field(default_factory=dict)


def _case(operator: Operator, data: str, one: _Situation) -> Case:
    given: dict[str, Any] = {"data": list(one.shape), **one.attributes}
    if one.axes is not None:
        # An empty YAML list does not tell its type: int64 elements.
        given["axes"] = list(one.axes) if one.axes else {"shape": [0], "values": []}
    attributes, inputs = assigned(operator, given, data)
    which = "none" if one.axes is None else "_".join(str(axis) for axis in one.axes) or "empty"
    name = f"reduce_{which}_of_{dims_text(one.shape)}{one.suffix}"
    return operator.case(name, inputs, attributes, covers=one.covers, **one.more)


def _kept_and_gone() -> Iterator[_Situation]:
    for subset in _SUBSETS:
        yield _Situation(_THREE, subset, "", (ANY_AXES, KEEPDIMS))
        yield _Situation(_THREE, subset, "_gone", (ANY_AXES, KEEPDIMS), _GONE)
    yield _Situation(_THREE, (1,), "_kept", (KEEPDIMS,), {"keepdims": 1})
    for shape, axes in _OTHERS:
        yield _Situation(shape, axes, attributes=_GONE)


def _negative(first: int) -> Iterator[_Situation]:
    for shape, axes in _NEGATIVE_AXES:
        yield _Situation(shape, axes, "", (ANY_AXES, NEGATIVE), more={"since": first})


def _without_axes() -> Iterator[_Situation]:
    for shape in ((), (5,), (2, 3), _THREE):
        yield _Situation(shape, None, "", (ALL_AXES, KEEPDIMS))
        yield _Situation(shape, None, "_gone", (ALL_AXES, KEEPDIMS), _GONE)


def _empty(*, nothing: bool) -> Iterator[_Situation]:
    yield _Situation((0, 3), (1,))
    yield _Situation((2, 0, 3), (0, 2), "_gone", attributes=_GONE)
    if nothing:
        yield _Situation((2, 0, 3), (1,))
        yield _Situation((2, 0, 3), (1, 2), "_gone", attributes=_GONE)
        yield _Situation((0,), None, covers=(ALL_AXES,))


def _scalar(operator: Operator, data: str) -> Iterator[Case]:
    """A scalar as the axes, where they are an input: the pages speak of a list."""
    since = _first_of_input(operator)
    if since is not None:
        given = {"data": list(_THREE), "axes": 1, **_GONE}
        attributes, inputs = assigned(operator, given, data)
        covers = (ANY_AXES,)
        yield operator.case("axes_of_rank_0", inputs, attributes, covers=covers, since=since)


def _noop(since: int) -> Iterator[_Situation]:
    limits = {"since": since}
    for axes in (None, ()):
        for noop in (0, 1):
            yield _Situation(_THREE, axes, f"_noop_{noop}", (NO_AXES,), {_NOOP: noop}, limits)
    yield _Situation(_THREE, None, "_noop_1_gone", (NO_AXES,), {_NOOP: 1, **_GONE}, limits)
    yield _Situation(_THREE, (), "_noop_0_gone", (NO_AXES,), {_NOOP: 0, **_GONE}, limits)
    yield _Situation(_THREE, (1,), "_noop_1", (NO_AXES,), {_NOOP: 1}, limits)


def _eras(operator: Operator, first: int) -> Iterator[tuple[str, str, dict[str, int | None]]]:
    """Versions with the axes as an attribute, known at load, and as an input, known at run time."""
    of_input = _first_of_input(operator)
    if of_input is None or of_input > first:
        end = of_input or (operator.until or max(operator.versions)) + 1
        until = max(n for n in operator.versions if n < end)
        yield "", "load", {"since": first, "until": until}
    if of_input is not None:
        yield "_at_run", "run", {"since": max(first, of_input), "until": operator.until}


def _first_of_input(operator: Operator) -> int | None:
    """The first version that takes the axes as an input, up to the last that is asked for."""
    last = operator.until or max(operator.versions)
    return next(
        (
            number
            for number, version in operator.versions.items()
            if version.parameter_of("axes") is not None and number <= last
        ),
        None,
    )
