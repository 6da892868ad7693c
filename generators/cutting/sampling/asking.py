"""The oracle asked for pieces of a node, and its answers put into one of the whole node."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.limits import limits_for, profiles_of
from onnx_conformance.core.values.tensors import Bounded, NamedValue, Tensor, Value

from ..questions import Answered, NotCutError, Question, answered, asked_as, question_of
from ..work import work_of
from .choosing import Chooser
from .pieces import Piece, Shape, taken
from .rules import sample_of

if TYPE_CHECKING:
    import onnx


# A piece that is the first may take this much more than all of them should.
_STRETCHED = 4
# Elements of an output that is written whole, with zeros for what is not computed.
_LARGEST = 1 << 24


@dataclass(frozen=True)
class Sampling:
    """What is sampled, beside the node.

    Attributes:
        imports: the opset of each domain in the model.
        ir_version: of the model.
        work: units of `work.work_of` that all pieces together should take.
        seed: of the positions.
    """

    imports: Mapping[str, int]
    ir_version: int
    work: int
    seed: str


@dataclass(frozen=True)
class SampledAnswer:
    """What the oracle says of some elements of a node's output.

    Attributes:
        answered: the node with the answer, whose output has zeros at all other positions.
        compared: the positions by the name of the output.
        work: units of `work.work_of` that were spent.
    """

    answered: Answered
    compared: Mapping[str, tuple[int, ...]]
    work: int


def sampled_answer(
    node: onnx.NodeProto, values: Sequence[tuple[Value | None, bool]], sampling: Sampling
) -> SampledAnswer:
    """What the oracle says of some elements of a node's output.

    Args:
        node: the node of the model.
        values: its inputs by position, and whether the model stores each; None is an absent one.
        sampling: the rest.

    NotCutError says why there is no answer.
    """
    tensors = [item if isinstance(item, Tensor) else None for item, _ in values]
    if any(value is not None and not isinstance(value, Tensor) for value, _ in values):
        raise NotCutError("it takes no tensors alone")
    question = question_of(node, values, {}, sampling.imports, sampling.ir_version)
    shapes = [None if item is None else item.shape for item in tensors]
    shape, pieces = sample_of(node, question, shapes, Chooser(sampling.seed))
    if math.prod(shape) > _LARGEST:
        raise NotCutError(f"its output has {math.prod(shape):,} elements")
    found, answers, spent = _collected(pieces, tensors, [stored for _, stored in values], sampling)
    name, merged = _merged(found, shape)
    output = NamedValue(name, merged)
    first = answers[0]
    reply = replace(first.reply, outputs=(output,), permitted=())
    whole = asked_as(question, first.types, reply, (output,))
    return SampledAnswer(whole, {name: tuple(sorted(found))}, spent)


def _collected(
    pieces: Iterable[Piece],
    tensors: Sequence[Tensor | None],
    stored: Sequence[bool],
    sampling: Sampling,
) -> tuple[dict[int, tuple[NamedValue, int]], list[Answered], int]:
    """For each position its value and where it is in it, as far as the work reaches.

    Also the answers, and what they took.
    """
    found: dict[int, tuple[NamedValue, int]] = {}
    answers: list[Answered] = []
    left, why = sampling.work, "its shapes are too much for the oracle, even in pieces"
    for piece in pieces:
        work = work_of(piece.node, piece.shapes, [piece.shape])
        if work > (left if answers else _STRETCHED * sampling.work):
            if answers:
                break
            continue
        left -= work
        try:
            answer = answered(_question(piece, tensors, stored, sampling))
        except BadInputError as error:
            raise NotCutError(str(error)) from None
        if answer.reply.permitted:
            why = "what its document leaves open is not sampled"
            continue
        (output,) = answer.outputs
        if not isinstance(output.value, Tensor) or output.value.shape != piece.shape:
            raise NotCutError("the shape of its output is not what its rule says")
        answers.append(answer)
        for inner, outer in piece.places:
            found.setdefault(outer, (output, inner))
        if left <= 0:
            break
    if not found:
        raise NotCutError(why)
    return found, answers, sampling.work - left


def _question(
    piece: Piece, tensors: Sequence[Tensor | None], stored: Sequence[bool], sampling: Sampling
) -> Question:
    values: list[tuple[Value | None, bool]] = [
        (
            None
            if tensor is None or part is None
            else piece.given[index]
            if index in piece.given
            else taken(tensor, part),
            is_stored,
        )
        for index, (tensor, part, is_stored) in enumerate(
            zip(tensors, piece.parts, stored, strict=True)
        )
    ]
    return question_of(piece.node, values, {}, sampling.imports, sampling.ir_version)


def _merged(found: Mapping[int, tuple[NamedValue, int]], shape: Shape) -> tuple[str, Tensor]:
    """The whole output: zeros, but for the positions that were found; and its name."""
    outputs = {id(item): item for item, _ in found.values()}
    first = next(iter(outputs.values()))
    tensors = {key: item.value for key, item in outputs.items() if isinstance(item.value, Tensor)}
    kind = next(iter(tensors.values())).type
    bits = element_type(kind).bits
    if bits % 8 or not bits:
        raise NotCutError(f"its output is {kind}, which is packed or has no bytes")
    places = [(outer, id(item), inner) for outer, (item, inner) in found.items()]

    def spread(parts: Mapping[int, Tensor]) -> Tensor:
        data = bytearray(bits // 8 * math.prod(shape))
        for outer, key, inner in places:
            content, size = parts[key].data, bits // 8
            if isinstance(content, bytes):
                data[size * outer : size * (outer + 1)] = content[size * inner : size * (inner + 1)]
        return Tensor(kind, shape, bytes(data))

    value = spread(tensors)
    bounded = {key: item for key, item in tensors.items() if isinstance(item, Bounded)}
    if not bounded:
        return first.name, value
    limits = {}
    for profile in dict.fromkeys(name for item in bounded.values() for name in profiles_of(item)):
        ends = {
            key: limits_for(item, profile) if isinstance(item, Bounded) else (item, item)
            for key, item in tensors.items()
        }
        low = spread({key: one for key, (one, _) in ends.items()})
        high = spread({key: other for key, (_, other) in ends.items()})
        limits[profile] = low, high
    rules = tuple(rule for item in bounded.values() for rule in item.rules)
    return first.name, Bounded(kind, shape, value.data, limits, rules)
