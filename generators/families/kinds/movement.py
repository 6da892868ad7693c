"""The family of operators that move elements: data of every rank and size, all of it different."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError

from ...specs.model import Case
from ..assigning import assigned
from ..operator import Operator, dims_text
from ..registry import Template, family

ANY_RANK = "any-rank-and-size"
LEAST_RANK = "least-rank"

TEMPLATES = {
    ANY_RANK: Template(
        "The rank of the data is not limited beyond what the page says, nor are its sizes, of which"
        " any may be 0 or 1; the elements come out as they are, bit for bit.",
        "Inputs and Type Constraints",
    ),
    LEAST_RANK: Template("Data of a lower rank than the page asks for is invalid.", "Inputs"),
}

_SHAPE = "shape"
_BY_AXIS = "by_axis"
_SIZES = (2, 3, 1, 2, 1, 2, 1, 3)
_RANKS = (0, 1, 2, 3, 5)
_MOST = 8
_HUGE = 4294967296


@family("movement", TEMPLATES)
def movement(
    operator: Operator,
    *,
    inputs: dict[str, Any],
    least: int = 0,
    most: int = _MOST,
    sizes: tuple[int, ...] = _SIZES,
    empty: bool = True,
    huge: bool = True,
    below: str = "skip",
    data: str = "distinct",
    common: dict[str, Any] | None = None,
    requested: list[str] | None = None,
    reject: str = "load",
) -> Iterator[Case]:
    """Data of many ranks, with sizes of 0 and 1, long rows, and every special value.

    The least and the greatest rank and some between; 0 at each place. Every element is different
    as far as its type goes, so that one in a wrong place shows.

    Parameters:
        inputs: what each input and attribute is for a shape: `shape` stands for that shape,
            `{by_axis: [2, 1]}` for a list with an entry for each axis, these again and again;
            anything else as in a case.
        least, most: the ranks.
        sizes: the dimensions that shapes are made of, the last ones of them for lower ranks.
        empty: whether a size may be 0 with these inputs.
        huge: whether a size of 2^32 may be beside a 0.
        below: of ranks below the least: `invalid`, or `skip` where the document does not say.
        data: data profile.
        common: what every case has besides, by name.
        requested: names of the outputs that are asked for, where not all are.
        reject: the phase at which a rank that is too low can be known at the earliest.
    """
    if below not in {"invalid", "skip"}:
        raise BadInputError(f"below is 'invalid' or 'skip', not '{below}'")
    if not 0 <= least <= most <= len(sizes):
        raise BadInputError(f"ranks {least} to {most} are none of 0 to {len(sizes)}")

    def case(name: str, shape: Sequence[int], profile: str = data, **more: Any) -> Case:  # noqa: ANN401
        given = {key: _filled(value, shape) for key, value in inputs.items()}
        settled, literals = assigned(operator, {**given, **(common or {})}, profile)
        wanted = tuple(requested) if requested else None
        return operator.case(name, literals, settled, requested=wanted, **more)

    for rank in sorted({least, *(rank for rank in _RANKS if least < rank < most), most}):
        yield case(f"rank_{rank}", sizes[:rank], covers=(ANY_RANK,))
    base = max(least, 2)
    for shape in _uncommon(tuple(sizes), base, empty=empty, huge=huge):
        yield case(f"of_{dims_text(shape)}", shape, covers=(ANY_RANK,))
    special = (3,) * (base - 1) + (20,)
    yield case(f"specials_{dims_text(special)}", special, "specials", covers=(ANY_RANK,))
    for rank in range(least if below == "invalid" else 0):
        yield case(
            f"rank_{rank}",
            sizes[:rank],
            kind=Kind.INVALID,
            covers=(LEAST_RANK,),
            control=case(f"rank_{least}", sizes[:least], covers=(ANY_RANK,)).id,
            reject=reject,
        )


def _uncommon(
    sizes: tuple[int, ...], rank: int, *, empty: bool, huge: bool
) -> Iterator[tuple[int, ...]]:
    """Shapes of a rank for which implementations have short cuts."""
    shape = sizes[:rank]
    yield (1,) * rank
    yield (*shape[:-1], 67)
    if empty:
        for place in range(rank):
            yield (*shape[:place], 0, *shape[place + 1 :])
    if empty and huge:
        yield (*shape[:-2], 0, _HUGE)


def _filled(value: Any, shape: Sequence[int]) -> Any:  # noqa: ANN401  what YAML holds
    """A template with the shape filled in."""
    if value == _SHAPE:
        return list(shape)
    if isinstance(value, dict) and _BY_AXIS in value:
        items = value[_BY_AXIS]
        if not isinstance(items, list) or not items:
            raise BadInputError(f"'{_BY_AXIS}' is a list of numbers, not {items!r}")
        listed = [items[axis % len(items)] for axis in range(len(shape))]
        return listed or {"shape": [0], "values": []}
    return value
