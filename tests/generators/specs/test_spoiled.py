"""Whatever is in a spec, it is read or refused in one line that says where."""

# ruff: noqa: ANN401
# ANN401: a document is whatever YAML holds. SLF001: the facts and sets of a folder are read once
# for thousands of specs.

from __future__ import annotations

import copy
import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from committed_corpus import SPECS
from endurance import rounds
from rich_specs import FAMILIES, TABLE
from sample_specs import CORPUS, TYPES

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import LINE
from onnx_conformance.core.text import one_line
from onnx_conformance.core.yaml.reading import parse_yaml, read_yaml
from onnx_conformance.generators.families.reading import add_families, templates_of
from onnx_conformance.generators.forms import all_forms
from onnx_conformance.generators.planning.expansion import STANDARD, plans
from onnx_conformance.generators.signatures.reading import read_signatures
from onnx_conformance.generators.specs import reading
from onnx_conformance.generators.specs.facts import facts_of, type_sets_of
from onnx_conformance.generators.specs.reading import SpecReader, Surroundings, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

VOCABULARY = Vocabulary(tuple(all_forms()), templates_of, add_families)
WRONG: tuple[Any, ...] = (
    None,
    "",
    "x",
    "float32",
    0,
    -1,
    10**18,
    2**63,
    1.5,
    float("nan"),
    float("inf"),
    True,
    [],
    [1],
    ["x"],
    [None],
    [[1], [2, 3]],
    {},
    {"x": 1},
    {"values": [1]},
    {"values": None},
    {"values": [[1], [2, 3]]},
    {"values": ["a"], "type": "float32"},
    {"values": [1], "type": "nonesuch"},
    {"shape": [-1]},
    {"shape": ["a"]},
    {"shape": 3},
    {"shape": [10**9, 10**9]},
    {"shape": [2], "values": [1, 2, 3]},
    {"shape": [2], "profile": "nonesuch"},
    {"shape": [2], "profile": 3},
    {"from": "data", "take": [99]},
    {"sequence": 3},
    {"optional": []},
    {"map": 3},
    {"map": {}},
    {"map": {"keys": 1, "values": 2}},
    "a" * 5000,
)


@cache
def surroundings(name: str) -> Surroundings:
    if name == "concat":
        facts, _ = reading.spec_files(SPECS)
        sets = type_sets_of(read_yaml(SPECS / "types.yaml"))
        return Surroundings(facts, sets, read_signatures(SPECS / "schemas.json"), VOCABULARY)
    facts = facts_of(parse_yaml(CORPUS, "corpus.yaml"))
    sets = type_sets_of(parse_yaml(TYPES, "types.yaml"))
    return Surroundings(facts, sets, None, VOCABULARY)


@cache
def sample(name: str) -> Any:
    return yaml.safe_load(FAMILIES if name == "concat" else TABLE)


def is_read(name: str, document: Any) -> str:
    """Read and plan a spec: why it is refused, or nothing."""
    text = yaml.dump(document, Dumper=Plain, sort_keys=False, allow_unicode=True, width=10**6)
    around = surroundings(name)
    try:
        spec = SpecReader(parse_yaml(text, f"{name}.yaml"), around).spec()
        assert plans(spec, around.facts, STANDARD)
    except BadInputError as error:
        said = one_line(str(error), LINE)  # as the command prints it
        assert said.startswith((f"{name}.yaml:", f"{name}.yaml: ")), said
        return said
    return ""


class Plain(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Without anchors and aliases, which the reader does not read; in C where there is a choice."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def places(document: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items: Any = ()
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = enumerate(document)
    for key, value in items:
        yield (*at, key)
        yield from places(value, (*at, key))


def spoiled(document: Any, place: tuple[Any, ...], change: Any) -> Any:
    """The document with another value in a place; `delete` and `rename` are changes as well."""
    changed = copy.deepcopy(document)
    parent = changed
    for key in place[:-1]:
        parent = parent[key]
    if change == "delete":
        del parent[place[-1]]
    elif change == "rename":
        parent[f"{place[-1]}x"] = parent.pop(place[-1])
    else:
        parent[place[-1]] = copy.deepcopy(change)
    return changed


def chosen(place: tuple[Any, ...], count: int) -> list[Any]:
    """Some of the wrong values, others at each place."""

    def key(index: int) -> bytes:
        return hashlib.sha256(f"{place} {index}".encode()).digest()

    return [WRONG[index] for index in sorted(range(len(WRONG)), key=key)[:count]]


@pytest.mark.parametrize("name", ["reshape", "concat"])
def test_the_samples_are_read_as_they_are(name: str) -> None:
    assert "" == is_read(name, sample(name))


def test_every_key_of_a_case_a_statement_and_a_family_stands_in_the_samples() -> None:
    definitions = json.loads((SPECS / "schema.json").read_text("utf-8"))["$defs"]
    known: set[str] = set()
    for kind in ("valid_case", "invalid_case", "requirement", "version"):
        known |= set(definitions[kind]["properties"])
    known |= {"id", "since", "until", "covers", "spread", "with", "group", "let", "values"}
    standing = {place[-1] for name in ("reshape", "concat") for place in places(sample(name))}
    assert set() == known - standing


@rounds(1, len(WRONG))
@pytest.mark.parametrize("name", ["reshape", "concat"])
def test_another_value_at_any_place_is_read_or_refused_in_one_line(name: str, rounds: int) -> None:
    document = sample(name)
    refusals = 0
    for place in places(document):
        for value in chosen(place, rounds):
            refusals += bool(is_read(name, spoiled(document, place, value)))
    assert refusals > rounds * 50


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reshape", "concat"])
def test_a_key_that_is_missing_or_unknown_is_read_or_refused_in_one_line(name: str) -> None:
    document = sample(name)
    unknown = 0
    for place in places(document):
        is_read(name, spoiled(document, place, "delete"))
        if isinstance(place[-1], str):
            said = is_read(name, spoiled(document, place, "rename"))
            unknown += "unknown" in said or "no parameter" in said or "is missing" in said
    assert unknown > 30


@pytest.mark.parametrize("name", ["reshape", "concat"])
def test_each_key_of_a_spec_a_case_and_a_statement_that_is_unknown_is_named(name: str) -> None:
    document = sample(name)
    for place in places(document):
        if isinstance(place[-1], str) and len(place) in {1, 3} and "versions" not in place:
            said = is_read(name, spoiled(document, place, "rename"))
            if (
                place[0] in {"requirements", "cases", "invalid", "latitude", "open"}
                or len(place) == 1
            ):
                assert f"unknown key '{place[-1]}x'; did you mean '{place[-1]}'?" in said
            else:
                assert f"'{place[-1]}x'" in said or f"'{place[-1]}' is missing" in said


def test_a_spec_of_a_domain_that_nobody_knows_is_one_line() -> None:
    said = is_read("concat", {**sample("concat"), "domain": "ai.nonesuch"})
    assert "concat.yaml:1: " in said
    assert "ai.nonesuch" in said
