"""The part of data.json on a vector's limits: the rules by which they were derived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from onnx_conformance.core.values.tensors import Bounded, NamedValue, Value, parts_of

from ...oracle.arith.rules import in_words, merged


def accuracy_of(outputs: Iterable[NamedValue]) -> dict[str, Any] | None:
    """The key `accuracy` of data.json; None if no output has limits.

    Args:
        outputs: the outputs of all data sets and of all permitted results.

    An output that it does not list is exact.
    """
    rules: dict[str, list[Any]] = {}
    for item in outputs:
        for value in _bounded_in(item.value):
            rules.setdefault(item.name, []).extend(value.rules)
    if not rules:
        return None
    by_output = {name: list(merged(found)) for name, found in rules.items()}
    words = dict.fromkeys(in_words(item) for found in by_output.values() for item in found)
    return {"rule": ", ".join(words), "outputs": by_output}


def _bounded_in(value: Value) -> Iterator[Bounded]:
    if isinstance(value, Bounded):
        yield value
    for part in parts_of(value):
        yield from _bounded_in(part)
