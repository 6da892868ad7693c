"""JSON from other people: read within limits, and checked before it is used.

A list instead of a text, a NaN, a number of thousands of digits or a thousand levels of nesting
is reported on one line, with the file and the key, by the function that reads the document; code
after it never meets one.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from .errors import BadInputError
from .limits import ID, LARGEST_DIMENSION, NESTING
from .text import brief

_CHUNK = 1 << 16
_ENCODER = json.JSONEncoder(ensure_ascii=False)
# Some systems lack some of these flags.
_FLAGS = os.O_RDONLY
for _name in ("O_CLOEXEC", "O_NONBLOCK", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


def read_plain(path: str | Path, limit: int) -> bytes:
    """The content of a plain file.

    Raises BadInputError for a pipe or a device (reading could wait for ever) and for a file larger
    than `limit` bytes. Raises OSError if it does not exist or may not be read.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise BadInputError(f"{path}: is no plain file")
        if status.st_size > limit:
            raise BadInputError(
                f"{path}: has {status.st_size:,} bytes; {limit:,} are taken at most"
            )
        chunks = [os.read(descriptor, _CHUNK)]
        while len(chunks[-1]) == _CHUNK:
            chunks.append(os.read(descriptor, _CHUNK))
    finally:
        os.close(descriptor)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def json_line(value: Any) -> str:  # noqa: ANN401  what JSON can say
    """A value as JSON on one line, with characters as they are: what `json.dumps` writes.

    An encoder of its own for each value takes several times as long for what a vector's files
    hold, and these are tens of thousands.
    """
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    if kind is int:
        return repr(value)
    if kind is list:
        return f"[{', '.join(map(json_line, value))}]"
    if kind is dict:
        items = [f"{encode_basestring(key)}: {json_line(item)}" for key, item in value.items()]
        return f"{{{', '.join(items)}}}"
    return "null" if value is None else _ENCODER.encode(value)


def parse_json(content: bytes, where: object) -> Any:  # noqa: ANN401  a file's content
    """The value of a JSON document; BadInputError names `where` and what is wrong with it."""
    try:
        return parsed(content)
    except ValueError as error:
        raise BadInputError(f"{where}: is not JSON: {error}") from None


def read_json(path: Path, limit: int) -> Any:  # noqa: ANN401  a file's content
    """The value of a JSON file; BadInputError if it cannot be read, or holds something else."""
    try:
        return parse_json(read_plain(path, limit), path)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None


def parsed(content: bytes, *, unique: bool = False) -> Any:  # noqa: ANN401  a file's content
    """The value of a JSON document; ValueError for anything that is not JSON.

    With `unique` also for an object that has a key twice: JSON permits it, and one value is lost.
    """
    try:
        document = (_UNIQUE_DECODER if unique else _DECODER).decode(content.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except MemoryError:
        raise ValueError("too large for the memory") from None
    # Most documents have fewer brackets than that altogether: they need no search.
    if content.count(b"[") + content.count(b"{") > NESTING and is_deeper(document, NESTING):
        raise ValueError(f"nested more than {NESTING} deep")
    return document


def is_deeper(value: Any, most: int) -> bool:  # noqa: ANN401  JSON
    """Whether lists and objects are nested more than `most` deep."""
    level, depth = [value], 0
    while level and depth <= most:
        lists = [item for item in level if isinstance(item, (list, dict))]
        level = [
            inner for item in lists for inner in (item.values() if type(item) is dict else item)
        ]
        depth += 1 if lists else 0
        if not lists:
            break
    return depth > most


def refuse_constant(name: str) -> None:
    """For a decoder: ValueError for NaN and the infinities, which JSON does not have."""
    raise ValueError(f"{name} is not JSON")


def finite(text: str) -> float:
    """For a decoder: the number; ValueError if it is beyond what a double holds."""
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:40]} is beyond what a double holds")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"{brief(twice)} is there twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite)
_UNIQUE_DECODER = json.JSONDecoder(
    parse_constant=refuse_constant, parse_float=finite, object_pairs_hook=_unique
)


# --- what a key must hold -------------------------------------------------------------------


@dataclass(frozen=True)
class Must:
    """The condition on a value: `words` describe it to a person, `holds` checks it."""

    #: What a value must be, for messages.
    words: str
    #: Whether a value is that.
    holds: Callable[[Any], bool]
    always: type | None = None
    """A type of which every value holds: most values are known by it without a call."""


_TEXT_ALONE = {str}
_DIGEST = re.compile("[0-9a-f]{64}")


def _is_texts(value: object) -> bool:
    return type(value) is list and _TEXT_ALONE.issuperset(map(type, value))


def _is_text_map(value: object) -> bool:
    return type(value) is dict and _TEXT_ALONE.issuperset(map(type, value.values()))


def _is_digests(value: object) -> bool:
    return type(value) is dict and all(
        type(item) is str and _DIGEST.fullmatch(item) is not None for item in value.values()
    )


def is_id(value: object) -> bool:
    """Whether a value can be the id of a vector: one line that can be printed, and not long."""
    return type(value) is str and 0 < len(value) <= ID and value.isprintable()


VECTOR_ID = Must(f"an id of 1 to {ID} printable characters", is_id)
VECTOR_IDS = Must("a list of ids", lambda value: type(value) is list and all(map(is_id, value)))
TEXT = Must("a text", lambda value: type(value) is str, str)
TEXT_OR_NULL = Must("a text or null", lambda value: value is None or type(value) is str, str)
TEXTS = Must("a list of texts", _is_texts)
TEXT_MAP = Must("an object of texts", _is_text_map)
DIGESTS = Must("an object of SHA-256 digests, each 64 hexadecimal digits", _is_digests)
OBJECT = Must("an object", lambda value: type(value) is dict, dict)
OBJECT_OF_TEXTS = Must(
    "an object of lists of texts",
    lambda value: type(value) is dict and all(map(_is_texts, value.values())),
)
OBJECTS = Must(
    "a list of objects",
    lambda value: type(value) is list and all(type(item) is dict for item in value),
)
LIST = Must("a list", lambda value: type(value) is list, list)
FLAG = Must("true or false", lambda value: type(value) is bool, bool)
INTEGER = Must(
    "an integer within int64",
    lambda value: type(value) is int and abs(value) <= LARGEST_DIMENSION,
)
NUMBER = Must(
    "a number",
    lambda value: type(value) is float or (type(value) is int and INTEGER.holds(value)),
    float,
)


def check(document: Mapping[str, Any], musts: Mapping[str, Must]) -> None:
    """Raise TypeError, which names the key, if the value of a key that is there breaks its rule."""
    for key, must in musts.items():
        if key in document:
            value = document[key]
            if type(value) is not must.always and not must.holds(value):
                raise TypeError(f"'{key}' must be {must.words}, not {brief(value, 80)}")
