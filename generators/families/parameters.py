"""Compares a family's parameters in a spec with the annotations of the family's function."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.text import brief

_SCALARS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "int": ("an integer", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "Any": ("anything", lambda _: True),
    "None": ("nothing", lambda value: value is None),
}
_PLURALS = {"a text": "texts", "an integer": "integers", "true or false": "truth values"}


def check_parameters(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise BadInputError, which names the parameter, if one is not of the annotated kind.

    Args:
        function: the family's function; its annotations are texts made of `str`, `int`, `bool`,
            `Any`,
            `None`, `list[...]`, `tuple[..., ...]`, `dict[str, ...]` and `|`.
        given: the parameters by name, as YAML holds them.
    """
    declared = inspect.signature(function).parameters
    for name, value in given.items():
        kind = _parsed(str(declared[name].annotation))
        if value is None or not _is(kind, value):
            raise BadInputError(
                f"parameter '{name}' must be {_words(kind)}, not {brief(value, 80)}"
            )


@cache
def _parsed(annotation: str) -> ast.expr:
    return ast.parse(annotation, mode="eval").body


def _is(kind: ast.expr, value: Any) -> bool:  # noqa: ANN401  what YAML holds
    if isinstance(kind, ast.BinOp):
        return _is(kind.left, value) or _is(kind.right, value)
    if isinstance(kind, ast.Subscript):
        container, inside = _name(kind.value), _inside(kind)
        if container == "dict":
            return isinstance(value, dict) and all(_is(inside[1], item) for item in value.values())
        return isinstance(value, list) and all(_is(inside[0], item) for item in value)
    return _SCALARS[_name(kind)][1](value)


def _words(kind: ast.expr) -> str:
    """A description of what a value must be."""
    if isinstance(kind, ast.BinOp):
        both = [_words(item) for item in (kind.left, kind.right) if _name(item) != "None"]
        return " or ".join(both)
    if isinstance(kind, ast.Subscript):
        container, inside = _name(kind.value), _inside(kind)
        if container == "dict":
            what = _words(inside[1])
            return "a mapping" if what == "anything" else f"a mapping to {_plural(what)}"
        return f"a list of {_plural(_words(inside[0]))}"
    return _SCALARS[_name(kind)][0]


def _plural(words: str) -> str:
    return _PLURALS.get(words, "lists" if words.startswith("a list") else "values")


def _inside(kind: ast.Subscript) -> list[ast.expr]:
    return list(kind.slice.elts) if isinstance(kind.slice, ast.Tuple) else [kind.slice]


def _name(kind: ast.expr) -> str:
    """The name in an annotation that is a single name; otherwise empty."""
    if isinstance(kind, ast.Constant):
        return str(kind.value)
    return kind.id if isinstance(kind, ast.Name) else ""
