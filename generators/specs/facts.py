"""What holds for all specs of a folder: `corpus.yaml`, and the named sets of types.

A folder of operators of one's own says its version and its domains alone. What ONNX's opsets and
element types are, it takes from the specs that this package brings along.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.yaml.nodes import Node
from onnx_conformance.core.yaml.reading import read_yaml

from .model import CorpusFacts

TYPES_FILE = "types.yaml"
CORPUS_FILE = "corpus.yaml"
# The specs of ONNX's operators, as they are installed.
ONNX_SPECS = Path(__file__).parents[2] / "specs"

_DOMAIN = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_ONNX_DOMAIN = "ai.onnx"
_OF_ONNX = ("newest_opset", "ir_versions")


def integer_key(node: Node, key: str) -> int:
    """A key that is a version or an opset."""
    if not re.fullmatch(r"[1-9][0-9]*", key):
        raise node.key_error(key, f"a version is a positive integer, not '{key}'")
    return int(key)


def read_facts(folder: Path) -> CorpusFacts:
    """The facts of a folder of specs; BadInputError if its corpus.yaml cannot be used."""
    path = folder / CORPUS_FILE
    if not path.is_file():
        raise BadInputError(
            f"{path}: is not there: it says the version of the corpus and, for operators of one's"
            " own, their domains (docs/own-operators.md)"
        )
    return facts_of(read_yaml(path))


def facts_of(node: Node) -> CorpusFacts:
    """The facts in the document of a corpus.yaml; BadInputError for anything else."""
    document = node.mapping(required=("version",), optional=(*_OF_ONNX, "domains"))
    version = document["version"].string()
    if not any(key in document for key in _OF_ONNX):
        if "domains" not in document:
            raise node.error(
                "no `domains`: operators of one's own are in a domain of their own, e.g."
                " `domains: {com.example: {1: 21}}`"
            )
        onnx = read_facts(ONNX_SPECS)
        domains = _own_domains(document["domains"], onnx)
        return replace(onnx, version=version, domains=domains, own=True)
    node.mapping(required=("version", *_OF_ONNX), optional=("domains",))
    return CorpusFacts(
        version=version,
        newest_opset=document["newest_opset"].integer(1),
        ir_versions=_ir_versions(document["ir_versions"]),
        domains=_domains(document["domains"]) if "domains" in document else {},
    )


def is_own(folder: Path) -> bool:
    """Whether a folder is of operators of somebody's own, as far as its corpus.yaml says."""
    path = folder / CORPUS_FILE
    if folder.resolve() == ONNX_SPECS.resolve() or not path.is_file():
        return False
    return not any(key in read_yaml(path).mapping() for key in _OF_ONNX)


def _ir_versions(table: Node) -> tuple[tuple[int, int], ...]:
    pairs = tuple(
        (integer_key(table, key), value.integer(1)) for key, value in table.mapping().items()
    )
    if not pairs or pairs[0][0] != 1 or pairs != tuple(sorted(pairs)):
        raise table.error("opsets are in ascending order and begin with 1")
    return pairs


def _domains(node: Node) -> dict[str, dict[int, int]]:
    """For each domain: its opset -> opset of the default domain."""
    return {
        domain: {
            integer_key(table, key): value.integer(1) for key, value in table.mapping().items()
        }
        for domain, table in node.mapping().items()
    }


def _own_domains(node: Node, onnx: CorpusFacts) -> dict[str, dict[int, int]]:
    """The same of domains that are not ONNX's, with every opset from 1 on."""
    domains = _domains(node)
    for domain, opsets in domains.items():
        table = node.mapping()[domain]
        if not _DOMAIN.fullmatch(domain):
            raise node.key_error(domain, f"'{domain}' is no domain, such as com.example")
        if f"{domain}.".lower().startswith(f"{_ONNX_DOMAIN}."):
            raise node.key_error(
                domain, f"'{domain}' is ONNX's: ids of its operators would clash with ours"
            )
        if list(opsets) != list(range(1, len(opsets) + 1)) or not opsets:
            raise table.error("every opset of the domain stands here, ascending from 1")
        for key, value in table.mapping().items():
            if opsets[int(key)] > onnx.newest_opset:
                raise value.error(f"the newest opset of ONNX here is {onnx.newest_opset}")
    if not domains:
        raise node.error("at least one domain is needed here, e.g. `com.example: {1: 21}`")
    return domains


def read_type_sets(folder: Path, *, own: bool) -> Mapping[str, tuple[str, ...]]:
    """Named sets of element types; a folder of one's own has those of ONNX's, and may have more."""
    if not own:
        return type_sets_of(read_yaml(folder / TYPES_FILE))
    sets = type_sets_of(read_yaml(ONNX_SPECS / TYPES_FILE))
    path = folder / TYPES_FILE
    return type_sets_of(read_yaml(path), sets) if path.is_file() else sets


def type_sets_of(
    node: Node, known: Mapping[str, tuple[str, ...]] | None = None
) -> Mapping[str, tuple[str, ...]]:
    """The sets of a file with those known before; a set may include sets before it."""
    names = {element.name for element in ELEMENT_TYPES}
    sets = dict(known or {})
    for key, value in node.mapping().items():
        if key in names:
            raise node.key_error(key, f"'{key}' is an element type; call the set something else")
        members: list[str] = []
        for item in value.sequence():
            member = item.one_of((*names, *sets), "element type or set")
            members += sets.get(member, (member,))
        sets[key] = tuple(dict.fromkeys(members))
    return sets
