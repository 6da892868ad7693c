"""The type of a node's output before anything runs.

If the inputs bind the output's type variable, that is the type. If an attribute or a subgraph
decides, this module has the rule of the operator's document for the few operators that models often
have around others; for the rest the type is unknown before the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type_of_code
from onnx_conformance.core.values.tensors import Tensor

from ...signatures.model import Parameter, Signature
from ..model import Attribute, Node
from .words import inside

Rule = Callable[[Mapping[str, Attribute], Sequence[str | None]], str | None]


def output_type(
    node: Node,
    signature: Signature,
    parameter: Parameter | None,
    bound: Mapping[str, str],
    inputs: Sequence[str | None],
) -> str | None:
    """The type of an output in words, or None if it is unknown before the run.

    Args:
        node: the node.
        signature: the signature of its operator.
        parameter: the output in the signature.
        bound: the type that the inputs bind each type variable to.
        inputs: the types of the inputs; None if unknown.
    """
    if parameter is None:
        return None
    rule = _RULES.get((signature.domain, signature.operator))
    if rule is not None:
        return rule({item.name: item for item in node.attributes}, inputs)
    if parameter.type not in signature.types:
        return parameter.type
    possible = signature.types[parameter.type]
    if len(possible) == 1:
        return possible[0]
    return bound.get(parameter.type) if parameter.homogeneous else None


def _to(attributes: Mapping[str, Attribute], _inputs: Sequence[str | None]) -> str | None:
    value = attributes["to"].value if "to" in attributes else None
    if not isinstance(value, int):
        return None  # before version 6 it is a string
    try:
        return element_type_of_code(value).name
    except BadInputError:
        return None


def _constant(attributes: Mapping[str, Attribute], _inputs: Sequence[str | None]) -> str | None:
    for item in attributes.values():
        if isinstance(item.value, Tensor):
            return item.value.type
        if not item.reference:
            return {"i": "int64", "f": "float32", "s": "string"}.get(item.type[0])
    return None


def _filled(attributes: Mapping[str, Attribute], _inputs: Sequence[str | None]) -> str | None:
    if "value" not in attributes:
        return "float32"
    value = attributes["value"].value
    return value.type if isinstance(value, Tensor) else None


def _in_sequence(_attributes: object, inputs: Sequence[str | None]) -> str | None:
    return f"seq({inputs[0]})" if inputs and inputs[0] is not None else None


def _of_sequence(_attributes: object, inputs: Sequence[str | None]) -> str | None:
    return None if inputs[0] is None else inside(inputs[0], "seq")


def _optional(attributes: Mapping[str, Attribute], inputs: Sequence[str | None]) -> str | None:
    if inputs and inputs[0] is not None:
        return f"optional({inputs[0]})"
    value = attributes["type"].value if "type" in attributes else None
    return f"optional({value})" if isinstance(value, str) else None


def _element(_attributes: object, inputs: Sequence[str | None]) -> str | None:
    if inputs[0] is None:
        return None
    return inside(inputs[0], "optional") or inputs[0]


def _unknown(_attributes: object, _inputs: Sequence[str | None]) -> str | None:
    return None


_RULES: Mapping[tuple[str, str], Rule] = {
    ("", "Cast"): _to,
    ("", "Constant"): _constant,
    ("", "ConstantOfShape"): _filled,
    ("", "SequenceConstruct"): _in_sequence,
    ("", "SequenceAt"): _of_sequence,
    ("", "Optional"): _optional,
    ("", "OptionalGetElement"): _element,
    # No input binds a type variable for their outputs, although one may have the same name.
    ("", "If"): _unknown,
    ("", "Loop"): _unknown,
    ("", "Scan"): _unknown,
    ("", "SequenceMap"): _unknown,
}
