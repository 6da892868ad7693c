"""A drawn call as a case in the language of specs, with the requirement that it is under."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor, Value

from ..oracle.arith.numbers import INF, NAN, NEG_INF, NEG_ZERO
from ..oracle.arith.rounding import decode_all
from ..specs.model import AttributeValue, GraphAttribute, Literal, Spec, TypeAttribute
from .calls import DrawnCall
from .corpus import bases_of
from .elements import codes_of

#: Stands where a name is to be filled in: no spec with it can be read.
NAMELESS = "TO_BE_NAMED"
_WORDS = {NAN: ".nan", INF: ".inf", NEG_INF: "-.inf", NEG_ZERO: "-0.0"}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST = 130


@dataclass(frozen=True)
class Promoted:
    """A drawn call as a case.

    Attributes:
        path: the spec of its operator.
        lines: the case, as it is below `cases:`.
        covers: the requirement that it is under.
    """

    path: str
    lines: tuple[str, ...]
    covers: str


def promoted(call: object, covers: str | None = None, name: str = NAMELESS) -> Promoted:
    """A drawn call as a case.

    Args:
        call: the drawing.
        covers: a requirement of the spec; None takes the first of the vector that it began with.
        name: the id of the case.

    Raises BadInputError where no requirement covers it, or what it holds cannot be written.
    """
    if not isinstance(call, DrawnCall):
        raise BadInputError(
            "a graph of several nodes is no case of an operator; write a text for"
            " it below specs/models (docs/specs.md, Whole models)"
        )
    requirement = _requirement(call, covers)
    lines = [f"  - id: {name}", f"    covers: [{requirement}]"]
    if call.version.since_version != min(call.spec.versions):
        lines.append(f"    since: {call.version.since_version}")
    types = {
        variable: word
        for variable, word in call.types.items()
        if len(call.version.types.get(variable, ())) > 1 and "(" not in word
    }
    if types:
        lines.append(f"    types: {_flow(types)}")
    attributes = {
        item.name: _attribute(item.value)
        for item in call.attributes
        if call.spec.type_attributes.get(item.name) not in types
    }
    lines += _mapping("attributes", attributes)
    lines += _mapping("inputs", dict(_inputs(call)))
    if call.requested:
        lines.append(f"    requested: {_flow(list(call.requested))}")
    if call.form != "static":
        lines.append(f"    forms: [{call.form}]")
    lines.append(f"    purpose: {_flow('; '.join(call.edits) or 'found by exploration')}")
    return Promoted(call.spec.path, tuple(lines), requirement)


def _requirement(call: DrawnCall, covers: str | None) -> str:
    number = call.version.since_version
    holding = [item.id for item in call.spec.requirements.values() if item.holds_at(number)]
    if covers is not None:
        if covers not in holding:
            raise BadInputError(
                f"{call.spec.path}: '{covers}' is no requirement that holds at version {number}:"
                f" {', '.join(holding)}"
            )
        return covers
    subject = call.base.split("/", 1)[0]
    plan = bases_of(call.spec.slug).plans.get(subject, {}).get(call.base)
    found = [item for item in (plan.case.covers if plan else ()) if item in holding]
    if not found:
        raise BadInputError(
            f"{call.spec.path}: no requirement is known to cover it; name one with --covers, or"
            f" state it first: {', '.join(holding)}"
        )
    return found[0]


def _inputs(call: DrawnCall) -> Iterator[tuple[str, Any]]:
    """The inputs by parameter; a variadic one as a list."""
    for parameter in call.version.inputs:
        values = [_value(item.value) for item in call.inputs if parameter.has_instance(item.name)]
        if parameter.variadic and values:
            yield parameter.name, values
        elif values:
            yield parameter.name, values[0]


def _value(value: Value) -> Any:  # noqa: ANN401  what YAML holds
    if isinstance(value, Tensor):
        return {"shape": list(value.shape), "values": _elements(value)}
    if isinstance(value, SequenceValue):
        return {"sequence": [_value(item) for item in value.items]}
    if isinstance(value, OptionalValue):
        return {"optional": "absent" if value.value is None else _value(value.value)}
    raise BadInputError("a map cannot be written by promote: write the case by hand")


def _elements(tensor: Tensor) -> list[Any]:
    if isinstance(tensor.data, tuple):
        return [item.decode("utf-8", "backslashreplace") for item in tensor.data]
    if element_type(tensor.type).kind == "complex":
        raise BadInputError("complex numbers cannot be written by promote: write the case by hand")
    return [_number(item) for item in decode_all(tensor.type, codes_of(tensor))]


def _number(number: Any) -> Any:  # noqa: ANN401  a number of the oracle, as YAML holds it
    if isinstance(number, bool):
        return number
    if number in _WORDS:
        return _Plain(_WORDS[number])
    return int(number) if isinstance(number, int) else float(number)


class _Plain(str):
    """A text that is written as it is."""

    __slots__ = ()


def _attribute(value: AttributeValue) -> Any:  # noqa: ANN401  what YAML holds
    if isinstance(value, Literal):
        known = {"shape": list(value.shape), "values": list(value.values or ())}
        return {**known, "type": value.type} if value.type else known
    if isinstance(value, (TypeAttribute, GraphAttribute)):
        return value.text
    return list(value) if isinstance(value, tuple) else value


def _mapping(key: str, content: dict[str, Any]) -> Iterator[str]:
    """A mapping on one line, or on a line for each of its keys where it is long."""
    if not content:
        return
    line = f"    {key}: {_flow(content)}"
    if len(line) <= _LONGEST:
        yield line
        return
    yield f"    {key}:"
    for name, value in content.items():
        yield from _wrapped(f"      {name}: {_flow(value)}")


def _wrapped(line: str) -> Iterator[str]:
    """A line, broken behind commas where it is long."""
    while len(line) > _LONGEST and (place := line.rfind(", ", 0, _LONGEST)) > 0:
        yield line[: place + 1]
        line = " " * 8 + line[place + 2 :]
    yield line


def _flow(value: Any) -> str:  # noqa: ANN401, PLR0911  what YAML holds, one kind after the other
    """A value in YAML's flow style."""
    if isinstance(value, _Plain):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_flow(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value not in ("true", "false", "null", "yes", "no")
        return value if plain else json.dumps(value)
    return str(value)


def _float(value: float) -> str:
    """A number as YAML reads it: with a point, also before an exponent."""
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{mark}{exponent}" if mark else text


def inserted(text: str, case: Promoted, spec: Spec | None = None) -> str:
    """The text of a spec with a case at the end of its list of cases.

    Raises BadInputError if the spec has no list of cases, or a case of that name.
    """
    name = case.lines[0].partition("id: ")[2]
    if spec is not None and name in spec.cases:
        raise BadInputError(f"{case.path}: has a case '{name}'; give another --name")
    lines = text.splitlines()
    try:
        first = lines.index("cases:")
    except ValueError:
        raise BadInputError(f"{case.path}: has no list `cases:` to add to") from None
    end = next(
        (at for at in range(first + 1, len(lines)) if lines[at] and lines[at][0] not in " #"),
        len(lines),
    )
    while not lines[end - 1].strip():
        end -= 1
    return "\n".join([*lines[:end], *case.lines, *lines[end:]]) + "\n"
