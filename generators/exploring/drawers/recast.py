"""A call of the corpus with other types and values, for operators whose parts no family knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import NamedValue, SequenceValue, Tensor, Value

from ...specs.model import GraphAttribute
from ..calls import DrawnCall
from ..edits import TypeEdit
from ..elements import filled, with_specials
from .values import exact

if TYPE_CHECKING:
    import random


_KEPT = 0.25


def recast(call: DrawnCall, chance: random.Random) -> DrawnCall:
    """The call with each input of data drawn anew, sometimes in another type."""
    choices = [f"as {call.base.split('/', 1)[1]}"]
    if chance.random() < 0.5:
        call, told = _other_type(call, chance)
        choices += told
    inputs = []
    for item in call.inputs:
        if _is_data(call, item) and chance.random() >= _KEPT:
            value, word = _anew(item.value, chance)
            choices.append(f"{word} values in {item.name}")
            inputs.append(NamedValue(item.name, value))
        else:
            inputs.append(item)
    return replace(
        call, inputs=tuple(inputs), choices=tuple(choices), form="static", base=""
    ).bound()


def _other_type(call: DrawnCall, chance: random.Random) -> tuple[DrawnCall, list[str]]:
    if any(isinstance(item.value, GraphAttribute) for item in call.attributes):
        return call, []  # the graph declares the types that it is given
    if any(isinstance(item.value, SequenceValue) for item in call.inputs):
        return call, []  # and a sequence those of its items
    if call.spec.operator == "LabelEncoder":
        return call, []  # the types are those of its lists of keys and values
    fed = {item.type for item in call.version.inputs}
    spans = {
        name: [item for item in listed if "(" not in item]
        for name, listed in call.version.types.items()
        if name in fed and ("(" not in call.types.get(name, "("))
    }
    names = [name for name, listed in spans.items() if len(listed) > 1]
    if not names:
        return call, []
    variable = chance.choice(names)
    kind = element_type(call.types[variable]).kind
    alike = [item for item in spans[variable] if element_type(item).kind == kind] or spans[variable]
    word = chance.choice(alike)
    return TypeEdit("", "", variable, word).of(call), [f"type {variable} {word}"]


def _is_data(call: DrawnCall, item: NamedValue) -> bool:
    """Whether the elements of an input are computed with, rather than say how."""
    if call.spec.operator == "ImageDecoder":
        return False  # other bytes are no image
    parameter = call.version.parameter_of(item.name)
    role = call.spec.roles.get(parameter.name if parameter else item.name)
    if role is not None:
        return role.is_data
    value = item.value
    kinds = {one.type for one in _tensors(value)}
    return (
        bool(kinds) and all(element_type(kind).kind == "float" for kind in kinds) and role is None
    )


def _tensors(value: Value) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    return (
        [t for item in value.items for t in _tensors(item)]
        if isinstance(value, SequenceValue)
        else []
    )


def _anew(value: Value, chance: random.Random) -> tuple[Value, str]:
    if isinstance(value, SequenceValue):
        return SequenceValue(tuple(_anew(item, chance)[0] for item in value.items)), "other"
    if not isinstance(value, Tensor):
        return value, "the same"
    way = chance.randrange(3)
    if way == 0:
        return exact(value.type, value.shape, chance), "exact"
    made = filled(value.type, value.shape, chance)
    return (with_specials(made, chance), "special") if way == 1 else (made, "ordinary")
