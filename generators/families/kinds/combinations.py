"""The family of pairs of values: as few cases as hold every pair of the values of two inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from onnx_conformance.core.errors import BadInputError

from ...situations.covering import covering
from ...specs.model import Case
from ..assigning import assigned, value_text
from ..operator import Operator
from ..registry import family

_MOST_COMBINATIONS = 20_000


@family("combinations")
def combinations(
    operator: Operator,
    *,
    values: dict[str, list[Any]],
    data: str = "any",
    name: str = "comb",
    bind: dict[str, str] | None = None,
    common: dict[str, Any] | None = None,
    requested: list[str] | None = None,
) -> Iterator[Case]:
    """Every pair of values of two inputs or attributes, in as few cases as hold them all.

    Rows that the oracle refuses at the newest version are left out, and the pairs that only such
    rows hold with them. A row that the corpus has stays, whatever would be chosen today.

    Parameters:
        values: for each input or attribute the values that it takes, written as in a case; `absent`
            leaves an optional one out.
        data: data profile where a value is dimensions alone.
        name: what the ids begin with.
        bind: types of type variables.
        common: what every case has besides, by name.
        requested: names of the outputs that are asked for, where not all are.
    """
    total = 1
    for items in values.values():
        total *= len(items)
    if total > _MOST_COMBINATIONS:
        raise BadInputError(f"{total} combinations are too many to choose from; split the family")

    def case_of(row: Mapping[str, Any]) -> Case:
        attributes, inputs = assigned(operator, {**(common or {}), **row}, data)
        text = "_".join(f"{key}_{value_text(value)}" for key, value in row.items())
        return operator.case(
            f"{name}_{text}",
            inputs,
            attributes,
            bind=bind or {},
            requested=tuple(requested) if requested else None,
        )

    made: dict[str, Case] = {}
    if operator.settled:
        every = [dict(zip(values, row, strict=True)) for row in product(*values.values())]
        settled = [row for row in every if case_of(row).id in operator.settled]
        # In the order in which they were chosen, which decides what the excerpt has.
        first = covering(values, lambda row: row in settled)
        made = {case.id: case for case in map(case_of, (*first, *settled))}
    accepts = operator.accepts
    if accepts is not None:
        rows = covering(values, lambda row: accepts(case_of(row)))
        if not rows and not made:
            raise BadInputError("the oracle refuses every combination")
        for case in map(case_of, rows):
            made.setdefault(case.id, case)
    yield from made.values()
