"""What an optimizer makes of one node."""

from __future__ import annotations

import struct
from dataclasses import replace

from onnx_conformance.core.values.tensors import Tensor

from ..registry import wrong
from ..steps import NodeStep, Values
from ..tensors import elements, raw

AREA = "simplifying"

#: The bits of 1, by type; of integers 1.
_ONE = {"float16": 0x3C00, "bfloat16": 0x3F80, "float32": 0x3F800000, "float64": 0x3FF << 52}


def _all_are(tensor: Tensor | None, number: int) -> bool:
    """Whether every element is 0, or every one is 1."""
    if tensor is None or tensor.type in {"string", "bool"}:
        return False
    bits = _ONE.get(tensor.type, 1) if number else 0
    return set(elements(tensor)) == {bits}


@wrong(AREA, variants={"Add, Sub": (0, "Add", "Sub"), "Mul, Div": (1, "Mul", "Div")}, held_out=True)
def nothing_is_broadcast_where_nothing_is_done(
    step: NodeStep, neutral: int, *operators: str
) -> Values:
    """An operation with a neutral element gives its first input, whatever shape the other has."""
    if step.is_a(*operators) and len(step.values) == 2 and _all_are(step.tensor(1), neutral):
        return [step.values[0]]
    return step.right()


@wrong(AREA, variants={"x - x is 0": ("Sub", 0.0), "x / x is 1": ("Div", 1.0)})
def the_same_operand_twice(step: NodeStep, operator: str, number: float) -> Values:
    """What an operation with itself gives of most numbers it gives of all."""
    value = step.tensor()
    if not step.is_a(operator) or len(set(step.node.inputs)) > 1 or value is None:
        return step.right()
    if value.type != "float32":
        return step.right()
    return [replace(value, data=struct.pack("<f", number) * value.element_count)]


@wrong(AREA, of=("Mul",))
def a_product_with_0_is_0(step: NodeStep) -> Values:
    """A product with 0 is 0, of infinity and NaN too."""
    value = step.tensor()
    if value is None or not _all_are(step.tensor(1), 0):
        return step.right()
    return [replace(value, data=bytes(len(value.data)))]


@wrong(AREA, of=("Where",))
def where_of_a_constant_is_not_broadcast(step: NodeStep) -> Values:
    """Where gives its second input if the condition is constant and true everywhere."""
    condition = step.tensor()
    if condition is None or not condition.data:
        return step.right()
    constant = step.node.inputs[0] in step.session.model.graph.initializers
    return [step.values[1]] if constant and all(condition.data) else step.right()


@wrong(AREA, of=("Div",))
def integers_are_divided_by_the_reciprocal(step: NodeStep) -> Values:
    """A division of int32 is a product with the reciprocal in float32."""
    value, divisor = step.tensor(), step.tensor(1)
    if value is None or divisor is None or (value.type, divisor.element_count) != ("int32", 1):
        return step.right()
    by = struct.unpack("<i", raw(divisor))[0] or 1
    (factor,) = struct.unpack("<f", struct.pack("<f", 1 / by))
    items = struct.unpack(f"<{value.element_count}i", raw(value))
    quotients = [int(item * factor) for item in items]
    return [replace(value, data=struct.pack(f"<{len(items)}i", *quotients))]
