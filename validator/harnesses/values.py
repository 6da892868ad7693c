"""The values of protocol 1, decoded (docs/protocol.md, Values)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union


@dataclass(frozen=True)
class Tensor:
    """A tensor: `data` is as in raw_data, or a list of byte strings."""

    #: Element type in the protocol's words: `float32`, `int4`, `string` …
    type: str
    #: Its dimensions.
    shape: tuple[int, ...]
    #: The bytes of raw_data; for strings, each of them.
    data: bytes | list[bytes]

    @property
    def size(self) -> int:
        """Number of elements."""
        count = 1
        for dimension in self.shape:
            count *= dimension
        return count


@dataclass(frozen=True)
class SequenceValue:
    """A sequence of values."""

    #: The values, in order.
    items: Sequence[Value]


@dataclass(frozen=True)
class OptionalValue:
    """An optional: `value` is None if it is absent."""

    #: The value inside; None if it is absent.
    value: Value | None


@dataclass(frozen=True)
class MapValue:
    """A map: `keys` is a one-dimensional tensor, `values` has one entry a key."""

    #: The keys: one dimension, integers or strings.
    keys: Tensor
    #: The value of each key, in the order of the keys.
    values: Sequence[Value]


@dataclass(frozen=True)
class ForeignValue:
    """A result of a runtime that is none of the others, described in words."""

    #: What it is, in words.
    description: str


Value = Union[Tensor, SequenceValue, OptionalValue, MapValue, ForeignValue]  # noqa: UP007  Python 3.8


def decode(wire: dict[str, Any]) -> Value:
    """The value of a request."""
    if "sequence" in wire:
        return SequenceValue([decode(item) for item in wire["sequence"]])
    if "optional" in wire:
        return OptionalValue(None if wire["optional"] is None else decode(wire["optional"]))
    if "map" in wire:
        keys = decode(wire["map"]["keys"])
        if not isinstance(keys, Tensor):
            raise TypeError("the keys of a map must be a tensor")
        return MapValue(keys, [decode(item) for item in wire["map"]["values"]])
    data = wire["data"]
    decoded = (
        [base64.b64decode(item) for item in data]
        if isinstance(data, list)
        else base64.b64decode(data)
    )
    return Tensor(wire["type"], tuple(wire["shape"]), decoded)


def encode(value: Value) -> dict[str, Any]:
    """The form of a value in a reply."""
    if isinstance(value, SequenceValue):
        return {"sequence": [encode(item) for item in value.items]}
    if isinstance(value, OptionalValue):
        return {"optional": None if value.value is None else encode(value.value)}
    if isinstance(value, MapValue):
        return {"map": {"keys": encode(value.keys), "values": [encode(v) for v in value.values]}}
    if isinstance(value, ForeignValue):
        return {"foreign": value.description}
    if isinstance(value.data, bytes):
        data: Any = base64.b64encode(value.data).decode("ascii")
    else:
        data = [base64.b64encode(item).decode("ascii") for item in value.data]
    return {"type": value.type, "shape": list(value.shape), "data": data}
