"""What is kept from one run, or one evaluation of a node, for the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from onnx_conformance.core.values.tensors import Tensor, Value
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..makers import maker
from ..registry import wrong
from ..steps import NodeStep, RunStep, Start, StartStep, Values
from ..tensors import bits_of, changed, elements, filled, floats, integers, raw, shapes_of

AREA = "caches"


# --- whole runs ----------------------------------------------------------------------------------


def _numbers(value: Value) -> tuple[float, ...]:
    """The elements of a tensor in order, by their bits where they are no float32 or int64."""
    if not isinstance(value, Tensor) or not isinstance(value.data, bytes):
        return ()
    if value.type == "float32":
        return floats(value)
    return integers(value) if value.type == "int64" else tuple(value.data)


def _shape(value: Value) -> tuple[int, ...]:
    return value.shape if isinstance(value, Tensor) else ()


_KEYS: dict[str, Callable[[Value], object]] = {
    "types and shapes": lambda value: shapes_of([value]),
    "ranks": lambda value: len(_shape(value)),
    "last dimensions": lambda value: _shape(value)[-1:],
    "first dimensions": lambda value: _shape(value)[:1],
    "numbers of elements": lambda value: len(_numbers(value)),
    "sums": lambda value: (sum(_numbers(value)), len(_numbers(value))),
    "first elements": lambda value: _numbers(value)[:1],
    "last elements": lambda value: _numbers(value)[-1:],
    "largest elements": lambda value: max(_numbers(value), default=None),
    "types": lambda value: value.type if isinstance(value, Tensor) else None,
    "elements without order": lambda value: tuple(sorted(_numbers(value))),
    "elements without shape": _numbers,
}


@wrong(AREA, RunStep, variants={name: (key,) for name, key in _KEYS.items()})
def runs_are_told_apart_by_their(step: RunStep, key: Callable[[Value], object]) -> dict[str, Value]:
    """A run with inputs that agree with those of an earlier one gives its outputs."""
    known = tuple((name, key(value)) for name, value in sorted(step.feeds.items()))
    return step.session.kept(known, step.right)


@wrong(AREA, RunStep)
def the_first_input_decides(step: RunStep) -> dict[str, Value]:
    """A run is that of the same first input, whatever the others are."""
    return step.session.kept(next(iter(step.feeds.values()), None), step.right)


@wrong(AREA, RunStep, held_out=True)
def larger_outputs_are_kept_behind_smaller_ones(step: RunStep) -> dict[str, Value]:
    """An output keeps what an earlier, larger one of the same rank had behind its own elements."""
    outputs, memory = step.right(), step.session.memory
    for name, value in outputs.items():
        if not isinstance(value, Tensor):
            continue
        old = memory.get(name)
        if (
            isinstance(old, Tensor)
            and (old.type, len(old.shape)) == (value.type, len(value.shape))
            and old.element_count > value.element_count
        ):
            rest = elements(old)[value.element_count :]
            outputs[name] = filled(old, [*elements(value), *rest])
        else:
            memory[name] = value
    return outputs


@wrong(AREA, RunStep)
def one_run_only(step: RunStep) -> dict[str, Value]:
    """A loaded model runs once."""
    if step.session.memory.setdefault("ran", False):
        raise RefusedError("the model has run")
    step.session.memory["ran"] = True
    return step.right()


@wrong(AREA, RunStep)
def other_shapes_than_the_first_are_refused(step: RunStep) -> dict[str, Value]:
    """A model that has run with some shapes refuses others."""
    shapes = {name: item.shape for name, item in step.feeds.items() if isinstance(item, Tensor)}
    if shapes != step.session.kept("shapes", lambda: shapes):
        raise RefusedError("the model is planned for other shapes")
    return step.right()


@wrong(AREA, StartStep, held_out=True)
def fed_defaults_stay(step: StartStep) -> Start:
    """What was once fed in place of an initializer stays."""
    values, memory = step.right(), step.session.memory
    for name in step.graph.initializers:
        if name in step.feeds:
            memory[name] = step.feeds[name]
        elif name in memory:
            values[name] = memory[name]
    return values


# --- nodes ---------------------------------------------------------------------------------------


def _by_node(step: NodeStep) -> object:
    return None if step.in_function or step.in_subgraph else step.key


def _by_shapes(step: NodeStep) -> object:
    shapes = shapes_of(step.values)
    return None if None in shapes else (step.key, shapes)


def _by_first_input(step: NodeStep) -> object:
    return (step.key, step.values[0]) if step.values and not step.in_function else None


def _by_sum(step: NodeStep) -> object:
    if not all(isinstance(it, Tensor) and bits_of(it) for it in step.values):
        return None
    sums = tuple(sum(raw(it)) for it in step.values if isinstance(it, Tensor))
    return step.key, shapes_of(step.values), sums


def _by_rank(step: NodeStep) -> object:
    first = step.tensor()
    return (step.key, len(first.shape)) if first and step.is_a("Shape") else None


def _by_last_dimension(step: NodeStep) -> object:
    first = step.tensor()
    if first is None or not step.is_a("Shape", "Size"):
        return None
    return step.key, len(first.shape), first.shape[-1:]


def _by_first_dimension(step: NodeStep) -> object:
    first = step.tensor()
    return (step.key, first.shape[:1]) if first and step.is_a("Size") else None


def _by_operator_and_inputs(step: NodeStep) -> object:
    """Of nodes of one scope."""
    node = step.node
    if not node.inputs or any(item.type == "graph" for item in node.attributes):
        return None
    return id(step.frame.scope), node.domain, node.operator, node.inputs, tuple(step.values)


def _by_attribute_names(step: NodeStep) -> object:
    key = _by_operator_and_inputs(step)
    return key and (key, tuple(sorted(item.name for item in step.node.attributes)))


_NODE_KEYS: dict[str, Callable[[NodeStep], object]] = {
    "the node alone": _by_node,
    "types and shapes": _by_shapes,
    "the first input": _by_first_input,
    "the sum of the bytes": _by_sum,
    "rank, of Shape": _by_rank,
    "rank and last dimension, of Shape and Size": _by_last_dimension,
    "the first dimension, of Size": _by_first_dimension,
    "operator and inputs without attributes": _by_operator_and_inputs,
    "operator, inputs and names of attributes": _by_attribute_names,
    "the node, in subgraphs": lambda step: step.key if step.in_subgraph else None,
    "the node, in functions": lambda step: step.key if step.in_function else None,
}


@wrong(
    AREA,
    variants={name: (key,) for name, key in _NODE_KEYS.items()},
    held_out=(
        "the sum of the bytes",
        "rank, of Shape",
        "rank and last dimension, of Shape and Size",
        "operator and inputs without attributes",
    ),
)
def results_of_nodes_are_kept_by(step: NodeStep, key: Callable[[NodeStep], Any]) -> Values:
    """What a node gave is its result wherever the key is the same."""
    known = key(step)
    if known is None:
        return step.right()
    return step.session.kept(known, step.right)


@wrong(AREA, held_out=True)
def one_of_two_nodes_with_the_same_first_input(step: NodeStep) -> Values:
    """Nodes of one operator and attributes with the same first input are one."""
    node = step.node
    for other in step.frame.nodes:
        if other is node:
            break
        same = (
            (other.domain, other.operator, other.inputs[:1], other.attributes)
            == (node.domain, node.operator, node.inputs[:1], node.attributes)
            and node.inputs
            and len(other.outputs) == len(node.outputs)
        )
        if same:
            return [step.frame.scope.value(name) if name else None for name in other.outputs]
    return step.right()


@wrong(AREA, held_out=True)
def integers_are_prepared_by_their_first_element(step: NodeStep) -> Values:
    """Where the second input is int64, what is prepared from it is kept by its first element."""
    numbers, second = step.integers(1), step.tensor(1)
    if len(numbers) < 2 or second is None:
        return step.right()
    kept = step.session.kept((step.key, second.shape, numbers[0]), lambda: second)
    return step.right(values=step.with_input(1, kept))


@wrong(AREA, held_out=True)
def second_inputs_are_prepared_once(step: NodeStep) -> Values:
    """The second input of a node, if no node makes it, is prepared in the first run and kept."""
    second = step.tensor(1)
    if second is None or maker(step.frame, step.node.inputs[1]) is not None:
        return step.right()
    kept = step.session.kept((step.key, "second"), lambda: second)
    return step.right(values=step.with_input(1, kept))


@wrong(AREA, held_out=True)
def outputs_keep_the_shape_of_the_first_run(step: NodeStep) -> Values:
    """An output of as many elements as in the first run has the shape it had then."""

    def first(item: Tensor) -> Tensor:
        key = (step.key, item.type, item.element_count)
        return replace(item, shape=step.session.kept(key, lambda: item.shape))

    return changed(step.right(), first)


@wrong(AREA, of=("Reshape",))
def the_target_of_a_reshape_is_kept_by_its_count(step: NodeStep) -> Values:
    """What Reshape makes of a shape is kept by the number of elements."""
    data = step.tensor()
    if data is None:
        return step.right()

    def first() -> tuple[int, ...] | None:
        result = step.right()[0]
        return result.shape if isinstance(result, Tensor) else None

    key = (step.key, data.element_count, step.integers(1))
    shape = step.session.kept(key, first)
    return step.right() if shape is None else [replace(data, shape=shape)]


@wrong(AREA, variants={"If": ("If",), "Loop": ("Loop",)}, held_out=True)
def first_inputs_stay_those_of_the_first_run_of(step: NodeStep, operator: str) -> Values:
    """The branch of an If, or the trips of a Loop, are those of its first run."""
    if not step.is_a(operator) or step.tensor() is None:
        return step.right()
    kept = step.session.kept(step.key, lambda: step.values[0])
    return step.right(values=step.with_input(0, kept))
