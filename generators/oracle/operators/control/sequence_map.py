"""SequenceMap. Source: its page, Summary and Attributes; the function body is a second source."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_conformance.core.values.tensors import SequenceValue, Tensor, Value

from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..containers.sequences import sequence
from .subgraphs import as_many_outputs, check_iteration, graph_of, variadic


@oracle("SequenceMap")
def sequence_map(call: Call) -> Result:
    """The body's outputs for each value of the first sequence, as sequences in its order.

    Of other sequences the body gets the value at the same position; a tensor is passed whole.
    """
    body = graph_of(call, "body")
    first = sequence(call)
    others = variadic(call, "additional_inputs")
    if len(body.inputs) != 1 + len(others):
        raise InvalidCallError(f"the body has {len(body.inputs)} inputs for {1 + len(others)}")
    as_many_outputs(call, len(body.outputs))
    for name, kind in zip(body.outputs, body.output_types, strict=True):
        if kind is not None and "(" in kind:
            raise InvalidCallError(f"'{name}' is no tensor, and no sequence holds it")
    count = len(first.items)
    check_iteration(call, count - 1)
    lengths = [len(item.items) for item in others if isinstance(item, SequenceValue)]
    if min(lengths, default=count) < count:
        raise InvalidCallError(f"{min(lengths)} values beside {count}")
    results = [
        body.run([item, *(_sample(other, at) for other in others)])
        for at, item in enumerate(first.items)
    ]
    outputs = tuple(
        _sequence(name, [result[at] for result in results]) for at, name in enumerate(body.outputs)
    )
    if max(lengths, default=count) > count:
        refuse_if_chosen(call, "more-samples-elsewhere", "left")
    return outputs


def _sample(value: Value, at: int) -> Value:
    """The value that the body gets from an additional input."""
    return value.items[at] if isinstance(value, SequenceValue) else value


def _sequence(name: str, values: Sequence[Value]) -> SequenceValue:
    """The sequence of an output's values, which are tensors of one type."""
    types = {item.type if isinstance(item, Tensor) else "no tensor" for item in values}
    if len(types) > 1 or "no tensor" in types:
        raise InvalidCallError(f"no sequence holds '{name}': {' and '.join(sorted(types))}")
    return SequenceValue(tuple(values))
