"""The family of operators that take indices: both ends of an axis, and one beyond each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError

from ...specs.model import Case
from ..assigning import assigned
from ..operator import Operator
from ..registry import Template, family

INSIDE = "index-names-a-place"
NEGATIVE = "negative-index-counts-from-the-back"
OUTSIDE = "index-is-in-range"

TEMPLATES = {
    INSIDE: Template(
        "An index from 0 to s-1 names a place on an axis of size s, in whatever order indices are.",
        "Summary and indices",
    ),
    NEGATIVE: Template(
        "An index below 0 counts from the back: -1 is the last place, -s the first.", "indices"
    ),
    OUTSIDE: Template("An index below -s or above s-1 is an error.", "indices"),
}

_AT = "at"
_INT32 = 32
_INT64 = 64


@family("indexing", TEMPLATES)
def indexing(
    operator: Operator,
    *,
    inputs: dict[str, Any],
    size: int,
    bits: int = _INT64,
    bind: dict[str, str] | None = None,
    negative: bool = True,
    data: str = "distinct",
    common: dict[str, Any] | None = None,
    reject: str = "run",
) -> Iterator[Case]:
    """One index at the ends of its axis, and invalid ones beyond: by one, and by what wraps.

    Valid: 0, the last, and from the back -1 and -s. Invalid: s, -s-1, the extremes of the index
    type, and 2^32 and s - 2^32, which are inside for who takes the low 32 bits.

    Parameters:
        inputs: as in a case, with `at` in the place of the index.
        size: of the axis that the index is for.
        bits: 32 or 64: the width of the index type.
        bind: the type variable of the indices, where it is not int64: `{Tind: int32}`.
        negative: whether indices below 0 are tried inside the range.
        data, common: as in a case.
        reject: the phase at which an index can be known at the earliest.
    """
    if bits not in {_INT32, _INT64}:
        raise BadInputError(f"bits is 32 or 64, not {bits}")

    def case(index: int, name: str, **more: Any) -> Case:  # noqa: ANN401  fields of Case
        given = {key: _filled(value, index) for key, value in inputs.items()}
        settled, literals = assigned(operator, {**given, **(common or {})}, data)
        return operator.case(f"index_{name}", literals, settled, bind=bind or {}, **more)

    first = case(0, "0", covers=(INSIDE,))
    yield first
    yield case(size - 1, "last", covers=(INSIDE,))
    if negative:
        yield case(-1, "m1", covers=(NEGATIVE,))
        yield case(-size, "ms", covers=(NEGATIVE,))
    for name, index in _beyond(size, bits).items():
        yield case(
            index, name, kind=Kind.INVALID, covers=(OUTSIDE,), control=first.id, reject=reject
        )


def _beyond(size: int, bits: int) -> Mapping[str, int]:
    """Indices outside of an axis, by their names in ids."""
    half = 1 << bits - 1
    ends = {"of_size": size, "below_ms": -size - 1, "greatest": half - 1, "least": -half}
    wraps = {"2p32": 1 << 32, "m2p32": size - 1 - (1 << 32)}
    return ends if bits == _INT32 else {**ends, **wraps}


def _filled(value: Any, index: int) -> Any:  # noqa: ANN401  what YAML holds
    """A template with the index filled in."""
    if value == _AT:
        return index
    if isinstance(value, list):
        return [_filled(item, index) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, index) for key, item in value.items()}
    return value
