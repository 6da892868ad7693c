"""Replies to a vector as runtimes give them, right ones and wrong ones of every kind.

What a harness could have answered, in the JSON of protocol 1, beside the ends of a process as a
recording says them: `crashed`, `timed-out` and `protocol-error`.
"""

from __future__ import annotations

import base64
import random
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vector_files import data_sets_of, permitted_outputs_of
from onnx_conformance.core.corpus.vectors import Expect
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import (
    Bounded,
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
)
from onnx_conformance.core.values.wire import to_wire
from onnx_conformance.validator.host.protocol import (
    AbsurdOutputError,
    ProtocolError,
    parse_reply,
)
from onnx_conformance.validator.judging.judge import judge, settle
from onnx_conformance.validator.judging.tolerance_rules import rule_for
from onnx_conformance.validator.judging.verdicts import (
    Crashed,
    HarnessError,
    Judgement,
    ProtocolBroken,
    TimedOut,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from onnx_conformance.core.corpus.corpus import LoadedVector
    from onnx_conformance.core.values.tensors import Value
    from onnx_conformance.validator.judging.verdicts import Observation

    Reply = dict[str, Any]
    Outputs = list[list[Value]]

_RIGHT = 0.3
_NO_REPLY = HarnessError("no reply was recorded")


def replies(loaded: LoadedVector) -> Iterator[tuple[str, Reply]]:
    """Every kind of reply to a vector, each with the name of its kind."""
    for phase in ("decode", "load", "run"):
        yield f"refused at {phase}", {"rejected": {"phase": phase, "message": "no"}}
    for word in ("unsupported", "error", "crashed", "timed-out", "protocol-error"):
        yield word, {word: "so it is"}
    yield "two results", {"outputs": [], "unsupported": "and not"}
    yield "a phase of its own", {"rejected": {"phase": "later", "message": "no"}}
    for name, right in _right(loaded):
        for change, outputs in _changed(right):
            yield f"{name}, {change}", {"outputs": outputs}


def _right(loaded: LoadedVector) -> Iterator[tuple[str, Outputs]]:
    """Outputs to begin with: those that are due, limits, permitted results, inputs of invalid."""
    vector, where = loaded.vector, loaded.location
    data_sets = data_sets_of(vector, loaded.files, where)
    if vector.expect == Expect.OUTPUTS:
        due = [[item.value for item in data_set.outputs] for data_set in data_sets]
        yield "due", due
        for profile in ("ieee", "gpu"):
            for end in (0, 1):
                ends = [[_limit(item, profile, end) for item in values] for values in due]
                if ends != due:
                    yield f"{profile} {'high' if end else 'low'}", ends
    elif vector.expect == Expect.ANY:
        permitted = permitted_outputs_of(vector, loaded.files, where)
        results = [[item.value for item in values] for values in permitted.values()]
        for label, values in zip(permitted, results, strict=True):
            yield label, [values] * len(data_sets)
        if len(results) > 1:
            yield "mixed", [[_mixed(*pair) for pair in zip(*results[:2], strict=True)]]
    else:
        yield "inputs", [[item.value for item in values.inputs[:1]] for values in data_sets]


def _limit(value: Value, profile: str, end: int) -> Value:
    if isinstance(value, Bounded):
        return value.limits[profile][end] if profile in value.limits else value
    return value


def _mixed(one: Value, other: Value) -> Value:
    """The first half of one tensor with the second half of another, where they are alike."""
    if isinstance(one, SequenceValue) and isinstance(other, SequenceValue):
        return SequenceValue((*one.items[:1], *other.items[1:]))
    alike = isinstance(one, Tensor) and isinstance(other, Tensor)
    if not alike or (one.type, one.shape) != (other.type, other.shape):
        return one
    bits = max(element_type(one.type).bits, 8)
    half = one.element_count // 2 * (bits // 8 if one.type != "string" else 1)
    return Tensor(one.type, one.shape, one.data[:half] + other.data[half:])  # type: ignore[operator]


def _changed(outputs: Outputs) -> Iterator[tuple[str, list[list[Reply]]]]:
    """Outputs as JSON, as they are and changed in one place."""
    wire = [[to_wire(item) for item in values] for values in outputs]
    yield "as it is", wire
    yield "one data set more", [*wire, []]
    yield "one output more", [[*values, to_wire(_SCALAR)] for values in wire]
    yield "the last output missing", [values[:-1] for values in wire]
    for name, change in _CHANGES.items():
        for place in (0, -1):
            if not wire[-1]:
                continue
            changed = change(outputs[-1][place])
            if changed is None:
                continue
            last = list(wire[-1])
            last[place] = changed
            yield f"{name} {place}", [*wire[:-1], last]


_SCALAR = Tensor("int64", (), bytes(8))


def _flipped(bit: int) -> Callable[[Value], Reply | None]:
    """A change of one bit: the bit-th, or from the end if negative."""

    def flip(value: Value) -> Reply | None:
        if isinstance(value, SequenceValue) and value.items:
            inner = flip(value.items[-1])
            return inner and {"sequence": [*map(to_wire, value.items[:-1]), inner]}
        if isinstance(value, OptionalValue) and value.value is not None:
            inner = flip(value.value)
            return inner and {"optional": inner}
        if isinstance(value, MapValue) and value.values:
            inner = flip(value.values[0])
            return inner and {
                "map": {
                    "keys": to_wire(value.keys),
                    "values": [inner, *map(to_wire, value.values[1:])],
                }
            }
        if not isinstance(value, Tensor) or not value.data:
            return None
        if isinstance(value.data, tuple):
            return to_wire(replace_data(value, (*value.data[:-1], value.data[-1] + b"!")))
        data = bytearray(value.data)
        place = bit % (8 * len(data))
        data[place // 8] ^= 1 << place % 8
        return to_wire(replace_data(value, bytes(data)))

    return flip


def replace_data(value: Tensor, data: bytes | tuple[bytes, ...]) -> Tensor:
    """A plain tensor of the same type and shape."""
    return Tensor(value.type, value.shape, data)


def _moved(steps: int) -> Callable[[Value], Reply | None]:
    """A change of the first element by so many representable steps, away from zero or to it."""

    def move(value: Value) -> Reply | None:
        if not isinstance(value, Tensor) or not isinstance(value.data, bytes) or not value.data:
            return None
        size = max(element_type(value.type).bits // 8, 1)
        first = int.from_bytes(value.data[:size], "little") + steps
        if not 0 <= first < 1 << 8 * size:
            return None
        return to_wire(replace_data(value, first.to_bytes(size, "little") + value.data[size:]))

    return move


def _every_nan(value: Value) -> Reply | None:
    """All bits of the first element set: a NaN of every type that has one with a sign."""
    if not isinstance(value, Tensor) or not isinstance(value.data, bytes) or not value.data:
        return None
    size = max(element_type(value.type).bits // 8, 1)
    return to_wire(replace_data(value, b"\xff" * size + value.data[size:]))


def _of_another_type(value: Value) -> Reply | None:
    if not isinstance(value, Tensor) or value.type == "string":
        return to_wire(_SCALAR)
    twins = {"float32": "int32", "int64": "uint64", "bool": "uint8", "float16": "bfloat16"}
    same_size = twins.get(value.type)
    if same_size is None:
        return to_wire(Tensor("string", (1,), (b"x",)))
    return {**to_wire(value), "type": same_size}


def _as_tensor(change: Callable[[Reply], Reply]) -> Callable[[Value], Reply | None]:
    def changed(value: Value) -> Reply | None:
        return change(to_wire(value)) if isinstance(value, Tensor) else None

    return changed


def _longer(value: Value) -> Reply | None:
    if isinstance(value, SequenceValue):
        return to_wire(SequenceValue((*value.items, _SCALAR)))
    if isinstance(value, MapValue):
        return to_wire(MapValue(value.keys, value.values[:-1]))
    return None


_CHANGES: Mapping[str, Callable[[Value], Reply | None]] = {
    "lowest bit": _flipped(0),
    "highest bit": _flipped(-1),
    "bit in the middle": _flipped(-10),
    "a step up": _moved(1),
    "a step down": _moved(-1),
    "40 steps up": _moved(40),
    "NaN": _every_nan,
    "another type": _of_another_type,
    "one dimension more": _as_tensor(lambda wire: {**wire, "shape": [*wire["shape"], 1]}),
    "one dimension less": _as_tensor(lambda wire: {**wire, "shape": wire["shape"][1:]}),
    "a negative dimension": _as_tensor(lambda wire: {**wire, "shape": [*wire["shape"], -1]}),
    "a type that is none": _as_tensor(lambda wire: {**wire, "type": "float7"}),
    "no base64": _as_tensor(lambda wire: {**wire, "data": "A"}),
    "no data": lambda _: {"type": "int64", "shape": []},
    "longer": _longer,
    "in a sequence": lambda value: {"sequence": [to_wire(value)]},
    "in an optional": lambda value: {"optional": to_wire(value)},
    "absent": lambda _: {"optional": None},
    "in a map": lambda value: to_wire(MapValue(Tensor("int64", (1,), bytes(8)), (value,))),
    "foreign": lambda _: {"foreign": "a bare number"},
    "a string": lambda _: {
        "type": "string",
        "shape": [1],
        "data": [base64.b64encode(b"x").decode()],
    },
}


def observation(loaded: LoadedVector, reply: Reply | None) -> Observation:
    """What the host makes of a recorded reply."""
    if reply is None:
        return _NO_REPLY
    for word, made in (("crashed", Crashed), ("protocol-error", ProtocolBroken)):
        if word in reply:
            return made(reply[word])
    if "timed-out" in reply:
        return TimedOut(1.0)
    vector = loaded.vector
    sets = len(data_sets_of(vector, loaded.files, loaded.location))
    try:
        return parse_reply({"id": vector.id, **reply}, vector.id, vector.outputs, sets)
    except ProtocolError as error:
        return ProtocolBroken(str(error), isinstance(error, AbsurdOutputError))


def recording(vectors: Sequence[LoadedVector], number: int) -> dict[str, Reply]:
    """One reply to each vector, drawn among its own; every `number` draws others.

    Nearly a third of the valid ones are answered rightly, so that many controls pass.
    """
    recorded = {}
    for loaded in vectors:
        draw = random.Random(f"{number} {loaded.vector.id}")  # noqa: S311  no secret
        known = list(replies(loaded))
        right = [reply for name, reply in known if name == "due, as it is"]
        chosen = right[0] if right and draw.random() < _RIGHT else draw.choice(known)[1]
        recorded[loaded.vector.id] = chosen
    return recorded


def judged(
    vectors: Sequence[LoadedVector], recorded: Mapping[str, Reply], profile: str
) -> dict[str, tuple[str, str]]:
    """Our verdict on each vector, and the permitted result that it took (else an empty text)."""
    first: dict[str, Judgement] = {}
    for loaded in vectors:
        vector, where = loaded.vector, loaded.location
        first[vector.id] = judge(
            vector,
            data_sets_of(vector, loaded.files, where),
            permitted_outputs_of(vector, loaded.files, where),
            observation(loaded, recorded.get(vector.id)),
            rule_for(vector, profile=profile),
        )
    found = {}
    for loaded in vectors:
        control = first.get(loaded.vector.control or "")
        last = settle(loaded.vector, first[loaded.vector.id], control and control.verdict)
        found[loaded.vector.id] = (str(last.verdict.value), last.taken or "")
    return found
