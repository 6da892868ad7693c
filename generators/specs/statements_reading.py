"""Reads the statements of a spec: its requirements, and what the document leaves open."""

from __future__ import annotations

from pathlib import Path

from onnx_conformance.core.yaml.nodes import Node
from onnx_conformance.core.yaml.reading import read_yaml

from .cases.context import CaseContext
from .ids import REQUIREMENT_ID, read_id
from .statements import OpenQuestion, Requirement


def read_questions(node: Node) -> dict[str, OpenQuestion]:
    """The points that the document leaves open, each with at least two readings."""
    questions: dict[str, OpenQuestion] = {}
    for item in node.sequence():
        document = item.mapping(required=("id", "text", "source", "readings"), optional=())
        identifier = read_id(document["id"], REQUIREMENT_ID)
        if identifier in questions:
            raise document["id"].error(f"question '{identifier}' is here twice")
        source = document["source"].mapping(required=("document", "part"), optional=())
        readings = {name: value.string() for name, value in document["readings"].mapping().items()}
        if len(readings) < 2:
            raise document["readings"].error("what is left open has at least two readings")
        questions[identifier] = OpenQuestion(
            id=identifier,
            text=document["text"].string(),
            document=source["document"].string(),
            part=source["part"].string(),
            readings=readings,
            line=item.line,
        )
    return questions


def questions_of_file(path: Path) -> tuple[str, dict[str, OpenQuestion]]:
    """The operator of a spec, with its domain, and what its document leaves open."""
    document = read_yaml(path).mapping()
    domain = document["domain"].string() if "domain" in document else ""
    operator = document["operator"].string()
    questions = read_questions(document["open"]) if "open" in document else {}
    return f"{domain}.{operator}" if domain else operator, questions


def read_requirements(node: Node, context: CaseContext) -> dict[str, Requirement]:
    """The statements of the document, by id."""
    requirements: dict[str, Requirement] = {}
    for item in node.sequence():
        document = item.mapping(
            required=("id", "text", "source"),
            optional=("since", "until", "uncovered", "errata"),
        )
        identifier = read_id(document["id"], REQUIREMENT_ID)
        if identifier in requirements:
            raise document["id"].error(f"requirement '{identifier}' is here twice")
        source = document["source"].mapping(required=("document", "part"), optional=())
        since, until = context.since_until(document)
        requirements[identifier] = Requirement(
            id=identifier,
            text=document["text"].string(),
            since=min(context.versions) if since is None else since,
            until=until,
            document=source["document"].string(),
            part=source["part"].string(),
            uncovered=document["uncovered"].string() if "uncovered" in document else None,
            errata=document["errata"].string() if "errata" in document else None,
        )
    if not requirements:
        raise node.error("a spec states at least one requirement: what its document says")
    return requirements
