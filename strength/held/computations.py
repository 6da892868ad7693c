"""Faults of shape computations, of runs and caches, and of constants."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..optimizers import attribute, int64, ints
from .mechanism import (
    cells,
    changed,
    each,
    filled,
    first_tensor,
    held,
    is_made_by,
    maker,
    of_sizes,
    shapes_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from onnx_conformance.generators.interpreter.model import Node
    from onnx_conformance.generators.interpreter.scopes import Frame

    from .mechanism import Given


SHAPES = "shape computations"


def _on_sizes(node: Node, frame: Frame) -> bool:
    return any(of_sizes(frame, name) for name in node.inputs)


@held(SHAPES)
def shapes_are_of_32_bits(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """What follows from a Shape is computed with 32 bits."""
    results = right(node, values, frame)
    if not _on_sizes(node, frame) or node.operator not in {
        "Add",
        "Sub",
        "Mul",
        "Div",
        "ReduceProd",
        "Pow",
    }:
        return results
    change = each(lambda it: ((it & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000 & 2**64 - 1, "int64")
    return changed(results, change)


@held(SHAPES)
def shape_division_floors(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Integers are divided towards minus infinity."""
    results = right(node, values, frame)
    if node.operator == "Div" and len(values) == 2 and ints(values[0]) and ints(values[1]):
        first, second = ints(values[0]), ints(values[1])
        if len(second) == 1 and second[0]:
            return changed(
                results,
                lambda it: (
                    filled(it, [a // second[0] % 2**64 for a in first])
                    if it.element_count == len(first)
                    else it
                ),
            )
    return results


@held(SHAPES)
def negative_index_into_a_shape(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A negative index into a Shape's result is taken for 0."""
    given = list(values)
    if node.operator == "Gather" and is_made_by(frame, node.inputs[0], "Shape") and ints(values[1]):
        index = values[1]
        given[1] = int64([max(item, 0) for item in ints(index)], index.shape)
    return right(node, given, frame)


@held(SHAPES)
def scalar_index_keeps_a_dimension(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A Shape's element that is gathered with a scalar is a vector of one."""
    results = right(node, values, frame)
    if node.operator == "Gather" and is_made_by(frame, node.inputs[0], "Shape"):
        return changed(results, lambda it: replace(it, shape=(1,)) if not it.shape else it)
    return results


@held(SHAPES)
def minus_one_is_one_in_concat(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A -1 that is concatenated with what follows from a Shape is taken for an unknown, 1."""
    results = right(node, values, frame)
    if node.operator == "Concat" and _on_sizes(node, frame):
        return changed(results, each(lambda it: 1 if it == 2**64 - 1 else it, "int64"))
    return results


@held(SHAPES)
def slice_of_a_shape_ignores_the_end(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A negative end of a slice of a Shape's result is taken for its length."""
    given = list(values)
    if node.operator == "Slice" and len(values) > 2 and is_made_by(frame, node.inputs[0], "Shape"):
        given[2] = int64([2**31 if item < 0 else item for item in ints(values[2])])
    return right(node, given, frame)


@held(SHAPES)
def sizes_are_rounded_to_nearest(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A size that is computed in float32 is rounded, not cut, to an integer."""
    given, tensor = list(values), first_tensor(values)
    if node.operator == "Cast" and tensor and tensor.type == "float32" and _on_sizes(node, frame):
        count = tensor.element_count
        numbers = struct.unpack(f"<{count}f", tensor.data)
        given[0] = Tensor(
            "float32",
            tensor.shape,
            struct.pack(f"<{count}f", *(float(round(item)) for item in numbers)),
        )
    return right(node, given, frame)


@held(SHAPES)
def where_of_sizes_takes_all(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Where between shapes decides once for all elements."""
    given = list(values)
    if node.operator == "Where" and len(values) == 3 and ints(values[1]) and first_tensor(values):
        condition = values[0]
        given[0] = replace(
            condition, data=bytes([max(condition.data, default=0)]) * len(condition.data)
        )
    return right(node, given, frame)


@held(SHAPES)
def product_of_nothing_is_zero(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """The product of no dimensions is 0."""
    results = right(node, values, frame)
    if node.operator == "ReduceProd" and first_tensor(values) and not values[0].element_count:
        return changed(results, lambda it: replace(it, data=bytes(len(it.data))))
    return results


@held(SHAPES)
def dimension_zero_is_unknown(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A dimension of 0 in a Shape's result is taken for unknown, -1."""
    results = right(node, values, frame)
    if node.operator == "Shape":
        return changed(results, each(lambda it: it or 2**64 - 1, "int64"))
    return results


@held(SHAPES)
def shape_of_an_input_is_declared(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """The Shape of a graph input is what is declared, 1 for a name."""
    for item in session.model.graph.inputs:
        if (
            node.operator == "Shape"
            and node.inputs[0] == item.name
            and item.shape is not None
            and not attribute(node, "start")
        ):
            return [int64([it if isinstance(it, int) else 1 for it in item.shape])]
    return right(node, values, frame)


@held(SHAPES)
def sizes_computed_in_if_are_the_first(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """An If that gives integers takes its then-branch when shapes are worked out."""
    given = list(values)
    if node.operator == "If":
        results = right(node, [replace(values[0], data=b"\1" * len(values[0].data))], frame)
        if all(isinstance(it, Tensor) and it.type == "int64" for it in results):
            return results
    return right(node, given, frame)


RUNS = "runs and caches"


def _remembered(session: Given, key: Given, make: Callable[[], Any]) -> Given:
    if key not in session.memory:
        session.memory[key] = make()
    return session.memory[key]


@held(RUNS, "run")
def results_by_shapes(session: Given, right: Given, feeds: Given) -> Given:
    """A run with the shapes of an earlier one gives its results."""
    return _remembered(session, shapes_of(feeds.values()), lambda: right(feeds))


@held(RUNS)
def sizes_by_rank(session: Given, right: Given, node: Given, values: Given, frame: Given) -> Given:
    """A Shape is worked out once for each rank."""
    if node.operator != "Shape" or not first_tensor(values):
        return right(node, values, frame)
    return _remembered(
        session, (id(node), len(values[0].shape)), lambda: right(node, values, frame)
    )


@held(RUNS)
def sizes_by_last_dimension(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A Shape is worked out once for each last dimension and rank."""
    if node.operator not in {"Shape", "Size"} or not first_tensor(values):
        return right(node, values, frame)
    shape = values[0].shape
    return _remembered(
        session, (id(node), len(shape), shape[-1:]), lambda: right(node, values, frame)
    )


@held(RUNS)
def results_by_sum(session: Given, right: Given, node: Given, values: Given, frame: Given) -> Given:
    """A node's results are kept by the sum of its inputs' bytes."""
    if not all(isinstance(it, Tensor) and isinstance(it.data, bytes) for it in values):
        return right(node, values, frame)
    key = (id(node), shapes_of(values), tuple(sum(it.data) for it in values))
    return _remembered(session, key, lambda: right(node, values, frame))


@held(RUNS)
def integers_by_first_element(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Where the second input is int64, what is prepared from it is kept by its first element."""
    if len(values) < 2 or not ints(values[1]) or len(ints(values[1])) < 2:
        return right(node, values, frame)
    key = (id(node), values[1].shape, ints(values[1])[0])
    kept = _remembered(session, key, lambda: values[1])
    return right(node, [values[0], kept, *values[2:]], frame)


@held(RUNS)
def second_inputs_are_prepacked(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """The second input of a node is prepared in the first run and kept."""
    if len(values) < 2 or not isinstance(values[1], Tensor) or not maker_free(frame, node):
        return right(node, values, frame)
    kept = _remembered(session, (id(node), "second"), lambda: values[1])
    return right(node, [values[0], kept, *values[2:]], frame)


def maker_free(frame: Frame, node: Node) -> bool:
    """Whether the second input comes from outside the graph's nodes."""
    return maker(frame, node.inputs[1]) is None


@held(RUNS)
def output_shape_of_the_first_run(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """An output of as many elements as in the first run has the shape it had then."""
    results = right(node, values, frame)

    def first(item: Tensor) -> Tensor:
        shape = _remembered(session, (id(node), item.type, item.element_count), lambda: item.shape)
        return replace(item, shape=shape)

    return changed(results, first)


@held(RUNS, "initial_values")
def fed_defaults_stick(session: Given, right: Given, graph: Given, feeds: Given) -> Given:
    """What was once fed in place of an initializer stays."""
    values = right(graph, feeds)
    for name in graph.initializers:
        if name in feeds:
            session.memory[name] = feeds[name]
        elif name in session.memory:
            values[name] = session.memory[name]
    return values


@held(RUNS)
def branch_of_the_first_run(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """An If takes the branch that it took first."""
    if node.operator != "If":
        return right(node, values, frame)
    return right(node, [_remembered(session, id(node), lambda: values[0])], frame)


@held(RUNS)
def trips_of_the_first_run(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A Loop runs as often as it did first."""
    if node.operator != "Loop" or not isinstance(values[0], Tensor):
        return right(node, values, frame)
    return right(node, [_remembered(session, id(node), lambda: values[0]), *values[1:]], frame)


@held(RUNS, "run")
def larger_buffers_keep_their_shape(session: Given, right: Given, feeds: Given) -> Given:
    """An output keeps what an earlier, larger one of the same rank had behind its own elements."""
    outputs = right(feeds)
    for name, value in outputs.items():
        if isinstance(value, Tensor):
            old = session.memory.get(name)
            if (
                old is not None
                and old.type == value.type
                and len(old.shape) == len(value.shape)
                and old.element_count > value.element_count
            ):
                outputs[name] = filled(old, [*cells(value), *cells(old)[value.element_count :]])
            else:
                session.memory[name] = value
    return outputs


CONSTANTS = "constants"


@held(CONSTANTS)
def constant_ints_are_of_32_bits(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """`value_ints` and `value_int` of Constant are cut to 32 bits."""
    results = right(node, values, frame)
    if node.operator == "Constant" and any(
        it.name in {"value_int", "value_ints"} for it in node.attributes
    ):
        change = each(lambda it: ((it & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000 & 2**64 - 1, "int64")
        return changed(results, change)
    return results


@held(CONSTANTS)
def constant_floats_have_one(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """`value_floats` and `value_strings` of one element are scalars."""
    results = right(node, values, frame)
    if node.operator == "Constant" and any(
        it.name in {"value_floats", "value_strings", "value_ints"} for it in node.attributes
    ):
        return changed(results, lambda it: replace(it, shape=()) if it.shape == (1,) else it)
    return results


@held(CONSTANTS)
def sparse_constants_are_refused(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """`sparse_value` gives zeros."""
    results = right(node, values, frame)
    if node.operator == "Constant" and any(it.type == "sparse_tensor" for it in node.attributes):
        return changed(results, lambda it: replace(it, data=bytes(len(it.data))))
    return results


@held(CONSTANTS, "initial_values")
def equal_bytes_are_one_constant(
    _session: Given, right: Given, graph: Given, feeds: Given
) -> Given:
    """Initializers of the same bytes are one, whatever type and shape they have."""
    values, seen = right(graph, feeds), {}
    for name, tensor in graph.initializers.items():
        if name not in feeds:
            values[name] = seen.setdefault(tensor.data, tensor)
    return values


@held(CONSTANTS, "initial_values")
def equal_beginnings_are_one_constant(
    _session: Given, right: Given, graph: Given, feeds: Given
) -> Given:
    """Initializers of one type and shape with the same first element are one."""
    values, seen = right(graph, feeds), {}
    for name, tensor in graph.initializers.items():
        if name not in feeds:
            key = (
                tensor.type,
                tensor.shape,
                tensor.data[:1] if isinstance(tensor.data, tuple) else tensor.data[:8],
            )
            values[name] = seen.setdefault(key, tensor)
    return values


@held(CONSTANTS, "initial_values")
def empty_constants_are_absent(_session: Given, right: Given, graph: Given, feeds: Given) -> Given:
    """An initializer without elements is no value."""
    values = right(graph, feeds)
    for name, tensor in graph.initializers.items():
        if name not in feeds and not tensor.element_count:
            values[name] = None
    return values


@held(CONSTANTS, "initial_values")
def scalar_constants_are_vectors(
    _session: Given, right: Given, graph: Given, feeds: Given
) -> Given:
    """A scalar initializer is a vector of one."""
    values = right(graph, feeds)
    for name, tensor in graph.initializers.items():
        if name not in feeds and not tensor.shape:
            values[name] = replace(tensor, shape=(1,))
    return values


@held(CONSTANTS, "initial_values")
def repeated_ends_are_splats(_session: Given, right: Given, graph: Given, feeds: Given) -> Given:
    """An initializer whose first and last elements agree is taken for one element repeated."""
    values = right(graph, feeds)
    for name, tensor in graph.initializers.items():
        items = cells(tensor) if name not in feeds and tensor.element_count < 4096 else []
        if items and items[0] == items[-1]:
            values[name] = filled(tensor, items[:1] * len(items))
    return values


@held(CONSTANTS)
def folded_by_the_newest_opset(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A node of constants alone is folded as the newest opset has it."""
    graph = session.model.graph
    fed = {it.name for it in graph.inputs}
    constant = [
        (name in graph.initializers and name not in fed) or is_made_by(frame, name, "Constant")
        for name in node.inputs
        if name
    ]
    if not constant or not all(constant) or node.domain:
        return right(node, values, frame)
    newest = {**frame.imports, "": session.signatures.opsets[""]}
    return right(node, values, replace(frame, imports=newest))


@held(CONSTANTS)
def folding_forgets_attributes(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A node of initializers alone is folded with its attributes' defaults."""
    graph = session.model.graph
    fed = {it.name for it in graph.inputs}
    if (
        not node.inputs
        or node.domain
        or not all(name in graph.initializers and name not in fed for name in node.inputs if name)
    ):
        return right(node, values, frame)
    try:
        return right(
            replace(node, attributes=tuple(it for it in node.attributes if it.type == "graph")),
            values,
            frame,
        )
    except RefusedError:
        return right(node, values, frame)


@held(CONSTANTS, "initial_values")
def constant_zeros_are_positive(_session: Given, right: Given, graph: Given, feeds: Given) -> Given:
    """Negative zeros of initializers are written as 0."""
    values = right(graph, feeds)
    lose32 = each(lambda it: 0 if it == 1 << 31 else it, "float32")
    lose16 = each(lambda it: 0 if it == 1 << 15 else it, "float16", "bfloat16")
    for name, tensor in graph.initializers.items():
        if name not in feeds:
            values[name] = lose16(lose32(tensor))
    return values
