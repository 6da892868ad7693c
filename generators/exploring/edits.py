"""Changes of a call, each by name; a change that cannot be made of a call leaves it as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import NamedValue, SequenceValue, Tensor, Value

from ..specs.model import GivenAttribute
from .calls import DrawnCall, Edit
from .elements import reshaped, retyped


def with_edit(call: DrawnCall, edit: Edit) -> DrawnCall:
    """A call with one more edit; itself where the edit changes nothing."""
    changed = edit.of(call).bound()
    if changed == call:
        return call
    return replace(changed, done=(*call.done, edit), start=call.start or call)


def mapped(value: Value, change: Callable[[Tensor], Tensor]) -> Value:
    """A value with each tensor in it changed."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, SequenceValue):
        return SequenceValue(tuple(mapped(item, change) for item in value.items))
    return value


@dataclass(frozen=True)
class TypeEdit(Edit):
    """Another element type for a type variable: in its inputs, or in the attribute that sets it."""

    variable: str
    name: str

    def of(self, call: DrawnCall) -> DrawnCall:
        """The changed call."""
        inputs = tuple(
            replace(item, value=mapped(item.value, self._retyped))
            if self._concerns(call, item.name)
            else item
            for item in call.inputs
        )
        attributes = call.attributes
        for name, variable in call.spec.type_attributes.items():
            attribute = call.version.attributes.get(name)
            if variable == self.variable and attribute is not None and attribute.type == "int":
                code = GivenAttribute(name, element_type(self.name).code, "int")
                attributes = (*(item for item in attributes if item.name != name), code)
        if inputs == call.inputs and attributes == call.attributes:
            return call
        types = {**call.types, self.variable: self.name}
        return replace(call, inputs=inputs, attributes=attributes, types=types)

    def _concerns(self, call: DrawnCall, name: str) -> bool:
        parameter = call.version.parameter_of(name)
        return parameter is not None and parameter.type == self.variable

    def _retyped(self, tensor: Tensor) -> Tensor:
        return retyped(tensor, self.name)


@dataclass(frozen=True)
class SizeEdit(Edit):
    """Another size for every dimension that has one, or for those of one input."""

    old: int
    new: int
    only: str = ""

    def of(self, call: DrawnCall) -> DrawnCall:
        """The changed call."""
        return replace(
            call,
            inputs=tuple(
                item
                if self.only and item.name != self.only
                else replace(item, value=mapped(item.value, self._sized))
                for item in call.inputs
            ),
        )

    def _sized(self, tensor: Tensor) -> Tensor:
        shape = tuple(self.new if size == self.old else size for size in tensor.shape)
        return tensor if shape == tensor.shape else reshaped(tensor, shape)


@dataclass(frozen=True)
class InputEdit(Edit):
    """Another value for an input, or an optional one that was absent."""

    name: str
    value: Value

    def of(self, call: DrawnCall) -> DrawnCall:
        """The changed call."""
        given = NamedValue(self.name, self.value)
        if all(item.name != self.name for item in call.inputs):
            return replace(call, inputs=_in_order(call, given))
        inputs = tuple(given if item.name == self.name else item for item in call.inputs)
        return replace(call, inputs=inputs)


def _in_order(call: DrawnCall, added: NamedValue) -> tuple[NamedValue, ...]:
    """The inputs with one more, in the order of the signature."""
    everything = [*call.inputs, added]
    placed = [
        item
        for parameter in call.version.inputs
        for item in everything
        if parameter.has_instance(item.name)
    ]
    return tuple(placed + [item for item in everything if item not in placed])


@dataclass(frozen=True)
class AbsentEdit(Edit):
    """An optional input left out, or one of the values of a variadic one."""

    name: str

    def of(self, call: DrawnCall) -> DrawnCall:
        """The changed call."""
        kept = tuple(item for item in call.inputs if item.name != self.name)
        return replace(call, inputs=kept)


@dataclass(frozen=True)
class AttributeEdit(Edit):
    """Another value for an attribute; None leaves it out."""

    name: str
    type: str
    value: Any

    def of(self, call: DrawnCall) -> DrawnCall:
        """The changed call."""
        kept = tuple(item for item in call.attributes if item.name != self.name)
        if self.value is None:
            return replace(call, attributes=kept)
        given = GivenAttribute(self.name, self.value, self.type)
        return replace(call, attributes=(*kept, given))


@dataclass(frozen=True)
class FieldEdit(Edit):
    """Another form, another opset at which the operator version holds, or other outputs requested.

    Attributes:
        field: which of the fields of a call.
        value: what it is now.
    """

    field: str
    value: Any

    def of(self, call: DrawnCall) -> DrawnCall:
        """The changed call."""
        return replace(call, **{self.field: self.value})
