"""The family of every operator: what follows from its signature alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError

from ...situations.graphs import has_graphs
from ...specs.model import Case, Example, GivenAttribute, Literal, OperatorVersion
from ...specs.words import Spread
from ..registry import Template, family
from ..signature_faults import (
    ARITY,
    ATTRIBUTES,
    OUTPUT_TYPE,
    TYPES_INVALID,
    derived_attributes,
    is_untyped,
    types_outside,
    wrong_attributes,
    wrong_counts,
    wrong_output_type,
)

if TYPE_CHECKING:
    from ..operator import Operator

TYPES = "every-listed-type"
OPTIONAL = "optional-inputs-may-be-absent"
DEFAULTS = "attributes-have-defaults"
_PARTS = frozenset(
    {"types", "pairs", "optional", "defaults", "arity", "attributes", "outside", "output"}
)
PRESENTATION = "any-presentation"

TEMPLATES = {
    TYPES: Template("Each type that the type constraints list is accepted.", "Type Constraints"),
    TYPES_INVALID: Template(
        "An input of a type that its constraint does not list makes the model invalid.",
        "Type Constraints",
    ),
    OPTIONAL: Template(
        "An optional input may be left out, by an empty name or by ending the list of inputs.",
        "Inputs",
    ),
    DEFAULTS: Template(
        "An attribute that is given its default value means what its absence means.",
        "Attributes",
    ),
    ARITY: Template(
        "A node with fewer inputs than the operator requires, or more than it has, is invalid.",
        "Inputs",
    ),
    ATTRIBUTES: Template(
        "An attribute that the operator does not have, one of another type than it has, or one that"
        " is given twice, makes the model invalid.",
        "Attributes",
    ),
    OUTPUT_TYPE: Template(
        "The model must not declare another element type for an output than the operator gives it.",
        "Outputs and Type Constraints",
    ),
    PRESENTATION: Template(
        "The result depends on the values of the inputs, not on where they come from or on what the"
        " model declares of them.",
        "Inputs",
    ),
}


@family("structure", TEMPLATES)
def structure(
    operator: Operator,
    *,
    base: str = "",
    data: str = "",
    forms: bool | list[str] = True,
    outside: list[str] | None = None,
    attributes: list[str] | None = None,
    without: list[str] | None = None,
    skip: list[str] | None = None,
) -> Iterator[Case]:
    """What follows from the signature: types, optional inputs, defaults, counts, and their faults.

    From one valid case it makes: each element type of each type variable; each optional input left
    out; each attribute with its default written out; the case in every form of model; and invalid
    neighbours: a type that is not listed, an input too few and one too many, an attribute that the
    operator does not have, one of the wrong type and one given twice, and a wrong declared output
    type.

    Parameters:
        base: id of that case; the first valid case that has all required inputs otherwise.
        data: data profile of its data inputs where types are swept; that of the case otherwise.
        forms: whether the case is in every form, or in which.
        outside: element types to try that the first type variable does not list.
        attributes: those that are given a wrong type and given twice; all of the operator
            otherwise. One of each type is enough where lists stand side by side.
        without: optional inputs that may be left out in this case; all that are given otherwise.
        skip: parts that are left out: `types`, `pairs` (each type in one more form), `optional`,
            `defaults`, `arity`, `attributes`, `outside`, `output`; or one case of a default, as
            `default_direction`.
    """
    case = _base(operator, base)
    skipped = set(skip or ())
    _must_know(skipped)
    if forms:
        yield operator.variant(
            case,
            "presented",
            covers=(PRESENTATION,),
            **({"sweep": ("forms",)} if forms is True else {"forms": tuple(forms)}),
            spread=Spread.ENDS,
            purpose="",
        )
    if "types" not in skipped:
        yield from _types(operator, case, data, in_forms="pairs" not in skipped)
    if "optional" not in skipped:
        yield from _optional(operator, case, without)
    if "defaults" not in skipped:
        yield from (item for item in _defaults(operator, case) if item.id not in skipped)
    if "arity" not in skipped:
        yield from wrong_counts(operator, case)
    if "attributes" not in skipped:
        yield from wrong_attributes(operator, case, attributes)
    if "outside" not in skipped:
        yield from types_outside(operator, case, outside)
    if "output" not in skipped:
        yield from wrong_output_type(operator, case)


def _must_know(skipped: set[str]) -> None:
    for part in sorted(skipped - _PARTS):
        if not part.startswith("default_"):
            parts = ", ".join(sorted(_PARTS))
            raise BadInputError(f"`structure` has no part '{part}' to skip; it has {parts}")


def _base(operator: Operator, name: str) -> Case:
    if name:
        if name not in operator.cases:
            raise BadInputError(f"there is no case '{name}' before `structure`")
        return operator.cases[name]
    for case in operator.cases.values():
        if case.kind == Kind.VALID and not case.types and case.since is None and case.until is None:
            return case
    for case in operator.cases.values():
        if case.kind == Kind.VALID:
            return case
    raise BadInputError("no valid case is before `structure`; it needs one to start from")


def _types(operator: Operator, case: Case, data: str, *, in_forms: bool) -> Iterator[Case]:
    """Each type of each variable; elements are derived, as literals may not fit every type."""
    variables = {
        name: None
        for number, version in operator.versions.items()
        for name, types in version.types.items()
        if len(types) > 1
        and (operator.since or number) <= number <= (operator.until or number)
        # Types of outputs alone may depend on values that graphs take from around the node.
        and (
            has_graphs(version)
            or any(item.type == name for item in version.inputs)
            # Without inputs, a tensor among the attributes has the type.
            or (not version.inputs and any(is_untyped(item.value) for item in case.attributes))
        )
    }
    example = case.examples[0]
    newest = operator.newest
    inputs = {
        name: replace(literal, values=None, profile=data or literal.profile or "any")
        if isinstance(literal, Literal)
        and (parameter := newest.parameter_of(name)) is not None
        and operator.roles[parameter.name].is_data
        and literal.type is None
        else literal
        for name, literal in example.inputs.items()
    }
    # `types` sweeps the main variable of each version, which may differ between versions.
    mains = {item.main_variable for item in operator.versions.values()}
    first_main = next((item for item in variables if item in mains), None)
    attributes = derived_attributes(case, data or "any")
    sweep = ("types", "pairs") if in_forms else ("types",)
    for variable in variables:
        main = variable in mains
        if main and variable != first_main:
            continue
        yield operator.variant(
            case,
            "types" if main else f"types_{variable}",
            covers=(TYPES,),
            attributes=attributes,
            examples=(Example(inputs, None),),
            sweep=sweep if main else (f"types:{variable}",),
            spread=Spread.EVERYWHERE,
            types=None,
            purpose="",
        )


def _optional(operator: Operator, case: Case, without: list[str] | None) -> Iterator[Case]:
    given = case.examples[0].inputs
    for parameter in operator.newest.inputs:
        name = parameter.name
        if parameter.optional and name in given and (without is None or name in without):
            rest = {key: value for key, value in given.items() if key != name}
            yield operator.variant(
                case,
                f"without_{name}",
                covers=(OPTIONAL,),
                examples=(Example(rest, None),),
                since=_first_optional(operator, case, name),
                purpose="",
            )


def _first_optional(operator: Operator, case: Case, name: str) -> int | None:
    """The first version at which an input may be left out; None if that is the oldest of all."""

    def may_be_left_out(version: OperatorVersion) -> bool:
        return any(item.name == name and item.optional for item in version.inputs)

    if operator.first(may_be_left_out) == next(iter(operator.versions)):
        return case.since
    return operator.since_first(case, may_be_left_out)


def _defaults(operator: Operator, case: Case) -> Iterator[Case]:
    yield from _consumed_inputs(operator, case)
    given = {item.name for item in case.attributes}
    seen: set[tuple[str, str, object]] = set()
    for version in operator.versions.values():
        for name, attribute in version.attributes.items():
            key = (name, attribute.type, attribute.default)
            if attribute.default is None or name in given or key in seen:
                continue
            seen.add(key)
            numbers = [
                number
                for number, item in operator.versions.items()
                if name in item.attributes
                and item.attributes[name].type == attribute.type
                and item.attributes[name].default == attribute.default
            ]
            first = max(numbers[0], case.since or 0, operator.since or 0)
            last = min(numbers[-1], case.until or numbers[-1], operator.until or numbers[-1])
            if first > last:
                continue
            suffix = "" if sum(item[0] == name for item in seen) == 1 else f"_since_{numbers[0]}"
            yield operator.variant(
                case,
                f"default_{name}{suffix}",
                covers=(DEFAULTS,),
                attributes=(
                    *case.attributes,
                    GivenAttribute(name, attribute.default, attribute.type),
                ),
                since=first,
                until=last,
                purpose="",
            )


def _consumed_inputs(operator: Operator, case: Case) -> Iterator[Case]:
    """The hint of the first versions that an input's memory may be reused: it changes nothing.

    If an operator requires it, the case has it already.
    """
    if any(item.name == "consumed_inputs" for item in case.attributes):
        return
    numbers = [
        number
        for number, item in operator.versions.items()
        if "consumed_inputs" in item.attributes
        and number >= (case.since or operator.since or number)
        and number <= (case.until or operator.until or number)
    ]
    if numbers:
        yield operator.variant(
            case,
            "consumed_inputs",
            covers=(DEFAULTS,),
            attributes=(*case.attributes, operator.attribute("consumed_inputs", (0,))),
            since=numbers[0],
            until=numbers[-1],
            purpose="the attribute is a hint",
        )
