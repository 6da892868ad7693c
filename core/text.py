"""Text for people: on one line, and with nothing in it that a terminal would obey.

Messages come from runtimes that are being judged, so nothing in them is trusted: control
characters, terminal escapes, direction overrides and lone surrogates are made visible.
"""

from __future__ import annotations

import re

# C0 and C1 controls, DEL, line and paragraph separators, direction marks and overrides, lone
# surrogates and the non-characters: what could move a cursor, reorder a line or break an encoder.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


def visible(text: str) -> str:
    """The text with every character that is not for reading replaced by its escape."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(lambda match: _escape(match.group()), text.replace("\r\n", "\n"))


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def one_line(text: str, limit: int | None = None) -> str:
    """The text on one line, cut with an ellipsis where it is longer than `limit`."""
    line = " ".join(visible(text).split())
    if limit is not None and len(line) > limit:
        return line[: max(limit - 1, 0)] + "…"
    return line


def printable_line(text: str) -> str:
    """The text on one line without what cannot be printed: for files that people write in."""
    return " ".join("".join(item if item.isprintable() else " " for item in text).split())


def quantity(number: int, noun: str, plural: str | None = None) -> str:
    """`1 vector`, `20,000 vectors`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
