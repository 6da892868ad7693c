"""Forms with the operator inside a model-local function and references to its attributes."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
from onnx import helper

from ..signatures.model import Attribute
from ..situations.graphs import has_graphs
from ..situations.situations import Situation
from ..specs.model import GivenAttribute
from . import Form
from .conditions import all_of, has_attributes, ordinary, well_formed
from .models import (
    ModelBuilder,
    Presentation,
    attribute_proto,
    attribute_type,
    operator_node,
)
from .other_nodes import flipped, without_attributes

_DOMAIN = "onnx_conformance.local"


def _has_functions(situation: Situation) -> bool:
    # Model-local functions exist since IR version 8, defaults of their attributes since 9.
    # A graph attribute of a function would take names from a scope that is not its own.
    return situation.ir_version >= 8 and not has_graphs(situation.version)


def _referring_node(situation: Situation, attributes: Sequence[str]) -> onnx.NodeProto:
    """The operator's node; the given attributes are references to the function's attributes."""
    node = operator_node(situation, situation.input_names, situation.output_names)
    del node.attribute[:]
    node.attribute.extend(_reference(situation.version.attributes[name]) for name in attributes)
    return node


def _referring(situation: Situation) -> onnx.FunctionProto:
    """A function in which every attribute of the operator is a reference to its own."""
    names = list(situation.version.attributes)
    return _function(situation, _referring_node(situation, names), names)


def _with_defaults(
    situation: Situation,
    defaults: tuple[GivenAttribute, ...],
    called: tuple[GivenAttribute, ...],
) -> Presentation:
    """The function has a default for each attribute of the case, and the call sets some."""
    node = _referring_node(situation, [attribute.name for attribute in situation.attributes])
    function = _function(situation, node, [])
    function.attribute_proto.extend(map(attribute_proto, defaults))
    return _called(situation, function, called).finish()


def _has_defaults(situation: Situation) -> bool:
    return situation.ir_version >= 9


def _function_twice(situation: Situation) -> Presentation:
    """The function of `function`, called with the case's attributes and again without any."""
    outputs = without_attributes(situation)
    if outputs is None:
        raise ValueError("the form does not apply")
    function = _referring(situation)
    builder = _called(situation, function, situation.attributes)
    names = [f"{name}_default" for name in situation.output_names]
    builder.add(helper.make_node(function.name, situation.input_names, names, domain=_DOMAIN))
    for name, tensor in zip(names, outputs, strict=True):
        builder.result(name, [tensor], type_name=tensor.type, rank=len(tensor.shape))
    return builder.finish()


def _called(
    situation: Situation, function: onnx.FunctionProto, attributes: tuple[GivenAttribute, ...]
) -> ModelBuilder:
    """A call of the function with these attributes; other nodes can be added."""
    builder = ModelBuilder(situation)
    builder.function(function)
    builder.feed_all(situation.input_names)
    call = helper.make_node(
        function.name, situation.input_names, situation.output_names, domain=_DOMAIN
    )
    call.attribute.extend(attribute_proto(attribute) for attribute in attributes)
    builder.add(call)
    builder.results()
    return builder


def _function(
    situation: Situation, node: onnx.NodeProto, attributes: list[str]
) -> onnx.FunctionProto:
    return helper.make_function(
        _DOMAIN,
        f"Local{situation.operator}",
        list(situation.input_names),
        situation.output_names,
        [node],
        [helper.make_opsetid(situation.domain, situation.operator_opset)],
        attributes,
    )


def _reference(attribute: Attribute) -> onnx.AttributeProto:
    reference = onnx.AttributeProto()
    reference.name = attribute.name
    reference.type = attribute_type(attribute.type)
    reference.ref_attr_name = attribute.name
    return reference


_APPLIES = all_of(ordinary, well_formed, _has_functions)

FORMS = (
    Form(
        "function",
        "The node is in a model-local function and refers to its attributes: those that the caller"
        " sets, and those that it leaves unset.",
        applies=_APPLIES,
        build=lambda situation: _called(
            situation, _referring(situation), situation.attributes
        ).finish(),
    ),
    Form(
        "function_defaults",
        "The node is in a model-local function whose attributes have defaults and are not set.",
        applies=all_of(_APPLIES, _has_defaults, has_attributes),
        build=lambda situation: _with_defaults(situation, situation.attributes, ()),
    ),
    Form(
        "function_overrides",
        "The node is in a model-local function whose attributes have defaults, and the caller sets"
        " other values.",
        applies=all_of(_APPLIES, _has_defaults, lambda situation: flipped(situation) is not None),
        build=lambda situation: _with_defaults(
            situation, flipped(situation) or (), situation.attributes
        ),
    ),
    Form(
        "function_twice",
        "A model-local function is called with the attributes of the case and again without any."
        " Catches a body that is shared with the attributes of one call.",
        applies=all_of(
            _APPLIES,
            has_attributes,
            lambda situation: without_attributes(situation) is not None,
        ),
        build=_function_twice,
    ),
)
