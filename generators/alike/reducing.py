"""From a large call to a smaller one, and from its outputs to those of the large one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Bounded, Drawn, Sampled, Tensor, Value

from ..oracle.registry import Call
from .axes import Axes, Labels, Place
from .rules import axes_of

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

#: Elements of an input from which a call is looked at: smaller ones cost as little as looking.
LARGE = 256
_WORD = 8  # bytes that are compared as one number


class NotRestoredError(Exception):
    """The outputs of a smaller call say nothing of those of the large one."""


@dataclass(frozen=True)
class _Kept:
    """Which positions along independent axes are kept.

    Attributes:
        labels: the names of the axes.
        sizes: along each of them in the large call.
        chosen: the positions that are kept, the first of each kind, in order.
        kinds: for each position its kind: the number of the one that is kept for it.
    """

    labels: Labels
    sizes: tuple[int, ...]
    chosen: Array
    kinds: Array


@dataclass(frozen=True)
class Reduced:
    """A smaller call in the place of a large one.

    Attributes:
        call: the smaller call.
    """

    call: Call
    _axes: Axes
    _kept: tuple[_Kept, ...]

    def restored(self, position: int, value: Value) -> Value:
        """An output of the large call.

        Args:
            position: of the output in the signature.
            value: this output of the smaller call.

        Raises NotRestoredError for a value that is no tensor, or one that was drawn.
        """
        if not isinstance(value, Tensor) or isinstance(value, (Drawn, Sampled)):
            raise NotRestoredError
        labels = self._axes.outputs[position]
        plain = self._spread(value, labels)
        if not isinstance(value, Bounded):
            return plain
        limits = {
            profile: (self._spread(low, labels), self._spread(high, labels))
            for profile, (low, high) in value.limits.items()
        }
        return Bounded(plain.type, plain.shape, plain.data, limits, value.rules)

    def _spread(self, tensor: Tensor, labels: Labels) -> Tensor:
        array = _array(tensor)
        if array is None or array.ndim != len(labels):
            raise NotRestoredError
        for kept in self._kept:
            if set(kept.labels) & set(labels):
                array = _spread(array, labels, kept)
        return _tensor(tensor.type, array)


def reduced(call: Call) -> Reduced | None:
    """A smaller call that says what the large one does; None where there is none.

    Only tensors of types whose elements have bytes of their own, and strings, are looked at.
    """
    if not _is_large(call):
        return None
    import numpy as np

    axes = axes_of(call)
    if axes is None:
        return None
    arrays: dict[Place, Array] = {}
    for place in axes.inputs:
        array = _array(_tensor_at(call, place))
        if array is None:
            return None
        arrays[place] = array if axes.shape is None else np.broadcast_to(array, axes.shape)
    if _disagree(arrays, axes):
        return None
    found = [_alike(arrays, axes, labels) for labels in axes.independent]
    if all(len(kept.chosen) == len(kept.kinds) for kept in found):
        return None
    for kept in found:
        for place, labels in axes.inputs.items():
            if set(kept.labels) & set(labels):
                arrays[place] = _taken(arrays[place], labels, kept)
    tensors = {place: _tensor(_tensor_at(call, place).type, item) for place, item in arrays.items()}
    attributes = {name: len(found[at].chosen) for name, at in axes.counts.items()}
    smaller = replace(
        call,
        inputs={name: _replaced(name, value, tensors) for name, value in call.inputs.items()},
        attributes={**call.attributes, **attributes},
    )
    return Reduced(smaller, axes, tuple(found))


def _is_large(call: Call) -> bool:
    if call.package:
        return False
    values = (
        item
        for value in call.inputs.values()
        for item in (value if isinstance(value, tuple) else (value,))
    )
    return any(isinstance(item, Tensor) and item.element_count > LARGE for item in values)


def _tensor_at(call: Call, place: Place) -> Tensor:
    value = call.inputs[place[0]]
    found = value[place[1]] if isinstance(value, tuple) else value
    if not isinstance(found, Tensor):
        raise TypeError(f"input '{place[0]}' is no tensor")
    return found


def _replaced(name: str, value: Any, tensors: dict[Place, Tensor]) -> Any:  # noqa: ANN401  an input
    if isinstance(value, tuple):
        return tuple(tensors.get((name, index), item) for index, item in enumerate(value))
    return tensors.get((name, 0), value)


# --- arrays of elements as they are in bytes -------------------------------------------------


def _array(tensor: Tensor) -> Array | None:
    """The elements of a tensor, each as its bytes; None for types that share bytes."""
    import numpy as np

    if isinstance(tensor.data, tuple):
        texts = np.empty(len(tensor.data), object)
        texts[:] = tensor.data
        return texts.reshape(tensor.shape)
    bits = element_type(tensor.type).bits
    if bits % 8:
        return None
    code = f"<u{bits // 8}" if bits <= 8 * _WORD else f"V{bits // 8}"
    return np.frombuffer(tensor.data, code).reshape(tensor.shape)


def _tensor(name: str, array: Array) -> Tensor:
    shape = tuple(int(size) for size in array.shape)
    if array.dtype == object:
        return Tensor(name, shape, tuple(array.ravel().tolist()))
    return Tensor(name, shape, array.tobytes())


def _in_front(array: Array, labels: Labels, own: Labels) -> Array:
    """The array with its axes of these names first, in their order."""
    import numpy as np

    present = [labels.index(name) for name in own if name in labels]
    return np.moveaxis(array, present, range(len(present)))


def _disagree(arrays: dict[Place, Array], axes: Axes) -> bool:
    """Whether an input has other axes than labels, or an axis that is looked at has two sizes.

    Such as an equation with fewer letters than axes: the oracle refuses it.
    """
    if any(arrays[place].ndim != len(labels) for place, labels in axes.inputs.items()):
        return True
    looked_at = {name for labels in axes.independent for name in labels}
    sizes: dict[str, int] = {}
    return any(
        name in looked_at and sizes.setdefault(name, size) != size
        for place, labels in axes.inputs.items()
        for name, size in zip(labels, arrays[place].shape, strict=True)
    )


def _alike(arrays: dict[Place, Array], axes: Axes, own: Labels) -> _Kept:
    """Which positions along some axes are equal in all inputs."""
    import numpy as np

    sizes = {
        name: size
        for place, labels in axes.inputs.items()
        for name, size in zip(labels, arrays[place].shape, strict=True)
        if name in own
    }
    shape = tuple(sizes[name] for name in own)
    kinds = np.zeros(int(np.prod(shape)), np.int64)
    for place, labels in axes.inputs.items():
        if not set(own) & set(labels):
            continue
        if own[0] not in labels:
            raise ValueError(f"input '{place[0]}' has {labels}, and not '{own[0]}'")
        array = _in_front(arrays[place], labels, own)
        rest = array.shape[sum(name in labels for name in own) :]
        missing = tuple(
            axis for axis, name in enumerate(own) if name not in labels
        )  # this input is the same all along these
        array = np.broadcast_to(np.expand_dims(array, missing), (*shape, *rest))
        kinds = _numbered(kinds, array.reshape(len(kinds), math.prod(rest)))
    _, first, inverse = np.unique(kinds, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return _Kept(own, shape, first[order], rank[inverse.reshape(-1)])


def _numbered(before: Array, rows: Array) -> Array:
    """A number for each row: equal where the rows are equal, and the numbers before are."""
    import numpy as np

    if rows.dtype == object:
        numbers: dict[Any, int] = {}
        keys = [tuple(row) for row in rows.tolist()]
        found = np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
    elif rows.shape[1] * rows.dtype.itemsize <= _WORD and rows.dtype.kind == "u":
        found = np.zeros(len(rows), np.uint64)
        for column in range(rows.shape[1]):
            shift = np.uint64(8 * rows.dtype.itemsize % 64)
            found = (found << shift if column else found) | rows[:, column].astype(np.uint64)
        found = np.unique(found, return_inverse=True)[1].reshape(-1)
    else:
        width = rows.shape[1] * rows.dtype.itemsize
        content = np.ascontiguousarray(rows).tobytes()
        known: dict[bytes, int] = {}
        found = np.array(
            [
                known.setdefault(content[at : at + width], len(known))
                for at in range(0, len(rows) * width, width)
            ],
            np.int64,
        )
    if not before.any():
        return found.astype(np.int64)
    both = before * (int(found.max(initial=0)) + 1) + found.astype(np.int64)
    return np.unique(both, return_inverse=True)[1].reshape(-1)


def _taken(array: Array, labels: Labels, kept: _Kept) -> Array:
    """The array with the kept positions along the first axis, and one along the others."""
    import numpy as np

    present = [name for name in kept.labels if name in labels]
    front = _in_front(array, labels, kept.labels)
    rest = front.shape[len(present) :]
    indices = np.unravel_index(kept.chosen, kept.sizes)
    own = tuple(indices[kept.labels.index(name)] for name in present)
    rows = front[own].reshape(len(kept.chosen), *([1] * (len(present) - 1)), *rest)
    return np.moveaxis(rows, range(len(present)), [labels.index(name) for name in present])


def _spread(array: Array, labels: Labels, kept: _Kept) -> Array:
    """The inverse: what stands at a kept position at all positions of its kind."""
    import numpy as np

    if not set(kept.labels) <= set(labels):
        raise NotRestoredError
    front = _in_front(array, labels, kept.labels)
    due = (len(kept.chosen), *([1] * (len(kept.labels) - 1)))
    if front.shape[: len(due)] != due:
        raise NotRestoredError
    rest = front.shape[len(due) :]
    rows = front.reshape(len(kept.chosen), *rest)[kept.kinds].reshape(*kept.sizes, *rest)
    return np.moveaxis(rows, range(len(due)), [labels.index(name) for name in kept.labels])
