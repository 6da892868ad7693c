"""The function bodies by which the standard defines some operators.

A second source beside an operator's own oracle: the body is evaluated with the oracles of the
operators in it. Source: onnx docs IR.md, Functions; the bodies are those of the installed onnx.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Value

from ..signatures.model import Signature
from .model import Attribute, Declaration, Function, Graph, Node
from .outcomes import NoOracleError, RefusedError
from .validity.checking import names_from_outside

if TYPE_CHECKING:
    import onnx


def body_of(
    signature: Signature,
    attributes: Sequence[Attribute],
    values: Sequence[Value | None],
    outputs: Sequence[str],
    imports: Mapping[str, int],
) -> Function | None:
    """The function body of a node, with the defaults of the schema; None if there is none.

    Args:
        signature: the signature of the operator version.
        attributes: the node's attributes.
        values: its inputs by position; a body may depend on which are given, and on their types.
        outputs: its outputs by position; an empty name means that one is not requested.
        imports: the opsets at the node; a body without imports of its own uses these.

    Raises RefusedError if onnx cannot build a body for the node.
    """
    from onnx.shape_inference import InferenceError

    from .reading import read_function

    if not signature.function and not signature.context_function:
        return None
    opset = imports[signature.domain]
    node, types = _node(signature, attributes, values, outputs)
    try:
        proto = _body(signature.domain, signature.operator, opset, node.SerializeToString(), types)
        function = None if proto is None else read_function(proto)
    except (ValueError, BadInputError, InferenceError) as error:
        # onnx's reason why it cannot build a body, such as too few inputs for the node's graph, or
        # sizes with a product that is not an int64.
        raise RefusedError(f"{signature.operator} has no function body here: {error}") from None
    if function is None:
        return None
    if len(values) > len(function.inputs):
        raise RefusedError(f"the body of {signature.operator} takes {len(function.inputs)} inputs")
    defaults = [
        Attribute(item.name, item.type, item.default)
        for item in signature.attributes.values()
        if item.default is not None
    ]
    own = {item.name for item in function.defaults}
    asked = {place for place, name in enumerate(outputs) if name}
    return replace(
        function,
        # A body that depends on its node need not make outputs that nobody requests.
        outputs=tuple(
            name if place in asked or signature.function else ""
            for place, name in enumerate(function.outputs)
        ),
        imports={**imports, **function.imports},
        defaults=(*function.defaults, *(item for item in defaults if item.name not in own)),
    )


def _node(
    signature: Signature,
    attributes: Sequence[Attribute],
    values: Sequence[Value | None],
    outputs: Sequence[str],
) -> tuple[onnx.NodeProto, tuple[bytes, ...]]:
    """The node in the form in which ONNX builds a body for it, and the types of its inputs."""
    import onnx

    node = onnx.NodeProto(op_type=signature.operator, domain=signature.domain)
    node.input.extend(
        "" if value is None else f"in_{position}" for position, value in enumerate(values)
    )
    node.output.extend(f"out_{position}" if name else "" for position, name in enumerate(outputs))
    for item in attributes:
        taken = names_from_outside(item.value) if isinstance(item.value, Graph) else ()
        if taken:
            raise NoOracleError(f"a function body does not see '{min(taken)}' around its node")
        node.attribute.append(_attribute_proto(item))
    types = tuple(
        (onnx.TypeProto() if value is None else _type_proto(value)).SerializeToString()
        for value in values
    )
    return node, types


@lru_cache(maxsize=4096)
def _body(
    domain: str, operator: str, opset: int, node: bytes, types: tuple[bytes, ...]
) -> onnx.FunctionProto | None:
    """The body that the installed onnx has for a node at an opset."""
    import onnx
    import onnx.defs

    # The type stubs of onnx lack these methods.
    schema: Any = onnx.defs.get_schema(operator, opset, domain)
    versions = schema.function_opset_versions
    if versions:
        content = schema.get_function_with_opset_version(_in_force(versions, opset))
        proto: onnx.FunctionProto = onnx.FunctionProto.FromString(content)
        return proto
    versions = schema.context_dependent_function_opset_versions
    content = schema.get_context_dependent_function_with_opset_version(
        _in_force(versions, opset), node, list(types)
    )
    return onnx.FunctionProto.FromString(content) if content else None


def _in_force(versions: Sequence[int], opset: int) -> int:
    """Of the opsets for which a body is written, the newest that is not after this one."""
    return max((item for item in versions if item <= opset), default=min(versions))


def _type_proto(value: Value) -> onnx.TypeProto:
    from onnx import TypeProto, helper

    from onnx_conformance.core.values.elements import element_type
    from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor

    if isinstance(value, Tensor):
        code = element_type(value.type).code
        return helper.make_tensor_type_proto(code, list(value.shape))
    if isinstance(value, SequenceValue):
        inner = _type_proto(value.items[0]) if value.items else TypeProto()
        return helper.make_sequence_type_proto(inner)
    if isinstance(value, OptionalValue) and value.value is not None:
        return helper.make_optional_type_proto(_type_proto(value.value))
    raise NoOracleError("a function body that depends on the type of an empty value")


def _attribute_proto(attribute: Attribute) -> onnx.AttributeProto:
    """An attribute; NoOracleError for a kind that cannot be written."""
    import onnx
    from onnx import helper

    from onnx_conformance.core.values.protos import to_proto
    from onnx_conformance.core.values.tensors import Tensor

    value: Any = attribute.value
    if isinstance(value, Tensor):
        value = to_proto(value)
    if isinstance(value, Graph):
        value = _graph_proto(value)
    if attribute.type in ("graphs", "type_proto", "type_protos"):
        raise NoOracleError(f"a function body that depends on a {attribute.type} attribute")
    kind = onnx.AttributeProto.AttributeType.Value(attribute.type.upper())
    return helper.make_attribute(attribute.name, value, attr_type=kind)


def _graph_proto(graph: Graph) -> onnx.GraphProto:
    """A subgraph whose inputs and outputs are tensors; NoOracleError for others."""
    from onnx import helper

    from onnx_conformance.core.values.protos import to_proto

    return helper.make_graph(
        [_node_proto(node) for node in graph.nodes],
        graph.name,
        [_declared(item) for item in graph.inputs],
        [_declared(item) for item in graph.outputs],
        [to_proto(tensor, name) for name, tensor in graph.initializers.items()],
    )


def _node_proto(node: Node) -> onnx.NodeProto:
    import onnx

    proto = onnx.NodeProto(op_type=node.operator, domain=node.domain, overload=node.overload)
    proto.input.extend(node.inputs)
    proto.output.extend(node.outputs)
    proto.attribute.extend(_attribute_proto(item) for item in node.attributes)
    return proto


def _declared(item: Declaration) -> onnx.ValueInfoProto:
    from onnx import ValueInfoProto, helper

    from onnx_conformance.core.values.elements import ELEMENT_TYPES

    codes = {element.name: element.code for element in ELEMENT_TYPES}
    if item.type is None:
        return ValueInfoProto(name=item.name)
    if item.type not in codes:
        raise NoOracleError(f"a function body that depends on a graph with {item.type}")
    return helper.make_tensor_value_info(item.name, codes[item.type], item.shape)
