"""The family of conversions between element types: every pair of types, or some of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type

from ...situations.data.conversions import has_conversion_values
from ...specs.model import AnyLiteral, Case, Literal, OperatorVersion
from ...specs.words import Spread
from ..assigning import assigned
from ..operator import Operator, tensor
from ..registry import Template, family

HELD = "held-numbers-stay"
BETWEEN_FLOATS = "float-to-float-rounds"
TO_FIXED = "float-to-fixed-in-range"
BOOLS = "zero-is-false"
FROM_FIXED = "fixed-to-float-rounds"
WRAPS = "fixed-to-fixed-wraps"
FROM_BOOLS = "bool-to-number"
FLOAT8 = "float8-saturates"
FLOAT8_ALL = "float8-saturates-infinities"
FOUR_BITS = "float4-and-float6-have-ends"
POWERS = "e8m0-rounds-up"
FROM_TEXT = "text-to-float"
WHOLE_TEXT = "text-to-integer"
TO_TEXT = "number-to-text"

_SUMMARY = "Summary"
TEMPLATES = {
    HELD: Template("A number that the target type holds stays what it is.", _SUMMARY),
    BETWEEN_FLOATS: Template(
        "A float becomes the nearest number of the target type, of two the even one (IEEE 754-2019,"
        " 4.3.1), by one rounding; beyond the range an infinity. NaN stays NaN.",
        "Summary, floating point to floating point",
    ),
    TO_FIXED: Template(
        "A float that is an integer of the target type's range becomes that integer.",
        "Summary, floating point to fixed point",
    ),
    BOOLS: Template(
        "A zero of either sign becomes False and every other number True, NaN too.",
        "Summary, to bool",
    ),
    FROM_FIXED: Template(
        "An integer becomes the nearest number of a floating-point type, by one rounding; beyond"
        " the range an infinity.",
        "Summary, fixed point to floating point",
    ),
    WRAPS: Template(
        "An integer that the target type lacks loses its higher bits; the rest is read in two's"
        " complement.",
        "Summary, fixed point to fixed point",
    ),
    FROM_BOOLS: Template("False becomes 0 and True 1.", "Summary, from bool"),
    FLOAT8: Template(
        "By default a number whose rounded value is beyond the range of a float8 type becomes its"
        " greatest; every other is rounded to nearest, ties to even.",
        "Summary, first table",
    ),
    FLOAT8_ALL: Template(
        "By default an infinity becomes the greatest number of any float8 type.",
        "Summary, first table",
    ),
    FOUR_BITS: Template(
        "The float types of 4 and 6 bits have no infinity: what is beyond their range, an infinity"
        " too, becomes their end; every other is rounded to nearest, ties to even.",
        "Float stored in 4 bits, Float stored in 6 bits, Cast",
    ),
    POWERS: Template(
        "By default a positive number becomes the next power of two away from zero, and what is"
        " beyond the range of float8e8m0 its end, 0 among it; NaN stays NaN.",
        "Summary, last table, and round_mode",
    ),
    FROM_TEXT: Template(
        "A string that holds a decimal, with an exponent or without, becomes that number; INF, +INF"
        " and NaN in any case of letters, and -INF, are the special ones.",
        "Summary, second paragraph",
    ),
    WHOLE_TEXT: Template(
        "A string that holds an integer of the target type's range becomes that integer.",
        "Summary, second paragraph",
    ),
    TO_TEXT: Template(
        "A number becomes a string of its digits without an exponent.",
        "Summary, second paragraph",
    ),
}

_RULES_SINCE = 13
_INFINITIES_SINCE = 24
_POWERS_OF_TWO = "float8e8m0"


@family("type_pairs", TEMPLATES)
def type_pairs(
    operator: Operator,
    *,
    values: str = "into",
    sources: list[str] | None = None,
    targets: list[str] | None = None,
    each: int = 0,
    name: str = "to",
    attributes: dict[str, Any] | None = None,
    like: str = "",
    everywhere: bool = False,
) -> Iterator[Case]:
    """The first input, in one type variable, converted to the types of another.

    One case for each target type, `to_int8`, whose vectors are the source types. The values depend
    on both types: the ends and the smallest numbers of each, halfway cases and their neighbours,
    which show a conversion that rounds twice (`generators/situations/data/conversions.py`).

    Parameters:
        values: which values: `into` those for which the conversion is defined, `exactly` those that
            both types hold, `fractions`, `beyond`, `negative`, `digits`.
        sources, targets: element types; all that the newest of its versions lists otherwise.
        each: how many sources a target has, evenly spread; 0 for all of them.
        name: what the ids begin with.
        attributes: attributes of all cases.
        like: the input that has the target type, where none of the attributes says it.
        everywhere: whether the cases are at every version, for types that only one brings.
    """
    newest = operator.newest
    data, result = newest.inputs[0], newest.outputs[0]
    from_types = sources or list(newest.types[data.type])
    to_types = targets or list(newest.types[result.type])
    for type_name in (*from_types, *to_types):
        element_type(type_name)
    settled, _ = assigned(operator, attributes or {}, "any")
    made = 0
    for place, target in enumerate(to_types):
        chosen = [
            item
            for item in _some(from_types, each, place)
            if has_conversion_values(values, item, target)
        ]
        if not chosen:
            continue
        made += 1
        inputs: dict[str, AnyLiteral] = {data.name: tensor((), f"{values}:{target}")}
        if like:
            inputs[like] = Literal((1,), None, profile="ones")
        yield operator.case(
            f"{name}_{target}",
            inputs,
            settled,
            covers=() if operator.covers else _covered(operator, values, chosen, target),
            bind={result.type: target},
            types=tuple(chosen),
            sweep=("types",),
            since=_first(operator, newest, target),
            spread=Spread.EVERYWHERE if everywhere else Spread.CLASSES,
        )
    if not made:
        raise BadInputError(f"no pair of these types has values for '{values}'")


def _some(types: Sequence[str], each: int, place: int) -> list[str]:
    """The given number of types, evenly spread; the first one depends on the place."""
    if not each or each >= len(types):
        return list(types)
    step = len(types) / each
    return sorted(
        {types[(place + 1 + int(index * step)) % len(types)] for index in range(each)},
        key=types.index,
    )


def _first(operator: Operator, newest: OperatorVersion, target: str) -> int | None:
    """The first version of the family that has the target type."""
    variable = newest.outputs[0].type
    numbers = [
        number
        for number, version in operator.versions.items()
        if number >= (operator.since or 1) and target in version.types.get(variable, ())
    ]
    return numbers[0] if numbers else operator.since


def _covered(
    operator: Operator, values: str, sources: Sequence[str], target: str
) -> tuple[str, ...]:
    """The requirements that a target's pairs are about."""
    kinds = {element_type(item).kind for item in sources if item != target}
    first = operator.since or min(operator.versions)
    if values == "exactly" or first < _RULES_SINCE:
        return (HELD,)
    found: list[str] = []
    if "string" in kinds or element_type(target).kind == "string":
        found += _about_texts(kinds, target)
    if "float" in kinds:
        found += _from_floats(first, target)
    if kinds & {"int", "uint"}:
        found += _from_integers(target)
    if "bool" in kinds and element_type(target).kind != "string":
        found.append(FROM_BOOLS)
    return tuple(dict.fromkeys(found)) or (HELD,)


def _about_texts(kinds: AbstractSet[str], target: str) -> list[str]:
    kind = element_type(target).kind
    if kind == "string":
        return [TO_TEXT] if kinds & {"float", "int", "uint"} else [HELD]
    if kind == "bool":
        return []
    return [FROM_TEXT] if kind == "float" else [WHOLE_TEXT]


def _from_floats(first: int, target: str) -> list[str]:
    kind = element_type(target).kind
    if kind == "float":
        return _to_floats(first, target, BETWEEN_FLOATS)
    if kind == "bool":
        return [BOOLS]
    return [TO_FIXED] if kind in ("int", "uint") else []


def _to_floats(first: int, target: str, otherwise: str) -> list[str]:
    if target == _POWERS_OF_TWO:
        return [POWERS]
    if target.startswith("float8"):
        return [FLOAT8, FLOAT8_ALL] if first >= _INFINITIES_SINCE else [FLOAT8]
    return [FOUR_BITS] if target.startswith(("float4", "float6")) else [otherwise]


def _from_integers(target: str) -> list[str]:
    kind = element_type(target).kind
    if kind == "float":
        return _to_floats(_INFINITIES_SINCE - 1, target, FROM_FIXED)
    if kind == "bool":
        return [BOOLS]
    return [WRAPS] if kind in ("int", "uint") else []
