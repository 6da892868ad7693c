"""Reads the versions of an operator: from ONNX's schemas, or from a spec's own table.

A spec has its own table if no schema has the operator: a proposal, or one of a private domain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.yaml.nodes import Node

from ..signatures.model import Attribute, Option, Parameter, Signature
from .facts import CORPUS_FILE, integer_key
from .model import CorpusFacts, GraphAttribute, Literal, OperatorVersion, TypeAttribute
from .values_reading import attribute_value

ATTRIBUTE_TYPES = (
    *("int", "ints", "float", "floats", "string", "strings"),
    *("tensor", "sparse_tensor", "graph"),
)
# How many values a parameter has, where it is not one.
_FLAGS = ("optional", "variadic")
TYPE_NAMES = tuple(element.name for element in ELEMENT_TYPES)


_OPERATOR = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def own_domain(document: Mapping[str, Node], facts: CorpusFacts) -> None:
    """Check where an operator of somebody's own is, and that its name can be that of a node.

    BadInputError for one in ONNX's own domain, and for a domain that corpus.yaml does not have.
    """
    operator = document["operator"]
    if not _OPERATOR.fullmatch(operator.string()):
        raise operator.error(f"'{operator.string()}' is no name of an operator")
    known = tuple(facts.domains)
    if "domain" not in document:
        raise operator.error(
            f"no `domain`: the default one is ONNX's; {CORPUS_FILE} has {', '.join(known)}"
        )
    document["domain"].one_of(known, f"domain of {CORPUS_FILE}")


def version_of(signature: Signature, elements: Mapping[str, str]) -> OperatorVersion:
    """A version as in its schema.

    Args:
        signature: the version's signature.
        elements: output -> input, for outputs with an input's elements.
    """
    return OperatorVersion(
        since_version=signature.since_version,
        last_opset=signature.last_opset,
        types=signature.types,
        inputs=signature.inputs,
        outputs=tuple(
            replace(item, elements=elements.get(item.name)) for item in signature.outputs
        ),
        attributes=signature.attributes,
        deprecated=signature.deprecated,
        function=signature.function or signature.context_function,
    )


class VersionTable:
    """Reads the `versions:` of a spec; each version inherits from the one before it."""

    def __init__(self, newest_opset: int, sets: Mapping[str, tuple[str, ...]]) -> None:
        """The newest opset of the operator's domain, and named sets of types."""
        self._newest_opset = newest_opset
        self._sets = sets

    def read(self, node: Node) -> dict[int, OperatorVersion]:
        """Every version by its number."""
        numbers = [integer_key(node, key) for key in node.mapping()]
        if numbers != sorted(numbers) or not numbers:
            raise node.error("versions are in ascending order, at least one")
        if numbers[-1] > self._newest_opset:
            raise node.key_error(
                str(numbers[-1]),
                f"version {numbers[-1]} is newer than opset {self._newest_opset}, which"
                f" {CORPUS_FILE} calls the newest",
            )
        versions: dict[int, OperatorVersion] = {}
        previous: OperatorVersion | None = None
        for index, (number, value) in enumerate(zip(numbers, node.mapping().values(), strict=True)):
            last = numbers[index + 1] - 1 if index + 1 < len(numbers) else self._newest_opset
            previous = self._version(number, last, value, previous)
            versions[number] = previous
        return versions

    def _version(
        self, number: int, last: int, node: Node, previous: OperatorVersion | None
    ) -> OperatorVersion:
        needed = ("types", "inputs", "outputs", "attributes")
        document = node.mapping(
            required=needed if previous is None else (), optional=() if previous is None else needed
        )
        types = dict(previous.types) if previous else {}
        if "types" in document:
            for variable, value in document["types"].mapping().items():
                types[variable] = type_list(value, self._sets)
        inputs = previous.inputs if previous else ()
        if "inputs" in document:
            inputs = self._parameters(document["inputs"], types, ())
        outputs = previous.outputs if previous else ()
        if "outputs" in document:
            outputs = self._parameters(document["outputs"], types, ("elements",))
            check_elements(document["outputs"], outputs, inputs)
        attributes = dict(previous.attributes) if previous else {}
        if "attributes" in document:
            attributes = {
                name: self._attribute(name, value)
                for name, value in document["attributes"].mapping().items()
            }
        return OperatorVersion(number, last, types, inputs, outputs, attributes)

    def _parameters(
        self, node: Node, types: Mapping[str, tuple[str, ...]], also: tuple[str, ...]
    ) -> tuple[Parameter, ...]:
        """Inputs or outputs; `also` are keys that they alone may have."""
        known = (*types, *TYPE_NAMES)
        parameters = []
        for name, value in node.mapping().items():
            elements, type_node, option = None, value, Option.SINGLE
            if value.kind == "mapping":
                document = value.mapping(required=("type",), optional=(*_FLAGS, *also))
                type_node = document["type"]
                if "elements" in document:
                    elements = document["elements"].string()
                option = self._option(document)
            type_name = type_node.one_of(known, "type variable or element type")
            parameters.append(Parameter(name, type_name, option, elements=elements))
        if not parameters:
            raise node.error("an operator without inputs or outputs cannot be written as a table")
        return tuple(parameters)

    def _option(self, document: Mapping[str, Node]) -> Option:
        """How many values a parameter has at a node."""
        said = [key for key in _FLAGS if key in document and document[key].boolean()]
        if len(said) > 1:
            raise document["variadic"].error("a parameter is optional or variadic, not both")
        return Option(said[0]) if said else Option.SINGLE

    def _attribute(self, name: str, node: Node) -> Attribute:
        if node.kind != "mapping":
            return Attribute(name, node.one_of(ATTRIBUTE_TYPES, "attribute type"))
        document = node.mapping(required=("type",), optional=("default", "required"))
        type_name = document["type"].one_of(ATTRIBUTE_TYPES, "attribute type")
        if "default" not in document:
            required = "required" in document and document["required"].boolean()
            return Attribute(name, type_name, required=required)
        if "required" in document:
            raise document["required"].error("an attribute with a default is not required")
        default = attribute_value(document["default"], type_name)
        if isinstance(default, (Literal, GraphAttribute, TypeAttribute)):
            raise document["default"].error("a default is a number, a text, or a list of them")
        return Attribute(name, type_name, default=default)


def type_list(node: Node, sets: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """One name of a set or type, or a list of them."""
    items = node.sequence() if node.kind == "sequence" else (node,)
    members: list[str] = []
    for item in items:
        member = item.one_of((*sets, *TYPE_NAMES), "element type or set")
        members += sets.get(member, (member,))
    if not members:
        raise node.error("at least one type is needed here")
    return tuple(dict.fromkeys(members))


def check_elements(
    node: Node, outputs: tuple[Parameter, ...], inputs: tuple[Parameter, ...]
) -> None:
    """Check that each output with an input's elements names an input."""
    for output in outputs:
        if output.elements is not None and output.name in node.mapping():
            document = node.mapping()[output.name].mapping()
            document["elements"].one_of([item.name for item in inputs], "input")
