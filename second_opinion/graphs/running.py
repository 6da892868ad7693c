"""A model evaluated node by node (IR.md): initializers, subgraphs, functions, attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import onnx
import onnx.defs

from onnx_conformance.core.corpus.vectors import MODEL_FILE
from onnx_conformance.core.values.protos import from_proto

from ..values.tensors import Arr, CannotAnswerError, taken
from .call import Call
from .external import bring_in
from .registry import evaluator_of

Scope = dict[str, Any]


class NoEvaluatorError(CannotAnswerError):
    """An operator that nothing here evaluates."""


@dataclass(frozen=True)
class Around:
    """What holds for all nodes of a graph or function.

    Attributes:
        opsets: domain -> version that is imported.
        functions: the functions of the model.
        given: in a function, the attributes of the node that calls it.
    """

    opsets: Mapping[str, int]
    functions: Mapping[tuple[str, str, str], onnx.FunctionProto]
    given: Mapping[str, onnx.AttributeProto]


def run_model(
    files: Mapping[str, bytes], feeds: Mapping[str, Any], wanted: Sequence[str]
) -> list[Any]:
    """The values of some outputs of a model; CannotAnswerError where there is no opinion.

    Args:
        files: of the vector, with `model.onnx` and what its tensors keep in files of their own.
        feeds: what the graph is given, by name.
        wanted: names of outputs.
    """
    model = onnx.load_model_from_string(files[MODEL_FILE])
    bring_in(model, files)
    around = Around(
        _opsets(model.opset_import),
        {(_domain(it.domain), it.name, it.overload): it for it in model.functions},
        {},
    )
    scope: Scope = dict(_initializers(model.graph))
    scope.update(feeds)
    _run_nodes(model.graph.node, scope, around)
    missing = [name for name in wanted if name not in scope]
    if missing:
        raise CannotAnswerError(f"the model has no output '{missing[0]}'")
    return [scope[name] for name in wanted]


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def _opsets(imports: Any) -> dict[str, int]:  # noqa: ANN401  a repeated field
    return {_domain(item.domain): item.version for item in imports}


def _initializers(graph: onnx.GraphProto) -> Scope:
    found = {item.name: taken(from_proto(item)) for item in graph.initializer}
    for item in graph.sparse_initializer:
        found[item.values.name] = dense(item)
    return found


def dense(sparse: onnx.SparseTensorProto) -> Arr:
    """The tensor that a sparse one stands for (onnx.proto, SparseTensorProto)."""
    values = taken(from_proto(sparse.values))
    places = taken(from_proto(sparse.indices)).data
    shape = tuple(sparse.dims)
    flat = np.zeros(int(np.prod(shape, dtype=np.int64)), values.data.dtype)
    if values.type == "string":
        flat[:] = b""
    if places.ndim == 2:
        places = np.ravel_multi_index(tuple(places.T), shape)
    flat[places] = values.data.reshape(-1)
    return Arr(values.type, flat.reshape(shape))


def _run_nodes(nodes: Any, scope: Scope, around: Around) -> None:  # noqa: ANN401  a repeated field
    for node in nodes:
        inputs = [None if name == "" else _found(scope, name) for name in node.input]
        results = _run_node(node, inputs, scope, around)
        for name, value in zip(node.output, results, strict=False):
            if name:
                scope[name] = value
        lacking = [name for name in node.output[len(results) :] if name]
        if lacking:
            raise CannotAnswerError(f"{node.op_type} gives no output '{lacking[0]}' here")


def _found(scope: Scope, name: str) -> Any:  # noqa: ANN401  a value
    if name not in scope:
        raise CannotAnswerError(f"nothing has the value '{name}'")
    return scope[name]


def _run_node(
    node: onnx.NodeProto, inputs: list[Any], scope: Scope, around: Around
) -> Sequence[Any]:
    domain = _domain(node.domain)
    attributes = dict(_attributes(node, around))
    function = around.functions.get((domain, node.op_type, node.overload))
    if function is not None:
        return _run_function(function, inputs, attributes, around)
    version, defaults = schema_facts(domain, node.op_type, around.opsets.get(domain, 1))
    evaluator = evaluator_of(domain, node.op_type, version)
    if evaluator is None:
        raise NoEvaluatorError(f"no evaluator for {domain or 'ai.onnx'} {node.op_type}-{version}")
    while inputs and inputs[-1] is None:
        inputs.pop()
    values = {name: attribute_value(item) for name, item in attributes.items()}
    bodies = {
        name: _body(item.g, scope, around)
        for name, item in attributes.items()
        if item.type == onnx.AttributeProto.GRAPH
    }
    call = Call(
        node.op_type,
        version,
        tuple(inputs),
        {**defaults, **values},
        tuple(node.output),
        bodies,
        frozenset(values),
    )
    with np.errstate(all="ignore"):  # what overflows or has no number is compared like all else
        result = evaluator(call)
    return result if isinstance(result, tuple) else (result,)


def _attributes(node: onnx.NodeProto, around: Around) -> list[tuple[str, onnx.AttributeProto]]:
    """The attributes of a node, references to those of the function resolved."""
    found = []
    for item in node.attribute:
        if not item.ref_attr_name:
            found.append((item.name, item))
        elif item.ref_attr_name in around.given:
            found.append((item.name, around.given[item.ref_attr_name]))
    return found


def _run_function(
    function: onnx.FunctionProto,
    inputs: Sequence[Any],
    attributes: Mapping[str, onnx.AttributeProto],
    around: Around,
) -> list[Any]:
    given = {item.name: item for item in function.attribute_proto} | dict(attributes)
    inside = Around(_opsets(function.opset_import), around.functions, given)
    scope: Scope = dict.fromkeys(function.input)
    scope.update(zip(function.input, inputs, strict=False))
    _run_nodes(function.node, scope, inside)
    return [_found(scope, name) for name in function.output]


def _body(graph: onnx.GraphProto, scope: Scope, around: Around) -> Any:  # noqa: ANN401  a function
    def run(values: Sequence[Any]) -> list[Any]:
        inside: Scope = {**scope, **_initializers(graph)}
        inside.update(zip((item.name for item in graph.input), values, strict=False))
        _run_nodes(graph.node, inside, around)
        return [_found(inside, item.name) for item in graph.output]

    return run


@cache
def schema_facts(domain: str, operator: str, opset: int) -> tuple[int, dict[str, Any]]:
    """The version of an operator at an opset, and the defaults of its attributes."""
    try:
        schema = onnx.defs.get_schema(operator, opset, domain)
    except onnx.defs.SchemaError:
        raise NoEvaluatorError(f"no schema of {domain} {operator} at opset {opset}") from None
    defaults = {
        name: attribute_value(item.default_value)
        for name, item in schema.attributes.items()
        if item.default_value.type != onnx.AttributeProto.UNDEFINED
    }
    return schema.since_version, defaults


def attribute_value(item: onnx.AttributeProto) -> Any:  # noqa: ANN401  by its type
    """What an attribute holds; tensors as `Arr`, texts as bytes."""
    kinds = onnx.AttributeProto
    if item.type == kinds.TENSOR:
        return taken(from_proto(item.t))
    if item.type == kinds.TENSORS:
        return [taken(from_proto(each)) for each in item.tensors]
    if item.type == kinds.SPARSE_TENSOR:
        return dense(item.sparse_tensor)
    if item.type == kinds.GRAPH:
        return item.g
    value = onnx.helper.get_attribute_value(item)
    return list(value) if item.type in (kinds.INTS, kinds.FLOATS, kinds.STRINGS) else value
