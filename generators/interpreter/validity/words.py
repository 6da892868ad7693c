"""Types in words, as signatures write them, and what the type variables of an operator stand for.

A tensor type is its element type alone (`float32`); others are `seq(float32)`,
`optional(seq(int64))`, `map(int64,string)`. A value does not always determine its whole type: an
empty sequence is `seq(?)` and an absent optional `optional(?)`; `?` matches anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from onnx_conformance.core.values.tensors import (
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
    Value,
)

ANYTHING = "?"


def word_of(value: Value) -> str:
    """The type of a value in words, as far as the value determines it."""
    if isinstance(value, Tensor):
        return value.type
    if isinstance(value, SequenceValue):
        return f"seq({_common(value.items)})"
    if isinstance(value, OptionalValue):
        return f"optional({ANYTHING if value.value is None else word_of(value.value)})"
    if isinstance(value, MapValue):
        return f"map({value.keys.type},{_common(value.values)})"
    return ANYTHING


def _common(values: Iterable[Value]) -> str:
    """The common type of all values; if some determine it less than others, the fullest."""
    words = sorted({word_of(value) for value in values}, key=lambda word: ANYTHING in word)
    return words[0] if words else ANYTHING


def fits(word: str, other: str) -> bool:
    """Whether two types in words can be the same; either may contain `?`."""
    for one, two in ((word, other), (other, word)):
        before, found, after = one.partition(ANYTHING)
        if found:
            if len(two) >= len(before) + len(after) and two.startswith(before):
                return two.endswith(after)
            return ANYTHING in two
    return word == other


def fuller(word: str, other: str) -> str:
    """Of two types that fit each other, the one that determines more."""
    return other if ANYTHING in word else word


def inside(word: str, container: str) -> str | None:
    """`float32` of `seq(float32)` for the container `seq`; None for another container."""
    if word == ANYTHING:
        return ANYTHING
    if word.startswith(container + "(") and word.endswith(")"):
        return word[len(container) + 1 : -1]
    return None
