"""Checks every case that a family makes, whatever parameters the spec gave.

A spec's own cases are checked word by word when they are read. Families accept any YAML, so their
cases are checked when they are made, before they are used in any computation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.text import brief
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.yaml.nodes import INT64_MAXIMUM, INT64_MINIMUM

from ..situations.data.profiles import check_profile
from ..situations.graphs import captured
from ..specs.model import (
    AnyLiteral,
    Case,
    Literal,
    MapLiteral,
    OperatorVersion,
    OptionalLiteral,
    SequenceLiteral,
)

_TYPES = frozenset(item.name for item in ELEMENT_TYPES)


def check_case(case: Case, versions: Mapping[int, OperatorVersion]) -> None:
    """Raise BadInputError, which names the case, if no operator could be given its content."""
    try:
        for example in case.examples:
            for name, literal in example.inputs.items():
                _check_literal(literal, f"'{name}'")
        for item in case.attributes:
            if isinstance(item.value, Literal):
                _check_tensor(item.value, f"attribute '{item.name}'")
        captured(case.attributes)  # this parses the graphs
        _check_types(case, versions)
    except BadInputError as error:
        raise BadInputError(f"case '{case.id}': {error}") from None


def _check_types(case: Case, versions: Mapping[int, OperatorVersion]) -> None:
    """Check the bound type variables, the element types, and the requested outputs."""
    _known(case.types or (), _TYPES, "element type")
    variables = {name: types for item in versions.values() for name, types in item.types.items()}
    _known(case.bind, variables, "type variable")
    listed = {text for item in versions.values() for types in item.types.values() for text in types}
    if case.kind == Kind.VALID:
        _known(case.bind.values(), listed, "type")
    parameters = [item for version in versions.values() for item in version.outputs]
    for name in case.requested or ():
        if name and not any(item.name == name or item.has_instance(name) for item in parameters):
            known = dict.fromkeys(item.name for item in parameters)
            _known([name], known, "output")


def _known(names: Any, known: Any, what: str) -> None:  # noqa: ANN401  any collections of texts
    for name in names:
        if name not in known:
            shown = ", ".join(sorted(known)[:20])
            raise BadInputError(f"unknown {what} {brief(name, 60)}; known are: {shown}")


def _check_literal(literal: AnyLiteral, where: str) -> None:
    if isinstance(literal, SequenceLiteral):
        for item in literal.items:
            _check_literal(item, where)
    elif isinstance(literal, OptionalLiteral):
        if literal.value is not None:
            _check_literal(literal.value, where)
    elif isinstance(literal, MapLiteral):
        _check_literal(literal.keys, where)
        _check_literal(literal.values, where)
    else:
        _check_tensor(literal, where)


def _check_tensor(literal: Literal, where: str) -> None:
    for item in literal.shape:
        if not _is_integer(item) or item < 0:
            raise BadInputError(f"{where}: {brief(item, 60)} is no dimension")
    if literal.type is not None:
        _known([literal.type], _TYPES, "element type")
    if literal.values is None:
        if literal.profile is not None:
            check_profile(literal.profile)
        return
    for value in literal.values:
        if not isinstance(value, (int, float, str)):
            raise BadInputError(f"{where}: {brief(value, 60)} is no element")
    if math.prod(literal.shape) != len(literal.values):
        raise BadInputError(
            f"{where}: shape {list(literal.shape)} has {math.prod(literal.shape)} elements,"
            f" {len(literal.values)} are given"
        )


def _is_integer(value: Any) -> bool:  # noqa: ANN401  what YAML holds
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return is_whole and INT64_MINIMUM <= value <= INT64_MAXIMUM
