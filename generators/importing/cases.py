"""One node test of ONNX as the files of one vector."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.metadata import to_json
from onnx_conformance.core.corpus.vectors import (
    DATA_FILE,
    MODEL_FILE,
    VALUE_KINDS,
    Kind,
    Vector,
)
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.onnx_values import TENSOR, kind_of, serialize_value, type_text

from .converting import to_value

if TYPE_CHECKING:
    import onnx

    from .collecting import UpstreamCase

# The folder that ONNX kept its node tests in; other runners look for it.
FOLDER = "node"
PLAIN_FORM = "node"
EXPANDED_FORM = "expanded"


def vector_of(case: UpstreamCase, onnx_version: str) -> Vector:
    """The metadata of a case; BadInputError names a case that cannot be described."""
    try:
        return _vector(case, onnx_version)
    except BadInputError as error:
        raise BadInputError(f"{case.name}: {error}") from None


def _vector(case: UpstreamCase, onnx_version: str) -> Vector:
    schema = _schema(case)
    domain = "" if case.node.domain == "ai.onnx" else case.node.domain
    form = EXPANDED_FORM if case.expanded else PLAIN_FORM
    group = ".".join(filter(None, [domain, case.node.op_type])).lower()
    graph = case.model.graph
    kinds = {item.name: kind_of(item.type) for item in (*graph.input, *graph.output)}
    others = {name: kind for name, kind in kinds.items() if kind != TENSOR}
    return Vector(
        id=f"{group}-{schema.since_version}/{case.name.lower()}/{form}",
        kind=Kind.VALID,
        operator=case.node.op_type,
        domain=domain,
        since_version=schema.since_version,
        opset=_imported(case, domain),
        ir_version=case.model.ir_version,
        types=type_variables(schema, case),
        case=case.name,
        form=form,
        covers=(),
        documented=case.name,
        rtol=case.rtol,
        atol=case.atol,
        inputs=tuple(item.name for item in graph.input),
        outputs=tuple(item.name for item in graph.output),
        extra={
            "expanded": case.expanded,
            "provenance": {"package": "onnx", "version": onnx_version, "source": case.source},
            **({VALUE_KINDS: others} if others else {}),
        },
    )


def _schema(case: UpstreamCase) -> onnx.defs.OpSchema:
    import onnx

    try:
        return onnx.defs.get_schema(case.node.op_type, case.domain_opset, case.node.domain)
    except onnx.defs.SchemaError as error:
        raise BadInputError(str(error)) from None


def _imported(case: UpstreamCase, domain: str) -> int:
    """The opset that this model imports: an expanded one may not import the operator's domain."""
    versions = {
        "" if item.domain == "ai.onnx" else item.domain: item.version
        for item in case.model.opset_import
    }
    return versions.get(domain, versions.get("", case.domain_opset))


def type_variables(schema: onnx.defs.OpSchema, case: UpstreamCase) -> dict[str, str]:
    """The type that each type variable of the operator has in a case.

    If a document permits several types for one variable, that of the first argument is used.
    """
    variables = {item.type_param_str for item in schema.type_constraints}
    types: dict[str, str] = {}
    for formals, declared in (
        (schema.inputs, case.input_types),
        (schema.outputs, case.output_types),
    ):
        for index, argument in enumerate(declared):
            # If the last formal parameter is variadic, it stands for all further arguments.
            name = _variable(formals[min(index, len(formals) - 1)]) if formals else ""
            if argument is not None and name in variables:
                types.setdefault(name, type_text(argument))
    return types


def _variable(formal: Any) -> str:  # noqa: ANN401  onnx 1.13 and older name the property otherwise
    return str(formal.type_str if hasattr(formal, "type_str") else formal.typeStr)


def files_of(case: UpstreamCase, vector: Vector) -> dict[str, bytes]:
    """Every file of a case's directory; BadInputError names one that cannot be written as it is.

    The same case gives the same bytes everywhere: messages are serialized deterministically and
    tensors are written as raw_data, or string_data, whatever form ONNX's code gave them.
    """
    graph = case.model.graph
    return {
        MODEL_FILE: case.model.SerializeToString(deterministic=True),
        DATA_FILE: (json.dumps(to_json(vector), indent=2) + "\n").encode(),
        **_value_files(case.name, "input", graph.input, case.inputs),
        **_value_files(case.name, "output", graph.output, case.outputs),
    }


def _value_files(
    case: str, role: str, declared: Sequence[onnx.ValueInfoProto], made: Sequence[Any]
) -> Mapping[str, bytes]:
    if len(declared) != len(made):
        raise BadInputError(f"{case}: has {len(declared)} {role}s and {len(made)} values for them")
    files = {}
    for index, (item, value) in enumerate(zip(declared, made, strict=True)):
        try:
            content = serialize_value(to_value(item.type, value), item.name)
        except BadInputError as error:
            raise BadInputError(f"{case}: {role} '{item.name}': {error}") from None
        files[f"test_data_set_0/{role}_{index}.pb"] = content
    return files
