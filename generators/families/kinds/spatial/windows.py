"""The family of windows that slide over spatial axes: sizes on the boundary of their class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import Kind

from ....specs.words import Spread
from ...assigning import assigned
from ...registry import Template, family
from .axes import (
    DILATION,
    EMPTY,
    PADS,
    SIZE,
    Windows,
    beside_padding,
    fitting,
    on_axis,
    solved,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....specs.model import Case
    from ...operator import Operator

CEIL = "ceil-mode-rounds-up"
SAME = "same-padding"
VALID = "valid-is-no-padding"
AXES = "each-spatial-axis-has-its-own"
RANGES = "numbers-of-a-window-are-in-range"
MODES = "auto-pad-modes-are-listed"

TEMPLATES = {
    SIZE: Template(
        "The window stands at every stride-th place of each spatial axis at which all of it is over"
        " the axis and its padding, and each such place gives one element.",
        "Summary and Attributes",
    ),
    EMPTY: Template(
        "Without an image, without a channel, or without a place for the window, the output has no"
        " element.",
        "Summary and Inputs",
    ),
    PADS: Template(
        "pads lists the widths of the padding before all axes, then those behind them; without it"
        " there is none. A width is any number from 0 on.",
        "Attributes",
    ),
    DILATION: Template(
        "With dilations neighbouring elements of a window are as far apart as they say; without,"
        " they are 1.",
        "Attributes",
    ),
    CEIL: Template(
        "With ceil_mode a last window that reaches beyond the padding at the end counts too.",
        "Summary and Attributes",
    ),
    SAME: Template(
        "With auto_pad SAME_UPPER or SAME_LOWER an axis of the output has the size of the input's"
        " divided by the stride, rounded up; of an odd padding SAME_UPPER puts the greater part at"
        " the end and SAME_LOWER at the begin.",
        "Summary and Attributes",
    ),
    VALID: Template("With auto_pad VALID there is no padding.", "Summary and Attributes"),
    AXES: Template(
        "Each spatial axis, of which there are any number, has its own size, stride, dilation and"
        " padding; the batch and the channels are left as they are. A list for other than that"
        " many axes makes the model invalid.",
        "Inputs and Attributes",
    ),
    RANGES: Template(
        "A width of padding below 0, a stride or a window of size 0, and a window that is longer"
        " than the padded axis by more than its stride make the model invalid.",
        "Attributes",
    ),
    MODES: Template("An auto_pad that the page does not list makes the model invalid.", "auto_pad"),
}


@family("windows", TEMPLATES)
def windows(
    operator: Operator,
    *,
    kernel: str = "kernel_shape",
    data: str = "distinct",
    maps: int = 3,
    common: dict[str, Any] | None = None,
    full: int = 0,
    outputs: list[str] | None = None,
    invalid: bool = True,
) -> Iterator[Case]:
    """Windows whose output sizes are on the boundary of their class, and one beside it.

    The size of an axis is solved for: the one at which a window just fits, one less, and one more;
    with `ceil_mode` the one at which a last window appears, and at which it starts on the last
    element or in the padding; with `auto_pad` multiples of the stride and one more, so that the
    padding is even, odd, and none. All with strides, dilations and asymmetric pads, on one axis to
    four; no image, no channel, no place; windows in the padding alone. Ids say the numbers:
    `in8_k2_s2_d3_p1_2`. Attributes that the operator does not have are left out, and with
    `count_include_pad` some stand with it too.

    Parameters:
        kernel: the attribute with the window's shape, or the input whose spatial axes it is.
        data: data profile of X, and of that input; `exact` where elements are summed.
        maps: how many output channels that input makes.
        common: other inputs and attributes, as in `computed`.
        full: the version from which all of them stand; those before it have a sample.
        outputs: as in `computed`.
        invalid: whether invalid neighbours come along.
    """
    since = {
        name: _first_with(operator, name)
        for name in ("dilations", "ceil_mode", "count_include_pad")
    }

    newest = operator.newest.since_version
    requested = tuple(outputs) if outputs else None
    sample = {one.name for one in _sample()}
    for one in _every(pooled=kernel == "kernel_shape"):
        first = max(
            operator.since or min(operator.versions),
            since["dilations"] * bool(one.dilations),
            since["ceil_mode"] * one.ceil,
            since["count_include_pad"] * one.counted,
            full * (one.name not in sample),
        )
        if first <= newest:
            given = {**_given(one, kernel, maps), **(common or {})}
            settled, inputs = assigned(operator, given, data)
            yield operator.case(
                one.name,
                inputs,
                settled,
                covers=one.covers,
                since=first,
                requested=requested,
                # In other types and forms the sample is enough.
                spread=Spread.CLASSES if one.name in sample else Spread.ENDS,
            )
    if invalid:
        yield from _invalid(operator, kernel, maps, common or {}, data, since["dilations"])


def _first_with(operator: Operator, attribute: str) -> int:
    """The first version that has an attribute; greater than all versions if none has it."""
    found = [n for n, version in operator.versions.items() if attribute in version.attributes]
    return min(found, default=max(operator.versions) + 1)


def _given(one: Windows, kernel: str, maps: int) -> dict[str, Any]:
    """The inputs and attributes of a case."""
    batch, channels = one.outer
    given: dict[str, Any] = {"X": [batch, channels, *one.sizes]}
    if kernel == "kernel_shape":
        given[kernel] = list(one.kernel)
    else:
        given[kernel] = [maps, channels, *one.kernel]
    for name in ("strides", "dilations", "pads"):
        if getattr(one, name):
            given[name] = list(getattr(one, name))
    if one.mode:
        given["auto_pad"] = one.mode
    if one.ceil:
        given["ceil_mode"] = 1
    if one.counted:
        given["count_include_pad"] = 1
    return given


def _sample() -> Iterator[Windows]:
    """The cases that exist at older versions too."""
    yield on_axis(solved(3, 3, 2, 1, 0), 3, 2)
    yield on_axis(solved(3, 3, 2, 1, 0) - 1, 3, 2)
    yield on_axis(solved(3, 3, 2, 2, 3), 3, 2, 2, (1, 2))
    yield on_axis(3, 2, 1, 1, (1, 0))
    for mode in ("SAME_UPPER", "SAME_LOWER"):
        yield replace(on_axis(4, 3, 2), mode=mode)
        yield replace(on_axis(5, 2, 2), mode=mode)
    yield replace(on_axis(8, 3, 2), mode="VALID")
    yield replace(on_axis(8, 3, 2), ceil=True)
    yield replace(on_axis(3, 2, 1, 1, (1, 0)), counted=True)
    yield replace(on_axis(3, 2, 2), ceil=True, counted=True)
    yield Windows((4, 5, 3), (2, 3, 1), (1, 2, 1), (), (0, 1, 0, 1, 0, 0))
    yield Windows((3,), (2,), outer=(0, 2))


def _every(*, pooled: bool) -> Iterator[Windows]:
    yield from fitting()
    yield from _empty()
    yield from _padded(pooled=pooled)
    yield from _rounded_up()
    yield from _automatic()
    yield from _of_axes()


def _empty() -> Iterator[Windows]:
    """No image, and no place for a window."""
    yield Windows((3,), (2,), outer=(0, 2), covers=(EMPTY,))
    yield Windows((2,), (3,), covers=(EMPTY,))
    yield Windows((0,), (1,), covers=(EMPTY,))
    yield Windows((3, 1), (2, 2), covers=(EMPTY,))


def _padded(*, pooled: bool) -> Iterator[Windows]:
    """Padding of up to the window's size minus one, and more."""
    yield from beside_padding()
    # The mode that stands in the model is the default one, beside pads.
    yield replace(on_axis(3, 3, 1, 1, (1, 2)), mode="NOTSET")
    yield Windows((0,), (2,), pads=(1, 1), covers=(PADS,))
    for one in (
        on_axis(3, 2, 1, 1, (1, 0)),
        on_axis(2, 3, 1, 1, (2, 2)),
        on_axis(7, 3, 2, 2, (1, 2)),
        on_axis(2, 2, 1, 1, (2, 1)),
    ):
        if pooled:
            yield replace(one, counted=True)


def _rounded_up() -> Iterator[Windows]:
    """A last window that reaches beyond the end; one that starts on the last element, or later."""
    for one in (
        on_axis(7, 3, 2),
        on_axis(8, 3, 2),
        on_axis(6, 2, 2, 2),
        on_axis(7, 2, 3, 1, (0, 1)),
        on_axis(6, 2, 3, 1, (0, 1)),  # the third would start in the padding
        on_axis(6, 2, 3, 1, (1, 1)),
        on_axis(5, 2, 3, 1, (1, 1)),  # the same, counted from padding at the begin
    ):
        yield replace(one, ceil=True, covers=(CEIL,))
    for one in (on_axis(3, 2, 2), on_axis(4, 3, 2, 1, (1, 1)), on_axis(6, 2, 3, 1, (1, 1))):
        yield replace(one, ceil=True, counted=True, covers=(CEIL,))
    yield replace(on_axis(8, 3, 2), ceil=True, mode="VALID", covers=(CEIL, VALID))
    yield replace(on_axis(5, 2, 2), ceil=True, mode="SAME_UPPER", covers=(CEIL, SAME))


def _automatic() -> Iterator[Windows]:
    """Sizes that the stride divides and one more, with even, odd and no padding."""
    for mode in ("SAME_UPPER", "SAME_LOWER"):
        for size, kernel, stride, dilation in (
            (4, 3, 2, 1),
            (5, 3, 2, 1),
            (5, 2, 2, 1),
            (4, 2, 1, 3),
            (2, 4, 1, 1),
            (3, 1, 2, 1),
        ):
            one = on_axis(size, kernel, stride, dilation)
            yield replace(one, mode=mode, covers=(SAME, *one.covers))
    yield replace(on_axis(4, 3, 2), mode="SAME_UPPER", counted=True, covers=(SAME,))
    # The stride skips places: the padding would be negative.
    yield replace(on_axis(4, 1, 2), mode="SAME_UPPER", covers=(SAME,))
    for size in (7, 8):
        yield replace(on_axis(size, 3, 2), mode="VALID", covers=(VALID,))
    yield replace(on_axis(3, 2, 1, 1, (0, 0)), mode="SAME_LOWER", covers=(SAME,))


def _of_axes() -> Iterator[Windows]:
    """Several axes, each with its own numbers; images and channels that must not mix."""
    two = Windows((5, 6), (3, 2), (2, 1), (1, 2), (1, 0, 0, 1), outer=(2, 3), covers=(AXES, PADS))
    yield two
    yield replace(two, counted=True)
    yield Windows((5, 4), (2, 3), (2, 2), mode="SAME_LOWER", outer=(2, 1), covers=(AXES, SAME))
    yield Windows((5, 6), (2, 3), (3, 2), ceil=True, outer=(1, 3), covers=(AXES, CEIL))
    yield Windows((4, 5, 3), (2, 3, 1), (1, 2, 1), (), (0, 1, 0, 1, 0, 0), covers=(AXES,))
    yield Windows((3, 4, 5), (2, 2, 3), (1, 2, 2), (2, 1, 1), mode="SAME_UPPER", covers=(AXES,))
    yield Windows((2, 1, 3, 2), (2, 1, 2, 1), covers=(AXES,))


def _invalid(  # noqa: PLR0917  what the valid cases are made from
    operator: Operator,
    kernel: str,
    maps: int,
    common: dict[str, Any],
    data: str,
    dilated_since: int,
) -> Iterator[Case]:
    """The first window with a list of another length, or with an impossible number."""
    control = on_axis(solved(3, 3, 2, 1, 0), 3, 2)
    pooled = kernel == "kernel_shape"
    changes: list[tuple[str, tuple[str, ...], dict[str, Any]]] = [
        ("strides_of_two", (AXES,), {"strides": [2, 2]}),
        ("pads_of_three", (AXES,), {"pads": [0, 0, 0]}),
        ("pads_of_one", (AXES,), {"pads": [0]}),
        ("dilations_of_two", (AXES,), {"dilations": [1, 1]}),
        ("no_spatial_axis", (AXES,), {"X": [2, 7]}),
        ("pads_below_0", (RANGES,), {"pads": [-1, 0]}),
        ("stride_of_0", (RANGES,), {"strides": [0]}),
        ("auto_pad_unknown", (MODES,), {"auto_pad": "SAME"}),
        ("auto_pad_in_lower_case", (MODES,), {"auto_pad": "valid"}),
    ]
    if pooled:
        changes += [
            ("kernel_of_two", (AXES,), {kernel: [3, 3]}),
            ("kernel_of_0", (RANGES,), {kernel: [0]}),
            ("kernel_too_long", (RANGES,), {kernel: [12]}),
        ]
    for name, covers, change in changes:
        given = {**_given(control, kernel, maps), **common, **change}
        settled, inputs = assigned(operator, given, data)
        since = operator.since or min(operator.versions)
        yield operator.case(
            name,
            inputs,
            settled,
            kind=Kind.INVALID,
            covers=covers,
            control=f"{operator.prefix}{control.name}",
            reject="load",
            since=max(since, dilated_since) if "dilations" in change else since,
        )
