"""From YAML to specs: every word is checked, and an error says where it is and what was meant.

docs/specs.md describes the format for authors, specs/schema.json for editors.
"""

from __future__ import annotations

import math
import re
import struct
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import PHASES
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.yaml_reading import INT64_MINIMUM, read_yaml

from ..forms import all_forms
from .model import (
    Attribute,
    Case,
    CorpusFacts,
    Example,
    Fault,
    GivenAttribute,
    Literal,
    OperatorVersion,
    Parameter,
    PermittedResult,
    Requirement,
    Ruling,
    Spec,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.core.yaml_reading import Node

    from ..oracle import AttributeValue

TYPES_FILE = "types.yaml"
CORPUS_FILE = "corpus.yaml"
WITNESSES = ("reference", "inference", "checker")
ATTRIBUTE_TYPES = ("int", "ints", "float", "floats", "string", "strings")

_CASE_ID = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
_REQUIREMENT_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SWEEPS = ("types", "forms")

_EVERY_CASE = ("id", "covers", "inputs")
_EVERY_CASE_MAY = ("purpose", "documented", "attributes", "since", "until", "types", "forms")
_VALID_MAY = ("sweep", "ends_only", "then")
_FAULTS = ("arguments", "results", "repeat", "declare_types", "declare_shapes", "ranks", "wrap")


def read_specs(folder: Path) -> tuple[CorpusFacts, tuple[Spec, ...]]:
    """Every spec in a folder, by file name; BadInputError where one is unusable."""
    if not folder.is_dir():
        raise BadInputError(f"{folder}: no such folder; specs are looked for in ./specs")
    facts = _facts(read_yaml(folder / CORPUS_FILE))
    sets = _type_sets(read_yaml(folder / TYPES_FILE))
    paths = [
        path for path in sorted(folder.glob("*.yaml")) if path.name not in {TYPES_FILE, CORPUS_FILE}
    ]
    for path in sorted(folder.glob("*.yml")):
        raise BadInputError(f"{path}: would not be read; call it {path.stem}.yaml")
    if not paths:
        raise BadInputError(f"{folder}: holds no spec (*.yaml)")
    specs = tuple(_SpecReader(read_yaml(path), facts, sets).spec() for path in paths)
    seen: dict[str, str] = {}
    for spec in specs:
        # Ids begin with the operator's name in lower case, whatever its domain.
        first = seen.setdefault(spec.slug, spec.path)
        if first != spec.path:
            raise BadInputError(f"{spec.path}: operator '{spec.operator}' has a spec in {first}")
    return facts, specs


def _facts(node: Node) -> CorpusFacts:
    document = node.mapping(required=("version", "newest_opset", "ir_versions"), optional=())
    table = document["ir_versions"]
    pairs = tuple(
        (_integer_key(table, key), value.integer(1)) for key, value in table.mapping().items()
    )
    if not pairs or pairs[0][0] != 1 or pairs != tuple(sorted(pairs)):
        raise table.error("opsets stand in ascending order and begin with 1")
    return CorpusFacts(
        version=document["version"].string(),
        newest_opset=document["newest_opset"].integer(1),
        ir_versions=pairs,
    )


def _type_sets(node: Node) -> Mapping[str, tuple[str, ...]]:
    """Named sets of element types; a set may hold sets that stand before it."""
    names = {element.name for element in ELEMENT_TYPES}
    sets: dict[str, tuple[str, ...]] = {}
    for key, value in node.mapping().items():
        if key in names:
            raise node.key_error(key, f"'{key}' is an element type; call the set something else")
        members: list[str] = []
        for item in value.sequence():
            member = item.one_of((*names, *sets), "element type or set")
            members += sets.get(member, (member,))
        sets[key] = tuple(dict.fromkeys(members))
    return sets


def _integer_key(node: Node, key: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]*", key):
        raise node.key_error(key, f"a version is a positive integer, not '{key}'")
    return int(key)


class _SpecReader:
    """Reads one spec: versions first, as everything else refers to them."""

    def __init__(self, node: Node, facts: CorpusFacts, sets: Mapping[str, tuple[str, ...]]) -> None:
        self._node = node
        self._document = node.mapping(
            required=("operator", "default_type", "versions", "requirements", "cases"),
            optional=("domain", "invalid", "latitude", "rulings", "withdrawn"),
        )
        self._sets = sets
        self._versions = self._read_versions(self._document["versions"], facts)
        newest = self._versions[max(self._versions)]
        self._inputs = {
            item.name: item for version in self._versions.values() for item in version.inputs
        }
        self._outputs = {item.name: item for item in newest.outputs}
        self._attributes = {
            name: item
            for version in self._versions.values()
            for name, item in version.attributes.items()
        }
        self._requirements = self._read_requirements(self._document["requirements"])

    def spec(self) -> Spec:
        cases = self._read_cases()
        return Spec(
            path=self._node.file,
            operator=self._document["operator"].string(),
            domain=self._document["domain"].string() if "domain" in self._document else "",
            default_type=self._document["default_type"].one_of(
                [element.name for element in ELEMENT_TYPES], "element type"
            ),
            versions=self._versions,
            requirements=self._requirements,
            cases=cases,
            rulings=self._read_rulings(),
            withdrawn=self._withdrawn(),
        )

    # --- versions ---

    def _read_versions(self, node: Node, facts: CorpusFacts) -> dict[int, OperatorVersion]:
        """Each version has what the one before it has, but for what it says anew."""
        numbers = [_integer_key(node, key) for key in node.mapping()]
        if numbers != sorted(numbers) or not numbers:
            raise node.error("versions stand in ascending order, at least one")
        if numbers[-1] > facts.newest_opset:
            raise node.key_error(
                str(numbers[-1]),
                f"version {numbers[-1]} is newer than opset {facts.newest_opset}, which"
                f" {CORPUS_FILE} calls the newest",
            )
        versions: dict[int, OperatorVersion] = {}
        previous: OperatorVersion | None = None
        for index, (number, value) in enumerate(zip(numbers, node.mapping().values(), strict=True)):
            last = numbers[index + 1] - 1 if index + 1 < len(numbers) else facts.newest_opset
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
                types[variable] = self._types(value)
        inputs = previous.inputs if previous else ()
        if "inputs" in document:
            inputs = self._parameters(document["inputs"], types, "optional")
        outputs = previous.outputs if previous else ()
        if "outputs" in document:
            outputs = self._parameters(document["outputs"], types, "elements")
            _check_elements(document["outputs"], outputs, inputs)
        attributes = dict(previous.attributes) if previous else {}
        if "attributes" in document:
            attributes = {
                name: self._attribute(name, value)
                for name, value in document["attributes"].mapping().items()
            }
        return OperatorVersion(number, last, types, inputs, outputs, attributes)

    def _types(self, node: Node) -> tuple[str, ...]:
        """One name of a set or type, or a list of them."""
        names = [element.name for element in ELEMENT_TYPES]
        items = node.sequence() if node.kind == "sequence" else (node,)
        members: list[str] = []
        for item in items:
            member = item.one_of((*self._sets, *names), "element type or set")
            members += self._sets.get(member, (member,))
        return tuple(dict.fromkeys(members))

    def _parameters(
        self, node: Node, types: Mapping[str, tuple[str, ...]], also: str
    ) -> tuple[Parameter, ...]:
        """Inputs or outputs; `also` is the key that they may have besides their type."""
        known = (*types, *(element.name for element in ELEMENT_TYPES))
        parameters = []
        for name, value in node.mapping().items():
            elements, optional, type_node = None, False, value
            if value.kind == "mapping":
                document = value.mapping(required=("type",), optional=(also,))
                type_node = document["type"]
                if "elements" in document:
                    elements = document["elements"].string()
                if "optional" in document:
                    optional = document["optional"].boolean()
            type_name = type_node.one_of(known, "type variable or element type")
            parameters.append(Parameter(name, type_name, elements, optional))
        if not parameters:
            raise node.error("an operator without inputs or outputs cannot be written as a spec")
        return tuple(parameters)

    def _attribute(self, name: str, node: Node) -> Attribute:
        if node.kind != "mapping":
            return Attribute(name, node.one_of(ATTRIBUTE_TYPES, "attribute type"))
        document = node.mapping(required=("type",), optional=("default",))
        type_name = document["type"].one_of(ATTRIBUTE_TYPES, "attribute type")
        if "default" not in document:
            return Attribute(name, type_name)
        return Attribute(name, type_name, _attribute_value(document["default"], type_name))

    def _version_number(self, node: Node) -> int:
        number = node.integer(1)
        if number not in self._versions:
            known = ", ".join(str(item) for item in self._versions)
            raise node.error(f"there is no version {number}; known are: {known}")
        return number

    def _since_until(self, document: Mapping[str, Node]) -> tuple[int | None, int | None]:
        since = self._version_number(document["since"]) if "since" in document else None
        until = self._version_number(document["until"]) if "until" in document else None
        if since is not None and until is not None and since > until:
            raise document["until"].error(f"until {until} is before since {since}")
        return since, until

    # --- requirements ---

    def _read_requirements(self, node: Node) -> dict[str, Requirement]:
        requirements: dict[str, Requirement] = {}
        for item in node.sequence():
            document = item.mapping(
                required=("id", "text", "source"), optional=("since", "until", "uncovered")
            )
            identifier = _slug(document["id"], _REQUIREMENT_ID)
            if identifier in requirements:
                raise document["id"].error(f"requirement '{identifier}' is here twice")
            source = document["source"].mapping(required=("document", "part"), optional=())
            since, until = self._since_until(document)
            requirements[identifier] = Requirement(
                id=identifier,
                text=document["text"].string(),
                since=min(self._versions) if since is None else since,
                until=until,
                document=source["document"].string(),
                part=source["part"].string(),
                uncovered=document["uncovered"].string() if "uncovered" in document else None,
            )
        return requirements

    # --- cases ---

    def _read_cases(self) -> dict[str, Case]:
        cases: dict[str, Case] = {}
        withdrawn = self._withdrawn()
        documented: dict[str, str] = {}
        for key, kind in (("cases", "valid"), ("invalid", "invalid"), ("latitude", "latitude")):
            if key not in self._document:
                continue
            for node in self._document[key].sequence():
                case = self._case(node, kind)
                if case.id in cases:
                    raise node.error(
                        f"case '{case.id}' is here twice; it is already on line"
                        f" {cases[case.id].line}"
                    )
                if case.id in withdrawn:
                    raise node.error(f"case '{case.id}' is withdrawn; its id is never used again")
                if case.documented is not None:
                    first = documented.setdefault(case.documented, case.id)
                    if first != case.id:
                        raise node.error(f"'{case.documented}' is documented by '{first}' already")
                cases[case.id] = case
        self._check_controls(cases)
        return cases

    def _check_controls(self, cases: Mapping[str, Case]) -> None:
        for node in self._document["invalid"].sequence() if "invalid" in self._document else ():
            control = node.mapping()["control"]
            valid = [case.id for case in cases.values() if case.kind == "valid"]
            control.one_of(valid, "case (a control is a valid case)")

    def _case(self, node: Node, kind: str) -> Case:
        required, optional = self._keys_of_case(kind)
        document = node.mapping(required=required, optional=optional)
        examples = [self._example(document, kind)]
        if "then" in document:
            examples += [
                self._example(item.mapping(required=("inputs", "outputs"), optional=()), kind)
                for item in document["then"].sequence()
            ]
        covers = tuple(
            item.one_of(tuple(self._requirements), "requirement")
            for item in document["covers"].sequence()
        )
        if not covers:
            raise document["covers"].error("a case covers at least one requirement")
        since, until = self._since_until(document)
        return Case(
            id=_slug(document["id"], _CASE_ID),
            kind=kind,
            line=node.line,
            purpose=document["purpose"].string() if "purpose" in document else "",
            covers=covers,
            documented=document["documented"].string() if "documented" in document else None,
            attributes=self._given_attributes(document, kind),
            examples=tuple(examples),
            since=since,
            until=until,
            types=self._types(document["types"]) if "types" in document else None,
            forms=tuple(
                item.one_of(tuple(all_forms()), "form") for item in document["forms"].sequence()
            )
            if "forms" in document
            else None,
            sweep=tuple(item.one_of(_SWEEPS, "sweep") for item in document["sweep"].sequence())
            if "sweep" in document
            else (),
            ends_only=document["ends_only"].boolean() if "ends_only" in document else False,
            control=document["control"].string() if "control" in document else None,
            reject=document["reject"].one_of(PHASES, "phase") if "reject" in document else None,
            fault=self._fault(document),
            permitted=self._permitted(document),
        )

    @staticmethod
    def _keys_of_case(kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if kind == "valid":
            return (*_EVERY_CASE, "outputs"), (*_EVERY_CASE_MAY, *_VALID_MAY)
        if kind == "invalid":
            return (*_EVERY_CASE, "control", "reject"), (*_EVERY_CASE_MAY, *_FAULTS, "ends_only")
        return (*_EVERY_CASE, "permitted"), (*_EVERY_CASE_MAY, "ranks", "ends_only")

    def _example(self, document: Mapping[str, Node], kind: str) -> Example:
        outputs = self._results_of(document["outputs"]) if kind == "valid" else {}
        return Example(self._literals(document["inputs"], self._inputs), outputs)

    def _results_of(self, node: Node) -> dict[str, Literal]:
        """Every output, with its elements unless the operator passes an input's on."""
        results = self._literals(node, self._outputs)
        for name, output in self._outputs.items():
            if name not in results:
                raise node.error(f"output '{name}' is missing")
            if results[name].values is None and output.elements is None:
                raise node.mapping()[name].error(
                    f"the elements of '{name}' are missing: write {{values: ...}}, or say in"
                    " `versions` whose `elements` it has"
                )
        return results

    def _literals(self, node: Node, parameters: Mapping[str, Parameter]) -> dict[str, Literal]:
        node.mapping()
        node.only_keys(tuple(parameters))
        return {
            name: self._literal(value, parameters[name]) for name, value in node.mapping().items()
        }

    def _literal(self, node: Node, parameter: Parameter) -> Literal:
        """Dimensions where the elements derive or are another's, else the elements themselves."""
        if node.kind == "mapping":
            document = node.mapping(required=(), optional=("shape", "values", "type"))
            type_name = (
                document["type"].one_of([item.name for item in ELEMENT_TYPES], "element type")
                if "type" in document
                else None
            )
            shape = _dimensions(document["shape"], least=0) if "shape" in document else None
            if "values" not in document:
                if shape is None:
                    raise node.error("'shape' or 'values' is needed")
                return Literal(shape, None, type_name)
            return _values(document["values"], shape, type_name)
        if parameter.type in self._versions[max(self._versions)].types and _is_variable(
            parameter.type, self._versions
        ):
            return Literal(_dimensions(node, least=0))
        return _values(node, None, None)

    def _given_attributes(
        self, document: Mapping[str, Node], kind: str
    ) -> tuple[GivenAttribute, ...]:
        if "attributes" not in document:
            return ()
        node = document["attributes"]
        node.mapping()
        if kind != "invalid":
            node.only_keys(tuple(self._attributes))
        return tuple(self._given(name, value) for name, value in node.mapping().items())

    def _given(self, name: str, node: Node) -> GivenAttribute:
        if node.kind == "mapping":
            document = node.mapping(required=("type", "value"), optional=())
            type_name = document["type"].one_of(ATTRIBUTE_TYPES, "attribute type")
            return GivenAttribute(name, _attribute_value(document["value"], type_name), type_name)
        if name not in self._attributes:
            raise node.error(
                f"the operator has no attribute '{name}': give its type as well,"
                f" as {{type: int, value: {node.text or '...'}}}"
            )
        type_name = self._attributes[name].type
        return GivenAttribute(name, _attribute_value(node, type_name), type_name)

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
                name: value.one_of([item.name for item in ELEMENT_TYPES], "element type")
                for name, value in each("declare_types").items()
            },
            declare_shapes={
                name: _dimensions(value) for name, value in each("declare_shapes").items()
            },
            ranks={name: value.integer(0, 64) for name, value in each("ranks").items()},
            wrap=document["wrap"].one_of(("sequence", "optional"), "wrapping")
            if "wrap" in document
            else None,
        )

    def _arguments(self, document: Mapping[str, Node]) -> tuple[str, ...] | None:
        """Inputs of the node: any other name would be a second fault of the model."""
        if "arguments" not in document:
            return None
        known = list(self._inputs)
        if "wrap" in document:
            known.append(f"{known[0]}_wrapped")
        return tuple(
            _text(item) and item.one_of(known, "input") for item in document["arguments"].sequence()
        )

    def _results(self, document: Mapping[str, Node]) -> tuple[str, ...] | None:
        """Outputs of the node: without the operator's own, a graph output would hang in the air."""
        if "results" not in document:
            return None
        results = tuple(_text(item) for item in document["results"].sequence())
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
                    _slug(one["taken"], _CASE_ID),
                    one["reason"].string(),
                    self._results_of(one["outputs"]) if "outputs" in one else None,
                )
            )
        if len(results) < 2:
            raise document["permitted"].error("what is left open has at least two results")
        return tuple(results)

    # --- the rest ---

    def _read_rulings(self) -> tuple[Ruling, ...]:
        if "rulings" not in self._document:
            return ()
        rulings: dict[str, Ruling] = {}
        for node in self._document["rulings"].sequence():
            document = node.mapping(
                required=("id", "witness", "vectors", "says", "ruling"), optional=("upstream",)
            )
            identifier = _slug(document["id"], _REQUIREMENT_ID)
            if identifier in rulings:
                raise document["id"].error(f"ruling '{identifier}' is here twice")
            if not document["vectors"].sequence():
                raise document["vectors"].error("a ruling is about at least one vector")
            rulings[identifier] = Ruling(
                id=identifier,
                witness=document["witness"].one_of(WITNESSES, "witness"),
                vectors=tuple(item.string() for item in document["vectors"].sequence()),
                says=document["says"].string(),
                ruling=document["ruling"].string(),
                upstream=document["upstream"].string() if "upstream" in document else None,
                line=node.line,
            )
        return tuple(rulings.values())

    def _withdrawn(self) -> tuple[str, ...]:
        if "withdrawn" not in self._document:
            return ()
        return tuple(_slug(item, _CASE_ID) for item in self._document["withdrawn"].sequence())


def _is_variable(type_name: str, versions: Mapping[int, OperatorVersion]) -> bool:
    """Whether a type variable stands for more than one element type."""
    return any(len(version.types.get(type_name, ())) > 1 for version in versions.values())


def _slug(node: Node, pattern: re.Pattern[str]) -> str:
    text = node.text if node.kind == "integer" else node.string()
    if not pattern.fullmatch(text):
        separator = "-" if pattern is _REQUIREMENT_ID else "_"
        raise node.error(f"'{text}' is no id: lower-case letters, digits and single '{separator}'")
    return text


def _check_elements(node: Node, outputs: Sequence[Parameter], inputs: Sequence[Parameter]) -> None:
    """Each output that passes elements on takes them from an input."""
    for output in outputs:
        if output.elements is not None:
            document = node.mapping()[output.name].mapping()
            document["elements"].one_of([item.name for item in inputs], "input")


def _text(node: Node) -> str:
    """A text that may be empty, in quotes then: the name of an absent input, for one."""
    if node.quoted and node.text == "":
        return ""
    return node.string()


def _dimensions(node: Node, least: int = INT64_MINIMUM) -> tuple[int, ...]:
    return tuple(item.integer(least) for item in node.sequence())


def _attribute_value(node: Node, type_name: str) -> AttributeValue:
    """A value of the attribute type."""
    if type_name == "int":
        return node.integer()
    if type_name == "ints":
        return tuple(item.integer() for item in node.sequence())
    if type_name == "float":
        return _float32(node)
    if type_name == "floats":
        return tuple(_float32(item) for item in node.sequence())
    if type_name == "string":
        return _text(node)
    return tuple(_text(item) for item in node.sequence())


def _float32(node: Node) -> float:
    """A number that a float attribute holds: onnx.proto, AttributeProto.f is a 32-bit float."""
    value = float(node.number())
    try:
        struct.pack("<f", value)
    except OverflowError:
        raise node.error(f"{node.text} is beyond float32, which attributes have") from None
    return value


def _values(node: Node, shape: tuple[int, ...] | None, type_name: str | None) -> Literal:
    nested = _nested_shape(node)
    values = tuple(_flat(node))
    if shape is None:
        shape = nested
    elif math.prod(shape) != len(values):
        raise node.error(
            f"shape {list(shape)} has {math.prod(shape)} elements, {len(values)} are given"
        )
    return Literal(shape, values, type_name)


def _nested_shape(node: Node) -> tuple[int, ...]:
    if node.kind != "sequence":
        return ()
    items = node.sequence()
    shapes = [_nested_shape(item) for item in items]
    for item, shape in zip(items, shapes, strict=True):
        if shape != shapes[0]:
            raise item.error(f"has shape {list(shape)} where its neighbour has {list(shapes[0])}")
    return (len(items), *(shapes[0] if shapes else ()))


def _flat(node: Node) -> Sequence[int | float | str | bool]:
    if node.kind == "sequence":
        return [value for item in node.sequence() for value in _flat(item)]
    if node.kind == "boolean":
        return [node.boolean()]
    if node.kind == "string":
        return [node.string()]
    return [node.number()]
