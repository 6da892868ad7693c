"""From YAML to specs of whole models; docs/specs.md describes the format for authors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from onnx_conformance.core.corpus.vectors import DATA_FILE, MODEL_FILE, Phase
from onnx_conformance.core.limits import EXTERNAL_OFFSET
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.yaml.nodes import Node
from onnx_conformance.core.yaml.reading import read_yaml

from ..specs.ids import CASE_ID, REQUIREMENT_ID, read_id
from ..specs.model import AnyLiteral, CorpusFacts, Literal, PermittedResult, WrittenResult
from ..specs.second_sources import SecondSource, read_second_sources
from ..specs.statements import Requirement
from ..specs.values_reading import read_value
from .model import Edits, ModelCase, ModelSpec, Run, Stored
from .shape_nodes import WAYS

FOLDER = "models"
REJECTED = "rejected"
_FILE_NAME = re.compile(r"\w[\w.-]{0,99}", re.ASCII)
_KEPT = ("raw", "typed", "external")
_TYPES = [element.name for element in ELEMENT_TYPES]
_CASE_OPTIONAL = (
    "purpose",
    "each",
    "computed",
    "clear",
    "set",
    "merge",
    "tensors",
    "inputs",
    "outputs",
    "runs",
    "reject",
    "control",
    "open",
)


def model_spec_files(specs: Path) -> tuple[Path, ...]:
    """The specs of whole models in the folder of the specs; there may be none."""
    return tuple(sorted((specs / FOLDER).glob("*.yaml")))


def model_spec_file(specs: Path, stem: str) -> Path | None:
    """The spec of whole models with that name; None if there is none."""
    path = specs / FOLDER / f"{stem}.yaml"
    return path if path.is_file() else None


def read_model_spec(path: Path, facts: CorpusFacts) -> ModelSpec:
    """A spec of whole models; BadInputError names file, line and what to do."""
    node = read_yaml(path)
    document = node.mapping(
        required=("subject", "document", "requirements", "cases"),
        optional=("domain", "version", "second_sources"),
    )
    if ("domain" in document) != ("version" in document):
        raise node.error("an operator whose cases are whole models has 'domain' and 'version'")
    page = document["document"].string()
    version = document["version"].integer(1) if "version" in document else None
    requirements = _requirements(document["requirements"], page)
    cases: dict[str, ModelCase] = {}
    for item in document["cases"].sequence():
        case = _case(item, requirements)
        if case.id in cases:
            raise item.error(f"case '{case.id}' is here twice")
        cases[case.id] = case
    for item in document["cases"].sequence():
        keys = item.mapping()
        control = keys["control"].string() if "control" in keys else None
        if control is not None and (control not in cases or cases[control].reject is not None):
            raise keys["control"].error(f"'{control}' is no valid case of this file")
    return ModelSpec(
        str(path),
        document["subject"].string(),
        facts,
        requirements,
        cases,
        document["domain"].string() if "domain" in document else "",
        version,
        _second_sources(document, version),
    )


def _second_sources(document: Mapping[str, Node], version: int | None) -> tuple[SecondSource, ...]:
    if "second_sources" not in document:
        return ()
    node = document["second_sources"]
    if version is None:
        raise node.error("only an operator has second sources: give 'domain' and 'version'")
    return read_second_sources(node, (version,))


def _requirements(node: Node, page: str) -> dict[str, Requirement]:
    found: dict[str, Requirement] = {}
    for item in node.sequence():
        document = item.mapping(required=("id", "text", "part"), optional=("document", "uncovered"))
        identifier = read_id(document["id"], REQUIREMENT_ID)
        if identifier in found:
            raise document["id"].error(f"requirement '{identifier}' is here twice")
        found[identifier] = Requirement(
            id=identifier,
            text=document["text"].string(),
            since=1,
            until=None,
            document=document["document"].string() if "document" in document else page,
            part=document["part"].string(),
            uncovered=document["uncovered"].string() if "uncovered" in document else None,
        )
    return found


def _case(node: Node, requirements: Mapping[str, Requirement]) -> ModelCase:
    keys = node.mapping(required=("id", "covers", "model"), optional=_CASE_OPTIONAL)
    invalid = "reject" in keys
    if invalid != ("control" in keys):
        raise node.error("'reject' and 'control' belong together")
    return ModelCase(
        id=read_id(keys["id"], CASE_ID),
        line=node.line,
        covers=tuple(
            item.one_of(tuple(requirements), "requirement") for item in keys["covers"].sequence()
        ),
        purpose=keys["purpose"].string() if "purpose" in keys else "",
        text=keys["model"].string(),
        edits=_edits(keys),
        runs=_runs(node, keys, needs_outputs=not invalid and "open" not in keys),
        reject=Phase(keys["reject"].one_of([item.value for item in Phase])) if invalid else None,
        control=keys["control"].string() if invalid else None,
        open=tuple(map(_opened, keys["open"].sequence())) if "open" in keys else (),
        each=_each(keys["each"]) if "each" in keys else {},
        computed=_computed(node, keys) if "computed" in keys else {},
    )


def _of_one_name(
    node: Node, message: str, read: Callable[[Node], str]
) -> dict[str, tuple[str, ...]]:
    """A mapping from one name to a list."""
    keys = node.mapping()
    if len(keys) != 1:
        raise node.error(message)
    return {name: tuple(map(read, item.sequence())) for name, item in keys.items()}


def _each(node: Node) -> dict[str, tuple[str, ...]]:
    return _of_one_name(node, "'each' goes through one name", lambda item: item.string())


def _computed(node: Node, keys: Mapping[str, Node]) -> dict[str, tuple[str, ...]]:
    if {"each", "reject", "open"} & keys.keys():
        raise node.error("a case with 'computed' has neither 'each' nor 'reject' nor 'open'")
    return _of_one_name(
        keys["computed"],
        "'computed' names one graph input",
        lambda way: way.one_of(tuple(WAYS), "way"),
    )


def _edits(keys: Mapping[str, Node]) -> Edits:
    put = {}
    for path, item in keys["set"].mapping().items() if "set" in keys else ():
        value = item.plain()
        if not isinstance(value, (int, float, str, bool)):
            raise item.error("a field is set to a number, a text or a bool")
        put[path] = value
    return Edits(
        clear=tuple(item.string() for item in keys["clear"].sequence()) if "clear" in keys else (),
        put=put,
        merge={path: item.string() for path, item in keys["merge"].mapping().items()}
        if "merge" in keys
        else {},
        tensors=tuple(_stored(name, item) for name, item in keys["tensors"].mapping().items())
        if "tensors" in keys
        else (),
    )


def _stored(name: str, node: Node) -> Stored:
    keys = node.mapping(
        required=("values", "kept"), optional=("type", "location", "offset", "length")
    )
    literal = read_value(keys["values"], dims=False)
    if not isinstance(literal, Literal):
        raise keys["values"].error("an initializer is a tensor")
    return Stored(
        name=name,
        literal=literal,
        type=keys["type"].one_of(_TYPES, "element type") if "type" in keys else None,
        kept=keys["kept"].one_of(_KEPT),
        location=_location(keys["location"]) if "location" in keys else Stored.location,
        offset=keys["offset"].integer(0, EXTERNAL_OFFSET) if "offset" in keys else None,
        length=keys["length"].boolean() if "length" in keys else True,
    )


def _location(node: Node) -> str:
    """The name of a file beside the model: a location elsewhere is written with `merge`."""
    name = node.string()
    if not _FILE_NAME.fullmatch(name) or name in {MODEL_FILE, DATA_FILE}:
        raise node.error("'location' names a file of its own by letters, digits, '_', '-' and '.'")
    return name


def _runs(node: Node, keys: Mapping[str, Node], *, needs_outputs: bool) -> tuple[Run, ...]:
    if "runs" in keys:
        if "inputs" in keys or "outputs" in keys:
            raise node.error("'runs' says inputs and outputs for each data set")
        items = keys["runs"].sequence()
        if not items:
            raise keys["runs"].error("at least one data set is needed")
        return tuple(
            _run(item, item.mapping(required=("inputs", "outputs"), optional=()), needed=True)
            for item in items
        )
    return (_run(node, keys, needed=needs_outputs),)


def _run(node: Node, keys: Mapping[str, Node], *, needed: bool) -> Run:
    if needed != ("outputs" in keys):
        raise node.error(
            "'outputs' is needed" if needed else "an invalid or open case has no 'outputs'"
        )
    return Run(
        _values(keys["inputs"]) if "inputs" in keys else {},
        _values(keys["outputs"]) if needed else {},
    )


def _values(node: Node) -> dict[str, AnyLiteral]:
    return {name: read_value(item, dims=False) for name, item in node.mapping().items()}


def _opened(node: Node) -> WrittenResult:
    keys = node.mapping(required=("taken", "reason"), optional=("outputs",))
    taken = keys["taken"].string()
    if (taken == REJECTED) == ("outputs" in keys):
        raise node.error(f"'outputs' is for a result, and '{REJECTED}' has none")
    outputs = _values(keys["outputs"]) if "outputs" in keys else None
    return PermittedResult(taken, keys["reason"].string(), outputs)
