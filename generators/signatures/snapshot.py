"""Makes the snapshot of ONNX's schemas from the installed onnx.

The file has what a signature needs and no text of the documents. It is designed so that people can
read its diff at a release of ONNX: one line for each operator version, type sets named after the
first parameter that has them, and no order that depends on the machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type, element_type_of_onnx

from .model import Option, Parameter, fewest, most
from .reading import parameter_text

if TYPE_CHECKING:
    import onnx

_NO_LIMIT = 2**31 - 1
_KINDS = {"seq": 101, "optional": 102, "map": 103, "sparse_tensor": 104}


def installed_snapshot() -> dict[str, Any]:
    """The snapshot of the installed onnx: of all versions of all operators of all its domains.

    Raises:
        BadInputError: a schema has content that the snapshot cannot express.
    """
    import onnx

    schemas = sorted(
        onnx.defs.get_all_schemas_with_history(),
        key=lambda schema: (schema.domain, schema.since_version, schema.name),
    )
    names: dict[tuple[str, ...], str] = {}
    operators: dict[str, dict[str, dict[str, Any]]] = {}
    for schema in schemas:
        versions = operators.setdefault(schema.domain, {}).setdefault(schema.name, {})
        versions[str(schema.since_version)] = _entry(schema, names)
    ranges = onnx.defs.C.schema_version_map()
    return {
        "onnx": onnx.__version__,
        "opsets": {domain: ranges[domain][1] for domain in sorted(operators)},
        "types": {name: list(types) for types, name in names.items()},
        "operators": {
            domain: {name: operators[domain][name] for name in sorted(operators[domain])}
            for domain in sorted(operators)
        },
    }


def rendered(snapshot: Mapping[str, Any]) -> str:
    """The text of the file: JSON with a line for each type set and each operator version."""
    domains = [
        f"  {_json(domain)}: {{\n{_operators(operators)}\n  }}"
        for domain, operators in snapshot["operators"].items()
    ]
    return "\n".join(
        [
            "{",
            f' "onnx": {_json(snapshot["onnx"])},',
            f' "opsets": {_json(snapshot["opsets"])},',
            ' "types": {',
            _lines("  ", snapshot["types"]),
            " },",
            ' "operators": {',
            ",\n".join(domains),
            " }",
            "}\n",
        ]
    )


def _operators(operators: Mapping[str, Mapping[str, Any]]) -> str:
    return ",\n".join(
        f"   {_json(name)}: {{\n{_lines('    ', versions)}\n   }}"
        for name, versions in operators.items()
    )


def _lines(indent: str, items: Mapping[str, Any]) -> str:
    return ",\n".join(f"{indent}{_json(key)}: {_json(value)}" for key, value in items.items())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def type_words(text: str) -> str:
    """A type of a schema in our words: `seq(tensor(double))` is `seq(float64)`.

    Raises:
        BadInputError: it names an element type that this suite does not know.
    """
    text = text.replace(" ", "")
    outer, bracket, inner = text.removesuffix(")").partition("(")
    if not bracket:
        return element_type_of_onnx(text).name
    if outer == "tensor":
        return element_type_of_onnx(inner).name
    if outer == "map":
        key, _, value = inner.partition(",")
        return f"map({type_words(key)},{type_words(value)})"
    if outer not in _KINDS:
        raise BadInputError(f"unknown kind of type '{text}'")
    return f"{outer}({type_words(inner)})"


def _entry(schema: onnx.defs.OpSchema, names: dict[tuple[str, ...], str]) -> dict[str, Any]:
    """A version's line; `names` holds the type sets named so far; new ones are added to it."""
    variables = {item.type_param_str: item.allowed_type_strs for item in schema.type_constraints}
    inputs = [_parameter(item, variables) for item in schema.inputs]
    outputs = [_parameter(item, variables) for item in schema.outputs]
    here = f"{schema.domain}.{schema.name}" if schema.domain else schema.name
    here = f"{here}-{schema.since_version}"
    _check_counts(here, inputs, schema.min_input, schema.max_input)
    _check_counts(here, outputs, schema.min_output, schema.max_output)
    attributes = {name: schema.attributes[name] for name in sorted(schema.attributes)}
    entry: dict[str, Any] = {
        "inputs": [parameter_text(item) for item in inputs],
        "outputs": [parameter_text(item) for item in outputs],
        "types": {
            name: _type_set(variables[name], f"{here}.{name}", names) for name in sorted(variables)
        },
    }
    if attributes:
        entry["attributes"] = {
            name: _name(item.type) + (" required" if item.required else "")
            for name, item in attributes.items()
        }
    defaults = {
        name: _default(f"{here}: attribute '{name}'", item)
        for name, item in attributes.items()
        if item.default_value.type
    }
    untyped: Any = schema  # onnx's type information lacks these two
    flags = {
        "deprecated": schema.deprecated,
        "function": untyped.has_function,
        "context_function": untyped.has_context_dependent_function,
    }
    return {
        **entry,
        **({"defaults": defaults} if defaults else {}),
        **{name: True for name, is_set in flags.items() if is_set},
    }


def _parameter(
    formal: onnx.defs.OpSchema.FormalParameter, variables: Mapping[str, object]
) -> Parameter:
    type_text = formal.type_str if formal.type_str in variables else type_words(formal.type_str)
    return Parameter(
        formal.name,
        type_text,
        Option(_name(formal.option)),
        homogeneous=formal.is_homogeneous,
        min_arity=formal.min_arity,
    )


def _check_counts(where: str, parameters: list[Parameter], least: int, greatest: int) -> None:
    """Check the counts: they are not in the file, because they follow from the parameters."""
    ours = (fewest(tuple(parameters)), most(tuple(parameters)))
    theirs = (least, None if greatest == _NO_LIMIT else greatest)
    if ours != theirs:
        raise BadInputError(
            f"{where}: onnx says {theirs[0]} to {theirs[1]} values for"
            f" ({', '.join(parameter_text(item) for item in parameters)}), which means"
            f" {ours[0]} to {ours[1]} here: teach it to signatures/model.py"
        )


def _type_set(
    strings: Iterable[str], here: str, names: dict[tuple[str, ...], str]
) -> str | list[str]:
    """A single type as it is; several by the name of the first variable that has them."""
    types = tuple(sorted({type_words(text) for text in strings}, key=_type_order))
    if len(types) == 1:
        return list(types)
    return names.setdefault(types, here)


def _type_order(text: str) -> tuple[int, list[int]]:
    """Sort key: tensors by the code of their element type, then containers, simple before nested.

    Schemas list types in arbitrary order; with a fixed order, equal sets look the same.
    """
    words = re.findall(r"\w+", text)
    return len(words), [_KINDS.get(word) or element_type(word).code for word in words]


def _name(value: object) -> str:
    """The name of a value of one of onnx's enumerations, in lower case: `AttrType.INT` is `int`."""
    return str(value).rpartition(".")[2].lower()


def _default(where: str, attribute: onnx.defs.OpSchema.Attribute) -> object:
    import onnx

    kinds = onnx.AttributeProto
    proto = attribute.default_value
    value = onnx.helper.get_attribute_value(proto)
    if proto.type in (kinds.INT, kinds.INTS):
        return list(value) if proto.type == kinds.INTS else value
    if proto.type in (kinds.STRING, kinds.STRINGS):
        return value.decode() if proto.type == kinds.STRING else [item.decode() for item in value]
    if proto.type in (kinds.FLOAT, kinds.FLOATS):
        return _shortest(value) if proto.type == kinds.FLOAT else [_shortest(x) for x in value]
    raise BadInputError(
        f"{where}: its default is a {_name(attribute.type)}, which the snapshot cannot say"
    )


def _shortest(value: float) -> float:
    """The float with the fewest decimal digits that rounds to this float32: 0.01, not 0.00999…."""
    import numpy as np

    return float(str(np.float32(value)))
