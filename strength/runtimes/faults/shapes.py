"""Computations of shapes, which a runtime may do by other means than that of the data."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..makers import is_made_by
from ..registry import wrong
from ..steps import NodeStep, Values
from ..tensors import changed, filled, floats, in_32_bits, in_float32, int64, integers, wrap

Numbers = list[int]

AREA = "shapes"


# --- what follows from a Shape or Size is computed otherwise -------------------------------------


def _numbers(change: Callable[[int], int]) -> Callable[[NodeStep], Values]:
    """The right results of int64, each number changed."""

    def propagate(step: NodeStep) -> Values:
        def other(item: Tensor) -> Tensor:
            numbers = integers(item)
            return int64(map(change, numbers), item.shape) if numbers else item

        return changed(step.right(), other)

    return propagate


def _as(operator: str) -> Callable[[NodeStep], Values]:
    return lambda step: [step.apply(operator, *step.values)]


def _input(place: int) -> Callable[[NodeStep], Values]:
    return lambda step: [step.values[place]]


def _swapped(step: NodeStep) -> Values:
    return step.right(values=list(reversed(step.values)))


def _refused(step: NodeStep) -> Values:
    raise RefusedError(f"the shape depends on {step.node.operator}")


def _index_from_the_front(step: NodeStep) -> Values:
    shape = getattr(step.values[1], "shape", None)
    index = int64([max(item, 0) for item in step.integers(1)], shape)
    return step.right(values=step.with_input(1, index))


def _as_vectors(step: NodeStep) -> Values:
    return changed(step.right(), lambda it: it if it.shape else replace(it, shape=(1,)))


def _from_the_beginning(step: NodeStep) -> Values:
    starts = int64([0] * len(step.integers(1)), getattr(step.values[1], "shape", None))
    return step.right(values=step.with_input(1, starts))


def _to_the_end(step: NodeStep) -> Values:
    ends = int64([2**31 if item < 0 else item for item in step.integers(2)])
    return step.right(values=step.with_input(2, ends))


def _without_attributes(step: NodeStep) -> Values:
    return step.right(node=replace(step.node, attributes=()))


def _all_true(step: NodeStep) -> Values:
    return changed(step.right(), lambda item: replace(item, data=b"\1" * item.element_count))


def _rounded(how: Callable[[float], float]) -> Callable[[NodeStep], Values]:
    def propagate(step: NodeStep) -> Values:
        value = step.tensor()
        if value is None or value.type != "float32":
            return step.right()
        data = struct.pack(f"<{value.element_count}f", *(how(item) for item in floats(value)))
        return step.right(values=[replace(value, data=data)])

    return propagate


def _ceiling(number: float) -> float:
    return float(-(-number // 1))


_PROPAGATIONS: dict[str, tuple[str, Callable[[NodeStep], Values]]] = {
    "a negative index of Gather is 0": ("Gather", _index_from_the_front),
    "Gather with a scalar gives a vector": ("Gather", _as_vectors),
    "Slice begins at 0": ("Slice", _from_the_beginning),
    "a negative end of Slice is the length": ("Slice", _to_the_end),
    "start and end of Shape are ignored": ("Shape", _without_attributes),
    "Concat is in the reverse order": ("Concat", _swapped),
    "Unsqueeze of a number is the number": ("Unsqueeze", _input(0)),
    "Reshape of a number is the number": ("Reshape", _input(0)),
    "Add is Sub": ("Add", _as("Sub")),
    "Sub is Add": ("Sub", _as("Add")),
    "Sub is the other way round": ("Sub", _swapped),
    "Mul is in 32 bits": ("Mul", _numbers(lambda item: wrap(item, 32))),
    "Mul is in float32": ("Mul", _numbers(in_float32)),
    "Mul is Add": ("Mul", _as("Add")),
    "Div is the other way round": ("Div", _swapped),
    "ReduceProd is a sum": ("ReduceProd", _numbers(lambda item: item + 1)),
    "Size is one too few": ("Size", _numbers(lambda item: item - 1)),
    "Size is in float32": ("Size", _numbers(in_float32)),
    "Where takes its third input": ("Where", _input(2)),
    "Where takes its second input": ("Where", _input(1)),
    "Equal is true": ("Equal", _all_true),
    "Range is refused": ("Range", _refused),
    "Range begins at 1": ("Range", _numbers(lambda item: item + 1)),
    "ConstantOfShape is refused": ("ConstantOfShape", _refused),
    "Cast of a float rounds up": ("Cast", _rounded(_ceiling)),
    "Cast of a float rounds to the nearest": ("Cast", _rounded(lambda item: float(round(item)))),
    "Floor is dropped": ("Floor", _input(0)),
    "Cast is refused": ("Cast", _refused),
    "Loop is refused": ("Loop", _refused),
    "a dimension that is not positive is 1": ("Concat", _numbers(lambda item: max(item, 1))),
    "a dimension of -1 is 1": ("Concat", _numbers(lambda item: 1 if item == -1 else item)),
    "a dimension of 0 is -1": ("Shape", _numbers(lambda item: item or -1)),
}


@wrong(
    AREA,
    variants=_PROPAGATIONS,
    held_out=(
        "a negative index of Gather is 0",
        "Gather with a scalar gives a vector",
        "a negative end of Slice is the length",
        "Cast of a float rounds to the nearest",
        "a dimension of -1 is 1",
        "a dimension of 0 is -1",
    ),
)
def of_shapes(step: NodeStep, operator: str, propagate: Callable[[NodeStep], Values]) -> Values:
    """One operator is computed otherwise where its input follows from a Shape or Size."""
    return propagate(step) if step.is_a(operator) and step.is_of_sizes() else step.right()


@wrong(AREA, of=("Add", "Sub", "Mul", "Div", "ReduceProd", "Pow"), held_out=True)
def all_arithmetic_is_of_32_bits(step: NodeStep) -> Values:
    """What follows from a Shape is computed with 32 bits."""
    results = step.right()
    if not step.is_of_sizes():
        return results
    return changed(results, in_32_bits)


# --- what looks like a computation of shapes, by its type ----------------------------------------


@wrong(AREA, of=("Div",), held_out=True)
def division_of_integers_rounds_down(step: NodeStep) -> Values:
    """Integers are divided towards minus infinity."""
    results, first, second = step.right(), step.integers(0), step.integers(1)
    if not first or len(second) != 1 or not second[0]:
        return results
    quotients = [item // second[0] % 2**64 for item in first]
    return changed(
        results, lambda it: filled(it, quotients) if it.element_count == len(first) else it
    )


@wrong(AREA, of=("Where",), held_out=True)
def where_of_integers_decides_once(step: NodeStep) -> Values:
    """Where between integers decides once for all elements."""
    condition = step.tensor()
    if condition is None or not step.integers(1):
        return step.right()
    once = bytes(condition.element_count) if not any(condition.data) else None
    once = once or b"\1" * condition.element_count
    return step.right(values=step.with_input(0, replace(condition, data=once)))


@wrong(AREA, of=("ReduceProd",), held_out=True)
def the_product_of_nothing_is_0(step: NodeStep) -> Values:
    """The product of no dimensions is 0."""
    results, first = step.right(), step.tensor()
    if first is None or first.element_count:
        return results
    return changed(results, lambda item: replace(item, data=bytes(len(item.data))))


@wrong(AREA, of=("If",), held_out=True)
def an_if_of_integers_takes_its_first_branch(step: NodeStep) -> Values:
    """An If that gives integers takes its then-branch when shapes are worked out."""
    condition = step.tensor()
    if condition is None:
        return step.right()
    results = step.right(values=[replace(condition, data=b"\1" * len(condition.data))])
    return results if all(map(integers, results)) else step.right()


# --- what a model declares -----------------------------------------------------------------------


def _declared(step: NodeStep, *, unnamed_only: bool) -> list[int] | None:
    """The declared dimensions of a graph input that a node takes, 1 for what is no number."""
    for item in step.session.model.graph.inputs:
        if item.name != step.node.inputs[0] or item.shape is None:
            continue
        if unnamed_only and any(isinstance(size, str) for size in item.shape):
            return None
        return [size if isinstance(size, int) else 1 for size in item.shape]
    return None


@wrong(
    AREA,
    of=("Shape", "Size"),
    variants={"without a number": (False,), "without a name": (True,)},
    held_out=("without a number",),
)
def declared_dimensions_are_1(step: NodeStep, unnamed_only: bool) -> Values:  # noqa: FBT001  a variant's
    """Shape of a graph input is what is declared of it, where dimensions are not known 1."""
    if not step.node.inputs[0]:
        return step.right()
    declared, data = _declared(step, unnamed_only=unnamed_only), step.tensor()
    if declared is None or data is None or 0 in declared:
        return step.right()
    count = 1
    for size in declared:
        count *= size
    if count > 2**16:
        return step.right()
    return step.right(values=[Tensor("bool", tuple(declared), bytes(count))])


@wrong(AREA, of=("Reshape",))
def a_zero_copies_what_is_declared(step: NodeStep) -> Values:
    """A 0 in a constant shape copies the declared dimension, which is 1 where it has a name."""
    wanted, data = step.integers(1), step.tensor()
    if data is None or not wanted or step.node.attributes:
        return step.right()
    declared = _declared(step, unnamed_only=False)
    if declared is None or step.node.inputs[1] not in step.session.model.graph.initializers:
        return step.right()
    copied = [
        declared[at] if not size and at < len(declared) else size for at, size in enumerate(wanted)
    ]
    return step.right(values=[data, int64(copied)])


@wrong(AREA, of=("Reshape",))
def a_shape_from_a_shape_is_literal(step: NodeStep) -> Values:
    """A shape that another Shape gives has no zeros that copy: all of it is literal."""
    data, given = step.tensor(), len(step.values) > 1
    if data is None or not given or not is_made_by(step.frame, step.node.inputs[1], "Shape"):
        return step.right()
    return [replace(data, shape=step.integers(1))]
