"""Values in the JSON of protocol 1 (docs/protocol.md, Values): written, and read within limits."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any

from ..errors import BadInputError
from ..limits import DEPTH, LINE, STRINGS, VALUES
from ..text import brief, cut
from .tensors import (
    ForeignValue,
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
    Value,
    check_shape,
    check_tensor,
)


def to_wire(value: Value) -> dict[str, Any]:
    """The JSON form of a value in protocol 1 (docs/protocol.md, Values)."""
    if isinstance(value, Tensor):
        data: str | list[str]
        if isinstance(value.data, tuple):
            data = [base64.b64encode(item).decode("ascii") for item in value.data]
        else:
            data = base64.b64encode(value.data).decode("ascii")
        return {"type": value.type, "shape": list(value.shape), "data": data}
    if isinstance(value, SequenceValue):
        return {"sequence": [to_wire(item) for item in value.items]}
    if isinstance(value, ForeignValue):
        return {"foreign": value.description}
    if isinstance(value, OptionalValue):
        return {"optional": None if value.value is None else to_wire(value.value)}
    return {
        "map": {"keys": to_wire(value.keys), "values": [to_wire(item) for item in value.values]}
    }


@dataclass
class Budget:
    """How many more values may be read from one message or file."""

    #: Values that may still be read.
    values: int = VALUES
    #: Elements of string tensors that may still be read.
    strings: int = STRINGS

    def take(self, strings: int = 0) -> None:
        """Count one more value with its strings; BadInputError if that is too many."""
        self.values -= 1
        self.strings -= strings
        if self.values < 0:
            raise BadInputError(f"more than {VALUES:,} values are not taken")
        if self.strings < 0:
            raise BadInputError(f"more than {STRINGS:,} strings are not taken")


def from_wire(wire: Any, budget: Budget | None = None) -> Value:  # noqa: ANN401  from a harness
    """The value of a protocol 1 message; BadInputError says what is wrong with it.

    Args:
        wire: the value as JSON.
        budget: how much may still be read; None permits what one message may hold.
    """
    return _from_wire(wire, budget or Budget(), 0)


def _from_wire(wire: Any, budget: Budget, depth: int) -> Value:  # noqa: ANN401  from a harness
    if not isinstance(wire, dict):
        raise BadInputError(f"a value must be an object, not {_brief(wire)}")
    kinds = [kind for kind in _KINDS if kind in wire]
    if not kinds:
        return _tensor_from_wire(wire, budget)
    if len(kinds) > 1 or "data" in wire:
        raise BadInputError(f"a value is of one kind, not {_brief(sorted(wire))}")
    budget.take()
    if depth >= DEPTH:
        raise BadInputError(f"values are nested more than {DEPTH} deep")
    inner, depth = wire[kinds[0]], depth + 1
    if kinds[0] == "sequence":
        items = _list(inner, "sequence")
        return SequenceValue(tuple(_from_wire(item, budget, depth) for item in items))
    if kinds[0] == "optional":
        return OptionalValue(None if inner is None else _from_wire(inner, budget, depth))
    if kinds[0] == "map":
        return _map_from_wire(inner, budget, depth)
    if not isinstance(inner, str):
        raise BadInputError(f"'foreign' must be a text, not {_brief(inner)}")
    return ForeignValue(cut(inner, LINE))


def _map_from_wire(inner: Any, budget: Budget, depth: int) -> MapValue:  # noqa: ANN401  from a harness
    if not isinstance(inner, dict):
        raise BadInputError(f"'map' must be an object, not {_brief(inner)}")
    keys = _from_wire(inner.get("keys"), budget, depth)
    if not isinstance(keys, Tensor):
        raise BadInputError("'keys' of a map must be a tensor")
    values = _list(inner.get("values"), "values")
    return MapValue(keys, tuple(_from_wire(item, budget, depth) for item in values))


_KINDS = ("sequence", "optional", "map", "foreign")


def _tensor_from_wire(wire: dict[str, Any], budget: Budget) -> Tensor:
    for key in ("type", "shape", "data"):
        if key not in wire:
            raise BadInputError(f"a tensor has no '{key}'")
    name, shape, data = wire["type"], wire["shape"], wire["data"]
    if not isinstance(name, str):
        raise BadInputError(f"'type' must be a string, not {_brief(name)}")
    if not isinstance(shape, list) or not all(type(item) is int for item in shape):
        raise BadInputError(f"'shape' must be a list of integers, not {_brief(shape)}")
    check_shape(shape)
    if isinstance(data, list):
        budget.take(len(data))
        decoded: bytes | tuple[bytes, ...] = tuple(_unbase64(item) for item in data)
    else:
        budget.take()
        decoded = _unbase64(data)
    tensor = Tensor(name, tuple(shape), decoded)
    check_tensor(tensor)
    return tensor


def _unbase64(text: Any) -> bytes:  # noqa: ANN401  whatever a harness sent
    if not isinstance(text, str):
        raise BadInputError(f"'data' must be base64 text, not {_brief(text)}")
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInputError(f"'data' is not base64: {error}") from None
    if len(text) != (len(decoded) + 2) // 3 * 4:  # Python accepts any padding at the end
        raise BadInputError("'data' is not base64: excess padding")
    # And any bits behind the last byte, which an encoder leaves 0: other text is another value.
    left = len(decoded) % 3
    if left and base64.b64encode(decoded[-left:]).decode() != text[-4:]:
        raise BadInputError("'data' is not base64: bits behind the last byte are not 0")
    return decoded


def _list(value: Any, key: str) -> list[Any]:  # noqa: ANN401  whatever a harness sent
    if not isinstance(value, list):
        raise BadInputError(f"'{key}' must be a list, not {_brief(value)}")
    return value


def _brief(value: object) -> str:
    return brief(value, 60)
