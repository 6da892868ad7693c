"""Honest documents, spoiled at random: the same ones for the same seed, on every machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

SEED = 20261122
MOST_CHANGES = 3


def _deep(depth: int) -> Any:  # noqa: ANN401  JSON
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


# What takes the place of a value: wrong types, extremes, and what breaks lines and encoders.
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    1 << 31,
    1 << 62,
    1 << 63,
    -(1 << 63) - 1,
    1 << 4000,
    float("nan"),
    float("inf"),
    1e308,
    "",
    "x",
    "a\nb",
    "\x00",
    "\x1b[2J\u202e",
    "\ud800",
    "\u2028",
    "../../etc/passwd",
    "=" * 7,
    "AAAA====",
    "y" * 5000,
    [],
    {},
    [None],
    [[]],
    {"": None},
    {"sequence": []},
    {"optional": None},
    {"type": "float32", "shape": [0], "data": ""},
    _deep(50),
    _deep(400),
    [1 << 62] * 300,
    ["a"] * 2000,
)


PIECES = (b"\xff", b"{", b"[" * 2000, b'"', b"\n", b": ", b"&a *a")


def spoiled(random: Random, document: Any) -> Any:  # noqa: ANN401  JSON
    """A copy of a JSON document with one to three changes, each somewhere in it."""
    result = json.loads(json.dumps(document))
    for _ in range(random.randint(1, MOST_CHANGES)):
        result = _changed(random, result)
    return result


def _changed(random: Random, value: Any) -> Any:  # noqa: ANN401  JSON
    if isinstance(value, dict) and value and random.random() < 0.85:
        return _changed_object(random, value)
    if isinstance(value, list) and value and random.random() < 0.85:
        return _changed_list(random, value)
    if isinstance(value, str) and value and random.random() < 0.5:
        index = random.randrange(len(value))
        return value[:index] + random.choice(("", "=", "\n", "A", "é", "\x00")) + value[index + 1 :]
    return random.choice(VALUES)


def _changed_object(random: Random, value: dict[str, Any]) -> dict[str, Any]:
    key = random.choice(list(value))
    how = random.random()
    if how < 0.1:
        return {name: item for name, item in value.items() if name != key}
    if how < 0.2:
        return {**value, random.choice(("", "id", "extra", "type", "optional")): value[key]}
    return {**value, key: _changed(random, value[key])}


def _changed_list(random: Random, value: list[Any]) -> list[Any]:
    index = random.randrange(len(value))
    how = random.random()
    if how < 0.1:
        return value[:index] + value[index + 1 :]
    if how < 0.2:
        return [*value, *value]
    return [*value[:index], _changed(random, value[index]), *value[index + 1 :]]


def spoiled_bytes(random: Random, content: bytes) -> bytes:
    """A copy of some bytes with one to three changes: flipped, cut, doubled or replaced."""
    data = bytearray(content)
    for _ in range(random.randint(1, MOST_CHANGES)):
        first = random.randrange(len(data) + 1)
        last = min(len(data), first + random.choice((1, 1, 4, 64, 4096)))
        how = random.randrange(6)
        if how == 0 and first < len(data):
            data[first] ^= 1 << random.randrange(8)
        elif how == 1:
            del data[first:last]
        elif how == 2:
            data[first:first] = data[first:last] * random.choice((1, 2, 50))
        elif how == 3:
            data[first:last] = bytes(last - first)
        elif how == 4:
            data[first:first] = random.choice(
                (b"\xff", b"{", b"[" * 2000, b'"', b"\n", b": ", b"&a *a")
            )
        else:
            data[first:last] = random.randbytes(last - first)
    return bytes(data)


def line_of(document: Any) -> bytes:  # noqa: ANN401  JSON
    """A document as a line, with what Python calls JSON: NaN and lone surrogates as well."""
    return json.dumps(document).encode()
