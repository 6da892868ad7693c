"""Invalid neighbours of a valid case that follow from the signature alone: counts, types, names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES

from ..specs.model import (
    AnyLiteral,
    AttributeValue,
    Case,
    Example,
    Fault,
    GivenAttribute,
    Literal,
    OperatorVersion,
)
from ..specs.words import Spread

if TYPE_CHECKING:
    from .operator import Operator

TYPES_INVALID = "types-are-listed"
ARITY = "inputs-and-outputs-are-counted"
ATTRIBUTES = "attributes-are-listed"
OUTPUT_TYPE = "output-type-follows"

_WRONG_TYPED: dict[str, tuple[str, AttributeValue]] = {
    "int": ("float", 1.0),
    "ints": ("int", 1),
    "float": ("int", 1),
    "floats": ("float", 1.0),
    "string": ("int", 1),
    "strings": ("string", "a"),
}


def is_untyped(value: AttributeValue) -> bool:
    """Whether an attribute is a tensor that takes the type of a type variable."""
    return isinstance(value, Literal) and value.type is None


def derived_attributes(case: Case, profile: str) -> tuple[GivenAttribute, ...]:
    """The attributes; a tensor of the swept type gets elements of a profile."""
    return tuple(
        replace(item, value=replace(item.value, values=None, profile=profile))
        if isinstance(item.value, Literal) and is_untyped(item.value)
        else item
        for item in case.attributes
    )


def _invalid(operator: Operator, case: Case, name: str, **changes: object) -> Case:
    settled: dict[str, object] = {
        "kind": Kind.INVALID,
        "control": case.id,
        "reject": "load",
        "purpose": "",
    }
    return operator.variant(case, name, **{**settled, **changes})


def wrong_counts(operator: Operator, case: Case) -> Iterator[Case]:
    """One input fewer than the operator requires, and one more than it has."""
    names = tuple(case.examples[0].inputs)
    required = [item for item in operator.newest.inputs if not item.optional and not item.variadic]
    if names and required and required[-1].name in names:
        kept = names[: names.index(required[-1].name)]
        yield _invalid(
            operator,
            case,
            "too_few_inputs",
            covers=(ARITY,),
            fault=Fault(arguments=kept),
            since=_first_with_input(operator, case, required[-1].name),
        )
    most = len(operator.newest.inputs)
    if names and not any(item.variadic for item in operator.newest.inputs):
        padded = [item.name if item.name in names else "" for item in operator.newest.inputs]
        yield _invalid(
            operator,
            case,
            "too_many_inputs",
            covers=(ARITY,),
            fault=Fault(arguments=(*padded[:most], names[0])),
            since=_first_like_newest(operator, case),
        )


def _first_with_input(operator: Operator, case: Case, name: str) -> int | None:
    """The first version at which this is an input; at others it may be an attribute."""
    first = operator.first(lambda item: any(one.name == name for one in item.inputs))
    oldest = next(iter(operator.versions))
    return case.since if first == oldest else max(first, case.since or 0)


def _first_like_newest(operator: Operator, case: Case) -> int | None:
    """The first version that has as many inputs as the newest."""
    count = len(operator.newest.inputs)
    numbers = [number for number, item in operator.versions.items() if len(item.inputs) == count]
    run: list[int] = []
    for number in reversed(tuple(operator.versions)):
        if number not in numbers:
            break
        run.append(number)
    first = run[-1] if run else operator.newest.since_version
    return max(first, case.since or 0, operator.since or 0)


def wrong_attributes(
    operator: Operator, case: Case, names: list[str] | None = None
) -> Iterator[Case]:
    """An attribute that the operator lacks, each one with a wrong type, each given one twice.

    BadInputError where `names`, to which it can be limited, has one that is no attribute.
    """
    unknown = sorted(set(names or ()) - set(operator.newest.attributes))
    if unknown:
        raise BadInputError(f"the operator has no attribute '{unknown[0]}'")
    yield _invalid(
        operator,
        case,
        "unknown_attribute",
        covers=(ATTRIBUTES,),
        attributes=(*case.attributes, GivenAttribute("no_such_attribute", 1, "int")),
    )
    given = {item.name for item in case.attributes}
    for name, attribute in operator.newest.attributes.items():
        if attribute.type not in _WRONG_TYPED or (names is not None and name not in names):
            continue
        type_name, value = _WRONG_TYPED[attribute.type]
        rest = tuple(item for item in case.attributes if item.name != name)
        since = operator.since_first(case, partial(_has_attribute, name, attribute.type))
        yield _invalid(
            operator,
            case,
            f"{name}_of_wrong_type",
            covers=(ATTRIBUTES,),
            attributes=(*rest, GivenAttribute(name, value, type_name)),
            since=since,
        )
        if name in given:
            item = next(item for item in case.attributes if item.name == name)
            yield _invalid(
                operator,
                case,
                f"{name}_twice",
                covers=(ATTRIBUTES,),
                fault=Fault(repeat=(item,)),
                since=since,
            )


def _has_attribute(name: str, type_name: str, version: OperatorVersion) -> bool:
    return name in version.attributes and version.attributes[name].type == type_name


def types_outside(operator: Operator, case: Case, outside: list[str] | None) -> Iterator[Case]:
    """Types that the main variable does not list: one of each kind, and those of later versions.

    Raises BadInputError if `outside` names a type that ONNX does not know.
    """
    kinds = outside or [
        "string",
        "bool",
        "complex64",
        "int32",
        "uint8",
        "float32",
        "bfloat16",
        "float8e4m3fn",
        "int4",
    ]
    known = {item.name for item in ELEMENT_TYPES}
    for type_name in kinds:
        if type_name not in known:
            raise BadInputError(f"unknown element type '{type_name}'")
    missing = tuple(
        item
        for item in kinds
        if any(_lacks(version, item) for version in operator.versions.values())
    )
    if not missing:
        return
    inputs = {
        name: _ones(operator, name, literal) for name, literal in case.examples[0].inputs.items()
    }
    yield _invalid(
        operator,
        case,
        "type_outside",
        covers=(TYPES_INVALID,),
        attributes=derived_attributes(case, "ones"),
        examples=(Example(inputs, None),),
        types=missing,
        sweep=("types",),
        spread=Spread.ENDS,
    )


def _lacks(version: OperatorVersion, type_name: str) -> bool:
    variable = version.main_variable
    return variable is not None and type_name not in version.types[variable]


def _ones(operator: Operator, name: str, literal: AnyLiteral) -> AnyLiteral:
    """Ones for an input of the main type variable: its own elements may not fit another type."""
    parameter = operator.newest.parameter_of(name)
    if not isinstance(literal, Literal) or parameter is None:
        return literal
    if parameter.type != operator.newest.main_variable:
        return literal
    return replace(literal, values=None, profile="ones")


def wrong_output_type(operator: Operator, case: Case) -> Iterator[Case]:
    """The first output declared with an element type that the operator does not give it."""
    output = operator.newest.outputs[0]
    if output.variadic:
        return
    wrong = "int16" if operator.default_type != "int16" else "float32"
    yield _invalid(
        operator,
        case,
        "wrong_output_type",
        covers=(OUTPUT_TYPE,),
        fault=Fault(declare_types={output.name: wrong}),
    )
