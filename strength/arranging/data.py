"""What the data of vectors cannot tell: values that are all equal, or the same along an axis.

It is read from the files alone. That a vector is named is no fault: broadcasting one number,
filling, and comparing what is equal are about equal values. It is one where the case is about where
elements come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from onnx_conformance.core.corpus.corpus import Entry, load
from onnx_conformance.core.corpus.vector_files import data_sets_of
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import unpack_bits
from onnx_conformance.core.values.tensors import NamedValue, Tensor
from onnx_conformance.generators.oracle.arith.grid import lines

from ..names import name_of


@dataclass(frozen=True)
class Plainness:
    """What a vector's data cannot tell.

    Attributes:
        id: of the vector.
        operator: its name, with its domain.
        inputs: words about inputs: `A is all zero`.
        outputs: words about outputs: `Y is equal along axis 1`.
        tells_nothing: whether no output of several elements has two that differ.
    """

    id: str
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    tells_nothing: bool


def plain_data(entries: Iterable[Entry]) -> Iterator[Plainness]:
    """The valid vectors whose data cannot tell something, with what that is."""
    for entry in entries:
        if entry.kind is not Kind.VALID:
            continue
        loaded = load(entry)
        vector = loaded.vector
        name = name_of(vector.domain, vector.operator)
        found = _of(entry.id, name, data_sets_of(vector, loaded.files, loaded.location))
        if found is not None:
            yield found


def _of(identity: str, operator: str, data_sets: Sequence[Any]) -> Plainness | None:
    """What all data sets of a vector leave out; None where they leave out nothing."""
    inputs = _common([list(_words(item.inputs, whole=True)) for item in data_sets])
    outputs = _common([list(_words(item.outputs, whole=False)) for item in data_sets])
    several = [
        item.value
        for data_set in data_sets
        for item in data_set.outputs
        if isinstance(item.value, Tensor) and item.value.element_count > 1
    ]
    nothing = bool(several) and all(len(set(_codes(item))) == 1 for item in several)
    if not inputs and not outputs:
        return None
    return Plainness(identity, operator, inputs, outputs, nothing)


def _common(found: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The words that are said of each data set."""
    return tuple(word for word in found[0] if all(word in other for other in found[1:]))


def _words(values: Sequence[NamedValue], *, whole: bool) -> Iterator[str]:
    """What is to be said of values: of an input about the whole, of an output about each axis."""
    for item in values:
        tensor = item.value
        if not isinstance(tensor, Tensor) or tensor.element_count < 2:
            continue
        codes = _codes(tensor)
        if len(set(codes)) == 1:
            zero = codes[0] in (0, b"")
            yield f"{item.name} is all {'zero' if zero else 'equal'}"
        elif whole:
            if codes == codes[::-1]:
                yield f"{item.name} is symmetric"
        else:
            axes = [axis for axis, size in enumerate(tensor.shape) if size > 1]
            for axis in axes:
                if all(
                    len({codes[place] for place in line}) == 1 for line in lines(tensor.shape, axis)
                ):
                    yield f"{item.name} is equal along axis {axis}"


def _codes(tensor: Tensor) -> Sequence[Any]:
    if isinstance(tensor.data, tuple):
        return tensor.data
    bits = element_type(tensor.type).bits
    return unpack_bits(tensor.data, bits, tensor.element_count)
