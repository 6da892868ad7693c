"""Mutants from an operator's signature: what implementations overlook, whatever the operator.

Each is a function of a call that asks the oracle about a slightly other call, or gives slightly
other values back.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of_numbers, value_of
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    is_finite,
    is_zero,
)
from onnx_conformance.generators.oracle.arith.rounding import (
    decode,
    encode,
    greatest,
    is_float,
    least_normal,
    round_to,
    saturate,
    wrap,
)
from onnx_conformance.generators.oracle.errors import InvalidCallError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from onnx_conformance.core.values.tensors import Value
    from onnx_conformance.generators.oracle.registry import Call, Result
    from onnx_conformance.generators.signatures.model import Attribute, Signature

    Answer = Callable[[Call], Result]
    # Answers a call with the help of a correct answer.
    Slip = Callable[[Call, Answer], Result]
    Change = Callable[[Any], Any]

_FLOATS = ("float64", "float32", "float16", "bfloat16")
_GREATER_RANK = 4


def careless(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    """(what is overlooked, an answer that overlooks it) for an operator with these versions."""
    yield from _attributes(versions)
    yield from _inputs(versions)
    yield from _types(versions)
    yield from _values(versions)
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
        yield f"input '{name}' refused", _input_changed(name, _refusing(lambda _value: True))
    for name in variadic:
        yield f"only the first of '{name}'", _variadic_changed(name, lambda items: items[:1])
        yield f"only the first two of '{name}'", _variadic_changed(name, lambda items: items[:2])
        yield f"'{name}' in reverse", _variadic_changed(name, lambda items: items[::-1])
        yield f"one of '{name}' refused", _variadic_changed(name, _refusing(lambda i: len(i) == 1))
        yield f"all of '{name}' as the first", _variadic_changed(name, lambda i: i[:1] * len(i))


def _without_input(name: str) -> Slip:
    def answer(call: Call, compute: Answer) -> Result:
        return compute(
            replace(call, inputs={key: item for key, item in call.inputs.items() if key != name})
        )

    return answer


def _variadic_changed(name: str, change: Change) -> Slip:
    def answer(call: Call, compute: Answer) -> Result:
        if name not in call.inputs:
            return compute(call)
        return compute(replace(call, inputs={**call.inputs, name: change(call.inputs[name])}))

    return answer


def _input_changed(name: str | None, change: Change) -> Slip:
    """Every tensor of an input, or of all inputs where no name is given, is changed."""

    def answer(call: Call, compute: Answer) -> Result:
        inputs = {
            key: _each(item, change) if name in (None, key) else item
            for key, item in call.inputs.items()
        }
        # The very call, where nothing is changed, so that its answer may be remembered.
        return compute(call if inputs == call.inputs else replace(call, inputs=inputs))

    return answer


def _each(value: Value | tuple[Value, ...], change: Change) -> Any:  # noqa: ANN401  as it came
    if isinstance(value, tuple):
        return tuple(_each(item, change) for item in value)
    return change(value) if isinstance(value, Tensor) else value


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


# --- values on the way -------------------------------------------------------------------------


def _values(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    taken, given = _element_types(versions)
    changes: list[tuple[str, set[str], Change]] = [
        ("int64 through float64", {"int64", "uint64"}, _through("float64")),
        ("int64 through float32", {"int64", "uint64"}, _through("float32")),
        ("int64 through int32", {"int64"}, _wrapped("int32")),
        ("uint64 through int64", {"uint64"}, _wrapped("int64")),
        ("int32 through float32", {"int32", "uint32"}, _through("float32")),
        ("uint32 through int32", {"uint32"}, _wrapped("int32")),
        ("int16 through int8", {"int16", "uint16"}, _wrapped("int8")),
        ("uint8 through int8", {"uint8"}, _wrapped("int8")),
        ("int8 through uint8", {"int8"}, _wrapped("uint8")),
        ("4-bit integers without their sign", {"int4"}, _wrapped("uint4")),
        ("float64 through float32", {"float64"}, _through("float32")),
        ("float32 through float16", {"float32"}, _through("float16")),
        ("float32 through bfloat16", {"float32"}, _through("bfloat16")),
        ("strings cut at a zero byte", {"string"}, lambda item: item.partition(b"\0")[0]),
    ]
    changes += [(text, set(_FLOATS), change) for text, change in _SPECIALS]
    for text, types, change in changes:
        if types & taken:
            yield f"{text}, at the inputs", _input_changed(None, _elements(types, change))
        if types & given:
            yield f"{text}, at the outputs", _output_changed(_elements(types, change))
    if taken & set(_FLOATS):
        yield "subnormals are 0, at the inputs", _input_changed(None, _flushed)
    if given & set(_FLOATS):
        yield "subnormals are 0, at the outputs", _output_changed(_flushed)
        yield "what is beyond the range is the greatest number", _output_changed(_saturated)
        for steps in (1, 16):
            yield f"results {steps} ulp further from 0", _output_changed(_nudged(steps))


_SPECIALS: tuple[tuple[str, Change], ...] = (
    ("NaN is 0", lambda item: ZERO if item is NAN else item),
    ("-0 is 0", lambda item: ZERO if item is NEG_ZERO else item),
    ("inf is NaN", lambda item: NAN if item is INF else item),
    ("-inf is inf", lambda item: INF if item is NEG_INF else item),
    ("-inf is NaN", lambda item: NAN if item is NEG_INF else item),
    ("the sign is lost", lambda item: abs(item) if not isinstance(item, type(NAN)) else item),
)


def _element_types(versions: Sequence[Signature]) -> tuple[set[str], set[str]]:
    """The types that the inputs, and those that the outputs of any version can have."""
    taken: set[str] = set()
    given: set[str] = set()
    for signature in versions:
        for item in signature.inputs:
            taken.update(signature.types_of(item))
        for item in signature.outputs:
            given.update(signature.types_of(item))
    return taken, given


def _through(name: str) -> Change:
    """A number rounded to a float type and back; beyond the integers' range at its end."""
    from onnx_conformance.generators.oracle.arith.rationals import Fraction

    def change(item: Any) -> Any:  # noqa: ANN401  a number
        if isinstance(item, int):
            rounded = round_to(name, Fraction(item))
            return int(rounded) if isinstance(rounded, Fraction) else item
        return round_to(name, item)

    return change


def _wrapped(name: str) -> Change:
    return lambda item: wrap(name, item) if isinstance(item, int) else item


def _elements(types: set[str], change: Change) -> Change:
    """The change applied to each element of tensors of some types."""

    def changed(tensor: Tensor) -> Tensor:
        if tensor.type not in types:
            return tensor
        items = [change(item) for item in grid_of(tensor).items]
        if not is_float(tensor.type) and element_type(tensor.type).kind != "string":
            # What no longer fits is stored as hardware stores it.
            items = [_stored(tensor.type, item) for item in items]
        return tensor_of_numbers(tensor.type, tensor.shape, items)

    return changed


def _stored(name: str, item: Any) -> Any:  # noqa: ANN401  a number
    return saturate(name, item) if abs(item) > 2**63 else wrap(name, item)


def _flushed(tensor: Tensor) -> Tensor:
    if tensor.type not in _FLOATS:
        return tensor
    least = least_normal(tensor.type)

    def flush(item: Any) -> Any:  # noqa: ANN401  a number
        if not is_finite(item) or is_zero(item) or abs(item) >= least:
            return item
        return ZERO if item > 0 else NEG_ZERO

    items = [flush(item) for item in grid_of(tensor).items]
    return tensor_of_numbers(tensor.type, tensor.shape, items)


def _nudged(steps: int) -> Change:
    """Finite numbers that are not 0 moved away from 0 by a few representable numbers."""

    def nudged(tensor: Tensor) -> Tensor:
        if tensor.type not in _FLOATS:
            return tensor
        items = grid_of(tensor).items
        codes = [
            encode(tensor.type, item) + steps * (is_finite(item) and not is_zero(item))
            for item in items
        ]
        moved = [decode(tensor.type, code) for code in codes]
        kept = [new if is_finite(new) else old for new, old in zip(moved, items, strict=True)]
        return tensor_of_numbers(tensor.type, tensor.shape, kept)

    return nudged


def _saturated(tensor: Tensor) -> Tensor:
    if tensor.type not in _FLOATS:
        return tensor
    end = greatest(tensor.type)
    ends = {INF: end, NEG_INF: -end}
    items = [
        ends.get(item, item) if isinstance(item, type(INF)) else item
        for item in grid_of(tensor).items
    ]
    return tensor_of_numbers(tensor.type, tensor.shape, items)


# --- shapes ------------------------------------------------------------------------------------


def _shapes(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    if not any(signature.inputs for signature in versions):
        return
    yield "scalars refused", _shape_refused(lambda shape: not shape)
    yield "zero-size tensors refused", _shape_refused(lambda shape: 0 in shape)
    yield "ranks above 4 refused", _shape_refused(lambda shape: len(shape) > _GREATER_RANK)
    if any(len(item.inputs) > 1 or item.max_inputs is None for item in versions):
        yield "different shapes refused", _shapes_refused(lambda a, b: a != b)
        yield "different ranks refused", _shapes_refused(lambda a, b: len(a) != len(b))
        yield "only scalars broadcast", _shapes_refused(lambda a, b: a != b and a and b)
        yield "only the second input is broadcast", _shapes_refused(_first_is_smaller)
        yield "broadcast on one side only", _shapes_refused(_both_sides)


def _shape_refused(condition: Callable[[tuple[int, ...]], bool]) -> Slip:
    def answer(call: Call, compute: Answer) -> Result:
        if any(condition(item.shape) for item in _tensors(call)):
            raise InvalidCallError("refused")
        return compute(call)

    return answer


def _shapes_refused(condition: Callable[[tuple[int, ...], tuple[int, ...]], Any]) -> Slip:
    """Refuses two inputs of the same element type whose shapes fulfil a condition."""

    def answer(call: Call, compute: Answer) -> Result:
        tensors = _tensors(call)
        for first, second in pairwise(tensors):
            if first.type == second.type and condition(first.shape, second.shape):
                raise InvalidCallError("refused")
        return compute(call)

    return answer


def _tensors(call: Call) -> list[Tensor]:
    values: list[Any] = []
    for item in call.inputs.values():
        values.extend(item if isinstance(item, tuple) else [item])
    return [item for item in values if isinstance(item, Tensor)]


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
        _output_changed(lambda tensor: replace(tensor, shape=tensor.shape or (1,))),
    )
    yield (
        "a result of one element is a scalar",
        _output_changed(
            lambda tensor: replace(tensor, shape=()) if tensor.element_count == 1 else tensor
        ),
    )
    if any(len(item.outputs) > 1 or item.max_outputs is None for item in versions):
        yield "the first output twice", lambda call, compute: _twice(compute(call))
        yield "the outputs in reverse", lambda call, compute: tuple(compute(call)[::-1])


def _twice(result: Result) -> Result:
    return tuple(item if item is None else result[0] for item in result)


def _output_changed(change: Change) -> Slip:
    def answer(call: Call, compute: Answer) -> Result:
        return tuple(_changed(item, change) for item in compute(call))

    return answer


def _changed(item: Any, change: Change) -> Any:  # noqa: ANN401  an output of an oracle
    if isinstance(item, Grid):
        numbers = [value_of(part) for part in item.items]
        return change(tensor_of_numbers(item.type, item.shape, numbers))
    return change(item) if isinstance(item, Tensor) else item


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
