"""Mutants that arrange: an axis, an input or an element is taken for another, in any operator.

Each is a function of a call, as those of `mutants.signatures` are: none changes the code of an
oracle. One that leaves a call as it is
returns what it was given, or the oracle's own answer, so that nobody judges it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from math import prod
from typing import Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.validity.words import word_of
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of
from onnx_conformance.generators.oracle.registry import Call, Result
from onnx_conformance.generators.signatures.model import Signature

from ..changing import NOTHING, each_of, shortened, taken_from
from ..interfaces import Answer, Change, Slip
from ..mutants.slips import input_changed, inputs_changed, taking
from .moves import moved, moves
from .ranges import ranges

_TILED_AXES = range(4)
# Elements that a loop which is off by one, or begins too late, does not read.
_UNREAD = (("first", 0), ("second", 1), ("middle", None), ("last but one", -2), ("last", -1))
_WORDS_CUT = (1, 4, 8)


def arrangement_mutants(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    """(what is overlooked, an answer that overlooks it) for an operator with these versions."""
    yield from _of_inputs(versions)
    yield from _of_outputs(versions)
    yield from _of_several(versions)
    yield from _strings(versions)
    yield from ranges(versions)
    yield from _defaults(versions)


def _of_inputs(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    variadic = {item.name for it in versions for item in it.inputs if item.variadic}
    for name in dict.fromkeys(item.name for it in versions for item in it.inputs):
        for move in moves():
            change = partial(moved, move=move)
            if name in variadic:
                yield f"the first of '{name}', {move.words}", input_changed(name, _first(change))
                yield f"each of '{name}', {move.words}", input_changed(name, change)
            else:
                yield f"input '{name}', {move.words}", input_changed(name, change)
        for words, place in _UNREAD:
            change = partial(_unread, place=place)
            yield f"the {words} element of input '{name}' never read", input_changed(name, change)


def _of_outputs(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    given = dict.fromkeys(item.name for it in versions for item in it.outputs)
    for index, name in enumerate(given):
        for move in moves():
            change = partial(moved, move=move)
            yield f"output '{name}', {move.words}", _output(name, index, versions, change)
        for words, place in _UNREAD:
            change = partial(_unread, place=place)
            yield (
                f"the {words} element of output '{name}' never written",
                _output(name, index, versions, change),
            )


def _of_several(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    taken = list(dict.fromkeys(item.name for it in versions for item in it.inputs))
    for one, other in combinations(taken, 2):
        yield f"inputs '{one}' and '{other}' exchanged", _exchanged(one, other)
    if len(taken) > 1:
        for axis in _TILED_AXES:
            yield f"axis {axis} of all inputs tiled up to that of the largest", _tiled(axis)


# --- inputs and outputs --------------------------------------------------------------------------


def _first(change: Change) -> Change:
    def changed(value: Any) -> Any:  # noqa: ANN401  several values
        if not isinstance(value, tuple) or not value:
            return value
        new = change(value[0])
        return value if new is value[0] else (new, *value[1:])

    return changed


def _output(name: str, index: int, versions: Sequence[Signature], change: Change) -> Slip:
    """Changes an output of that name; what a variadic one has are all from its place on."""
    names = {item.since_version: [it.name for it in item.outputs] for item in versions}
    variadic = {
        (it.since_version, item.name) for it in versions for item in it.outputs if item.variadic
    }

    def answer(call: Call, compute: Answer) -> Result:
        result = compute(call)
        own = names.get(call.since_version, ())
        place = own.index(name) if name in own else index
        end = len(result) if (call.since_version, name) in variadic else place + 1
        new = tuple(
            change(item) if place <= number < end else item for number, item in enumerate(result)
        )
        return result if all(a is b for a, b in zip(new, result, strict=True)) else new

    return answer


def _unread(value: Any, place: int | None) -> Any:  # noqa: ANN401  a value as it came
    """A tensor with 0, or an empty string, in the place of an element; itself where that is so."""
    return each_of(value, partial(_blanked, place=place))


def _blanked(value: Grid | Tensor, place: int | None) -> Grid | Tensor:
    count = len(value.items) if isinstance(value, Grid) else value.element_count
    if count < 3 or (place is not None and not -count <= place < count):
        return value
    position = count // 2 if place is None else place % count
    if isinstance(value, Grid):
        items = list(value.items)
        items[position] = _nothing(value.type)
        return Grid(value.type, value.shape, items)
    places = list(range(count))
    places[position] = NOTHING
    new = taken_from(value, places)
    return value if new.data == value.data else new


def _nothing(name: str) -> Any:  # noqa: ANN401  a number of the type
    element = element_type(name)
    data = (b"",) if element.kind == "string" else bytes((element.bits + 7) // 8)
    return grid_of(Tensor(name, (1,), data)).items[0]


# --- several inputs ------------------------------------------------------------------------------


def _exchanged(one: str, other: str) -> Slip:
    """Two inputs, where both are there and of one type."""

    def answer(call: Call, compute: Answer) -> Result:
        if one not in call.inputs or other not in call.inputs:
            return compute(call)
        first, second = call.inputs[one], call.inputs[other]
        if isinstance(first, tuple) or isinstance(second, tuple):
            return compute(call)
        if word_of(first) != word_of(second) or first == second:
            return compute(call)
        return compute(replace(call, inputs={**call.inputs, one: second, other: first}))

    return answer


def _tiled(axis: int) -> Slip:
    """Where sizes of an axis divide the largest, they are tiled, where they may be repeated."""

    def answer(call: Call, compute: Answer) -> Result:
        shapes = [
            item.shape
            for item in call.inputs.values()
            if isinstance(item, Tensor) and len(item.shape) > axis and 0 not in item.shape
        ]
        largest = max((shape[axis] for shape in shapes), default=0)
        if not any(1 < shape[axis] < largest and largest % shape[axis] == 0 for shape in shapes):
            return compute(call)
        inputs = {name: _up_to(item, axis, largest) for name, item in call.inputs.items()}
        return compute(taking(call, inputs))

    return answer


def _up_to(value: Any, axis: int, size: int) -> Any:  # noqa: ANN401  a value as it came
    if not isinstance(value, Tensor) or len(value.shape) <= axis or 0 in value.shape:
        return value
    own = value.shape[axis]
    if own in (1, size) or size % own:
        return value
    shape = (*value.shape[:axis], size, *value.shape[axis + 1 :])
    inner = prod(value.shape[axis + 1 :])
    block = own * inner
    blocks = range(0, value.element_count, block)
    places = [at + item for at in blocks for _ in range(size // own) for item in range(block)]
    if isinstance(value.data, bytes) and element_type(value.type).bits % 8:
        return value
    return taken_from(value, places, shape)


# --- strings: comparing no more than a prefix -----------------------------------------------------


def _strings(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    if not any("string" in it.types_of(item) for it in versions for item in it.inputs):
        return
    yield "strings compared as far as the shortest", _cut(None)
    for length in _WORDS_CUT:
        yield f"no more than {length} bytes of a string read", _cut(length)


def _cut(length: int | None) -> Slip:
    def answer(call: Call, compute: Answer) -> Result:
        words = [word for item in call.inputs.values() for word in _words(item) if word]
        most = min(map(len, words), default=0) if length is None else length
        return inputs_changed(partial(shortened, most=most))(call, compute)

    return answer


def _words(value: Any) -> tuple[bytes, ...]:  # noqa: ANN401  a value as it came
    if isinstance(value, tuple):
        return tuple(word for item in value for word in _words(item))
    return value.data if isinstance(value, Tensor) and isinstance(value.data, tuple) else ()


# --- defaults of neighbouring versions ------------------------------------------------------------


def _defaults(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    """A default of an attribute is the one that the version before or behind has."""
    for earlier, later in pairwise(versions):
        for one, other in ((earlier, later), (later, earlier)):
            for name, attribute in one.attributes.items():
                beside = other.attributes.get(name)
                if beside is None or attribute.default is None or beside.default is None:
                    continue
                if attribute.default != beside.default:
                    versions_named = f"{one.since_version} as in version {other.since_version}"
                    words = f"default of '{name}' in version {versions_named}"
                    slip = _default(one.since_version, name, attribute.default, beside.default)
                    yield words, slip


def _default(version: int, name: str, own: Any, other: Any) -> Slip:  # noqa: ANN401  an attribute
    def answer(call: Call, compute: Answer) -> Result:
        if call.since_version != version or call.attributes.get(name) != own:
            return compute(call)
        return compute(replace(call, attributes={**call.attributes, name: other}))

    return answer
