"""What strings of a call must be: UTF-8, as the pages of all operators of strings ask."""

from __future__ import annotations

from ...arith.grid import Grid
from ...errors import InvalidCallError
from ...registry import Call, refuse_if_chosen

_ESCAPED = "surrogateescape"


def strings(call: Call, name: str) -> Grid:
    """An input of strings, as bytes.

    Where one is not UTF-8 the call asks `not-utf-8`: the page asks for UTF-8 and says nothing of
    what else comes. InvalidCallError for another element type.
    """
    grid = call.grid(name)
    if grid.type != "string":
        raise InvalidCallError(f"input '{name}' is {grid.type}, no strings")
    if not all(_is_utf8(item) for item in grid.items):
        refuse_if_chosen(call, "not-utf-8", "bytes")
    return grid


def _is_utf8(item: bytes) -> bool:
    try:
        item.decode()
    except UnicodeDecodeError:
        return False
    return True


def characters(item: bytes) -> str:
    """The characters of a string; a byte that is part of none becomes one that `encoded` undoes."""
    return item.decode(errors=_ESCAPED)


def encoded(text: str) -> bytes:
    """The bytes that `characters` were decoded from."""
    return text.encode(errors=_ESCAPED)
