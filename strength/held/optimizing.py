"""Faults of fusions, and of views and memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.generators.interpreter.running import Session

from ..optimizers import attribute
from .mechanism import BINARY, UNARY, cells, filled, first_tensor, held, maker, permuted, shapes_of

if TYPE_CHECKING:
    from onnx_conformance.core.values.tensors import Value
    from onnx_conformance.generators.interpreter.model import Node
    from onnx_conformance.generators.interpreter.scopes import Frame, Scope

    from .mechanism import Given


FUSIONS = "fusions"


def _made(node: Given, frame: Given, first: str, second: str) -> tuple[Node, list[Any]] | None:
    if node.operator != second or node.domain:
        return None
    made = maker(frame, node.inputs[0]) if node.inputs else None
    if made is None or made.operator != first or made.domain:
        return None
    return made, [frame.scope.value(name) if name else None for name in made.inputs]


@held(FUSIONS)
def transposes_compose_backwards(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Two Transposes are merged with their permutations the wrong way round."""
    found = _made(node, frame, "Transpose", "Transpose")
    if found:
        inner, given = found
        rank = len(given[0].shape)
        back = tuple(range(rank))[::-1]
        first, second = attribute(inner, "perm", back), attribute(node, "perm", back)
        perm = [second[at] for at in first]
        source = given[0]
        items = cells(source)
        return [
            filled(
                source,
                [items[at] for at in permuted(source.shape, perm)],
                tuple(source.shape[at] for at in perm),
            )
        ]
    return right(node, values, frame)


@held(FUSIONS)
def reshapes_keep_the_last(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Of two Reshapes the last is kept, so that its zeros copy from the first's data."""
    found = _made(node, frame, "Reshape", "Reshape")
    return right(node, [found[1][0], *values[1:]], frame) if found else right(node, values, frame)


@held(FUSIONS)
def casts_keep_the_last(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Of two Casts the last is kept."""
    found = _made(node, frame, "Cast", "Cast")
    return right(node, [found[1][0], *values[1:]], frame) if found else right(node, values, frame)


@held(FUSIONS)
def nothing_added_is_nothing_done(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Add of zeros and Mul of ones give their first input, whatever shape the other has."""
    if (
        node.operator in {"Add", "Mul", "Sub", "Div"}
        and len(values) == 2
        and all(isinstance(it, Tensor) for it in values)
    ):
        ones = {"float32": 0x3F800000, "float64": 0x3FF << 52, "float16": 0x3C00}.get(
            values[1].type, 1
        )
        neutral = 0 if node.operator in {"Add", "Sub"} else ones
        if set(cells(values[1])) == {neutral}:
            return [values[0]]
    return right(node, values, frame)


@held(FUSIONS)
def squeeze_undoes_unsqueeze(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A Squeeze after an Unsqueeze, or the other way round, does nothing."""
    found = _made(node, frame, "Unsqueeze", "Squeeze") or _made(
        session, node, frame, "Squeeze", "Unsqueeze"
    )
    return [found[1][0]] if found else right(node, values, frame)


@held(FUSIONS)
def concats_are_flattened(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A Concat of a Concat is one, along the axis of the last."""
    found = _made(node, frame, "Concat", "Concat")
    return right(node, [*found[1], *values[1:]], frame) if found else right(node, values, frame)


@held(FUSIONS)
def same_calls_but_for_attributes(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Nodes of one operator with the same inputs are one, though their attributes differ."""
    for other in frame.nodes:
        if other is node:
            break
        if (
            (other.domain, other.operator, other.inputs)
            == (node.domain, node.operator, node.inputs)
            and node.inputs
            and len(other.outputs) == len(node.outputs)
        ):
            return [frame.scope.value(name) if name else None for name in other.outputs]
    return right(node, values, frame)


@held(FUSIONS)
def same_calls_by_first_input(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Nodes of one operator and attributes with the same first input are one."""
    for other in frame.nodes:
        if other is node:
            break
        if (
            (other.domain, other.operator, other.inputs[:1], other.attributes)
            == (node.domain, node.operator, node.inputs[:1], node.attributes)
            and node.inputs
            and len(other.outputs) == len(node.outputs)
        ):
            return [frame.scope.value(name) if name else None for name in other.outputs]
    return right(node, values, frame)


@held(FUSIONS)
def transpose_sinks_alone(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A Transpose moves behind a node of two inputs without moving the other one."""
    if node.operator in BINARY | {"Concat", "Where"}:
        found = _made(node, frame, "Transpose", node.operator)
        if found:
            inner, given = found
            try:
                results = right(node, [given[0], *values[1:]], frame)
                return Session.execute(session, replace(inner, domain=""), results, frame)
            except RefusedError:
                pass
    return right(node, values, frame)


@held(FUSIONS)
def dequantize_swaps_with_transpose(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """DequantizeLinear goes before a Transpose with the axis that it has after it."""
    found = _made(node, frame, "Transpose", "DequantizeLinear")
    if found:
        results = right(node, [found[1][0], *values[1:]], frame)
        return Session.execute(session, found[0], results, frame)
    return right(node, values, frame)


@held(FUSIONS)
def fused_away_though_read_twice(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """An operator after itself is run in place, and its intermediate is the final result."""
    results = right(node, values, frame)
    made = maker(frame, node.inputs[0]) if node.inputs else None
    if (
        made is not None
        and made.operator == node.operator
        and not node.domain
        and node.operator != "Constant"
        and results
        and isinstance(results[0], Tensor)
    ):
        frame.scope.values[node.inputs[0]] = results[0]
    return results


VIEWS = "views and memory"


@held(VIEWS)
def strides_are_ignored(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A transposed input is read in the order of its memory."""
    given = list(values)
    for at, name in enumerate(node.inputs):
        made = maker(frame, name)
        if (
            made is not None
            and made.operator == "Transpose"
            and isinstance(values[at], Tensor)
            and node.operator != "Transpose"
        ):
            given[at] = replace(values[at], data=frame.scope.value(made.inputs[0]).data)
    return right(node, given, frame)


@held(VIEWS)
def offsets_are_ignored(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A sliced or split input is read from the beginning of what it was taken from."""
    given = list(values)
    for at, name in enumerate(node.inputs):
        made = maker(frame, name)
        if (
            made is not None
            and made.operator in {"Slice", "Split"}
            and isinstance(values[at], Tensor)
        ):
            source = frame.scope.value(made.inputs[0])
            given[at] = filled(values[at], cells(source)[: values[at].element_count])
    return right(node, given, frame)


@held(VIEWS)
def expanded_is_short(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """An expanded input has memory for what it was expanded from, and zeros behind that."""
    given = list(values)
    for at, name in enumerate(node.inputs):
        made = maker(frame, name)
        if made is not None and made.operator == "Expand" and isinstance(values[at], Tensor):
            items = cells(frame.scope.value(made.inputs[0]))
            value, zero = values[at], b"" if values[at].type == "string" else 0
            given[at] = filled(value, (items + [zero] * value.element_count)[: value.element_count])
    return right(node, given, frame)


def _read_later(frame: Frame, node: Node, name: str) -> bool:
    after = list(frame.nodes)
    place = next((at for at, item in enumerate(after) if item is node), -1)
    return any(name in item.inputs for item in after[place + 1 :])


@held(VIEWS)
def elementwise_in_place(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """An elementwise operator writes over its first input, which is read later."""
    results = right(node, values, frame)
    if (
        node.operator in UNARY | BINARY
        and results
        and isinstance(results[0], Tensor)
        and shapes_of(results[:1]) == shapes_of(values[:1])
    ):
        _overwrite(frame.scope, node.inputs[0], results[0])
    return results


def _overwrite(scope: Scope | None, name: str, value: Value) -> None:
    while scope is not None:
        if name in scope.values:
            scope.values[name] = value
            return
        scope = scope.outer


@held(VIEWS)
def anything_in_place(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Whatever is computed of the size of the first input is written over it."""
    results = right(node, values, frame)
    first = first_tensor(values)
    if (
        first
        and results
        and isinstance(results[0], Tensor)
        and results[0].type == first.type
        and results[0].element_count == first.element_count
    ):
        _overwrite(frame.scope, node.inputs[0], replace(results[0], shape=first.shape))
    return results


@held(VIEWS)
def initializers_are_written_over(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A result may be written over an initializer, which the next run reads."""
    name = next((it for it in node.inputs if it in session.model.graph.initializers), "")
    given = [
        session.memory.get(it, values[at]) if it == name else values[at]
        for at, it in enumerate(node.inputs)
    ]
    results = right(node, given, frame)
    if (
        name
        and results
        and isinstance(results[0], Tensor)
        and shapes_of(results[:1]) == shapes_of([session.model.graph.initializers[name]])
    ):
        session.memory[name] = results[0]
    return results


@held(VIEWS)
def reshaping_changes_the_original(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Reshape, Squeeze, Unsqueeze and Flatten change the shape of their input too."""
    results = right(node, values, frame)
    if node.operator in {"Reshape", "Squeeze", "Unsqueeze", "Flatten"}:
        _overwrite(frame.scope, node.inputs[0], results[0])
    return results


@held(VIEWS)
def split_gives_the_first_part(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Parts of a Split of one size share the memory of the first."""
    results = list(right(node, values, frame))
    if node.operator == "Split":
        return [
            results[0] if isinstance(it, Tensor) and it.shape == results[0].shape else it
            for it in results
        ]
    return results


@held(VIEWS)
def captured_values_are_not_readers(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A value that only a subgraph still reads is freed, and its memory zeroed."""
    results = right(node, values, frame)
    for name in node.inputs:
        if name and not _read_later(frame, node, name) and maker(frame, name) is not None:
            value = frame.scope.values.get(name)
            if (
                isinstance(value, Tensor)
                and isinstance(value.data, bytes)
                and name not in {it.name for it in session.model.graph.outputs}
            ):
                frame.scope.values[name] = replace(value, data=bytes(len(value.data)))
    return results


@held(VIEWS)
def outputs_are_written_over(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A graph output is written over by the last node that reads it, of any operator."""
    results = right(node, values, frame)
    names = {it.name for it in session.model.graph.outputs}
    if (
        node.inputs
        and node.inputs[0] in names
        and results
        and isinstance(results[0], Tensor)
        and isinstance(values[0], Tensor)
        and results[0].element_count == values[0].element_count
        and results[0].type == values[0].type
    ):
        _overwrite(frame.scope, node.inputs[0], replace(results[0], shape=values[0].shape))
    return results


@held(VIEWS, "run_subgraph")
def carried_values_are_written_over(
    _session: Given, right: Given, graph: Given, frame: Given, values: Given
) -> Given:
    """What a Loop carries is written over the value that it began with."""
    results = right(graph, frame, values)
    for before, after in zip(values[2:], results[1:], strict=False):
        if (
            isinstance(before, Tensor)
            and isinstance(after, Tensor)
            and shapes_of([before]) == shapes_of([after])
        ):
            for name, value in list(frame.scope.values.items()):
                if value is before:
                    frame.scope.values[name] = after
    return results
