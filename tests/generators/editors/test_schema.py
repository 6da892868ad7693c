from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from committed_corpus import SPECS
from jsonschema import Draft202012Validator
from sample_specs import RESHAPE, changed, write_specs

from onnx_conformance.core.corpus.vectors import PHASES
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.yaml.reading import parse_yaml, read_yaml
from onnx_conformance.generators.editors.schema import rendered_editor_schema
from onnx_conformance.generators.families.reading import OWN_KEYS
from onnx_conformance.generators.families.registry import all_families
from onnx_conformance.generators.forms import all_forms
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.specs.reading import OTHER_FILES
from onnx_conformance.generators.specs.versions_reading import ATTRIBUTE_TYPES
from onnx_conformance.generators.specs.words import ROLES

if TYPE_CHECKING:
    from pathlib import Path

SPEC_FILES = sorted(path for path in SPECS.glob("*.yaml") if path.name not in OTHER_FILES)
FIRST_LINE = "# yaml-language-server: $schema=schema.json"


@cache
def schema() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((SPECS / "schema.json").read_text("utf-8"))
    return document


def complaints(text: str) -> list[str]:
    found = Draft202012Validator(schema()).iter_errors(parse_yaml(text, "reshape.yaml").plain())
    return [error.message for error in found]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("path", SPEC_FILES, ids=lambda path: path.stem)
def test_every_spec_fits_the_schema(path: Path) -> None:
    found = Draft202012Validator(schema()).iter_errors(read_yaml(path).plain())
    assert [] == [f"{list(error.absolute_path)}: {error.message}" for error in found]


def test_the_committed_schema_is_what_the_reader_takes() -> None:
    committed = (SPECS / "schema.json").read_text("utf-8")
    assert rendered_editor_schema() == committed, "renew it with: onnx-vectors schemas"


def test_the_sample_fits_the_schema() -> None:
    assert [] == complaints(RESHAPE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("element_types: {default", "element_types: {defalt"),
        ("element_types: {default: float32}", "element_types: {default: double}"),
        ("  14:\n", "  fourteen:\n"),
        ("    inputs: {data: T}\n", "    input: {data: T}\n"),
        ("inputs: {data: T}", "inputs: {}"),
        ("attributes: {shape: ints}", "attributes: {shape: integers}"),
        ("{type: int, default: 0}", "{default: 0}"),
        ("id: literal-zero\n", "id: literal_zero\n"),
        ("    source: {document: Reshape-5, part: Inputs}\n", ""),
        ("since: 14", 'since: "14"'),
        ("id: zero\n", "id: Zero\n"),
        ("attributes: {allowzero: 1}", "atributes: {allowzero: 1}"),
        ("id: zero\n    covers: [literal-zero]", "id: zero\n    covers: []"),
        ("id: zero\n", "id: zero\n    forms: [initialiser]\n"),
        ("spread: [everywhere, types]", "spread: [everywhere, type]"),
        ("spread: [everywhere, types]", "spread: 1"),
        ("{allowzero: 1}", "{allowzero: {type: int}}"),
        ("data: [2, 3], shape: [3, 2]", "data: {}, shape: [3, 2]"),
        ("data: [2, 3], shape: [3, 2]", "data: {shape: [-1]}, shape: [3, 2]"),
        ("type: int32", "typ: int32"),
        ("reject: run", "reject: runtime"),
        ("    control: two_dims\n    reject: run", "    reject: run"),
        ("    fault: {ranks: {reshaped: 1}}\n", "    outputs: {reshaped: [7]}\n"),
        ("ranks: {reshaped: 1}", "ranks: {reshaped: -1}"),
        ("    reject: load\n", "    reject: load\n    fault: {wrap: list}\n"),
        ("      - taken: rejected\n        reason: only 1 has a meaning\n", ""),
        ("withdrawn: [gone]", "withdrawn: gone"),
    ],
)
def test_a_typical_mistake_does_not_fit(old: str, new: str) -> None:
    assert [] != complaints(changed(old, new))


# --- the schema and the reader say the same ---

STRANGE = "qqqqqqqqqqqq"

# A place in the sample, where a key is added; the same place in the schema.
PLACES = {
    "spec": ("operator: Reshape\n", "operator: Reshape\n{}: 1\n", ()),
    "version": ("  14:\n", "  14:\n    {}: 1\n", ("$defs", "version")),
    "output": ("{type: T, elements: data}", "{{type: T, {}: 1}}", ("$defs", "output", "anyOf", 1)),
    "input": (
        "inputs: {data: T}\n",
        "inputs: {{data: {{type: T, {}: 1}}}}\n",
        ("$defs", "input", "anyOf", 1),
    ),
    "attribute": (
        "{type: int, default: 0}",
        "{{type: int, {}: 0}}",
        ("$defs", "attribute", "anyOf", 1),
    ),
    "requirement": (
        "  - id: literal-zero\n",
        "  - id: literal-zero\n    {}: 1\n",
        ("$defs", "requirement"),
    ),
    "source": (
        "{document: Reshape-5, part: Inputs}",
        "{{document: Reshape-5, part: Inputs, {}: 1}}",
        ("$defs", "requirement", "properties", "source"),
    ),
    "case": ("  - id: zero\n", "  - id: zero\n    {}: 1\n", ("$defs", "valid_case")),
    "further_data_set": (
        "    outputs: {reshaped: [3, 2]}\n",
        "    outputs: {{reshaped: [3, 2]}}\n    then: [{{{}: 1}}]\n",
        ("$defs", "valid_case", "properties", "then", "items"),
    ),
    "invalid_case": (
        "  - id: too_many\n",
        "  - id: too_many\n    {}: 1\n",
        ("$defs", "invalid_case"),
    ),
    "fault": ("fault: {ranks:", "fault: {{{}: 1, ranks:", ("$defs", "fault")),
    "permitted": (
        "      - taken: literal\n",
        "      - taken: literal\n        {}: 1\n",
        ("$defs", "permitted"),
    ),
    "value": (
        "{values: [3, 2], type: int32}",
        "{{values: [3, 2], {}: 1}}",
        ("$defs", "literal", "anyOf", 1),
    ),
    "given_attribute": (
        "{allowzero: 1}",
        "{{allowzero: {{{}: 1}}}}",
        ("$defs", "given_attributes", "additionalProperties", "anyOf", 1),
    ),
}


def at(path: tuple[str | int, ...]) -> dict[str, Any]:
    found: Any = schema()
    for step in path:
        found = found[step]
    result: dict[str, Any] = found
    return result


@pytest.mark.parametrize("place", PLACES)
def test_the_schema_has_the_keys_of_the_reader(tmp_path: Path, place: str) -> None:
    old, new, path = PLACES[place]
    with pytest.raises(BadInputError) as caught:
        read_specs(write_specs(tmp_path, changed(old, new.format(STRANGE))))
    listed = re.fullmatch(rf".*: unknown key '{STRANGE}'; known are: (.*)", str(caught.value))
    assert listed is not None
    assert set(listed.group(1).split(", ")) == set(at(path)["properties"])


@pytest.mark.parametrize(
    ("place", "required"),
    [
        ("spec", {"operator", "requirements"}),
        ("case", {"id", "covers"}),
        ("invalid_case", {"id", "covers", "control"}),
        ("requirement", {"id", "text", "source"}),
        ("permitted", {"taken", "reason"}),
    ],
)
def test_the_schema_requires_what_the_reader_requires(place: str, required: set[str]) -> None:
    assert required == set(at(PLACES[place][2])["required"])


def test_the_schema_lists_the_words_that_the_reader_knows() -> None:
    definitions = schema()["$defs"]
    assert list(all_forms()) == definitions["form"]["enum"]
    assert [item.name for item in ELEMENT_TYPES] == definitions["element_type"]["enum"]
    assert list(ATTRIBUTE_TYPES) == definitions["attribute_type"]["enum"]
    assert list(PHASES) == definitions["invalid_case"]["properties"]["reject"]["enum"]
    (of_inputs, _) = schema()["properties"]["roles"]["additionalProperties"]["anyOf"]
    assert list(ROLES) == of_inputs["enum"]


@pytest.mark.parametrize("name", list(all_families()))
def test_the_schema_has_the_parameters_of_each_family(name: str) -> None:
    (family,) = [
        item
        for item in schema()["$defs"]["family"]["anyOf"]
        if item["properties"]["family"]["const"] == name
    ]
    assert {"family", *OWN_KEYS} == set(family["properties"])
    assert set(all_families()[name].parameters) == set(family["properties"]["with"]["properties"])


def with_family(text: str) -> str:
    return f"{RESHAPE}families:\n  - {text}\n"


def test_a_family_fits_the_schema() -> None:
    assert [] == complaints(with_family("{family: structure, with: {base: two_dims}}"))


@pytest.mark.parametrize(
    "text",
    [
        "{family: structur}",
        "{family: structure, with: {bas: two_dims}}",
        "{family: combinations, covers: [requested-shape]}",
        "{covers: [requested-shape]}",
    ],
)
def test_a_mistake_in_a_family_does_not_fit(text: str) -> None:
    assert [] != complaints(with_family(text))


def test_cases_or_families_are_needed() -> None:
    start, end = RESHAPE.index("cases:\n"), RESHAPE.index("invalid:")
    without = RESHAPE[:start] + RESHAPE[end:]
    assert [] != complaints(without)
    assert [] == complaints(f"{without}families:\n  - {{family: structure}}\n")


def test_every_key_of_the_schema_is_described() -> None:
    def undescribed(node: Any, path: str) -> list[str]:  # noqa: ANN401  JSON
        if not isinstance(node, dict):
            return []
        found = []
        for name, value in node.get("properties", {}).items():
            target = schema()["$defs"][value["$ref"].rsplit("/", 1)[1]] if "$ref" in value else {}
            if "description" not in value and "description" not in target:
                found.append(f"{path}.{name}")
        for key, value in node.items():
            found += undescribed(value, f"{path}.{key}")
        return found

    assert [] == undescribed(schema(), "")
