"""Scan, all versions. Source: its page, Summary with the pseudo-code, Inputs and Attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from onnx_conformance.core.values.tensors import Tensor, Value

from ...accuracy.ends import any_number
from ...arith.grid import (
    Grid,
    grid_of,
    normalize_axis,
    places,
    strides,
    tensor_of,
)
from ...arith.numbers import ONE
from ...arith.rounding import is_float
from ...arith.rules import CHOICE
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ...subgraph import Subgraph
from .loop import none_stacked, stacked, zeros
from .subgraphs import as_many_outputs, check_iteration, graph_of, variadic

_NEGATIVE_AXES = 11
_BATCHED = 8
# Values after the end of a sequence: any number; it is 1 itself, so that it is not zero.
_ANY_NUMBER = any_number(ONE, CHOICE)


@oracle("Scan", versions=(9, None))
def scan(call: Call) -> Result:
    """The body is run over slices of the scan inputs, with states that are carried along."""
    body, states, inputs = _parts(call)
    outputs = len(body.outputs) - len(states)
    axes = [
        _axis(call, axis, len(item.shape))
        for axis, item in zip(_each(call, "scan_input_axes", len(inputs)), inputs, strict=True)
    ]
    backward = _directions(call, "scan_input_directions", len(inputs))
    placed = _each(call, "scan_output_axes", outputs)
    prepended = _directions(call, "scan_output_directions", outputs)
    lengths = {item.shape[axis] for axis, item in zip(axes, inputs, strict=True)}
    if len(lengths) != 1:
        raise InvalidCallError(f"scan inputs of lengths {sorted(lengths)}")
    length = lengths.pop()
    check_iteration(call, length - 1)
    _may_capture(call, body)
    if not length:
        return _of_nothing(call, (body, states, inputs), axes, placed)
    steps = [
        _slices(item, axis, backward=back)
        for item, axis, back in zip(inputs, axes, backward, strict=True)
    ]
    final, stacks = _scanned(call, body, states, steps)
    results = [
        _placed(call, body.outputs[len(states) + at], stack[::-1] if turned else stack, axis)
        for at, (stack, turned, axis) in enumerate(zip(stacks, prepended, placed, strict=True))
    ]
    return (*final, *results)


def _placed(call: Call, name: str, stack: Sequence[Value], axis: int) -> Tensor:
    """A scan output on its axis; an axis is counted in the output, which has it."""
    rank = len(stack[0].shape) + 1 if isinstance(stack[0], Tensor) else 1
    return stacked(name, stack, _axis(call, axis, rank))


def _axis(call: Call, axis: int, rank: int) -> int:
    """An axis from the front; for negative ones the pages before version 11 say nothing."""
    place = normalize_axis(axis, rank)
    if axis < 0 and call.since_version < _NEGATIVE_AXES:
        refuse_if_chosen(call, "negative-axis", "from-the-back")
    return place


def _of_nothing(
    call: Call,
    parts: tuple[Subgraph, Sequence[Tensor], Sequence[Tensor]],
    axes: Sequence[int],
    placed: Sequence[int],
) -> Result:
    """A scan of length 0: the initial states, and scan outputs of size 0."""
    body, states, inputs = parts
    refuse_if_chosen(call, "nothing-to-scan", "no-iteration")
    first = [*states, *(_example(item, axis) for item, axis in zip(inputs, axes, strict=True))]
    results = [
        none_stacked(call, body, len(states) + at, first, axis) for at, axis in enumerate(placed)
    ]
    return (*states, *results)


@oracle("Scan", versions=(8, 8))
def batched_scan(call: Call) -> Result:
    """Each sequence of the batch is scanned separately, up to its own length.

    After the end of a sequence, a scan output has no defined value.
    """
    body, states, inputs = _parts(call)
    backward = _directions(call, "directions", len(inputs))
    batch, span = _batch_and_span(states, inputs)
    lengths = _lengths(call, batch, span)
    _may_capture(call, body)
    check_iteration(call, max(batch, batch * span) - 1)
    if batch == 0 or 0 in lengths:
        refuse_if_chosen(call, "nothing-to-scan", "no-iteration")
    rows = [_slices(item, 0, backward=False) for item in (*states, *inputs)]
    finals: list[list[Value]] = [[] for _ in states]
    stacks: list[list[list[Value]]] = []
    for index in range(batch):
        own = [row[index] for row in rows]
        steps = [
            _slices(item, 0, backward=False)[: lengths[index]][:: -1 if back else 1]
            for item, back in zip(own[len(states) :], backward, strict=True)
        ]
        final, found = _scanned(call, body, own[: len(states)], steps)
        stacks.append(found)
        for stack, value in zip(finals, final, strict=True):
            stack.append(value)
    ends = [
        stacked(body.outputs[at], stack) if stack else state
        for at, (stack, state) in enumerate(zip(finals, states, strict=True))
    ]
    examples = [_example(item, 0) for item in states]
    examples += [_example(_example(item, 0), 0) for item in inputs]
    results = [
        _padded(call, body, at, [found[at - len(states)] for found in stacks], (span, examples))
        for at in range(len(states), len(body.outputs))
    ]
    return (*ends, *results)


def _batch_and_span(states: list[Tensor], inputs: list[Tensor]) -> tuple[int, int]:
    """The sizes of axis 0 of all values, and of axis 1 of the scan inputs."""
    sizes = {item.shape[:1] for item in (*states, *inputs)}
    spans = {item.shape[1:2] for item in inputs}
    if len(sizes) != 1 or len(spans) != 1 or () in sizes or () in spans:
        raise InvalidCallError("the inputs differ in batch or sequence axis")
    (batch,), (span,) = sizes.pop(), spans.pop()
    return batch, span


def _lengths(call: Call, batch: int, span: int) -> tuple[int, ...]:
    """The length of each sequence."""
    if not call.has("sequence_lens"):
        return (span,) * batch
    lengths = call.integers("sequence_lens")
    if call.tensor("sequence_lens").shape != (batch,):
        raise InvalidCallError(f"sequence_lens is not of shape [{batch}]")
    if not all(0 <= length <= span for length in lengths):
        raise InvalidCallError(f"sequence_lens {list(lengths)} are not in [0, {span}]")
    return lengths


def _padded(
    call: Call,
    body: Subgraph,
    output: int,
    stacks: list[list[Value]],
    frame: tuple[int, list[Value]],
) -> Grid:
    """A scan output of the whole batch: [batch, span, ...].

    Args:
        call: the node.
        body: its subgraph.
        output: the position among the body's outputs.
        stacks: its value in each iteration of each sequence.
        frame: the length of the sequences with padding, and the inputs that the body would get.
    """
    span, examples = frame
    given = [value for stack in stacks for value in stack]
    name = body.outputs[output]
    whole = stacked(name, given) if given else none_stacked(call, body, output, examples)
    inner = whole.shape[1:]
    size = math.prod(inner)
    shape = (len(stacks), span, *inner)
    source = iter(grid_of(whole).items)
    padding = grid_of(zeros(whole.type, (1,))).items[0]
    is_short = any(len(stack) < span for stack in stacks)
    if is_short and size and call.choose("padding", "zeros", "any-number") != "zeros":
        padding = _ANY_NUMBER if is_float(whole.type) else padding
    items = []
    for stack in stacks:
        items += [next(source) for _ in range(len(stack) * size)]
        items += [padding] * ((span - len(stack)) * size)
    return Grid(whole.type, shape, items)


def _parts(call: Call) -> tuple[Subgraph, list[Tensor], list[Tensor]]:
    """The body, the initial states and the scan inputs, after their numbers were checked."""
    body = graph_of(call, "body")
    values = variadic(call, "initial_state_and_scan_inputs")
    tensors = [value for value in values if isinstance(value, Tensor)]
    if len(tensors) != len(values):
        raise InvalidCallError("an input is no tensor")
    count = call.int_attribute("num_scan_inputs")
    if not 1 <= count <= len(values):
        raise InvalidCallError(f"{count} scan inputs of {len(values)} inputs")
    if len(body.inputs) != len(values):
        raise InvalidCallError(f"the body has {len(body.inputs)} inputs for {len(values)} values")
    states = tensors[: len(values) - count]
    if len(body.outputs) < len(states):
        raise InvalidCallError(f"the body has {len(body.outputs)} outputs for {len(states)} states")
    as_many_outputs(call, len(body.outputs))
    return body, states, tensors[len(states) :]


def _may_capture(call: Call, body: Subgraph) -> None:
    """Leave open whether a body may use values from around it, against the words of the page."""
    if body.captured:
        refuse_if_chosen(call, "captured-values", "seen")


def _scanned(
    call: Call, body: Subgraph, states: Sequence[Value], steps: Sequence[Sequence[Tensor]]
) -> tuple[list[Value], list[list[Value]]]:
    """The final states, and what each scan output was in each iteration; there is one at least.

    A state keeps its shape from iteration to iteration. Whether the first result may differ in
    shape from the initial state is unclear: the page speaks of outputs; in version 8 of the states.
    """
    current = list(states)
    stacks: list[list[Value]] = [[] for _ in body.outputs[len(current) :]]
    differs = False
    for number, items in enumerate(zip(*steps, strict=True)):
        values = body.run((*current, *items))
        for before, after in zip(current, values, strict=False):
            if not _same_shape(before, after):
                differs = True
                if number or call.since_version == _BATCHED:
                    raise InvalidCallError("a state changes its shape")
        current = list(values[: len(current)])
        for stack, value in zip(stacks, values[len(current) :], strict=True):
            stack.append(value)
    if differs:
        refuse_if_chosen(call, "initial-state-of-another-shape", "taken")
    return current, stacks


def _same_shape(before: Value, after: Value) -> bool:
    """Whether a state keeps its shape; InvalidCallError if it does not keep its type."""
    if not isinstance(before, Tensor) or not isinstance(after, Tensor):
        raise InvalidCallError("a state is no tensor")
    if before.type != after.type:
        raise InvalidCallError(f"a state is {after.type} after {before.type}")
    return before.shape == after.shape


def _each(call: Call, name: str, count: int) -> list[int]:
    """A list attribute with one integer for each value, 0 by default."""
    given = call.ints_attribute(name, (0,) * count)
    if len(given) != count:
        raise InvalidCallError(f"{len(given)} {name} for {count} values")
    return list(given)


def _directions(call: Call, name: str, count: int) -> list[bool]:
    """Which are backward: 1; the page defines only the flags 0 and 1."""
    given = _each(call, name, count)
    if not set(given) <= {0, 1}:
        refuse_if_chosen(call, "direction-of-no-meaning", "backward")
    return [item != 0 for item in given]


def _slices(tensor: Tensor, axis: int, *, backward: bool) -> list[Tensor]:
    """The tensors along an axis of the tensor, with one rank less."""
    grid = grid_of(tensor)
    shape = (*grid.shape[:axis], *grid.shape[axis + 1 :])
    steps = strides(grid.shape)
    others = (*steps[:axis], *steps[axis + 1 :])
    found = [
        tensor_of(grid.take(places(shape, others, index * steps[axis]), shape))
        for index in range(grid.shape[axis])
    ]
    return found[::-1] if backward else found


def _example(value: Value, axis: int) -> Value:
    """A value like one step of a scan input, for inputs without steps: a tensor of zeros."""
    if not isinstance(value, Tensor):
        raise InvalidCallError("a scan input is no tensor")
    place = normalize_axis(axis, len(value.shape))
    shape = (*value.shape[:place], *value.shape[place + 1 :])
    return zeros(value.type, shape)
