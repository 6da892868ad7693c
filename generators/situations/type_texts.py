"""Types in the words of the corpus: `float32`, `seq(float32)`, `map(int64,string)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type

if TYPE_CHECKING:
    import onnx


def is_tensor(text: str) -> bool:
    """Whether it is the type of a tensor: a plain element type."""
    return "(" not in text


def inner_type(text: str, kind: str) -> str:
    """The type inside `kind(...)`; BadInputError if the type is of another kind."""
    if not text.startswith(f"{kind}(") or not text.endswith(")"):
        names = {"seq": "sequence", "optional": "optional"}
        raise BadInputError(f"a value is written as a {names.get(kind, kind)}, its type is {text}")
    return text[len(kind) + 1 : -1]


def is_sequence_of(text: str, inside: str) -> bool:
    """Whether it is the type of a sequence of values of another type."""
    return text == f"seq({inside})"


def map_types(text: str) -> tuple[str, str]:
    """The types of keys and values of a map."""
    key, _, value = inner_type(text, "map").partition(",")
    return key.strip(), value.strip()


def elements_of(text: str) -> tuple[str, ...]:
    """The element types in a type."""
    if is_tensor(text):
        return (text,)
    kind, _, rest = text.partition("(")
    inside = rest[:-1]
    if kind == "map":
        key, value = map_types(text)
        return (key, *elements_of(value))
    return elements_of(inside)


def type_proto(text: str, shape: Sequence[int | str | None] | None = None) -> onnx.TypeProto:
    """The TypeProto of a type; `shape` is for a tensor, and unknown inside other types."""
    from onnx import helper

    if is_tensor(text):
        return helper.make_tensor_type_proto(element_type(text).code, shape)
    kind = text.partition("(")[0]
    if kind == "seq":
        return helper.make_sequence_type_proto(type_proto(inner_type(text, kind)))
    if kind == "optional":
        return helper.make_optional_type_proto(type_proto(inner_type(text, kind)))
    if kind == "map":
        key, value = map_types(text)
        inside = type_proto(value, []) if is_tensor(value) else type_proto(value)
        return helper.make_map_type_proto(element_type(key).code, inside)
    raise BadInputError(f"unknown type '{text}'")


def in_ids(text: str) -> str:
    """A type in an id: `seq(float32)` is `seq_float32`."""
    for mark in "(,":
        text = text.replace(mark, "_")
    return text.replace(")", "").replace(" ", "")
