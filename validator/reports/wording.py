"""Words and text that all reports share.

Messages come from runtimes that are being judged, so nothing in them is trusted: control
characters, terminal escapes, direction overrides and lone surrogates are made visible.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..results.records import Header

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


def quantity(number: int, noun: str, plural: str | None = None) -> str:
    """`1 vector`, `20,000 vectors`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def verdict_words(verdict: str, phase: str | None) -> str:
    """`rejected at load`, `wrong-type`."""
    return one_line(f"{verdict} at {phase}" if phase else verdict, 60)


def said(verdict: str, phase: str | None, message: str) -> tuple[str, str]:
    """The verdict in words, and the message without them where it begins so."""
    words = verdict_words(verdict, phase)
    rest = one_line(message)
    # A runtime that gives no reason leaves nothing but the verdict.
    return words, rest.removeprefix(f"{words}: ") if rest.rstrip(": ") != words else ""


def reproducing_command(header: Header, vector_id: str) -> str:
    """The command that runs one vector alone, ready to be pasted into a shell.

    `header.extra["arguments"]` holds the options that a run needs beside the backend's name, as a
    list of words (e.g. `["--vectors", "build/vectors"]`).
    """
    backend = str(header.extra.get("backend", header.backend))
    words = ["onnx-validate", "run", "--backend", one_line(backend)]
    words += [one_line(str(word)) for word in header.extra.get("arguments", ())]
    return shlex.join(words) + f" {_quoted(one_line(vector_id))}"


def _quoted(vector_id: str) -> str:
    # Ids are always quoted, also where no shell asks for it: people turn them into globs.
    quoted = shlex.quote(vector_id)
    return quoted if quoted.startswith("'") else f"'{quoted}'"
