"""Pieces of a JSON Schema (draft 2020-12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]


def text(description: str = "") -> Schema:
    """A text that is not empty."""
    return described({"type": "string", "minLength": 1}, description)


def ref(name: str, description: str = "") -> Schema:
    """A reference to a definition under `$defs`."""
    return described({"$ref": f"#/$defs/{name}"}, description)


def list_of(items: Schema, description: str = "", least: int = 0) -> Schema:
    """A list of at least `least` items."""
    return described(
        {"type": "array", "items": items, **({"minItems": least} if least else {})}, description
    )


def one_of(words: Sequence[str], description: str = "") -> Schema:
    """One of these words."""
    return described({"enum": list(words)}, description)


def by_name(values: Schema, description: str = "", least: int = 0) -> Schema:
    """A mapping from names of the document to values."""
    return described(
        {
            "type": "object",
            "propertyNames": ref("name"),
            "additionalProperties": values,
            **({"minProperties": least} if least else {}),
        },
        description,
    )


def object_of(
    properties: Mapping[str, Schema], required: Sequence[str] = (), description: str = ""
) -> Schema:
    """A mapping with these keys and no other."""
    found = described({"type": "object", "properties": dict(properties)}, description)
    if required:
        found["required"] = list(required)
    return {**found, "additionalProperties": False}


def described(schema: Schema, description: str) -> Schema:
    """The schema with a description, if there is one."""
    return {**schema, "description": description} if description else schema
