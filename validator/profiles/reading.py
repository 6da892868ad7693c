"""Reads profiles: a YAML file, or the same as JSON in a harness's reply to `describe`.

name: mine                           # optional, as is every other key
source: https://…
opsets: {from: 7, to: 22}
types: [float32, int64, bool]
forms: [static, initializer]
features: [dynamic-shapes]
operators:
Relu: all                          # all versions
Add: [13, 14]                      # these versions
Conv: {versions: [11, 22], types: [float32]}
Gather: {types: {T: [float32], Tind: [int64]}}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.yaml.nodes import Node
from onnx_conformance.core.yaml.reading import parse_yaml, read_yaml

from .needs import FEATURES
from .profile import Claim, Profile, Types

KEYS = ("name", "source", "opsets", "types", "forms", "features", "operators")
ALL = "all"
_TYPE_NAMES = {item.name: item.name for item in ELEMENT_TYPES}
# Names of onnx.proto for types that have NumPy's names in ids.
_TYPE_NAMES |= {"float": "float32", "double": "float64"}
_LARGEST = 2**31 - 1
_LONGEST = 200
_IN_DESCRIBE = "profile"


def read_profile(path: Path) -> Profile:
    """The profile in a YAML file; BadInputError names file, line and what to do."""
    return profile_in(read_yaml(path))


def profile_of_json(document: Any) -> Profile:  # noqa: ANN401  from a harness or a results file
    """The profile in a JSON document, the form of `writing.to_json`.

    Raises BadInputError without a place: the document has no lines that a person knows.
    """
    try:
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
        return profile_in(parse_yaml(text, _IN_DESCRIBE))
    except BadInputError as error:
        _, _, message = str(error).partition(": ")
        raise BadInputError(message or str(error)) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInputError(str(error)) from None


def profile_in(node: Node) -> Profile:
    """The profile in a YAML document."""
    keys = node.mapping(optional=KEYS)
    low, high = _opsets(keys["opsets"]) if "opsets" in keys else (None, None)
    return Profile(
        name=_line(keys.get("name")),
        source=_line(keys.get("source")),
        operators=_operators(keys["operators"]) if "operators" in keys else None,
        opset_from=low,
        opset_to=high,
        types=Types(_types(keys["types"])) if "types" in keys else Types(),
        forms=_texts(keys["forms"]) if "forms" in keys else None,
        features=_features(keys["features"]) if "features" in keys else None,
    )


def _line(node: Node | None) -> str:
    text = "" if node is None else node.string()
    if node is not None and (len(text) > _LONGEST or not text.isprintable()):
        raise node.error(f"a text of at most {_LONGEST} printable characters is needed here")
    return text


def _opsets(node: Node) -> tuple[int | None, int | None]:
    keys = node.mapping(optional=("from", "to"))
    low = keys["from"].integer(1, _LARGEST) if "from" in keys else None
    high = keys["to"].integer(1, _LARGEST) if "to" in keys else None
    if low is not None and high is not None and low > high:
        raise node.error(f"opsets from {low} to {high} are none: 'from' must not be above 'to'")
    return low, high


def _operators(node: Node) -> Mapping[str, Claim]:
    """The claims, from a mapping or from a list of names that are claimed whole."""
    claims: dict[str, Claim] = {}
    items: list[tuple[str, Node, Node | None]]
    if isinstance(node.value, tuple):
        items = [(item.string(), item, None) for item in node.sequence()]
    else:
        items = [(name, node.keys[name], value) for name, value in node.mapping().items()]
    for name, place, value in items:
        key = name.removeprefix("ai.onnx:").lower()
        if key in claims:
            raise place.error(f"operator '{name}' is there twice")
        if not key or len(name) > _LONGEST or not name.isprintable():
            raise place.error("this is no name of an operator")
        claims[key] = Claim(name) if value is None else _claim(name, value)
    return claims


def _claim(name: str, node: Node) -> Claim:
    if isinstance(node.value, tuple):
        return Claim(name, _versions(node))
    if isinstance(node.value, str):
        node.one_of((ALL,))
        return Claim(name)
    keys = node.mapping(optional=("versions", "types", "forms"))
    versions = keys.get("versions")
    if versions is not None and isinstance(versions.value, str):
        versions.one_of((ALL,))
        versions = None
    return Claim(
        name,
        versions=None if versions is None else _versions(versions),
        types=_types_of_operator(keys["types"]) if "types" in keys else Types(),
        forms=_texts(keys["forms"]) if "forms" in keys else None,
    )


def _versions(node: Node) -> tuple[int, ...]:
    return tuple(item.integer(1, _LARGEST) for item in node.sequence())


def _types_of_operator(node: Node) -> Types:
    if isinstance(node.value, tuple):
        return Types(_types(node))
    return Types(by_variable={name: _types(value) for name, value in node.mapping().items()})


def _types(node: Node) -> tuple[str, ...]:
    return tuple(_TYPE_NAMES[item.one_of(_TYPE_NAMES, "element type")] for item in node.sequence())


def _texts(node: Node) -> tuple[str, ...]:
    return tuple(item.string() for item in node.sequence())


def _features(node: Node) -> tuple[str, ...]:
    return tuple(item.one_of(tuple(FEATURES), "feature") for item in node.sequence())
