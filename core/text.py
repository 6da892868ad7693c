"""Text for people: on one line, and without characters that a terminal would obey.

Messages come from runtimes that are being judged, so nothing in them is trusted: control
characters, terminal escapes, direction overrides and lone surrogates are made visible.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Sequence

# C0 and C1 controls, DEL, line and paragraph separators, direction marks and overrides, lone
# surrogates and the non-characters: what could move a cursor, reorder a line or break an encoder.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


def visible(text: str) -> str:
    """The text with every unprintable character replaced by its escape."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(lambda match: _escape(match.group()), text.replace("\r\n", "\n"))


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def unwrapped(text: str) -> str:
    """The text on one line: each stretch of white space becomes one blank."""
    return " ".join(text.split())


def one_line(text: str, limit: int | None = None) -> str:
    """The text on one line, cut with an ellipsis where it is longer than `limit`."""
    if limit is not None and len(text) > 4 * limit:
        text = text[: 4 * limit]  # far longer text need not be read to its end
    line = unwrapped(visible(text))
    return line if limit is None else shortened(line, limit)


def shortened(line: str, limit: int) -> str:
    """A line that is cut with an ellipsis where it is longer than `limit`; blanks are kept."""
    return line if len(line) <= limit else line[: max(limit - 1, 0)] + "…"


def printable_line(text: str) -> str:
    """The text on one line without unprintable characters: for files that people edit."""
    return unwrapped("".join(item if item.isprintable() else " " for item in text))


def first_and_last(text: str, limit: int = 160) -> str:
    """The first and the last line that are not blank, on one line; empty if there is none.

    A panic gives its reason first, an exception last.
    """
    lines = [line for line in map(str.strip, text.splitlines()) if line not in ("", "...")]
    ends = dict.fromkeys(one_line(line, limit) for line in (*lines[:1], *lines[-1:]))
    return " … ".join(ends)


def quantity(number: int, noun: str, plural: str | None = None) -> str:
    """`1 vector`, `20,000 vectors`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(names: Sequence[str], most: int, more: str = "more") -> str:
    """`Add, Cast and 95 more`: the first names, and how many are left."""
    left = len(names) - most
    shown = ", ".join(names[:most])
    return f"{shown} and {left:,} {more}" if left > 0 else shown


def cut(text: str, limit: int) -> str:
    """A text of at most `limit` characters; its end tells how many were cut off."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … ({len(text) - limit:,} more characters cut off)"


def brief(value: object, limit: int = 160) -> str:
    """A value of unknown origin as one short line for a message; bytes are shown as text.

    A long value is cut before it is formatted: a `repr` of megabytes takes seconds.
    """
    if isinstance(value, bytes):
        return one_line(value[: 4 * limit].decode("utf-8", "backslashreplace"), limit)
    return one_line(_SHORT.repr(value), limit)


class _Short(reprlib.Repr):
    """`repr` of the beginning of a value."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxdict = self.maxlist = self.maxtuple = 8
        self.maxstring = self.maxother = self.maxlong = 120


_SHORT = _Short()
