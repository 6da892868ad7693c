"""CastMap and DictVectorizer: maps as rows of numbers."""

from __future__ import annotations

from typing import Any

from ...graphs.call import Call
from ...graphs.registry import ML, evaluates
from ...values.tensors import Arr, CannotAnswerError, Mapped
from ..quantizing.casts import converted
from ..shared import text, zeros

_TYPES = {"TO_FLOAT": "float32", "TO_STRING": "string", "TO_INT64": "int64"}


def _pairs(call: Call) -> tuple[str, dict[Any, Any]]:
    """The element type of the values of a map, and the value of each key."""
    value = call.raw(0)
    if not isinstance(value, Mapped):
        raise CannotAnswerError(f"the input of {call.operator} is no map")
    if not value.values:
        raise CannotAnswerError("an empty map does not tell the type of its values")
    pairs = zip(value.keys.data, value.values, strict=True)
    return value.values[0].type, {_key(key): item.item for key, item in pairs}


def _key(item: Any) -> Any:  # noqa: ANN401  an integer or bytes
    return item if isinstance(item, bytes) else int(item)


def _row(name: str, items: list[Any]) -> Arr:
    made = zeros(name, (1, len(items)))
    for place, item in enumerate(items):
        made[0, place] = item
    return Arr(name, made)


@evaluates("CastMap", domain=ML)
def cast_map(call: Call) -> Arr:
    """`CastMap`: the values in the order of their keys, or at the places that are their keys."""
    name, table = _pairs(call)
    target = _TYPES[text(call.attr("cast_to"))]
    if text(call.attr("map_form")) == "DENSE":
        return converted(_row(name, [table[key] for key in sorted(table)]), target)
    made = converted(_row(name, list(table.values())), target).data[0]
    row = zeros(target, (1, call.attr("max_map")))
    for key, item in zip(table, made, strict=True):
        if not 0 <= key < row.shape[1]:
            raise CannotAnswerError("a key beyond max_map")
        row[0, key] = item
    return Arr(target, row)


@evaluates("DictVectorizer", domain=ML)
def dictionary(call: Call) -> Arr:
    """`DictVectorizer`: the values at the places of their keys in the vocabulary."""
    name, table = _pairs(call)
    words = list(call.attr("string_vocabulary") or call.attr("int64_vocabulary") or [])
    if set(table) - set(words):
        raise CannotAnswerError("a key that the vocabulary lacks")
    made = zeros(name, (len(words),))
    for place, word in enumerate(words):
        if word in table:
            made[place] = table[word]
    return Arr(name, made)
