"""The calls that are simpler than one: fewer edits, then less of everything that is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import NamedValue, Tensor

from ..specs.model import GivenAttribute, Literal
from .calls import DrawnCall
from .edits import AbsentEdit, AttributeEdit, InputEdit, SizeEdit, TypeEdit, with_edit
from .elements import codes_of, reshaped, retyped, tensor_of_codes

_PLAIN_TYPES = ("float32", "int64", "int32", "uint8")
_STATIC = "static"
# Elements of one input that are made simpler one by one.
_ONE_BY_ONE = 24


def simpler_calls(call: DrawnCall) -> list[DrawnCall]:
    """Simpler calls, the boldest first; each differs from `call`."""
    found: list[DrawnCall] = []
    measure = _measure(call)
    for item in _candidates(call):
        simpler = item.bound()
        if simpler not in found and _measure(simpler) < measure:
            found.append(simpler)
    return found


def _measure(call: DrawnCall) -> tuple[int, ...]:
    """How far a call is from a simple one: each step makes this less, so that there is an end."""
    tensors = [item.value for item in call.inputs if isinstance(item.value, Tensor)]
    return (
        len(call.done),
        int(call.form != _STATIC),
        sum(_type_rank(item) for item in call.types.values()),
        len(call.attributes) + len(call.inputs),
        sum(len(item.shape) for item in tensors) + sum(sum(item.shape) for item in tensors),
        sum(_attribute_measure(item) for item in call.attributes),
        sum(_values_measure(item) for item in tensors),
    )


def _type_rank(word: str) -> int:
    return _PLAIN_TYPES.index(word) if word in _PLAIN_TYPES else len(_PLAIN_TYPES)


def _attribute_measure(item: GivenAttribute) -> int:
    value = item.value
    if isinstance(value, Literal):
        return 8 * len(value.values or ()) + 8
    if isinstance(value, tuple):
        return sum(min(4, abs(one)) if isinstance(one, int) else 1 for one in value)
    return 0


def _values_measure(tensor: Tensor) -> int:
    """The elements that are not zero, and those that are not one twice more."""
    if isinstance(tensor.data, tuple) or not tensor.element_count:
        return 0
    one = codes_of(_all(tensor, 1))[0]
    return sum(0 if code == 0 else 1 if code == one else 3 for code in codes_of(tensor))


def _candidates(call: DrawnCall) -> Iterator[DrawnCall]:
    yield from _fewer_edits(call)
    loose = replace(call, start=None)  # from here on, edits cannot be made anew
    yield from _plainer_model(loose)
    yield from _fewer_parts(loose)
    yield from _smaller(loose)
    yield from _simpler_values(loose)


def _fewer_edits(call: DrawnCall) -> Iterator[DrawnCall]:
    """One edit alone, then all but one."""
    if call.start is None or len(call.done) < 2:
        return
    for edit in call.done:
        yield with_edit(call.start, edit)
    for index in range(len(call.done)):
        yield reduce(with_edit, call.done[:index] + call.done[index + 1 :], call.start)


def _plainer_model(call: DrawnCall) -> Iterator[DrawnCall]:
    if call.form != _STATIC:
        yield replace(call, form=_STATIC)
    for variable, word in call.types.items():
        listed = call.version.types.get(variable, ())
        for name in _PLAIN_TYPES:
            if name == word:
                break
            if name in listed and "(" not in word:
                yield TypeEdit("", "", variable, name).of(call)


def _fewer_parts(call: DrawnCall) -> Iterator[DrawnCall]:
    """Without an attribute, an optional input or the last value of a variadic one."""
    for item in call.attributes:
        known = call.version.attributes.get(item.name)
        if not call.sets_a_type(item.name) and (known is None or not known.required):
            yield AttributeEdit("", "", item.name, "", None).of(call)
        if known is not None and known.type == "ints" and isinstance(item.value, tuple):
            for plain in (0, 1):
                value = tuple(plain for _ in item.value)
                yield _with_attribute(call, replace(item, value=value))
        if isinstance(item.value, Literal) and item.value.shape and item.value.values:
            first = Literal((1,), item.value.values[:1], item.value.type)
            yield _with_attribute(call, replace(item, value=first))
    for name in [item.name for item in call.inputs]:
        parameter = call.version.parameter_of(name)
        if parameter is not None and (parameter.optional or parameter.variadic):
            yield AbsentEdit("", "", name).of(call)


def _with_attribute(call: DrawnCall, changed: GivenAttribute) -> DrawnCall:
    attributes = tuple(changed if a.name == changed.name else a for a in call.attributes)
    return replace(call, attributes=attributes)


def _smaller(call: DrawnCall) -> Iterator[DrawnCall]:
    """A dimension that is smaller everywhere, or in one input; then an axis less."""
    tensors = [item for item in call.inputs if isinstance(item.value, Tensor)]
    sizes = sorted({size for item in tensors for size in _shape(item)}, reverse=True)
    for old in sizes:
        for new in dict.fromkeys((1, 2, old // 2, old - 1)):
            if 0 < new < old:
                yield SizeEdit("", "", old, new).of(call)
    for item in tensors:
        yield from _smaller_input(call, item)
    ranks = [item for item in tensors if _shape(item)[:1] == (1,)]
    if len(ranks) > 1:
        yield reduce(lambda every, item: _with_shape(every, item, _shape(item)[1:]), ranks, call)


def _smaller_input(call: DrawnCall, item: NamedValue) -> Iterator[DrawnCall]:
    """One dimension of one input that is smaller, or its first axis gone."""
    shape = _shape(item)
    for axis, old in enumerate(shape):
        for new in dict.fromkeys((1, 2, old // 2, old - 1)):
            if 0 < new < old:
                other = (*shape[:axis], new, *shape[axis + 1 :])
                yield _with_shape(call, item, other)
    if shape and shape[0] == 1:
        yield _with_shape(call, item, shape[1:])


def _shape(item: NamedValue) -> tuple[int, ...]:
    return item.value.shape if isinstance(item.value, Tensor) else ()


def _with_shape(call: DrawnCall, item: NamedValue, shape: tuple[int, ...]) -> DrawnCall:
    if not isinstance(item.value, Tensor):
        return call
    return _with_value(call, item, reshaped(item.value, shape))


def _with_value(call: DrawnCall, item: NamedValue, value: Tensor) -> DrawnCall:
    return InputEdit("", "", item.name, value).of(call)


def _simpler_values(call: DrawnCall) -> Iterator[DrawnCall]:
    """All elements of an input the same and small, then one after the other."""
    for item in call.inputs:
        tensor = item.value
        if not isinstance(tensor, Tensor) or isinstance(tensor.data, tuple):
            continue
        for plain in (0, 1):
            yield _with_value(call, item, _all(tensor, plain))
    for item in call.inputs:
        tensor = item.value
        if not isinstance(tensor, Tensor) or isinstance(tensor.data, tuple):
            continue
        if element_type(tensor.type).kind == "complex" or tensor.element_count > _ONE_BY_ONE:
            continue
        codes = codes_of(tensor)
        for first, last in _parts(len(codes)):
            for plain in (0, 1):
                simple = codes_of(_all(tensor, plain))
                other = codes[:first] + simple[first:last] + codes[last:]
                yield _with_value(call, item, tensor_of_codes(tensor.type, tensor.shape, other))


def _parts(count: int) -> Iterator[tuple[int, int]]:
    """The halves of so many places, their halves, and so on to each place alone."""
    size = count // 2
    while size:
        for first in range(0, count, size):
            yield first, min(count, first + size)
        size //= 2


def _all(tensor: Tensor, number: int) -> Tensor:
    """A tensor of the same type and shape that holds one number."""
    ones = tensor_of_codes("uint8", tensor.shape, [number] * tensor.element_count)
    return retyped(ones, tensor.type)
