"""StringSplit: strings cut at a delimiter or at whitespace. Source: the StringSplit page."""

from __future__ import annotations

import re

from ...arith.grid import Grid
from ...registry import Call, Result, oracle, refuse_if_chosen
from .encoding import characters, encoded, strings

_ALL = -1  # what str.split takes for no limit
_SPACE = " "
_ASCII = "\t\n\v\f\r "
# White_Space of the Unicode Character Database, PropList.txt.
_UNICODE = _ASCII + "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
_UNICODE += "\u200a\u2028\u2029\u202f\u205f\u3000"
_WHITESPACE = {"unicode": _UNICODE, "ascii": _ASCII, "space": _SPACE}


@oracle("StringSplit")
def string_split(call: Call) -> Result:
    """The substrings of each string along a last axis, filled up with empty ones; their number."""
    grid = strings(call, "X")
    limit = _limit(call)
    delimiter = call.string_attribute("delimiter", "")
    parts = [_parts(call, characters(item), delimiter, limit) for item in grid.items]
    longest = max((len(found) for found in parts), default=0)
    shape = (*grid.shape, longest)
    if not parts and call.choose("axis-of-nothing", "added", "left-out") == "left-out":
        shape = grid.shape
    texts = [encoded(text) for found in parts for text in (*found, *[""] * (longest - len(found)))]
    counts = Grid("int64", grid.shape, [len(found) for found in parts])
    return (Grid("string", shape, texts), counts)


def _limit(call: Call) -> int | None:
    """The number of splits that are made at most; None for all."""
    if "maxsplit" not in call.attributes:
        return None
    limit = call.int_attribute("maxsplit")
    if limit >= 0:
        return limit
    refuse_if_chosen(call, "negative-maxsplit", "no-limit")
    return None


def _parts(call: Call, text: str, delimiter: str, limit: int | None) -> list[str]:
    if not delimiter:
        return _words(call, text, limit)
    if not text:
        return [""] if call.choose("nothing-to-split", "one", "none") == "one" else []
    return text.split(delimiter, _ALL if limit is None else limit)


def _words(call: Call, text: str, limit: int | None) -> list[str]:
    """The words between runs of whitespace; behind the last split the rest, as it is."""
    white = _SPACE
    if any(letter in _UNICODE and letter != _SPACE for letter in text):
        white = _WHITESPACE[call.choose("whitespace", *_WHITESPACE)]
    rest = text.lstrip(white)
    found: list[str] = []
    if limit != 0:  # which re.split takes for no limit
        *found, rest = re.split(f"[{white}]+", rest, maxsplit=limit or 0)
    if rest and rest[-1] in white:
        kept = call.choose("whitespace-behind-the-rest", "removed", "kept") == "kept"
        rest = rest if kept else rest.rstrip(white)
    return [*found, rest] if rest else found
