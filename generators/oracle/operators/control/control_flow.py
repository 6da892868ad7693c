"""If, Loop and Scan, all versions. Source: their pages, Summary, Inputs and Attributes.

Their subgraphs come as something that can be run (`subgraph.Subgraph`); what they see of the scope
around is not the operator's affair.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor

from ...arith.grid import grid_of, normalize_axis, places, strides, tensor_of
from ...errors import InvalidCallError
from ...registry import oracle
from ...subgraph import Subgraph
from ..movement.joining import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Value

    from ...arith.grid import Grid
    from ...registry import Call, Result

_BATCHED = 8
_SHAPES_MAY_DIFFER = 11


@oracle("If")
def if_(call: Call) -> Result:
    """The outputs of one branch, chosen by the only element of the condition.

    Both have as many outputs, of the same types; in version 1 of the same shapes too.
    """
    condition = _truth(call, "cond")
    first, second = _graph(call, "then_branch"), _graph(call, "else_branch")
    if len(first.outputs) != len(second.outputs):
        raise InvalidCallError(
            f"the branches have {len(first.outputs)} and {len(second.outputs)} outputs"
        )
    for one, other in zip(first.output_types, second.output_types, strict=False):
        if one is not None and other is not None and one != other:
            raise InvalidCallError(f"an output is {one} in one branch and {other} in the other")
    if call.since_version < _SHAPES_MAY_DIFFER:
        for here, there in zip(first.output_shapes, second.output_shapes, strict=False):
            if _shapes_differ(here, there):
                raise InvalidCallError(f"an output is {here} in one branch, {there} in the other")
    return (first if condition else second).run(())


def _shapes_differ(
    here: Sequence[int | str | None] | None, there: Sequence[int | str | None] | None
) -> bool:
    """Whether two declared shapes cannot be one."""
    if here is None or there is None:
        return False
    return len(here) != len(there) or any(
        one != other
        for one, other in zip(here, there, strict=False)
        if isinstance(one, int) and isinstance(other, int)
    )


@oracle("Loop")
def loop(call: Call) -> Result:
    """The body run while the trip count is not reached and its condition holds.

    The body gets the iteration's number, the condition and the carried values, and gives the next
    condition, the carried values and one value for each scan output; those of all iterations are
    stacked on a new first axis.
    """
    body = _graph(call, "body")
    trips = call.integer("M") if call.has("M") else None
    goes_on = _truth(call, "cond") if call.has("cond") else True
    counts = call.has("cond")
    carried = list(_variadic(call, "v_initial"))
    scanned: list[list[Value]] = [[] for _ in body.outputs[1 + len(carried) :]]
    iteration = 0
    while goes_on and (trips is None or iteration < trips):
        number = Tensor("int64", (), iteration.to_bytes(8, "little", signed=True))
        given = Tensor("bool", (), b"\x01")
        condition, *values = body.run((number, given, *carried))
        carried = values[: len(carried)]
        for stack, value in zip(scanned, values[len(carried) :], strict=True):
            stack.append(value)
        goes_on = _is_true(condition) or not counts
        iteration += 1
    stacks = [
        _stacked(body, 1 + len(carried) + position, stack) for position, stack in enumerate(scanned)
    ]
    return (*carried, *stacks)


@oracle("Scan")
def scan(call: Call) -> Result:
    """The body run over slices of the scan inputs, with states that are carried along."""
    if call.since_version == _BATCHED:
        return _scan_batched(call)
    body = _graph(call, "body")
    values = _tensors(call)
    count = call.int_attribute("num_scan_inputs")
    states, inputs = values[: len(values) - count], values[len(values) - count :]
    outputs = len(body.outputs) - len(states)
    if count < 1 or outputs < 0:
        raise InvalidCallError(f"{count} scan inputs of {len(values)} inputs")
    axes = _each(call, "scan_input_axes", count)
    backward = _directions(call, "scan_input_directions", count)
    axes = [normalize_axis(axis, len(item.shape)) for axis, item in zip(axes, inputs, strict=True)]
    lengths = {item.shape[axis] for axis, item in zip(axes, inputs, strict=True)}
    if len(lengths) != 1:
        raise InvalidCallError(f"scan inputs of lengths {sorted(lengths)}")
    slices = [
        _slices(item, axis, backward=back)
        for item, axis, back in zip(inputs, axes, backward, strict=True)
    ]
    final, scanned = _scanned(body, states, slices, lengths.pop())
    prepended = _directions(call, "scan_output_directions", outputs)
    placed = _each(call, "scan_output_axes", outputs)
    results = [
        _stacked(body, len(states) + at, stack[::-1] if prepended[at] else stack, placed[at])
        for at, stack in enumerate(scanned)
    ]
    return (*final, *results)


def _scan_batched(call: Call) -> Result:
    """Version 8: axis 0 is the batch and axis 1 what is scanned, up to each batch's length.

    A scan output beyond a batch's length is zero.
    """
    body = _graph(call, "body")
    values = _tensors(call)
    count = call.int_attribute("num_scan_inputs")
    states, inputs = values[: len(values) - count], values[len(values) - count :]
    backward = _directions(call, "directions", count)
    sizes = {item.shape[:1] for item in values}
    spans = {item.shape[1:2] for item in inputs}
    if len(sizes) != 1 or len(spans) != 1 or () in sizes or () in spans:
        raise InvalidCallError("the inputs differ in batch or sequence axis")
    (batch,), (span,) = sizes.pop(), spans.pop()
    lengths = call.integers("sequence_lens") if call.has("sequence_lens") else (span,) * batch
    if len(lengths) != batch or not all(0 <= length <= span for length in lengths):
        raise InvalidCallError(f"sequence_lens {list(lengths)} do not fit [{batch}, {span}]")
    finals: list[list[Value]] = [[] for _ in states]
    stacks: list[list[Value]] = [[] for _ in body.outputs[len(states) :]]
    for index in range(batch):
        own = [_slices(item, 0, backward=False)[index] for item in states]
        slices = [
            _turned(
                _slices(_slices(item, 0, backward=False)[index], 0, backward=False),
                lengths[index],
                backward=back,
            )
            for item, back in zip(inputs, backward, strict=True)
        ]
        final, scanned = _scanned(body, own, slices, lengths[index])
        for stack, value in zip(finals, final, strict=True):
            stack.append(value)
        for at, (stack, items) in enumerate(zip(stacks, scanned, strict=True)):
            if not items:
                raise InvalidCallError("a sequence of length 0 gives scan outputs no shape")
            padded = [*items, *[_zeros(items[0])] * (span - lengths[index])]
            stack.append(_stacked(body, len(states) + at, padded))
    if batch == 0:
        raise InvalidCallError("a batch of size 0 gives the outputs no shape")
    return tuple(_stacked(body, at, stack) for at, stack in enumerate([*finals, *stacks]))


def _scanned(
    body: Subgraph, states: Sequence[Value], slices: Sequence[Sequence[Tensor]], length: int
) -> tuple[list[Value], list[list[Value]]]:
    """The final states, and what each scan output was in each iteration."""
    current = list(states)
    scanned: list[list[Value]] = [[] for _ in body.outputs[len(current) :]]
    for step in range(length):
        values = body.run((*current, *(item[step] for item in slices)))
        current = list(values[: len(current)])
        for stack, value in zip(scanned, values[len(current) :], strict=True):
            stack.append(value)
    return current, scanned


def _turned(items: list[Tensor], length: int, *, backward: bool) -> list[Tensor]:
    return items[:length][::-1] if backward else items[:length]


def _each(call: Call, name: str, count: int) -> list[int]:
    """A list attribute with one integer for each value, 0 by default."""
    given = call.ints_attribute(name, (0,) * count)
    if len(given) != count:
        raise InvalidCallError(f"{len(given)} {name} for {count} values")
    return list(given)


def _directions(call: Call, name: str, count: int) -> list[bool]:
    """Which are scanned backward."""
    given = _each(call, name, count)
    if not set(given) <= {0, 1}:
        raise InvalidCallError(f"{name} {given} are not 0 or 1")
    return [item == 1 for item in given]


def _slices(tensor: Tensor, axis: int, *, backward: bool) -> list[Tensor]:
    """The tensors of one rank less along an axis."""
    grid = grid_of(tensor)
    if grid.rank == 0:
        raise InvalidCallError("a scalar has no axis to be scanned")
    shape = (*grid.shape[:axis], *grid.shape[axis + 1 :])
    steps = strides(grid.shape)
    others = (*steps[:axis], *steps[axis + 1 :])
    found = [
        tensor_of(grid.take(places(shape, others, index * steps[axis]), shape))
        for index in range(grid.shape[axis])
    ]
    return found[::-1] if backward else found


def _stacked(body: Subgraph, output: int, values: Sequence[Value], axis: int = 0) -> Value:
    """Tensors of one shape as one of a rank more, on a new axis.

    Without any, the shape is what the subgraph declares of the output; a dimension that is not
    declared is 0, so that nothing is invented.
    """
    tensors = [value for value in values if isinstance(value, Tensor)]
    if len(tensors) != len(values):
        raise InvalidCallError(f"scan output '{body.outputs[output]}' is no tensor")
    if not tensors:
        return _nothing(body, output, axis)
    first = tensors[0]
    place = normalize_axis(axis, len(first.shape) + 1)
    shape = (*first.shape[:place], 1, *first.shape[place:])
    grids: list[Grid] = []
    for tensor in tensors:
        if tensor.shape != first.shape:
            raise InvalidCallError(
                f"scan output '{body.outputs[output]}' is {list(tensor.shape)} after"
                f" {list(first.shape)}"
            )
        grids.append(grid_of(tensor).reshaped(shape))
    return tensor_of(join(tuple(grids), place))


def _nothing(body: Subgraph, output: int, axis: int) -> Tensor:
    name, declared = body.output_types[output], body.output_shapes[output]
    if name is None or declared is None:
        raise InvalidCallError(f"no iteration, and '{body.outputs[output]}' has no declared shape")
    inner = [item if isinstance(item, int) else 0 for item in declared]
    place = normalize_axis(axis, len(inner) + 1)
    inner.insert(place, 0)
    return Tensor(name, tuple(inner), () if name == "string" else b"")


def _zeros(value: Value) -> Tensor:
    if not isinstance(value, Tensor):
        raise InvalidCallError("a scan output is no tensor")
    count = math.prod(value.shape)
    if value.type == "string":
        return Tensor("string", value.shape, (b"",) * count)
    return Tensor(value.type, value.shape, bytes(element_type(value.type).byte_count(count)))


def _graph(call: Call, name: str) -> Subgraph:
    graph = call.attributes.get(name)
    if not isinstance(graph, Subgraph):
        raise InvalidCallError(f"attribute '{name}' is no graph")
    return graph


def _variadic(call: Call, name: str) -> tuple[Value, ...]:
    values = call.inputs.get(name, ())
    return values if isinstance(values, tuple) else (values,)


def _tensors(call: Call) -> list[Tensor]:
    values = _variadic(call, "initial_state_and_scan_inputs")
    tensors = [value for value in values if isinstance(value, Tensor)]
    if len(tensors) != len(values):
        raise InvalidCallError("an input is no tensor")
    return tensors


def _truth(call: Call, name: str) -> bool:
    return _is_true(call.tensor(name))


def _is_true(value: Value) -> bool:
    if not isinstance(value, Tensor) or value.type != "bool" or value.element_count != 1:
        raise InvalidCallError("a condition is not one bool")
    return value.data != b"\x00"
