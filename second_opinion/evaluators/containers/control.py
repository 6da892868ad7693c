"""If, Loop and Scan, whose bodies are graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.tensors import Arr, CannotAnswerError
from ..shared import type_of_code, whole, zeros

_MOST = 100_000


@evaluates("If")
def choose(call: Call) -> tuple[Any, ...]:
    """`If`: one of two graphs."""
    branch = "then_branch" if call.arr(0).item else "else_branch"
    return tuple(call.bodies[branch]([]))


@evaluates("Loop")
def loop(call: Call) -> tuple[Any, ...]:
    """`Loop`: at most M times, as long as the condition holds; the last outputs are stacked."""
    most = int(call.arr(0).item) if call.has(0) else None
    going = bool(call.arr(1).item) if call.has(1) else True
    carried = list(call.inputs[2:])
    count = len(carried)
    rows: list[list[Any]] = []
    turn = 0
    while going and (most is None or turn < most):
        if turn >= _MOST:
            raise CannotAnswerError("a loop without end")
        state = [whole(np.int64(turn).reshape(())), Arr("bool", np.asarray(going)), *carried]
        results = call.bodies["body"](state)
        # Without a condition given, the body's is ignored, by the table of the document.
        if call.has(1):
            going = bool(results[0].item)
        carried = results[1 : 1 + count]
        rows.append(results[1 + count :])
        turn += 1
    if not rows:
        return (*carried, *_no_rows(call, len(call.outputs) - count))
    stacked = [_stacked([row[place] for row in rows]) for place in range(len(rows[0]))]
    return (*carried, *stacked)


def _no_rows(call: Call, count: int) -> list[Arr]:
    if count == 0:
        return []
    graph = call.attr("body")
    found = []
    for item in graph.output[len(graph.output) - count :]:
        kind = item.type.tensor_type
        dims = kind.shape.dim
        known = all(each.WhichOneof("value") == "dim_value" for each in dims)
        if not (kind.HasField("shape") and known):
            raise CannotAnswerError("no turn, and the body does not say the shape of its outputs")
        name = type_of_code(kind.elem_type)
        found.append(Arr(name, zeros(name, (0, *(each.dim_value for each in dims)))))
    return found


def _stacked(parts: list[Any]) -> Any:  # noqa: ANN401  a tensor
    if not all(isinstance(item, Arr) for item in parts):
        raise CannotAnswerError("scan outputs that are no tensors")
    return Arr(parts[0].type, np.stack([item.data for item in parts]))


@evaluates("Scan", since=9)
def scan(call: Call) -> tuple[Any, ...]:
    """`Scan`: over slices of its inputs, with a state, either direction and any axis."""
    count = call.attr("num_scan_inputs")
    state, scanned = list(call.inputs[: len(call.inputs) - count]), call.inputs[-count:]
    axes = call.attr("scan_input_axes") or [0] * count
    reverse = call.attr("scan_input_directions") or [0] * count
    moved = [
        Arr(item.type, np.moveaxis(item.data, axis, 0)[:: -1 if back else 1])
        for item, axis, back in zip(scanned, axes, reverse, strict=True)
    ]
    state, rows = _scanned(call, state, moved)
    if not rows:
        return (*state, *_no_rows_along(call, len(call.outputs) - len(state)))
    return (*state, *_scan_outputs(call, rows))


def _scanned(call: Call, state: list[Any], scanned: list[Arr]) -> tuple[list[Any], list[list[Any]]]:
    """The last state, and the other outputs of each turn over the first axis of what is scanned."""
    rows = []
    for turn in range(scanned[0].shape[0]):
        slices = [Arr(item.type, np.asarray(item.data[turn])) for item in scanned]
        results = call.bodies["body"]([*state, *slices])
        rows.append(results[len(state) :])
        state = results[: len(state)]
    return state, rows


def _no_rows_along(call: Call, outputs: int) -> list[Arr]:
    axes = call.attr("scan_output_axes") or [0] * outputs
    made = _no_rows(call, outputs)
    return [
        Arr(item.type, np.moveaxis(item.data, 0, axis))
        for item, axis in zip(made, axes, strict=True)
    ]


def _scan_outputs(call: Call, rows: list[list[Any]]) -> list[Arr]:
    count = len(rows[0])
    axes = call.attr("scan_output_axes") or [0] * count
    reverse = call.attr("scan_output_directions") or [0] * count
    found = []
    for place in range(count):
        parts = [row[place] for row in rows]
        parts = parts[::-1] if reverse[place] else parts
        stacked = _stacked(parts)
        found.append(Arr(stacked.type, np.moveaxis(stacked.data, 0, axes[place])))
    return found


@evaluates("Scan", until=8)
def scan_of_batches(call: Call) -> tuple[Any, ...]:
    """`Scan` of opset 8: each batch by itself, with a length of its own."""
    count = call.attr("num_scan_inputs")
    lengths = call.opt(0)
    values = list(call.inputs[1:])
    state, scanned = values[: len(values) - count], values[len(values) - count :]
    directions = call.attr("directions") or [0] * count
    batches = scanned[0].shape[0]
    longest = scanned[0].shape[1]
    results = []
    for batch in range(batches):
        length = longest if lengths is None else lengths.ints[batch]
        here = [Arr(item.type, np.asarray(item.data[batch])) for item in state]
        parts = [
            Arr(item.type, item.data[batch, :length][:: -1 if back else 1])
            for item, back in zip(scanned, directions, strict=True)
        ]
        results.append(_scanned(call, here, parts))
    return _batched(call, results, longest)


def _batched(call: Call, results: list[Any], longest: int) -> tuple[Any, ...]:
    states = [
        Arr(item.type, np.stack([here[place].data for here, _ in results]))
        for place, item in enumerate(results[0][0])
    ]
    outputs = []
    for place in range(len(call.outputs) - len(states)):
        parts = []
        for _, rows in results:
            if not rows:
                raise CannotAnswerError("a batch of length 0")
            stacked = np.stack([row[place].data for row in rows])
            short = longest - stacked.shape[0]
            pads = [(0, short)] + [(0, 0)] * (stacked.ndim - 1)
            parts.append(np.pad(stacked, pads))
        outputs.append(Arr(results[0][1][0][place].type, np.stack(parts)))
    return (*states, *outputs)
