"""Families with situations that a spec writes itself: `computed`, `combinations`, `neighbours`."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError

from ...situations.covering import covering
from ...specs.model import Example
from ...specs.words import Spread
from ..assigning import ABSENT, assigned, attribute_value, value_text
from ..registry import family

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...specs.model import Case
    from ..operator import Operator

_MOST_COMBINATIONS = 20_000


@family("computed")
def computed(
    operator: Operator,
    *,
    cases: dict[str, Any],
    data: str = "any",
    bind: dict[str, str] | None = None,
    common: dict[str, Any] | None = None,
    types: list[str] | None = None,
    outputs: list[str] | None = None,
    forms: list[str] | None = None,
    each: list[str] | None = None,
    attributes: dict[str, Any] | None = None,
) -> Iterator[Case]:
    """Cases written one a line, whose results the oracle computes.

    Parameters:
        cases: for each id what the inputs and attributes are, by name. A list for an input whose
            role is data stands for its dimensions; for any other it is its elements. A mapping
            says more: `{shape: [2, 3], profile: exact}`, `{values: [1, 2], type: int32}`,
            `{sequence: [...]}`, `{optional: ...}`, `{map: {keys: ..., values: ...}}`; a variadic
            input takes a list of these. `absent` leaves an optional input or attribute out.
            A graph is ONNX's text, with `$V` for what V is bound to; a name that is no input is
            then a value of the scope around the node, of the main type variable's type.
        data: data profile where a case gives dimensions only. `a/b` takes `a` for floating-point
            types and `b` for the others.
        bind: types of type variables, for all the cases: `{T2: int8}`.
        common: what every case has unless it says otherwise.
        types: element types that the cases are limited to.
        outputs: names of the outputs that are asked for, where not all are.
        forms: the forms in which each case stands; the plain one and one by its id otherwise.
        each: type variables of which every type is tried that a version lists, at every version.
        attributes: attributes of every case whose names inputs have too, such as `split` of
            Split-1: in `cases` these names mean the inputs.
    """
    swept: dict[str, Any] = {}
    if each:
        swept = {"sweep": tuple(_sweep(operator, item) for item in each), "spread": Spread.ALL}
    beside = {
        name: attribute_value(operator, name, value) for name, value in (attributes or {}).items()
    }
    for name, assignment in cases.items():
        named, inputs = assigned(operator, {**(common or {}), **assignment}, data)
        yield operator.case(
            name,
            inputs,
            {**named, **beside},
            bind=bind or {},
            types=tuple(types) if types else None,
            requested=tuple(outputs) if outputs else None,
            forms=tuple(forms) if forms else None,
            **swept,
        )


def _sweep(operator: Operator, variable: str) -> str:
    """The value of `each` in a case for all types of a variable; BadInputError if there is none."""
    versions = operator.versions.values()
    if not any(variable in version.types for version in versions):
        raise BadInputError(f"{operator.name} has no type variable '{variable}'")
    mains = {version.main_variable for version in versions}
    return "types" if variable in mains else f"types:{variable}"


@family("combinations")
def combinations(
    operator: Operator,
    *,
    values: dict[str, list[Any]],
    data: str = "any",
    name: str = "comb",
    bind: dict[str, str] | None = None,
    common: dict[str, Any] | None = None,
    outputs: list[str] | None = None,
) -> Iterator[Case]:
    """Every pair of values of two inputs or attributes, in as few cases as hold them all.

    Rows that the oracle refuses at the newest version are left out, and the pairs that only such
    rows hold with them. A row that the corpus has stays, whatever would be chosen today.

    Parameters:
        values: for each input or attribute the values that it takes, written as in `computed`.
        name: what the ids begin with.
        data, bind, common, outputs: as in `computed`.
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
            requested=tuple(outputs) if outputs else None,
        )

    made: dict[str, Case] = {}
    if operator.settled:
        every = [dict(zip(values, row, strict=True)) for row in product(*values.values())]
        settled = [row for row in every if case_of(row).id in operator.settled]
        # In the order in which they were chosen, which decides what the core has.
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


@family("neighbours")
def neighbours(
    operator: Operator,
    *,
    control: str,
    changes: dict[str, Any],
    data: str = "any",
    reject: str = "load",
    bind: dict[str, str] | None = None,
) -> Iterator[Case]:
    """Invalid cases, each a valid case with one change; that valid case is the control.

    Parameters:
        control: id of the valid case.
        changes: for each id the inputs and attributes that differ from the control's, written as
            in `computed`.
        reject: the phase at which the fault can be known at the earliest: `decode`, `load`, `run`.
        data, bind: as in `computed`.
    """
    if control not in operator.cases:
        raise BadInputError(f"there is no case '{control}' before this family; it is the control")
    base = operator.cases[control]
    given = base.examples[0].inputs
    for name, change in changes.items():
        attributes, inputs = assigned(operator, change, data)
        kept = tuple(item for item in base.attributes if item.name not in change)
        added = tuple(operator.attribute(key, value) for key, value in attributes.items())
        absent = {key for key, value in change.items() if value == ABSENT}
        replaced = {_parameter(operator, key) for key in inputs}
        merged = {
            key: value
            for key, value in given.items()
            if key not in absent and _parameter(operator, key) not in replaced
        }
        yield operator.variant(
            base,
            name,
            kind=Kind.INVALID,
            covers=operator.covers,
            purpose="",
            attributes=(*kept, *added),
            examples=(Example({**merged, **inputs}, None),),
            control=control,
            reject=reject,
            bind={**base.bind, **(bind or {})},
            since=operator.since or base.since,
            until=operator.until or base.until,
        )


def _parameter(operator: Operator, name: str) -> str:
    """The parameter that an instance name such as `inputs_1` belongs to."""
    for version in operator.versions.values():
        found = version.parameter_of(name)
        if found is not None:
            return found.name
    return name
