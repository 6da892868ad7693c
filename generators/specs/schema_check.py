"""The versions, types and attributes of the specs, held against the schemas of the installed onnx.

A document's table that was copied wrongly into a spec would make a whole column of vectors wrong,
and a version that ONNX adds would go unnoticed; either stops the check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type_of_onnx

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import onnx

    from .model import OperatorVersion, Parameter, Spec


def check_against_schemas(specs: Sequence[Spec]) -> None:
    """BadInputError where a spec and onnx.defs differ; says which side has what."""
    problems = [problem for spec in specs for problem in differences(spec)]
    if problems:
        raise BadInputError("specs and onnx.defs differ:\n  " + "\n  ".join(problems))


def differences(spec: Spec) -> Iterator[str]:
    """A line for each version, type, parameter or attribute that only one side has."""
    import onnx

    schemas = {
        schema.since_version: schema
        for schema in onnx.defs.get_all_schemas_with_history()
        if schema.name == spec.operator and schema.domain == spec.domain and not schema.deprecated
    }
    where = f"{spec.path}: {spec.operator}"
    for missing in sorted(schemas.keys() - spec.versions.keys()):
        yield f"{where}: onnx {onnx.__version__} has version {missing}, the spec lacks it"
    for number, version in spec.versions.items():
        if number not in schemas:
            yield f"{where}: the spec has version {number}, onnx {onnx.__version__} lacks it"
        else:
            for difference in _of_version(version, schemas[number]):
                yield f"{where}-{number}: {difference}"


def _of_version(version: OperatorVersion, schema: onnx.defs.OpSchema) -> Iterator[str]:
    constraints = {
        item.type_param_str: _types(item.allowed_type_strs) for item in schema.type_constraints
    }
    yield from _sets("type variable", set(version.types), set(constraints))
    for name in sorted(version.types.keys() & constraints.keys()):
        yield from _sets(f"element type of {name}", set(version.types[name]), constraints[name])
    yield from _parameters("input", version.inputs, schema.inputs)
    yield from _parameters("output", version.outputs, schema.outputs)
    yield from _sets("attribute", set(version.attributes), set(schema.attributes))
    for name in sorted(version.attributes.keys() & schema.attributes.keys()):
        ours, theirs = version.attributes[name], schema.attributes[name]
        their_type = str(theirs.type).rpartition(".")[2].lower()
        if ours.type != their_type:
            yield f"attribute '{name}': the spec says {ours.type}, onnx {their_type}"
        if ours.default != _default(theirs):
            yield f"attribute '{name}': default {ours.default} here, {_default(theirs)} in onnx"


def _sets(what: str, ours: set[str], theirs: set[str]) -> Iterator[str]:
    for item in sorted(ours - theirs):
        yield f"the spec has {what} '{item}', onnx lacks it"
    for item in sorted(theirs - ours):
        yield f"onnx has {what} '{item}', the spec lacks it"


def _parameters(
    what: str, ours: Sequence[Parameter], theirs: Sequence[onnx.defs.OpSchema.FormalParameter]
) -> Iterator[str]:
    import onnx

    option = onnx.defs.OpSchema.FormalParameterOption.Optional
    here = [_signature(item.name, item.type, optional=item.optional) for item in ours]
    there = [
        _signature(item.name, _plain(item.type_str), optional=item.option == option)
        for item in theirs
    ]
    if here != there:
        yield f"{what}s: the spec has ({', '.join(here)}), onnx ({', '.join(there)})"


def _signature(name: str, type_name: str, *, optional: bool) -> str:
    return f"{name}: {type_name}{', optional' if optional else ''}"


def _plain(type_string: str) -> str:
    """A type variable as it is, `tensor(double)` as float64."""
    if not type_string.startswith("tensor("):
        return type_string
    return element_type_of_onnx(type_string[len("tensor(") : -1]).name


def _types(strings: Sequence[str]) -> set[str]:
    return {_plain(item) for item in strings}


def _default(attribute: onnx.defs.OpSchema.Attribute) -> object:
    import onnx

    if attribute.default_value.type == onnx.AttributeProto.UNDEFINED:
        return None
    value = onnx.helper.get_attribute_value(attribute.default_value)
    if isinstance(value, list):
        return tuple(_decoded(item) for item in value)
    return _decoded(value)


def _decoded(value: object) -> object:
    return value.decode() if isinstance(value, bytes) else value
