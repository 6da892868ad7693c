"""CategoryMapper: strings as integers, and integers as strings. Source: its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .scaling import DOMAIN

# What the attributes default_* are where none is set.
_WORD, _NUMBER = "_Unused", -1


@oracle("CategoryMapper", domain=DOMAIN)
def category_mapper(call: Call) -> Result:
    """Strings as the integers beside them in the lists, or integers as the strings."""
    grid = call.grid("X")
    strings, integers = (
        call.strings_attribute("cats_strings", ()),
        call.ints_attribute("cats_int64s", ()),
    )
    if len(strings) != len(integers):
        raise InvalidCallError(f"{len(strings)} strings and {len(integers)} integers")
    if not strings and not integers:
        refuse_if_chosen(call, "without-lists", "empty-map")
    word, number = call.string_attribute("default_string"), call.int_attribute("default_int64")
    if grid.type == "string":
        pairs: list[tuple[Any, Any]] = list(zip(strings, integers, strict=True))
        unknown: Any = number
        target, other_is_set = "int64", word != _WORD
    else:
        pairs = list(zip(integers, strings, strict=True))
        unknown = word.encode()
        target, other_is_set = "string", number != _NUMBER
    if other_is_set:
        refuse_if_chosen(call, "default-of-the-other-kind", "by-types")
    return (grid.map(lambda item: _paired(call, pairs, item, unknown), target),)


def _paired(call: Call, pairs: Sequence[tuple[Any, Any]], item: Any, unknown: Any) -> Any:  # noqa: ANN401
    found = list(dict.fromkeys(value for key, value in pairs if key == item))
    if len(found) > 1 and call.choose("repeated-category", "first", "last") == "last":
        return found[-1]
    return found[0] if found else unknown
