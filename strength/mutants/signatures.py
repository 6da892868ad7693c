"""Mutants from an operator's signature: what implementations overlook, whatever the operator.

Each is a function of a call that asks the oracle about a slightly other call, or gives slightly
other values back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from onnx_conformance.generators.oracle.arith.rounding import (
    wrap,
)
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, Result
from onnx_conformance.generators.signatures.model import Attribute, Signature

from ..changing import each_of
from ..interfaces import Answer, Change, Slip
from .slips import input_changed, output_changed, shapes_refused, tensors_of
from .values import values

_GREATER_RANK = 4


def signature_mutants(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    """(what is overlooked, an answer that overlooks it) for an operator with these versions."""
    yield from _attributes(versions)
    yield from _inputs(versions)
    yield from _types(versions)
    yield from values(versions)
    yield from _shapes(versions)
    yield from _outputs(versions)
    yield from _other_versions(versions)


# --- attributes --------------------------------------------------------------------------------


def _attributes(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    found: dict[str, Attribute] = {}
    for signature in versions:
        found.update(signature.attributes)
    for name, attribute in found.items():
        if name == "consumed_inputs":
            continue
        defaults = {item.since_version: item.attributes.get(name) for item in versions}
        yield f"attribute '{name}' ignored", _ignoring(name, defaults)
        for word, change in _CHANGES.get(attribute.type, ()):
            yield f"attribute '{name}' {word}", _attribute_changed(name, change)
        if attribute.default is not None:
            other = _other(attribute.default)
            if other is not None:
                yield (
                    f"default of '{name}' is {other!r}",
                    _attribute_changed(name, _default_changer(attribute.default, other)),
                )


def _ignoring(name: str, known: Mapping[int, Attribute | None]) -> Slip:
    def answer(call: Call, compute: Answer) -> Result:
        attribute = known.get(call.since_version)
        attributes = dict(call.attributes)
        attributes.pop(name, None)
        if attribute is not None and attribute.default is not None:
            attributes[name] = attribute.default
        elif attribute is not None and attribute.required and attribute.type in _BLANK:
            attributes[name] = _BLANK[attribute.type]
        return compute(replace(call, attributes=attributes))

    return answer


_BLANK: dict[str, Any] = {"int": 0, "float": 0.0, "string": "", "ints": (), "floats": ()}


def _attribute_changed(name: str, change: Change) -> Slip:
    def answer(call: Call, compute: Answer) -> Result:
        if name not in call.attributes:
            return compute(call)
        value = change(call.attributes[name])
        if value == call.attributes[name]:
            return compute(call)
        return compute(replace(call, attributes={**call.attributes, name: value}))

    return answer


def _default_changer(default: Any, other: Any) -> Change:  # noqa: ANN401  any attribute
    return lambda value: other if value == default else value


def _other(default: Any) -> Any:  # noqa: ANN401  any attribute
    """Another value of the kind of a default; None where none is at hand."""
    if isinstance(default, int):
        return {0: 1, 1: 0}.get(default, default + 1)
    if isinstance(default, float):
        return default * 2 or 1.0
    return None


def _refusing(condition: Callable[[Any], bool]) -> Change:
    def change(value: Any) -> Any:  # noqa: ANN401  any attribute
        if condition(value):
            raise InvalidCallError("refused")
        return value

    return change


def _refused(value: Any) -> Any:  # noqa: ANN401  an input
    return each_of(value, _refusing(lambda _tensor: True))


_CHANGES: dict[str, tuple[tuple[str, Change], ...]] = {
    "int": (
        ("one more", lambda value: value + 1),
        ("one less", lambda value: value - 1),
        ("taken for a flag", lambda value: int(value != 0)),
        ("only its lowest bit", lambda value: value & 1),
        ("refused where negative", _refusing(lambda value: value < 0)),
        ("0 where negative", lambda value: max(value, 0)),
        ("as int32", lambda value: wrap("int32", value)),
    ),
    "ints": (
        ("reversed", lambda value: value[::-1]),
        ("sorted", lambda value: tuple(sorted(value))),
        ("only the first", lambda value: value[:1]),
        ("without the last", lambda value: value[:-1]),
        ("all as the first", lambda value: value[:1] * len(value)),
        ("refused where one is negative", _refusing(lambda value: min(value, default=0) < 0)),
        ("refused where empty", _refusing(lambda value: not value)),
    ),
    "float": (
        ("twice as large", lambda value: value * 2),
        ("negated", lambda value: -value),
        ("cut to an integer", lambda value: float(int(value)) if abs(value) < 2**62 else value),
    ),
    "floats": (
        ("reversed", lambda value: value[::-1]),
        ("only the first", lambda value: value[:1]),
        ("all as the first", lambda value: value[:1] * len(value)),
    ),
    "strings": (
        ("reversed", lambda value: value[::-1]),
        ("only the first", lambda value: value[:1]),
    ),
}


# --- inputs ------------------------------------------------------------------------------------


def _inputs(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    optional, variadic = {}, {}
    for signature in versions:
        optional.update({item.name: item for item in signature.inputs if item.option == "optional"})
        variadic.update({item.name: item for item in signature.inputs if item.option == "variadic"})
    for name in optional:
        yield f"input '{name}' ignored", _without_input(name)
        yield f"input '{name}' refused", input_changed(name, _refused)
    for name in variadic:
        yield f"only the first of '{name}'", input_changed(name, lambda items: items[:1])
        yield f"only the first two of '{name}'", input_changed(name, lambda items: items[:2])
        yield f"'{name}' in reverse", input_changed(name, lambda items: items[::-1])
        yield f"one of '{name}' refused", input_changed(name, _refusing(lambda i: len(i) == 1))
        yield f"all of '{name}' as the first", input_changed(name, lambda i: i[:1] * len(i))


def _without_input(name: str) -> Slip:
    def answer(call: Call, compute: Answer) -> Result:
        return compute(
            replace(call, inputs={key: item for key, item in call.inputs.items() if key != name})
        )

    return answer


def _types(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    seen: dict[tuple[str, str], None] = {}
    for signature in versions:
        used = {item.type for item in signature.inputs}
        for variable, names in signature.types.items():
            if variable in used:
                seen.update(dict.fromkeys((variable, name) for name in names))
    for variable, name in seen:
        yield f"{variable} = {name} refused", _type_refused(variable, name)


def _type_refused(variable: str, name: str) -> Slip:
    def answer(call: Call, compute: Answer) -> Result:
        if call.types.get(variable) == name:
            raise InvalidCallError("refused")
        return compute(call)

    return answer


# --- shapes ------------------------------------------------------------------------------------


def _shapes(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    if not any(signature.inputs for signature in versions):
        return
    yield "scalars refused", _shape_refused(lambda shape: not shape)
    yield "zero-size tensors refused", _shape_refused(lambda shape: 0 in shape)
    yield "ranks above 4 refused", _shape_refused(lambda shape: len(shape) > _GREATER_RANK)
    if any(len(item.inputs) > 1 or item.max_inputs is None for item in versions):
        yield "different shapes refused", shapes_refused(lambda a, b: a != b)
        yield "different ranks refused", shapes_refused(lambda a, b: len(a) != len(b))
        yield "only scalars broadcast", shapes_refused(lambda a, b: a != b and a and b)
        yield "only the second input is broadcast", shapes_refused(_first_is_smaller)
        yield "broadcast on one side only", shapes_refused(_both_sides)


def _shape_refused(condition: Callable[[tuple[int, ...]], bool]) -> Slip:
    def answer(call: Call, compute: Answer) -> Result:
        if any(condition(item.shape) for item in tensors_of(call)):
            raise InvalidCallError("refused")
        return compute(call)

    return answer


def _padded(a: tuple[int, ...], b: tuple[int, ...]) -> list[tuple[int, int]]:
    rank = max(len(a), len(b))
    ones = (1,) * rank
    return list(
        zip((ones + a)[-rank:] if rank else (), (ones + b)[-rank:] if rank else (), strict=True)
    )


def _first_is_smaller(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return len(a) < len(b) or any(x == 1 != y for x, y in _padded(a, b))


def _both_sides(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    pairs = _padded(a, b)
    return any(x == 1 != y for x, y in pairs) and any(y == 1 != x for x, y in pairs)


# --- outputs -----------------------------------------------------------------------------------


def _outputs(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    yield (
        "a scalar result has shape [1]",
        output_changed(lambda tensor: replace(tensor, shape=tensor.shape or (1,))),
    )
    yield (
        "a result of one element is a scalar",
        output_changed(
            lambda tensor: replace(tensor, shape=()) if tensor.element_count == 1 else tensor
        ),
    )
    if any(len(item.outputs) > 1 or item.max_outputs is None for item in versions):
        yield "the first output twice", lambda call, compute: _twice(compute(call))
        yield "the outputs in reverse", lambda call, compute: tuple(compute(call)[::-1])


def _twice(result: Result) -> Result:
    return tuple(item if item is None else result[0] for item in result)


# --- versions ----------------------------------------------------------------------------------


def _other_versions(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    """Each version behaves as the one before or behind it does, where its attributes allow it."""
    for earlier, later in pairwise(versions):
        if [item.name for item in earlier.inputs] != [item.name for item in later.inputs]:
            continue
        for one, other in ((earlier, later), (later, earlier)):
            yield (
                f"version {one.since_version} behaves as version {other.since_version}",
                _as_version(one, other),
            )


def _as_version(one: Signature, other: Signature) -> Slip:
    defaults = {
        item.name: item.default for item in other.attributes.values() if item.default is not None
    }

    def answer(call: Call, compute: Answer) -> Result:
        if call.since_version != one.since_version:
            return compute(call)
        own = {key: item for key, item in call.attributes.items() if key in other.attributes}
        return compute(
            replace(call, since_version=other.since_version, attributes={**defaults, **own})
        )

    return answer
