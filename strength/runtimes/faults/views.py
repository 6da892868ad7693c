"""Results that are views of their input's memory, and memory that is written over."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.scopes import Frame

from ..makers import is_made_by, maker
from ..registry import wrong
from ..steps import KeepStep, NodeStep, Values
from ..tensors import bits_of, elements, filled, has_type, shapes_of, zero_of
from .operators import BINARY, ELEMENT_TYPES, UNARY, VIEWING

AREA = "views"

_READERS = {
    "elementwise operators": frozenset({"Neg", "Abs", "Add", "Sub", "Mul"}),
    "Reshape": frozenset({"Reshape"}),
    "products": frozenset({"MatMul", "Gemm"}),
    "Concat": frozenset({"Concat"}),
    "reductions": frozenset({"ReduceSum", "ReduceMax", "ReduceProd"}),
    "indexing": frozenset({"Gather", "ScatterND", "Slice"}),
    "Transpose": frozenset({"Transpose"}),
}


# --- views that are read as the memory that they are views of ------------------------------------


def _as_memory(view: Tensor, source: Tensor) -> Tensor:
    """The dimensions of a view with the elements that lie at the beginning of its source."""
    size = bits_of(view) // 8
    if not isinstance(source.data, bytes) or not size or not source.data:
        return view
    wanted = view.element_count * size
    repeated = source.data * (wanted // len(source.data) + 1)
    return replace(view, data=repeated[:wanted])


def _read_as(
    step: NodeStep, views: Collection[str], read: Callable[[Tensor, Tensor], Tensor]
) -> Values:
    """The results where inputs that nodes of some operators made are read otherwise.

    `read` is given such an input, and what it is a view of.
    """
    values = list(step.values)
    for place, value in enumerate(values):
        made = maker(step.frame, step.node.inputs[place])
        if made is None or made.operator not in views or not isinstance(value, Tensor):
            continue
        source = step.frame.scope.value(made.inputs[0])
        if isinstance(source, Tensor):
            values[place] = read(value, source)
    return step.right(values=values)


@wrong(
    AREA,
    variants={
        f"behind {view} for {words}": (view, readers)
        for view in ("Transpose", "Slice", "Split", "Expand")
        for words, readers in _READERS.items()
        if view not in readers
    },
)
def memory_is_read(step: NodeStep, view: str, readers: frozenset[str]) -> Values:
    """A view is read as the memory that it is a view of."""
    return _read_as(step, (view,), _as_memory) if step.is_a(*readers) else step.right()


@wrong(AREA, held_out=True)
def strides_are_ignored(step: NodeStep) -> Values:
    """A transposed input is read in the order of its memory."""
    if step.is_a("Transpose"):
        return step.right()
    return _read_as(step, ("Transpose",), lambda view, source: replace(view, data=source.data))


@wrong(AREA, held_out=True)
def offsets_are_ignored(step: NodeStep) -> Values:
    """A sliced or split input is read from the beginning of what it was taken from."""

    def from_the_beginning(view: Tensor, source: Tensor) -> Tensor:
        return filled(view, elements(source)[: view.element_count])

    return _read_as(step, ("Slice", "Split"), from_the_beginning)


@wrong(AREA, held_out=True)
def expanded_memory_is_short(step: NodeStep) -> Values:
    """An expanded input has memory for what it was expanded from, and zeros behind that."""

    def short(view: Tensor, source: Tensor) -> Tensor:
        items = [*elements(source), *[zero_of(view)] * view.element_count]
        return filled(view, items[: view.element_count])

    return _read_as(step, ("Expand",), short)


@wrong(AREA, of=("Slice",), variants={name: (name,) for name in ELEMENT_TYPES if name != "string"})
def slices_lose_their_offset_in(step: NodeStep, name: str) -> Values:
    """Slices of one type begin at the beginning."""
    source = step.tensor()
    if source is None or not has_type([source], name):
        return step.right()
    (result,) = step.right()
    return [_as_memory(result, source) if isinstance(result, Tensor) else result]


@wrong(AREA, of=("Split",), held_out=True)
def parts_of_a_split_are_the_first(step: NodeStep) -> Values:
    """Parts of a Split of one size share the memory of the first."""
    results = step.right()
    same = shapes_of(results[:1])
    return [results[0] if shapes_of([item]) == same else item for item in results]


@wrong(AREA, of=("Reshape", "Squeeze", "Unsqueeze", "Flatten"), held_out=True)
def reshaping_changes_the_original(step: NodeStep) -> Values:
    """Reshape, Squeeze, Unsqueeze and Flatten change the shape of their input too."""
    results = step.right()
    step.overwrite(step.node.inputs[0], results[0])
    return results


# --- results that are written over an input ------------------------------------------------------


@wrong(
    AREA,
    KeepStep,
    variants={
        name: (name,)
        for name in ("Abs", "Add", "Sub", "Mul", "Neg", "ScatterND", "Relu", "Clip", "Cast")
    },
)
def in_place(step: KeepStep, operator: str) -> None:
    """An operator writes its result over its first input."""
    step.right()
    if step.node.operator == operator and not step.node.domain:
        _write_over(step, step.node.inputs[0])


def _write_over(step: KeepStep, name: str) -> None:
    known, result = step.scope.values.get(name), step.results[0]
    if not isinstance(known, Tensor) or not isinstance(result, Tensor):
        return
    if len(known.data) == len(result.data):
        step.scope.values[name] = replace(known, data=result.data)


@wrong(AREA, KeepStep)
def scatternd_writes_through_a_view(step: KeepStep) -> None:
    """The value that the input of ScatterND is a view of is written over."""
    step.right()
    memory = step.session.memory
    if step.node.operator in VIEWING - {"Flatten"}:
        memory[step.node.outputs[0]] = step.node.inputs[0]
    if step.node.operator == "ScatterND" and step.node.inputs[0] in memory:
        _write_over(step, memory[step.node.inputs[0]])


@wrong(AREA, of=(*UNARY, *BINARY), held_out=True)
def elementwise_operators_write_over_their_input(step: NodeStep) -> Values:
    """An elementwise operator writes over its first input, which is read later."""
    results = step.right()
    if shapes_of(results[:1]) == shapes_of(step.values[:1]):
        step.overwrite(step.node.inputs[0], results[0])
    return results


def _fits(step: NodeStep, results: Values) -> Tensor | None:
    """The first result in the shape of the first input, if it has room there."""
    first, result = step.tensor(), results[0] if results else None
    if first is None or not isinstance(result, Tensor):
        return None
    if (first.type, first.element_count) != (result.type, result.element_count):
        return None
    return replace(result, shape=first.shape)


@wrong(AREA, held_out=True)
def anything_is_written_over_an_input_of_its_size(step: NodeStep) -> Values:
    """Whatever is computed of the size of the first input is written over it."""
    results = step.right()
    written = _fits(step, results)
    if written is not None:
        step.overwrite(step.node.inputs[0], written)
    return results


@wrong(AREA, held_out=True)
def outputs_are_written_over(step: NodeStep) -> Values:
    """A graph output is written over by the last node that reads it, of any operator."""
    results = step.right()
    written = _fits(step, results)
    names = {item.name for item in step.session.model.graph.outputs}
    if written is not None and step.node.inputs[0] in names:
        step.overwrite(step.node.inputs[0], written)
    return results


@wrong(AREA, held_out=True)
def initializers_are_written_over(step: NodeStep) -> Values:
    """A result may be written over an initializer, which the next run reads."""
    constants, memory = step.session.model.graph.initializers, step.session.memory
    place = next((at for at, name in enumerate(step.node.inputs) if name in constants), None)
    if place is None:
        return step.right()
    name = step.node.inputs[place]
    results = step.right(values=step.with_input(place, memory.get(name, step.values[place])))
    if shapes_of(results[:1]) == shapes_of([constants[name]]):
        memory[name] = results[0]
    return results


@wrong(AREA, held_out=True)
def captured_values_are_freed(step: NodeStep) -> Values:
    """A value that only a subgraph still reads is freed, and its memory zeroed."""
    results = step.right()
    outputs = {item.name for item in step.session.model.graph.outputs}
    for name in step.node.inputs:
        value = step.frame.scope.values.get(name)
        made = maker(step.frame, name) is not None and not _read_later(step.frame, step, name)
        if made and name not in outputs and isinstance(value, Tensor) and bits_of(value):
            step.frame.scope.values[name] = replace(value, data=bytes(len(value.data)))
    return results


@wrong(AREA, of=("Identity",))
def data_of_a_reshape_is_freed(step: NodeStep) -> Values:
    """The data's memory is released after a Reshape, though its result is read later."""
    value = step.tensor()
    if value is None or not is_made_by(step.frame, step.node.inputs[0], "Reshape"):
        return step.right()
    return [filled(value, [zero_of(value)] * value.element_count)]


def _read_later(frame: Frame, step: NodeStep, name: str) -> bool:
    """Whether a node of the same graph reads a value later."""
    place = next((at for at, item in enumerate(frame.nodes) if item is step.node), -1)
    return any(name in item.inputs for item in frame.nodes[place + 1 :])
