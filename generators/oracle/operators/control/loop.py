"""Loop, all versions. Source: its page, Summary with the table of modes, Inputs and Attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor, Value

from ...arith.grid import grid_of, normalize_axis, tensor_of
from ...arith.integers import int64_scalar
from ...errors import EndlessError, InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ...scalars import require_scalar
from ...subgraph import MOST_ITERATIONS, Subgraph
from ..movement.joining import stack
from .subgraphs import as_many_outputs, check_iteration, graph_of, is_true, variadic

_TRUE = Tensor("bool", (), b"\x01")
_FALSE = Tensor("bool", (), b"\x00")


@oracle("Loop")
def loop(call: Call) -> Result:
    """The body is run while the trip count is not reached and the condition holds.

    An absent input ends nothing: without `cond` the condition of the body is ignored. The body gets
    the number of the iteration, the condition and the carried values, and gives the next condition,
    the carried values and one value for each scan output; those of all iterations are stacked on a
    new first axis.
    """
    body = graph_of(call, "body")
    carried = variadic(call, "v_initial")
    count = len(carried)
    if len(body.inputs) != 2 + count:
        raise InvalidCallError(
            f"the body has {len(body.inputs)} inputs for a number, a condition and {count} values"
        )
    scans = range(1 + count, len(body.outputs))
    if len(body.outputs) < 1 + count:
        raise InvalidCallError(
            f"the body has {len(body.outputs)} outputs for a condition and {count} values"
        )
    as_many_outputs(call, count + len(scans))
    trips, limited = _trip_count(call), call.has("cond")
    if not limited and (trips is None or trips > MOST_ITERATIONS):
        raise EndlessError(f"nothing ends a Loop of {trips or 'any number of'} iterations in time")
    goes_on = not limited or _condition(call, call.tensor("cond"))
    condition: Value = _TRUE
    stacks: list[list[Value]] = [[] for _ in scans]
    iteration = 0
    while goes_on and (trips is None or iteration < trips):
        check_iteration(call, iteration)
        shown = _shown(call, condition)
        condition, *values = body.run((int64_scalar(iteration), shown, *carried))
        carried = tuple(values[:count])
        for values_so_far, value in zip(stacks, values[count:], strict=True):
            values_so_far.append(value)
        goes_on = not limited or _condition(call, condition)
        iteration += 1
    first = (int64_scalar(0), _TRUE, *carried)
    results = [
        stacked(body.outputs[at], given) if given else none_stacked(call, body, at, first)
        for at, given in zip(scans, stacks, strict=True)
    ]
    return (*carried, *results)


def _trip_count(call: Call) -> int | None:
    """The most iterations, None for any number; the page asks for a scalar."""
    if not call.has("M"):
        return None
    require_scalar(call, "M", "trip-count-is-no-scalar")
    return call.integer("M")


def _condition(call: Call, value: Value) -> bool:
    """Whether a condition holds; the page asks for a scalar."""
    truth = is_true(value)
    if isinstance(value, Tensor) and value.shape != ():
        refuse_if_chosen(call, "condition-is-no-scalar", "taken")
    return truth


def _shown(call: Call, condition: Value) -> Tensor:
    """The condition that the body gets; if it is ignored, no page says that it is the last one."""
    if _condition(call, condition):
        return _TRUE
    taken = call.choose("condition-that-is-ignored", "true", "as-given")
    return _TRUE if taken == "true" else _FALSE


def stacked(name: str, values: Sequence[Value], axis: int = 0) -> Tensor:
    """Tensors of one shape as one of a rank more, on a new axis of the result.

    Args:
        name: of the subgraph's output, for messages.
        values: at least one.
        axis: in [-r, r - 1] for a result of rank r.
    """
    tensors = [value for value in values if isinstance(value, Tensor)]
    if len(tensors) != len(values):
        raise InvalidCallError(f"scan output '{name}' is no tensor")
    first = tensors[0]
    for tensor in tensors:
        if tensor.type != first.type or tensor.shape != first.shape:
            raise InvalidCallError(
                f"scan output '{name}' is {tensor.type} {list(tensor.shape)} after {first.type}"
                f" {list(first.shape)}"
            )
    return tensor_of(stack([grid_of(item) for item in tensors], axis))


def none_stacked(
    call: Call, body: Subgraph, output: int, initial: Sequence[Value], axis: int = 0
) -> Tensor:
    """A scan output after no iteration: of size 0 on the new axis.

    Its other dimensions are those that the body declares. No page says what replaces an undeclared
    one: 0, or the dimension that the body would give; nor the rank if no shape is declared.

    Args:
        call: the node.
        body: its subgraph.
        output: the position among the body's outputs.
        initial: the values for a first iteration; the body is run with them if that reading is
            used.
        axis: the new axis.
    """
    name, shape = body.output_types[output], body.output_shapes[output]
    if name is not None and "(" in name:
        raise InvalidCallError(f"scan output '{body.outputs[output]}' is no tensor")
    if name is None or shape is None:
        reading = call.choose("no-iteration-of-unknown-rank", "as-computed", "vector")
        if reading == "vector" and name is not None:
            return _empty(name, (), axis)
    elif not all(isinstance(item, int) for item in shape):
        reading = call.choose("no-iteration-of-unknown-size", "as-computed", "zero")
        if reading == "zero":
            return _empty(name, tuple(n if isinstance(n, int) else 0 for n in shape), axis)
    else:
        return _empty(name, tuple(n for n in shape if isinstance(n, int)), axis)
    value = body.run(initial)[output]
    if not isinstance(value, Tensor):
        raise InvalidCallError(f"scan output '{body.outputs[output]}' is no tensor")
    return _empty(value.type, value.shape, axis)


def _empty(name: str, inner: tuple[int, ...], axis: int) -> Tensor:
    place = normalize_axis(axis, len(inner) + 1)
    return zeros(name, (*inner[:place], 0, *inner[place:]))


def zeros(name: str, shape: tuple[int, ...]) -> Tensor:
    """A tensor of zeros, or of empty strings."""
    count = math.prod(shape)
    if name == "string":
        return Tensor(name, shape, (b"",) * count)
    return Tensor(name, shape, bytes(element_type(name).byte_count(count)))
