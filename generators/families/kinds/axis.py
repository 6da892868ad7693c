"""The family of operators that work along one axis: every axis, its negative twin, and beyond."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError

from ...specs.model import Case
from ..assigning import assigned
from ..operator import Operator, dims_text
from ..registry import Template, family

EVERY_AXIS = "any-axis-of-any-rank"
NEGATIVE = "negative-axis-counts-from-the-back"
OUTSIDE = "axis-is-in-range"

_SHAPE = "shape"
_ALONG = "along"

TEMPLATES = {
    EVERY_AXIS: Template(
        "The axis may be any axis of the data, whose rank is not limited; the other axes stay in"
        " their order.",
        "Attributes and Inputs",
    ),
    NEGATIVE: Template(
        "A negative axis counts from the back: -1 is the last, -r the first.", "Attributes"
    ),
    OUTSIDE: Template(
        "An axis that the data does not have makes the model invalid: one below -r or above r-1.",
        "Attributes",
    ),
}


@family("axis", TEMPLATES)
def axis(
    operator: Operator,
    *,
    inputs: dict[str, Any],
    axis: str = "axis",
    values: bool = False,
    sizes: tuple[int, ...] = (2, 3, 4, 2, 3),
    small: bool = True,
    scalar: str = "invalid",
    data: str = "distinct",
    common: dict[str, Any] | None = None,
    requested: list[str] | None = None,
    reject: str = "load",
) -> Iterator[Case]:
    """One axis of tensors of rank 1 to 8: each, its negative twin, and one beyond each end.

    Every axis of rank 3 from both ends; the ends of ranks 1, 2, 5 and 8; axes of size 1 and 0, and
    axes beside such; invalid: one beyond each end, 2^32, which is 0 in 32 bits, and a scalar's.

    Parameters:
        inputs: what each input is at a shape and an axis: `shape` stands for that shape,
            `{along: 2}` for it with 2 in the axis' place; anything else as in a case. A
            variadic input takes a list of these.
        axis: the attribute or input that holds the axis.
        values: whether it is a list, of one axis.
        sizes: the dimensions that shapes are made of.
        small: whether the axis may have size 1 and 0 with these inputs.
        scalar: of a scalar's axis 0 and -1: `invalid`, or `skip` where the document differs.
        data: data profile where a value is dimensions alone.
        common: what every case has besides, by name.
        requested: names of the outputs that are asked for, where not all are.
        reject: the phase at which an axis beyond the ends can be known at the earliest.
    """
    if scalar not in {"invalid", "skip"}:
        raise BadInputError(f"scalar is 'invalid' or 'skip', not '{scalar}'")
    sizes = tuple(sizes)

    def case(shape: Sequence[int], place: int, **more: Any) -> Case:  # noqa: ANN401
        given = {name: _filled(value, shape, place) for name, value in inputs.items()}
        given[axis] = [place] if values else place
        settled, literals = assigned(operator, {**given, **(common or {})}, data)
        return operator.case(
            f"axis_{place}_of_{dims_text(shape)}",
            literals,
            settled,
            requested=tuple(requested) if requested else None,
            **more,
        )

    for shape, place in _lattice(sizes, small=small):
        yield case(shape, place, covers=(EVERY_AXIS, NEGATIVE) if place < 0 else (EVERY_AXIS,))
    three = _of_rank(sizes, 3)
    control = case(three, 0).id
    beyond = [(three, -4), (three, 3), (three, 2**32), (sizes[:1], 1), (sizes[:1], -2)]
    if scalar == "invalid":
        beyond += [((), 0), ((), -1)]
    for shape, place in beyond:
        yield case(
            shape, place, kind=Kind.INVALID, covers=(OUTSIDE,), control=control, reject=reject
        )


def _lattice(sizes: tuple[int, ...], *, small: bool) -> Iterator[tuple[tuple[int, ...], int]]:
    """Shapes, each with one of its axes."""
    for rank, places in ((1, (0, -1)), (2, (1, -2)), (3, (0, 1, 2, -1, -2, -3)), (5, (2, -4))):
        for place in places:
            yield _of_rank(sizes, rank), place
    for place in (7, -8):
        yield (2,) * 8 if sizes[0] == 2 else (*sizes[:1], *(1,) * 6, sizes[0]), place
    first, second, third = _of_rank(sizes, 3)
    for shape, place in (((1, second, 1), 1), ((first, 1, third), -1)):
        yield shape, place
    for place, shape in enumerate(((0, second, third), (first, 0, third), (first, second, 0))):
        yield shape, (place + 1) % 3
        if small:
            yield shape, place
    if small:
        yield (first, 1, third), 1


def _of_rank(sizes: tuple[int, ...], rank: int) -> tuple[int, ...]:
    return tuple(sizes[place % len(sizes)] for place in range(rank))


def _filled(value: Any, shape: Sequence[int], place: int) -> Any:  # noqa: ANN401  what YAML holds
    """A template with the shape filled in."""
    if value == _SHAPE:
        return list(shape)
    if isinstance(value, list):
        return [_filled(item, shape, place) for item in value]
    if isinstance(value, dict):
        return _changed(value, shape, place)
    return value


def _changed(value: Mapping[str, Any], shape: Sequence[int], place: int) -> Any:  # noqa: ANN401
    if _ALONG not in value:
        return dict(value)
    dims = list(shape)
    if -len(dims) <= place < len(dims):
        dims[place] = value[_ALONG]
    rest = {key: item for key, item in value.items() if key != _ALONG}
    return {**rest, "shape": dims} if rest else dims
