"""The family of operators that take or give something for each place of a window."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError

from ...assigning import assigned
from ...registry import Template, family
from .axes import Windows, beside_padding, fitting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....specs.model import Case
    from ...operator import Operator

PLACES = "one-entry-a-place"
_MAPS = 2

TEMPLATES = {
    PLACES: Template(
        "The window stands at every stride-th place of each spatial axis at which all of it is over"
        " the axis and its padding; inputs that have an entry for each place have one for each of"
        " these and no other.",
        "Summary, Inputs and Attributes",
    ),
}


@family("places", TEMPLATES)
def places(
    operator: Operator, *, entries: str, data: str = "exact", moves: str = "exact"
) -> Iterator[Case]:
    """Windows with an input that has an entry for each of their places, sizes at the boundary.

    The sizes are those of `windows`: the one at which three windows just fit, one less, and one
    more, with strides, dilations and asymmetric pads; padding that no window reaches, that a window
    covers alone, and between whose ends no tap lies over an element; and, with offsets, no place at
    all. Before the axis that is solved for stands one with two places, as some operators have two
    axes at the least. Ids say the numbers, as in `windows`.

    Parameters:
        entries: `offsets` for an input `offset` that moves each tap at each place, beside X and W;
            `columns` for an input of columns, of which image_shape and block_shape make an image.
        data: data profile of X and W, or of the columns.
        moves: data profile of the offsets; whole ones need no interpolation.
    """
    if entries not in {"offsets", "columns"}:
        raise BadInputError(f"`entries` is `offsets` or `columns`, not '{entries}'")
    for one in _every(nowhere=entries == "offsets"):
        given = _offsets(one, moves) if entries == "offsets" else _columns(one)
        settled, inputs = assigned(operator, given, data)
        yield operator.case(one.name, inputs, settled, covers=(PLACES,))


def _every(*, nowhere: bool) -> Iterator[Windows]:
    for one in (*fitting(), *beside_padding()):
        yield _beside_an_axis(one)
    # No page says whether there may be an image of which no block is a part.
    if nowhere:
        yield _beside_an_axis(Windows((2,), (3,)))
    yield Windows((5, 6), (3, 2), (2, 1), (1, 2), (1, 0, 0, 1), outer=(2, 3))
    yield Windows((5, 6), (2, 3), (3, 2), (1, 2), (0, 2, 1, 0))
    yield Windows((4, 5, 3), (2, 3, 1), (1, 2, 1), (), (0, 1, 0, 1, 0, 0))


def _beside_an_axis(one: Windows) -> Windows:
    """The windows with an axis before their only one, on which there are two places."""
    begin, end = one.pads or (0, 0)
    return replace(
        one,
        sizes=(2, *one.sizes),
        kernel=(1, *one.kernel),
        strides=(1, *one.strides) if one.strides else (),
        dilations=(1, *one.dilations) if one.dilations else (),
        pads=(0, begin, 0, end) if one.pads else (),
    )


def _counts(one: Windows) -> list[int]:
    """How many places there are on each axis."""
    rank = len(one.sizes)
    ones, zeros = (1,) * rank, (0,) * 2 * rank
    steps, gaps, pads = one.strides or ones, one.dilations or ones, one.pads or zeros
    return [
        max((size + before + behind - (taps - 1) * gap - 1) // step + 1, 0)
        for size, taps, step, gap, before, behind in zip(
            one.sizes, one.kernel, steps, gaps, pads[:rank], pads[rank:], strict=True
        )
    ]


def _attributes(one: Windows) -> dict[str, Any]:
    names = ("strides", "dilations", "pads")
    return {name: list(getattr(one, name)) for name in names if getattr(one, name)}


def _offsets(one: Windows, moves: str) -> dict[str, Any]:
    """X, W, and for each tap, axis and place how far the tap is moved."""
    batch, channels = one.outer
    taps = math.prod(one.kernel) * len(one.kernel)
    return {
        "X": [batch, channels, *one.sizes],
        "W": [_MAPS, channels, *one.kernel],
        "offset": {"shape": [batch, taps, *_counts(one)], "profile": moves},
        **_attributes(one),
    }


def _columns(one: Windows) -> dict[str, Any]:
    """For each place a column with the elements of its window, those of a channel together."""
    batch, channels = one.outer
    return {
        "input": [batch, channels * math.prod(one.kernel), math.prod(_counts(one))],
        "image_shape": list(one.sizes),
        "block_shape": list(one.kernel),
        **_attributes(one),
    }
