"""Calls beyond the corpus: those of its vectors with something changed at random.

The oracle answers each first. A mutant that gives the same on all of them counts as equivalent.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack
from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor
from onnx_conformance.generators.interpreter.validity.words import word_of
from onnx_conformance.generators.oracle.registry import Call
from onnx_conformance.generators.signatures.model import Signature

from ..changing import each_of

#: The bits of an element of a type, drawn.
Code = Callable[[str, random.Random], int]
_MOST_ELEMENTS = 48
_INTEGERS = (0, 1, -1, 2, -2, 3, -3, 4, 5, 7, 8, 13, 100)
_FLOAT_ATTRIBUTES = (0.0, 1.0, -1.0, 0.5, 2.0, 1e-5, 0.25, 3.0, float("inf"), float("nan"))


def sampled_calls(
    calls: Sequence[Call], versions: Mapping[int, Signature], count: int, seed: str
) -> list[Call]:
    """Calls made from those of the corpus: each with one to four things changed.

    Args:
        calls: what is changed; nothing comes from nothing.
        versions: the signatures of the operator by operator version.
        count: how many at most.
        seed: the same seed gives the same calls.
    """
    if not calls:
        return []
    chance = random.Random(seed)  # noqa: S311  a sample that can be made again
    sampler = _Sampler(chance, calls, versions)
    return [sampler.call() for _ in range(count)]


class _Sampler:
    def __init__(
        self, chance: random.Random, calls: Sequence[Call], versions: Mapping[int, Signature]
    ) -> None:
        self._chance = chance
        self._calls = calls
        self._versions = versions

    def call(self) -> Call:
        call = self._chance.choice(self._calls)
        steps: list[Callable[[Call], Call]] = [
            self._values,
            self._values,
            self._shapes,
            self._attribute,
            self._type,
            self._presence,
            self._exchange,
        ]
        for _ in range(self._chance.randint(1, 4)):
            call = self._chance.choice(steps)(call)
        return call

    # --- steps ---

    def _values(self, call: Call) -> Call:
        """Other elements in one input."""
        return self._one_input(call, lambda tensor: self._filled(tensor.type, tensor.shape))

    def _exchange(self, call: Call) -> Call:
        """An input as it is in another call of the corpus."""
        other = self._chance.choice(self._calls)
        common = sorted(set(call.inputs) & set(other.inputs))
        if not common:
            return call
        name = self._chance.choice(common)
        if _words(call.inputs[name]) != _words(other.inputs[name]):
            return call
        return replace(call, inputs={**call.inputs, name: other.inputs[name]})

    def _presence(self, call: Call) -> Call:
        """An optional input left out, or taken from another call."""
        signature = self._versions[call.since_version]
        names = [item.name for item in signature.inputs if item.option == "optional"]
        if not names:
            return call
        name = self._chance.choice(names)
        if name in call.inputs:
            return replace(call, inputs={k: v for k, v in call.inputs.items() if k != name})
        others = [item.inputs[name] for item in self._calls if name in item.inputs]
        if not others:
            return call
        return replace(call, inputs={**call.inputs, name: self._chance.choice(others)})

    def _type(self, call: Call) -> Call:
        """Another type for a type variable, in all inputs that have it."""
        signature = self._versions[call.since_version]
        variables = [name for name in call.types if len(signature.types.get(name, ())) > 1]
        if not variables:
            return call
        variable = self._chance.choice(variables)
        names = [item for item in signature.types[variable] if "(" not in item]
        if not names:
            return call
        new = self._chance.choice(names)
        inputs = dict(call.inputs)
        for parameter in signature.inputs:
            if parameter.type == variable and parameter.name in inputs:
                inputs[parameter.name] = self._retyped(inputs[parameter.name], new)
        return replace(call, inputs=inputs, types={**call.types, variable: new})

    def _retyped(self, value: Any, name: str) -> Any:  # noqa: ANN401  one value or several
        if isinstance(value, tuple):
            return tuple(self._retyped(item, name) for item in value)
        return self._filled(name, value.shape) if isinstance(value, Tensor) else value

    def _attribute(self, call: Call) -> Call:
        """Another value for an attribute, or none."""
        signature = self._versions[call.since_version]
        names = [name for name in signature.attributes if name != "consumed_inputs"]
        if not names:
            return call
        name = self._chance.choice(names)
        attribute = signature.attributes[name]
        attributes = dict(call.attributes)
        seen = [item.attributes[name] for item in self._calls if name in item.attributes]
        if self._chance.random() < 0.15 and not attribute.required and attribute.default is None:
            attributes.pop(name, None)
            return replace(call, attributes=attributes)
        value = self._content(attribute.type, attributes.get(name), seen)
        if value is None:
            return call
        return replace(call, attributes={**attributes, name: value})

    def _content(self, kind: str, current: Any, seen: Sequence[Any]) -> Any:  # noqa: ANN401
        chance = self._chance
        if seen and chance.random() < 0.4:
            return chance.choice(seen)
        if kind == "int":
            if seen and set(seen) <= {0, 1}:
                return chance.choice((0, 1))  # a flag: other numbers have no meaning
            near = [current + 1, current - 1, -current] if isinstance(current, int) else []
            return chance.choice([*near, *_INTEGERS])
        if kind == "float":
            return chance.choice(_FLOAT_ATTRIBUTES)
        if kind == "ints":
            base = list(current if isinstance(current, tuple) else (0,))
            change = chance.randrange(5)
            if change == 0:
                chance.shuffle(base)
            elif change == 1 and base:
                base.pop()
            elif change == 2:
                base.append(chance.choice(_INTEGERS[:9]))
            elif base:
                base[chance.randrange(len(base))] = chance.choice(_INTEGERS[:9])
            return tuple(base)
        return chance.choice(seen) if seen else None

    def _shapes(self, call: Call) -> Call:
        """One dimension changed in every tensor that has it, or an axis more, less or of size 1."""
        tensors = [item for item in _flat(call.inputs.values()) if isinstance(item, Tensor)]
        sizes = sorted({size for item in tensors for size in item.shape})
        kind = self._chance.randrange(5)
        if kind < 2 and sizes:
            old, new = self._chance.choice(sizes), self._chance.choice((0, 1, 2, 3, 4, 5, 7))
            return self._all_inputs(
                call, lambda shape: tuple(new if size == old else size for size in shape)
            )
        if kind == 2:
            return self._one_shape(call, lambda shape: (*shape, self._chance.choice((1, 2, 3))))
        if kind == 3:
            return self._one_shape(call, lambda shape: (self._chance.choice((1, 2, 3)), *shape))
        if self._chance.random() < 0.5:
            return self._one_shape(call, lambda shape: shape[1:])
        return self._one_shape(call, self._narrowed)

    def _narrowed(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape with 1 at some axes."""
        return tuple(1 if self._chance.random() < 0.4 else size for size in shape)

    def _one_shape(self, call: Call, change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Call:
        return self._one_input(call, lambda tensor: self._shaped(tensor, change(tensor.shape)))

    def _all_inputs(self, call: Call, change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Call:
        inputs = {
            name: each_of(value, lambda tensor: self._shaped(tensor, change(tensor.shape)))
            for name, value in call.inputs.items()
        }
        return replace(call, inputs=inputs)

    def _one_input(self, call: Call, change: Callable[[Tensor], Tensor]) -> Call:
        if not call.inputs:
            return call
        name = self._chance.choice(sorted(call.inputs))
        return replace(call, inputs={**call.inputs, name: each_of(call.inputs[name], change)})

    # --- tensors ---

    def _shaped(self, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
        if shape == tensor.shape:
            return tensor
        filled = self._filled(tensor.type, shape)
        # What an index or a shape says is worth more than noise: keep what fits.
        if isinstance(tensor.data, bytes) and isinstance(filled.data, bytes):
            kept = tensor.data[: len(filled.data)]
            if element_type(tensor.type).bits >= 8:
                return replace(filled, data=kept + filled.data[len(kept) :])
        return filled

    def _filled(self, name: str, shape: tuple[int, ...]) -> Tensor:
        if prod(shape) > _MOST_ELEMENTS:
            shape = ()
        return drawn(name, shape, self._chance, random_code)


def drawn(name: str, shape: tuple[int, ...], chance: random.Random, code: Code) -> Tensor:
    """A tensor of which each element is drawn, of numbers by what gives the bits of one."""
    element, count = element_type(name), prod(shape)
    if element.kind == "string":
        return Tensor(name, shape, tuple(random_word(chance) for _ in range(count)))
    return Tensor(name, shape, pack(element, [code(name, chance) for _ in range(count)]))


def random_word(chance: random.Random) -> bytes:
    """A short text."""
    return chance.choice((b"", b"a", b"B", b"1.5", b"-7", b"\xc3\xa9", b"a b", b"nan", b"A"))


def random_code(name: str, chance: random.Random) -> int:
    """The bits of an element of a type: mostly a small number, sometimes any bits."""
    element = element_type(name)
    mask = (1 << element.bits) - 1
    if element.kind == "bool":
        return chance.randrange(2)
    if element.kind in ("int", "uint"):
        if chance.random() < 0.85:
            return chance.choice(_INTEGERS) & mask
        return chance.getrandbits(element.bits)
    if chance.random() < 0.3 or element.kind == "complex" or not element.bits > 8:
        return chance.getrandbits(element.bits)
    return _encoded(name, chance)


def _encoded(name: str, chance: random.Random) -> int:
    from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, NEG_ZERO
    from onnx_conformance.generators.oracle.arith.rationals import Fraction
    from onnx_conformance.generators.oracle.arith.rounding import encode

    if chance.random() < 0.25:
        return encode(name, chance.choice((INF, NAN, NEG_INF, NEG_ZERO)))
    number = Fraction(chance.randint(-4000, 4000), chance.choice((1, 2, 3, 8, 10, 1000)))
    return encode(name, number)


def _flat(values: Any) -> list[Any]:  # noqa: ANN401  values of all kinds
    found: list[Any] = []
    for value in values:
        if isinstance(value, tuple):
            found.extend(_flat(value))
        elif isinstance(value, SequenceValue):
            found.extend(_flat(value.items))
        elif isinstance(value, OptionalValue):
            found.extend(_flat([] if value.value is None else [value.value]))
        else:
            found.append(value)
    return found


def _words(value: Any) -> Any:  # noqa: ANN401  as it came
    return tuple(map(word_of, value)) if isinstance(value, tuple) else word_of(value)
