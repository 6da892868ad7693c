"""The family of values that are no tensors: each listed sequence and optional type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from onnx_conformance.core.errors import BadInputError

from ...specs.model import AnyLiteral, Case, OptionalLiteral, SequenceLiteral
from ..assigning import assigned
from ..operator import Operator, slug, tensor
from ..registry import family

_SHAPES = ((2, 3), (1,), ())
_KINDS = ("sequence", "optional")


@family("containers")
def containers(
    operator: Operator,
    *,
    kind: str,
    source: str = "",
    data: str = "any",
    element: str = "",
    common: dict[str, Any] | None = None,
    skip: list[str] | None = None,
    forms: list[str] | None = None,
) -> Iterator[Case]:
    """Each type of an input that is a sequence, or an optional, in small.

    Of every listed element type one value: a sequence of three tensors of three ranks, or an
    optional that holds a tensor or such a sequence. Of the default type also what is special: a
    sequence of none, of one, of empty tensors; an optional that holds nothing, or no tensor.

    Parameters:
        kind: `sequence` or `optional`.
        source: the input; the first one otherwise.
        data: data profile of the tensors.
        element: the type variable of other inputs, which takes the element type of the value.
        common: the other inputs and the attributes, as in a case.
        skip: special values that are left out: `empty`, `one`, `no_elements`, `absent`, `scalar`.
        forms: of what is of another type than the default one, where not one form more besides
            the plain one.
    """
    if kind not in _KINDS:
        raise BadInputError(f"kind is one of {', '.join(_KINDS)}, not '{kind}'")
    newest = operator.newest
    parameter = newest.parameter_of(source) if source else newest.inputs[0]
    if parameter is None:
        raise BadInputError(f"{operator.name} has no input '{source}'")
    opening = "seq(" if kind == "sequence" else "optional("
    listed = [text for text in newest.types.get(parameter.type, ()) if text.startswith(opening)]
    if not listed:
        raise BadInputError(f"'{parameter.name}' takes no {kind}")

    def case(name: str, text: str, literal: AnyLiteral) -> Case:
        bind = {parameter.type: text, **({element: _innermost(text)} if element else {})}
        attributes, others = assigned(operator, common or {}, data)
        found = operator.case(name, {parameter.name: literal, **others}, attributes, bind=bind)
        usual = not forms or operator.default_type in text
        return found if usual else replace(found, forms=tuple(forms or ()))

    for text in listed:
        yield case(f"of_{slug(text)}", text, _value(text, data))
    for text in (item for item in listed if operator.default_type in item):
        for name, literal in _special(text, data):
            if name in (skip or ()):
                continue
            yield case(f"{slug(text)}_{name}", text, literal)


def _innermost(text: str) -> str:
    """The element type of a sequence or an optional of any depth."""
    return text.rsplit("(", 1)[-1].rstrip(")")


def _value(text: str, data: str) -> AnyLiteral:
    if text.startswith("optional("):
        return OptionalLiteral(_value(text[len("optional(") : -1], data))
    return _sequence(_SHAPES, data) if text.startswith("seq(") else tensor(_SHAPES[0], data)


def _special(text: str, data: str) -> Iterator[tuple[str, AnyLiteral]]:
    if text.startswith("optional("):
        yield "absent", OptionalLiteral(None)
        if "seq(" in text:
            yield "empty", OptionalLiteral(SequenceLiteral(()))
        else:
            yield "scalar", OptionalLiteral(tensor((), data))
            yield "no_elements", OptionalLiteral(tensor((0, 2), data))
        return
    yield "empty", SequenceLiteral(())
    yield "one", _sequence(((2,),), data)
    yield "no_elements", _sequence(((0,), (2, 0)), data)


def _sequence(shapes: Sequence[tuple[int, ...]], data: str) -> SequenceLiteral:
    return SequenceLiteral(tuple(tensor(shape, data) for shape in shapes))
