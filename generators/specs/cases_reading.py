"""Reads the cases that a spec writes out: valid, invalid and latitude."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import PHASES, Kind, Phase

from .ids import CASE_ID, read_id
from .model import (
    Case,
    Example,
    Fault,
    GivenAttribute,
    Literal,
    PermittedResult,
)
from .values_reading import attribute_value, dimensions, empty_or_text, read_value
from .versions_reading import ATTRIBUTE_TYPES, TYPE_NAMES, type_list
from .words import Spread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.yaml.nodes import Node

    from .model import AnyLiteral, Attribute, OperatorVersion, Parameter
    from .words import Role

KINDS = (("cases", Kind.VALID), ("invalid", Kind.INVALID), ("latitude", Kind.LATITUDE))
_EVERY_CASE = ("id", "covers", "inputs")
_EVERY_CASE_MAY = (
    "purpose",
    "documented",
    "attributes",
    "since",
    "until",
    "types",
    "forms",
    "bind",
    "requested",
)
_SPREADS = {"ends_only": Spread.ENDS, "thin": Spread.THIN}
_VALID_MAY = ("sweep", "pairs", *_SPREADS, "every_version", "then")
_FAULTS = ("arguments", "results", "repeat", "declare_types", "declare_shapes", "ranks", "wrap")
SWEEPS = ("types", "forms", "pairs")
WRAPPINGS = ("sequence", "optional")


@dataclass(frozen=True)
class CaseContext:
    """The objects that a case refers to.

    Attributes:
        versions: the operator's versions.
        roles: the roles of its inputs.
        requirements: ids that a case may cover.
        sets: named sets of element types.
        forms: names of the forms that a case may use.
    """

    versions: Mapping[int, OperatorVersion]
    roles: Mapping[str, Role]
    requirements: tuple[str, ...]
    sets: Mapping[str, tuple[str, ...]]
    forms: tuple[str, ...] = ()

    @property
    def inputs(self) -> Mapping[str, Parameter]:
        """Every input of any version, as in the newest version that has it."""
        return {item.name: item for version in self.versions.values() for item in version.inputs}

    @property
    def outputs(self) -> Mapping[str, Parameter]:
        """The outputs of the newest version."""
        return {item.name: item for item in self.versions[max(self.versions)].outputs}

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """Every attribute of any version, as in the newest version that has it."""
        return {
            name: item
            for version in self.versions.values()
            for name, item in version.attributes.items()
        }

    def since_until(self, document: Mapping[str, Node]) -> tuple[int | None, int | None]:
        """The operator versions that a case or family is limited to."""
        since = self.version_number(document["since"]) if "since" in document else None
        until = self.version_number(document["until"]) if "until" in document else None
        if since is not None and until is not None and since > until:
            raise document["until"].error(f"until {until} is before since {since}")
        return since, until

    def version_number(self, node: Node) -> int:
        """A version number that the operator has."""
        number = node.integer(1)
        if number not in self.versions:
            known = ", ".join(str(item) for item in self.versions)
            raise node.error(f"there is no version {number}; known are: {known}")
        return number


class CaseReader:
    """Reads one case after the other."""

    def __init__(self, context: CaseContext) -> None:
        """`context` holds the objects that cases refer to."""
        self._context = context
        self._inputs = context.inputs
        self._outputs = context.outputs
        self._attributes = context.attributes

    def case(self, node: Node, kind: Kind) -> Case:
        """A case of this kind."""
        required, optional = keys_of_case(kind)
        document = node.mapping(required=required, optional=optional)
        examples = [self._example(document, kind)]
        if "then" in document:
            examples += [
                self._example(item.mapping(required=("inputs", "outputs"), optional=()), kind)
                for item in document["then"].sequence()
            ]
        covers = tuple(
            item.one_of(self._context.requirements, "requirement")
            for item in document["covers"].sequence()
        )
        if not covers:
            raise document["covers"].error("a case covers at least one requirement")
        since, until = self._context.since_until(document)
        return Case(
            id=read_id(document["id"], CASE_ID),
            kind=kind,
            line=node.line,
            purpose=document["purpose"].string() if "purpose" in document else "",
            covers=covers,
            documented=document["documented"].string() if "documented" in document else None,
            attributes=self._given_attributes(document, kind),
            examples=tuple(examples),
            since=since,
            until=until,
            types=type_list(document["types"], self._context.sets) if "types" in document else None,
            forms=tuple(
                item.one_of(self._context.forms, "form") for item in document["forms"].sequence()
            )
            if "forms" in document
            else None,
            pairs=self._pairs(document),
            sweep=tuple(item.one_of(SWEEPS, "sweep") for item in document["sweep"].sequence())
            if "sweep" in document
            else (),
            spread=read_spread(document) or Spread.ALL,
            every_version="every_version" in document and document["every_version"].boolean(),
            bind=self._bind(document),
            requested=self._requested(document),
            control=document["control"].string() if "control" in document else None,
            reject=Phase(document["reject"].one_of(PHASES, "phase"))
            if "reject" in document
            else None,
            fault=self._fault(document),
            permitted=self._permitted(document),
        )

    def _pairs(self, document: Mapping[str, Node]) -> dict[str, tuple[str, ...]]:
        """Element types by form."""
        if "pairs" not in document:
            return {}
        node = document["pairs"]
        node.mapping()
        node.only_keys(tuple(self._context.forms))
        return {name: type_list(item, self._context.sets) for name, item in node.mapping().items()}

    def _bind(self, document: Mapping[str, Node]) -> dict[str, str]:
        """Types of type variables; every one must be a type of its variable at some version."""
        if "bind" not in document:
            return {}
        bound = {}
        for name, node in document["bind"].mapping().items():
            allowed = {
                item
                for version in self._context.versions.values()
                for item in version.types.get(name, ())
            }
            if not allowed:
                raise document["bind"].key_error(name, f"there is no type variable '{name}'")
            bound[name] = node.one_of(sorted(allowed), f"type of {name}")
        return bound

    def _requested(self, document: Mapping[str, Node]) -> tuple[str, ...] | None:
        if "requested" not in document:
            return None
        return tuple(
            item.one_of(tuple(self._outputs), "output") for item in document["requested"].sequence()
        )

    def _example(self, document: Mapping[str, Node], kind: Kind) -> Example:
        inputs = self._input_values(document["inputs"])
        if kind != Kind.VALID:
            return Example(inputs, {})
        requested = self._requested(document)
        return Example(inputs, self._results_of(document["outputs"], requested))

    def _input_values(self, node: Node) -> dict[str, AnyLiteral]:
        """Inputs by name; a variadic one is a list of values."""
        node.mapping()
        graphs = any(item.type == "graph" for item in self._attributes.values())
        if not graphs:
            node.only_keys(tuple(self._inputs))
        found: dict[str, AnyLiteral] = {}
        for name, value in node.mapping().items():
            if name not in self._inputs:  # a value from the scope around the node
                found[name] = read_value(value, dims=True)
                continue
            parameter = self._inputs[name]
            dims = self._is_data(parameter)
            if parameter.variadic:
                for index, item in enumerate(value.sequence()):
                    found[parameter.instance(index)] = read_value(item, dims=dims)
            else:
                found[name] = read_value(value, dims=dims)
        return found

    def _is_data(self, parameter: Parameter) -> bool:
        """Whether a plain list means dimensions: the role is data, and the type varies."""
        role = self._context.roles.get(parameter.name)
        if role is not None:
            return role.is_data
        return any(
            len(version.types.get(parameter.type, ())) > 1
            for version in self._context.versions.values()
        )

    def _results_of(
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

    def _given_attributes(
        self, document: Mapping[str, Node], kind: Kind
    ) -> tuple[GivenAttribute, ...]:
        if "attributes" not in document:
            return ()
        node = document["attributes"]
        node.mapping()
        if kind != Kind.INVALID:
            node.only_keys(tuple(self._attributes))
        return tuple(self._given(name, value) for name, value in node.mapping().items())

    def _given(self, name: str, node: Node) -> GivenAttribute:
        known = self._attributes.get(name)
        tensors = {"tensor", "sparse_tensor"}
        if node.kind == "mapping" and (known is None or known.type not in tensors):
            document = node.mapping(required=("type", "value"), optional=())
            type_name = document["type"].one_of(ATTRIBUTE_TYPES, "attribute type")
            return GivenAttribute(name, attribute_value(document["value"], type_name), type_name)
        if known is None:
            raise node.error(
                f"the operator has no attribute '{name}': give its type as well,"
                f" as {{type: int, value: {node.text or '...'}}}"
            )
        return GivenAttribute(name, attribute_value(node, known.type), known.type)

    def _fault(self, document: Mapping[str, Node]) -> Fault:
        def each(key: str) -> Mapping[str, Node]:
            if key not in document:
                return {}
            document[key].mapping()
            document[key].only_keys(tuple(self._outputs))
            return document[key].mapping()

        repeat = document["repeat"].mapping() if "repeat" in document else {}
        return Fault(
            arguments=self._arguments(document),
            results=self._results(document),
            repeat=tuple(self._given(name, value) for name, value in repeat.items()),
            declare_types={
                name: value.one_of(TYPE_NAMES, "element type")
                for name, value in each("declare_types").items()
            },
            declare_shapes={
                name: dimensions(value) for name, value in each("declare_shapes").items()
            },
            ranks={name: value.integer(0, 64) for name, value in each("ranks").items()},
            wrap=document["wrap"].one_of(WRAPPINGS, "wrapping") if "wrap" in document else None,
        )

    def _arguments(self, document: Mapping[str, Node]) -> tuple[str, ...] | None:
        """Inputs of the node, only from the operator's: other names would be a second fault."""
        if "arguments" not in document:
            return None
        known = list(self._inputs)
        if "wrap" in document:
            known.append(f"{known[0]}_wrapped")
        return tuple(
            empty_or_text(item) and item.one_of(known, "input")
            for item in document["arguments"].sequence()
        )

    def _results(self, document: Mapping[str, Node]) -> tuple[str, ...] | None:
        """Outputs of the node, with all of the operator's: graph outputs must have a producer."""
        if "results" not in document:
            return None
        results = tuple(empty_or_text(item) for item in document["results"].sequence())
        for name in self._outputs:
            if name not in results:
                raise document["results"].error(
                    f"output '{name}' is missing: the graph gives it, so that the model would have"
                    " a second fault"
                )
        return results

    def _permitted(self, document: Mapping[str, Node]) -> tuple[PermittedResult, ...]:
        if "permitted" not in document:
            return ()
        results = []
        for item in document["permitted"].sequence():
            one = item.mapping(required=("taken", "reason"), optional=("outputs",))
            results.append(
                PermittedResult(
                    read_id(one["taken"], CASE_ID),
                    one["reason"].string(),
                    self._results_of(one["outputs"]) if "outputs" in one else None,
                )
            )
        if len(results) < 2:
            raise document["permitted"].error("what is left open has at least two results")
        return tuple(results)


def read_spread(document: Mapping[str, Node]) -> Spread | None:
    """The versions that a case or a family asks for; None where it says nothing of them."""
    asked = [key for key in _SPREADS if key in document and document[key].boolean()]
    if len(asked) > 1:
        raise document[asked[1]].error("'ends_only' and 'thin' exclude each other")
    return _SPREADS[asked[0]] if asked else None


def keys_of_case(kind: Kind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys that a case of this kind must have, and those that it may have."""
    if kind == Kind.VALID:
        return (*_EVERY_CASE, "outputs"), (*_EVERY_CASE_MAY, *_VALID_MAY)
    if kind == Kind.INVALID:
        return (*_EVERY_CASE, "control", "reject"), (*_EVERY_CASE_MAY, *_FAULTS, *_SPREADS)
    return (*_EVERY_CASE, "permitted"), (*_EVERY_CASE_MAY, "ranks", *_SPREADS)
