"""Reads what a case gives: inputs, attributes, and the outputs that are required."""

from __future__ import annotations

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.yaml.nodes import Node

from ...signatures.model import Parameter
from ..model import AnyLiteral, AttributeValue, GivenAttribute, Literal
from ..values_reading import ABSENT, attribute_value, empty_or_text, read_value
from ..versions_reading import ATTRIBUTE_TYPES
from .context import CaseContext

_TENSORS = frozenset({"tensor", "sparse_tensor"})


class CaseValues:
    """Reads the values of cases of one operator."""

    def __init__(self, context: CaseContext) -> None:
        """`context` holds the objects that cases refer to."""
        self._context = context
        self._inputs = context.inputs
        self._outputs = context.outputs
        self._every_output = context.every_output
        self._attributes = context.attributes
        self._has_graphs = any(item.type == "graph" for item in self._attributes.values())

    def inputs(self, node: Node | None, data: Node | None = None) -> dict[str, AnyLiteral]:
        """Inputs by name; a variadic one is a list of values. What is `absent` is left out.

        Args:
            node: the mapping; None if the case gives no input.
            data: the data profile where a value is dimensions alone; None for the usual one.
        """
        if node is None:
            return {}
        profile = None if data is None else data.string()
        found: dict[str, AnyLiteral] = {}
        for name, value in node.mapping().items():
            if self.parameter(name) is None and not self._has_graphs:
                node.only_keys(tuple(self._inputs))
            found.update(self.given(name, value, profile))
        return found

    def given(self, name: str, node: Node, data: str | None = None) -> dict[str, AnyLiteral]:
        """The value of an input, or those of a variadic one; what is `absent` is left out."""
        if is_absent(node):
            return {}
        parameter = self.parameter(name)
        # A name that is no input is a value of the scope around the node: graphs take it.
        dims = parameter is None or self._is_data(parameter)
        if not _is_list_of_values(parameter, name, node):
            return {name: read_value(node, dims=dims, data=data)}
        return {
            parameter.instance(index) if parameter else name: read_value(item, dims=dims, data=data)
            for index, item in enumerate(node.sequence())
        }

    def parameter(self, name: str) -> Parameter | None:
        """The input that a name or an instance such as `inputs_1` belongs to; None if none has."""
        if name in self._inputs:
            return self._inputs[name]
        return next((item for item in self._inputs.values() if item.has_instance(name)), None)

    def output_name(self, node: Node) -> str:
        """The name of an output of any version, or of one value of a variadic one; or empty."""
        name = empty_or_text(node)
        if not name or any(item.has_instance(name) for item in self._every_output.values()):
            return name
        return node.one_of(tuple(self._every_output), "output")

    def results(
        self, node: Node, requested: tuple[str, ...] | None = None
    ) -> dict[str, AnyLiteral]:
        """Every requested output, with its elements unless they are those of an input."""
        node.mapping()
        node.only_keys(tuple(self._outputs))
        results: dict[str, AnyLiteral] = {}
        sources = tuple(self._inputs)
        for name, value in node.mapping().items():
            output = self._outputs[name]
            dims = self._is_data(output)
            if output.variadic:
                for index, item in enumerate(value.sequence()):
                    results[output.instance(index)] = read_value(item, dims=dims, source=sources)
            else:
                results[name] = read_value(value, dims=dims, source=sources)
        for name, output in self._outputs.items():
            needed = name in requested if requested is not None else not output.optional
            if needed and not output.variadic and name not in results:
                raise node.error(f"output '{name}' is missing")
            literal = results.get(name)
            if isinstance(literal, Literal) and literal.values is None and output.elements is None:
                raise node.mapping()[name].error(
                    f"the elements of '{name}' are missing: write {{values: ...}}, or"
                    " {from: INPUT, take: POSITIONS}, or say in `elements` of the outputs whose"
                    " elements it has"
                )
        return results

    def attributes(
        self, node: Node | None, *, of_the_operator: bool = True
    ) -> tuple[GivenAttribute, ...]:
        """Attributes in the order in which they are given; what is `absent` is left out.

        Args:
            node: the mapping; None if the case gives no attribute.
            of_the_operator: whether only attributes that the operator has may be given.
        """
        if node is None:
            return ()
        node.mapping()
        if of_the_operator:
            node.only_keys(tuple(self._attributes))
        given = node.mapping().items()
        return tuple(self.attribute(name, value) for name, value in given if not is_absent(value))

    def attribute(self, name: str, node: Node) -> GivenAttribute:
        """An attribute, of the newest type that the operator gives it and that its value fits."""
        types = self._context.attribute_types(name)
        if node.kind == "mapping" and not _TENSORS.intersection(types):
            document = node.mapping(required=("type", "value"), optional=())
            type_name = document["type"].one_of(ATTRIBUTE_TYPES, "attribute type")
            return GivenAttribute(name, attribute_value(document["value"], type_name), type_name)
        if not types:
            raise node.error(
                f"the operator has no attribute '{name}': give its type as well,"
                f" as {{type: int, value: {node.text or '...'}}}"
            )
        value = _value_of(node, types)
        untyped = isinstance(value, Literal) and value.type is None
        if untyped and name not in self._context.type_attributes:
            raise node.error(f"attribute '{name}' is a tensor: write {{values: ..., type: ...}}")
        return GivenAttribute(name, value, types[0])

    def _is_data(self, parameter: Parameter) -> bool:
        """Whether a plain list means dimensions: the role is data, and the type varies."""
        role = self._context.roles.get(parameter.name)
        if role is not None:
            return role.is_data
        return any(
            len(version.types.get(parameter.type, ())) > 1
            for version in self._context.versions.values()
        )


def _is_list_of_values(parameter: Parameter | None, name: str, value: Node) -> bool:
    """Whether a list stands for the values of a variadic input, and not for one of them."""
    if parameter is None or not parameter.variadic or name != parameter.name:
        return False
    return value.kind == "sequence"


def is_absent(node: Node) -> bool:
    """Whether a value is the word `absent`: the input or attribute is not given."""
    return node.kind == "string" and not node.quoted and node.text == ABSENT


def _value_of(node: Node, types: tuple[str, ...]) -> AttributeValue:
    """The value by the newest type of the attribute that it fits: a case may be for an older."""
    for type_name in types[1:]:
        try:
            return attribute_value(node, types[0])
        except BadInputError:
            return attribute_value(node, type_name)
    return attribute_value(node, types[0])
