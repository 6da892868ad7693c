"""Two neighbours of which an optimizer makes one, or which change places."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

from onnx_conformance.core.values.tensors import Tensor, Value
from onnx_conformance.generators.interpreter.model import Node
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..registry import wrong, wrong_pair
from ..steps import NodeStep, Pair, Values
from ..tensors import int64, integers
from .operators import BINARY

AREA = "fusions"


def attribute(node: Node, name: str) -> Any:  # noqa: ANN401  any attribute
    """An attribute's value; None if it is not given."""
    return next((item.value for item in node.attributes if item.name == name), None)


@wrong_pair(
    AREA,
    ("Transpose", "Transpose"),
    ("Reshape", "Reshape"),
    ("Slice", "Slice"),
    ("Cast", "Cast"),
    ("Relu", "Clip"),
    ("ReduceSum", "ReduceSum"),
    ("Concat", "Concat"),
    held_out=("Reshape, Reshape", "Cast, Cast", "Concat, Concat"),
)
def two_are_the_second(step: NodeStep, pair: Pair) -> Values:
    """The second of two nodes takes the data of the first."""
    if step.is_a("Concat") and pair.place:
        return step.right()
    given = pair.values if step.is_a("Concat") else pair.values[:1]
    values = [*given, *step.values[1:]]
    return step.right(node=_taking(step.node, len(values)), values=values)


@wrong_pair(AREA, ("Slice", "Slice"), ("Clip", "Relu"))
def two_are_the_first(step: NodeStep, pair: Pair) -> Values:
    """The second of two nodes is dropped."""
    return [step.values[pair.place]]


@wrong_pair(
    AREA,
    ("Transpose", "Transpose"),
    ("Unsqueeze", "Squeeze"),
    ("Squeeze", "Unsqueeze"),
    ("QuantizeLinear", "DequantizeLinear"),
    held_out=("Unsqueeze, Squeeze", "Squeeze, Unsqueeze"),
)
def two_cancel(_step: NodeStep, pair: Pair) -> Values:
    """Two nodes that undo each other in some cases are dropped in all."""
    return [pair.values[0]]


def _taking(node: Node, count: int) -> Node:
    """The node with so many inputs."""
    return replace(node, inputs=tuple(f"in_{place}" for place in range(count)))


@wrong_pair(AREA, ("Concat", "Concat"))
def concats_of_other_axes_are_one(step: NodeStep, pair: Pair) -> Values:
    """A Concat of a Concat is one, along the axis of the last, wherever the first one stands."""
    values = [*step.values[: pair.place], *pair.values, *step.values[pair.place + 1 :]]
    return step.right(node=_taking(step.node, len(values)), values=values)


@wrong_pair(AREA, ("Transpose", "Transpose"), held_out=True)
def transposes_compose_in_the_wrong_order(step: NodeStep, pair: Pair) -> Values:
    """Two Transposes are merged with their permutations the wrong way round."""
    source = pair.values[0]
    back = tuple(range(len(getattr(source, "shape", ()))))[::-1]
    first = attribute(pair.node, "perm") or back
    second = attribute(step.node, "perm") or back
    return [step.apply("Transpose", source, perm=tuple(second[axis] for axis in first))]


@wrong_pair(AREA, ("Clip", "Clip"))
def two_clips_are_the_narrower_limits(step: NodeStep, pair: Pair) -> Values:
    """Two Clips are one within the narrower limits, though these may have changed places."""
    if len(step.values) != 3 or len(pair.values) != 3:
        return step.right()
    low = step.apply("Max", step.values[1], pair.values[1])
    high = step.apply("Min", step.values[2], pair.values[2])
    return [step.apply("Max", step.apply("Min", pair.values[0], high), low)]


def _operands(step: NodeStep, pair: Pair) -> tuple[Tensor, Tensor] | None:
    """The result of a product, and what is added to it or multiplied with it."""
    if len(step.values) != 2:
        return None
    product, other = step.tensor(pair.place), step.tensor(1 - pair.place)
    return (product, other) if product is not None and other is not None else None


@wrong_pair(AREA, ("MatMul", "Add"))
def the_bias_of_a_product_fits_or_is_refused(step: NodeStep, pair: Pair) -> Values:
    """What is added to a MatMul must fit its rows, as Gemm takes it."""
    found = _operands(step, pair)
    if found is not None:
        product, addend = found
        sizes = zip(reversed(addend.shape), reversed(product.shape), strict=False)
        if len(addend.shape) > len(product.shape) or any(it not in {1, own} for it, own in sizes):
            raise RefusedError("the bias does not fit")
    return step.right()


@wrong_pair(AREA, ("MatMul", "Add"))
def a_column_that_is_added_to_a_product_is_a_row(step: NodeStep, pair: Pair) -> Values:
    """A column that is added to a MatMul is taken for its bias."""
    found = _operands(step, pair)
    if found is None or len(found[1].shape) != 2 or found[1].shape[1] != 1:
        return step.right()
    product, addend = found
    return [step.apply("Add", product, replace(addend, shape=addend.shape[:1]))]


@wrong_pair(AREA, ("Conv", "Mul"), ("Conv", "Add"))
def a_vector_after_a_convolution_is_of_its_channels(step: NodeStep, pair: Pair) -> Values:
    """A vector of as many elements as there are channels is taken for one of these."""
    found = _operands(step, pair)
    if found is None:
        return step.right()
    product, other = found
    if len(product.shape) != 4 or other.shape != product.shape[1:2]:
        return step.right()
    return [step.apply(step.node.operator, product, replace(other, shape=(1, *other.shape, 1, 1)))]


@wrong_pair(AREA, ("Pad", "Conv"))
def a_pad_before_a_convolution_is_of_zeros(step: NodeStep, pair: Pair) -> Values:
    """A Pad of another value becomes the pads of the Conv behind it."""
    padded = step.apply("Pad", *pair.values[:2])
    return step.right(values=step.with_input(0, padded))


@wrong_pair(AREA, ("Pad", "MaxPool"))
def a_pad_before_a_pool_is_of_the_pool(step: NodeStep, pair: Pair) -> Values:
    """A Pad of zeros becomes the pads of the MaxPool behind it, which hold nothing."""
    first = pair.values[0]
    if not isinstance(first, Tensor) or first.type != "float32":
        return step.right()
    least = Tensor("float32", (), struct.pack("<f", float("-inf")))
    padded = step.apply("Pad", *pair.values[:2], least)
    return step.right(values=step.with_input(0, padded))


def _transposed(step: NodeStep, transpose: Node, value: Value | None) -> Values:
    """The result of a Transpose as it is in the model, where the ranks fit."""
    perm = attribute(transpose, "perm")
    if perm is not None and len(perm) != len(getattr(value, "shape", ())):
        return [value]
    return [step.apply("Transpose", value, **({} if perm is None else {"perm": tuple(perm)}))]


@wrong_pair(
    AREA,
    ("Transpose", "ReduceSum"),
    ("Transpose", "Slice"),
    ("Transpose", "Hardmax"),
    ("Transpose", "DequantizeLinear"),
    held_out=("Transpose, DequantizeLinear",),
)
def axes_stay_where_two_change_places(step: NodeStep, pair: Pair) -> Values:
    """A node goes before a Transpose with the axes that it has after it."""
    (moved,) = step.right(values=step.with_input(0, pair.values[0]))
    return _transposed(step, pair.node, moved)


@wrong(AREA, held_out=True)
def one_operand_is_moved_before_a_transpose(step: NodeStep) -> Values:
    """A Transpose moves behind a node of several inputs without moving the others."""
    pair = step.pair("Transpose", step.node.operator)
    if pair is None or not step.is_a(*BINARY, "Concat", "Where"):
        return step.right()
    try:
        (moved,) = step.right(values=step.with_input(pair.place, pair.values[0]))
        return _transposed(step, pair.node, moved)
    except RefusedError:
        return step.right()


@wrong_pair(AREA, ("Add", "Add"))
def constants_are_added_first(step: NodeStep, pair: Pair) -> Values:
    """Of two Adds of constants the constants are added first, which rounds otherwise."""
    constants = step.session.model.graph.initializers
    mine, other = step.node.inputs[1 - pair.place], pair.node.inputs[-1]
    if mine not in constants or other not in constants:
        return step.right()
    both = step.apply("Add", constants[mine], constants[other])
    return [step.apply("Add", pair.values[0], both)]


@wrong_pair(AREA, ("Less", "Not"))
def not_less_is_greater_or_equal(step: NodeStep, pair: Pair) -> Values:
    """The negation of a Less is GreaterOrEqual, which is wrong of NaN."""
    return [step.apply("GreaterOrEqual", *pair.values)]


@wrong_pair(AREA, ("Concat", "Gather"))
def an_index_into_a_concat_is_of_its_first_part(step: NodeStep, pair: Pair) -> Values:
    """A Gather of a Concat takes from its first part."""
    first, index = pair.values[0], step.tensor(1)
    if not isinstance(first, Tensor) or not first.shape or not first.shape[0] or index is None:
        return step.right()
    cut = int64([item % first.shape[0] for item in integers(index)], index.shape)
    return step.right(values=[first, cut])


@wrong_pair(AREA, ("Reshape", "Reshape"))
def a_merged_reshape_forgets_allowzero(step: NodeStep, pair: Pair) -> Values:
    """Two Reshapes become one without the second one's attributes."""
    if not step.node.attributes:
        return step.right()
    return step.right(
        node=replace(step.node, attributes=()), values=step.with_input(0, pair.values[0])
    )


@wrong_pair(AREA, ("Reshape", "Reshape"))
def zeros_of_a_merged_reshape_are_those_of_the_first_shape(step: NodeStep, pair: Pair) -> Values:
    """Two Reshapes become one; a 0 of the second takes what the first shape has there, -1 too."""
    first = integers(pair.values[1]) if len(pair.values) > 1 else ()
    wanted = step.integers(1)
    if not first or not wanted or step.node.attributes:
        return step.right()
    merged = [first[at] if not size and at < len(first) else size for at, size in enumerate(wanted)]
    return step.right(values=[pair.values[0], int64(merged)])


@wrong_pair(AREA, ("Reshape", "Shape"))
def the_shape_of_a_reshape_is_what_was_asked_for(step: NodeStep, pair: Pair) -> Values:
    """Shape of a Reshape is the shape that was asked for, 0 and -1 too."""
    asked = len(pair.values) > 1 and not step.node.attributes
    return [pair.values[1]] if asked else step.right()


@wrong_pair(AREA, ("Squeeze", "Size"), ("Squeeze", "Shape"))
def a_squeeze_is_passed_over(step: NodeStep, pair: Pair) -> Values:
    """Size of what Squeeze gives is the rank before it, and Shape is the shape before it."""
    if step.is_a("Size"):
        return [int64([len(getattr(pair.values[0], "shape", ()))], ())]
    return step.right(values=[pair.values[0]])


@wrong(AREA)
def the_second_of_two_equal_nodes_loses_its_output(step: NodeStep) -> Values:
    """The second of two nodes that are equal is removed, and its output not connected."""
    node = step.node
    for other in step.frame.nodes:
        if other is node:
            break
        if node.inputs and replace(other, outputs=node.outputs) == node:
            return [None] * len(node.outputs)
    return step.right()


@wrong(AREA, held_out=True)
def an_intermediate_of_one_operator_twice_is_the_result(step: NodeStep) -> Values:
    """An operator after itself is run in place, and its intermediate is the final result."""
    results = step.right()
    pair = step.pair(step.node.operator, step.node.operator)
    if pair is not None and pair.place == 0 and isinstance(results[0], Tensor):
        step.frame.scope.values[step.node.inputs[0]] = results[0]
    return results
