"""Rules that make a model or a call invalid, and are not checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor, Value
from onnx_conformance.generators.interpreter.model import Attribute
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..registry import wrong
from ..steps import CrashError, HangError, NodeStep, RuleStep, Values
from ..tensors import bits_of, elements, floats, int64, wrap
from .operators import BINARY, MOVING, UNARY

AREA = "validity"

#: The rules of the interpreter that a runtime may forget.
RULES = (
    "inputs-are-unique",
    "outputs-are-unique",
    "initializers-are-inputs",
    "defaults-have-the-declared-type",
    "outputs-are-defined",
    "outputs-have-the-declared-type",
    "names-are-defined",
    "names-are-unique",
    "names-do-not-shadow",
    "attributes-are-unique",
    "attributes-are-known",
    "attributes-have-their-type",
    "attributes-are-there",
    "as-many-inputs",
    "as-many-outputs",
    "inputs-are-there",
    "inputs-are-of-listed-types",
    "a-variable-is-one-type",
    "values-have-the-declared-type",
    "values-have-the-declared-shape",
    "outputs-are-of-listed-types",
)
# Rules that say the same at load and at run: a runtime that forgets one forgets the other.
_TOGETHER = (
    {"outputs-have-the-declared-type", "values-have-the-declared-type"},
    {"defaults-have-the-declared-type", "values-have-the-declared-type"},
)


@wrong(AREA, RuleStep, variants={rule: (rule,) for rule in RULES})
def without(step: RuleStep, forgotten: str) -> None:
    """A rule is not checked."""
    group = next((group for group in _TOGETHER if forgotten in group), {forgotten})
    if step.rule not in group:
        step.right()


def _unless(step: RuleStep, rule: str, *, ignored: bool) -> None:
    if step.rule != rule or not ignored:
        step.right()


@wrong(AREA, RuleStep, held_out=True)
def unknown_attributes_are_ignored_before_13(step: RuleStep) -> None:
    """Attributes that do not exist are ignored before opset 13."""
    opset = step.session.model.imports.get("", 99)
    _unless(step, "attributes-are-known", ignored=opset < 13)


@wrong(AREA, RuleStep, held_out=True)
def unknown_attributes_are_ignored_since_22(step: RuleStep) -> None:
    """Attributes that do not exist are ignored since opset 22."""
    opset = step.session.model.imports.get("", 0)
    _unless(step, "attributes-are-known", ignored=opset >= 22)


@wrong(AREA, RuleStep, held_out=True)
def integers_are_floats(step: RuleStep) -> None:
    """An integer is taken where an attribute is a float."""
    _unless(step, "attributes-have-their-type", ignored="is float, not int" in step.message)


@wrong(
    AREA,
    RuleStep,
    also={NodeStep: lambda step: _with_attributes(step, "int", _list_of_one)},
    held_out=True,
)
def one_is_a_list_of_one(step: RuleStep) -> None:
    """An integer is taken where an attribute is a list of integers."""
    _unless(step, "attributes-have-their-type", ignored="is ints, not int" in step.message)


@wrong(AREA, RuleStep, held_out=True)
def any_half_will_do(step: RuleStep) -> None:
    """Floating-point types of 16 bits are taken where they are not listed."""
    _unless(step, "inputs-are-of-listed-types", ignored="float16" in step.message)


@wrong(AREA, RuleStep, held_out=True)
def unsigned_will_do(step: RuleStep) -> None:
    """Unsigned types are taken where they are not listed."""
    told = "takes no tensor(uint" in step.message or "takes no uint" in step.message
    _unless(step, "inputs-are-of-listed-types", ignored=told)


def _as_the_first(step: NodeStep) -> Values:
    """Further inputs are read as of the type of the first."""
    first = step.tensor()
    if first is None or not step.is_a(*BINARY, "Concat", "Equal", "Greater", "Less", "Sum"):
        return step.right()
    values = [
        _read_as(first.type, it) if isinstance(it, Tensor) and it.type != first.type else it
        for it in step.values
    ]
    return step.right(values=values)


def _read_as(type_name: str, tensor: Tensor) -> Tensor:
    """The bytes of a tensor as those of another type, cut off or filled up."""
    if isinstance(tensor.data, tuple):
        return tensor
    length = (tensor.element_count * element_type(type_name).bits + 7) // 8
    return Tensor(type_name, tensor.shape, tensor.data[:length].ljust(length, b"\0"))


@wrong(AREA, RuleStep, also={NodeStep: _as_the_first}, held_out=True)
def types_of_one_variable_may_differ(step: RuleStep) -> None:
    """Two inputs of one variable may have two types: the second is read as the first."""
    _unless(step, "a-variable-is-one-type", ignored=True)


# --- what is taken for something else ------------------------------------------------------------


def _opened(step: NodeStep, change: Callable[[Value], Value]) -> Values:
    return step.right(values=[None if item is None else change(item) for item in step.values])


def _only_item(value: Value) -> Value:
    """What an optional or a sequence of one holds."""
    if isinstance(value, OptionalValue) and value.value is not None:
        return value.value
    if isinstance(value, SequenceValue) and len(value.items) == 1:
        return value.items[0]
    return value


def _as_length(value: Value) -> Value:
    if isinstance(value, SequenceValue):
        return Tensor("bool", (len(value.items),), bytes(len(value.items)))
    return value


def _takes_tensors(step: NodeStep) -> bool:
    return step.is_a(*MOVING, *UNARY, *BINARY, "Shape", "Size") and step.function is None


@wrong(
    AREA,
    RuleStep,
    also={NodeStep: lambda it: _opened(it, _only_item) if _takes_tensors(it) else it.right()},
)
def what_holds_one_tensor_is_that_tensor(step: RuleStep) -> None:
    """An optional, or a sequence of one tensor, is taken for what it holds."""
    _unless(step, "inputs-are-of-listed-types", ignored=True)


@wrong(
    AREA,
    RuleStep,
    also={NodeStep: lambda it: _opened(it, _as_length) if it.is_a("Shape", "Size") else it.right()},
)
def a_sequence_has_the_shape_of_its_length(step: RuleStep) -> None:
    """Shape and Size of a sequence give its length."""
    _unless(step, "inputs-are-of-listed-types", ignored=True)


def _as_integers(step: NodeStep, name: str) -> Values:
    """The second input of Reshape, of another type, as int64."""
    second = step.tensor(1)
    if not step.is_a("Reshape") or second is None or second.type != name:
        return step.right()
    if name == "float32":
        numbers = [int(item) for item in floats(second)]
    else:
        numbers = [wrap(item, bits_of(second)) for item in elements(second)]
    return step.right(values=[step.values[0], int64(numbers, second.shape)])


@wrong(
    AREA,
    RuleStep,
    variants={"int32": ("int32",), "uint64": ("uint64",), "float32": ("float32",)},
    also={NodeStep: _as_integers},
)
def a_shape_may_be_of(step: RuleStep, name: str) -> None:
    """A shape of another type is accepted, of float32 cut to integers."""
    told = "float" if name == "float32" else name
    _unless(step, "inputs-are-of-listed-types", ignored=told in step.message)


def _list_of_one(item: Attribute, wanted: str) -> Attribute:
    value: Any = (item.value,)
    return replace(item, type="ints", value=value) if wanted == "ints" else item


def _first_of_list(item: Attribute, wanted: str) -> Attribute:
    value: Any = item.value
    return replace(item, type="int", value=value[0]) if (wanted, len(value)) == ("int", 1) else item


def _text_as_zero(item: Attribute, wanted: str) -> Attribute:
    return replace(item, type="int", value=0) if wanted == "int" else item


def _with_attributes(
    step: NodeStep, given: str, change: Callable[[Attribute, str], Attribute]
) -> Values:
    """The node with those attributes changed that have a type which they should not have."""
    if step.function is not None:
        return step.right()
    known = step.session.signature(step.node, step.frame.imports).attributes
    attributes = tuple(
        change(item, known[item.name].type)
        if item.name in known and item.type == given != known[item.name].type
        else item
        for item in step.node.attributes
    )
    return step.right(node=replace(step.node, attributes=attributes))


@wrong(AREA, RuleStep, also={NodeStep: lambda step: _with_attributes(step, "ints", _first_of_list)})
def a_list_of_one_is_one(step: RuleStep) -> None:
    """A list of one integer is taken where an attribute is an integer."""
    _unless(step, "attributes-have-their-type", ignored="is int, not ints" in step.message)


@wrong(
    AREA, RuleStep, also={NodeStep: lambda step: _with_attributes(step, "string", _text_as_zero)}
)
def texts_are_zero(step: RuleStep) -> None:
    """A text is taken where an attribute is an integer, and is 0."""
    _unless(step, "attributes-have-their-type", ignored="is int, not string" in step.message)


def _with_blanks(step: NodeStep) -> Values:
    """Inputs that are missing are a scalar, or an empty shape."""
    if step.function is not None or step.node.domain:
        return step.right()
    inputs = step.session.signature(step.node, step.frame.imports).inputs
    values = [*step.values, *[None] * (len(inputs) - len(step.values))]
    for place, parameter in enumerate(inputs):
        if values[place] is None and parameter.option == "single":
            values[place] = int64([]) if parameter.type == "tensor(int64)" else _BLANK
    names = tuple(f"in_{place}" for place in range(len(values)))
    return step.right(node=replace(step.node, inputs=names), values=values)


_BLANK = Tensor("float32", (), bytes(4))


@wrong(AREA, RuleStep, also={NodeStep: _with_blanks})
def missing_inputs_are_blank(step: RuleStep) -> None:
    """An input that is missing is taken for a scalar, or for an empty shape."""
    if step.rule not in {"as-many-inputs", "inputs-are-there"}:
        step.right()


# --- what ends a runtime -------------------------------------------------------------------------


@wrong(AREA, RuleStep, variants={rule: (rule,) for rule in ("as-many-inputs", "inputs-are-there")})
def crashes_instead_of_refusing(step: RuleStep, rule: str) -> None:
    """What breaks a rule is a null pointer."""
    if step.rule == rule:
        raise CrashError(step.message)
    step.right()


@wrong(AREA, variants={"crash": (CrashError,), "hang": (HangError,)})
def where_an_operator_should_refuse_to(step: NodeStep, error: type[Exception]) -> Values:
    """What an operator should refuse ends the runtime, or never ends."""
    try:
        return step.right()
    except RefusedError:
        raise error(step.node.text) from None


@wrong(AREA)
def attributes_that_mean_nothing_are_refused(step: NodeStep) -> Values:
    """The attribute consumed_inputs of old versions, which says nothing, is refused."""
    if any(item.name == "consumed_inputs" for item in step.node.attributes):
        raise RefusedError("consumed_inputs is unknown")
    return step.right()
