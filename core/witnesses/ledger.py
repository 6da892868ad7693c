"""The ledger of witnesses: for each vector the engines that agree with it.

A vector is known by a key, the first 24 bits of its digest, so that the row of one whose files
changed is not found rather than wrong. docs/witnesses-ledger.md describes the file.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ..documents import INTEGER, OBJECT, TEXT, TEXT_MAP, check, json_line, parsed, read_plain
from ..errors import BadInputError
from ..limits import MANIFEST
from ..text import quantity
from .families import families_of

LEDGER = Path(__file__).with_name("ledger.json")
FORMAT = 1
#: The letters of engines in the file.
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BITS = 24
_KEY = 4


@dataclass(frozen=True, order=True)
class Engine:
    """What was run on the vectors.

    Attributes:
        name: as it calls itself in its handshake.
        version: of it.
    """

    name: str
    version: str

    def __str__(self) -> str:
        """`onnxruntime 1.32.0`."""
        return f"{self.name} {self.version}".rstrip()


@dataclass(frozen=True)
class Ledger:
    """What engines agree with.

    Attributes:
        corpus: version of the corpus whose vectors were run.
        engines: all of them.
        agreeing: by operator version, e.g. `abs-13`, and by key of the vector, those that agree;
            empty where none does. A vector that was not run has no key.
    """

    corpus: str
    engines: tuple[Engine, ...]
    agreeing: Mapping[str, Mapping[str, frozenset[Engine]]] = field(default_factory=dict)

    def of(self, vector_id: str, digest: str | None) -> Agreement | None:
        """Who agrees with a vector; None if the ledger knows nothing of these bytes.

        Args:
            vector_id: its id.
            digest: SHA-256 of its files, as manifests have it; None if there is no manifest.
        """
        rows = self.agreeing.get(vector_id.partition("/")[0])
        found = None if rows is None or digest is None else rows.get(key_of(digest))
        return None if found is None else Agreement(tuple(sorted(found)))


@dataclass(frozen=True)
class Agreement:
    """The engines that agree with one vector."""

    #: In the order of their names.
    engines: tuple[Engine, ...]

    @property
    def witnesses(self) -> int:
        """How many independent ones these are: engines that share code count once."""
        return len(families_of(item.name for item in self.engines))

    def __str__(self) -> str:
        """`2 witnesses: onnx.reference 1.23.2, onnxruntime 1.32.0`."""
        if not self.engines:
            return "no witness"
        count = quantity(self.witnesses, "witness", "witnesses")
        return f"{count}: {', '.join(map(str, self.engines))}"


def key_of(digest: str) -> str:
    """The key of a vector: four characters of its digest, which is SHA-256 in hexadecimal."""
    return base64.urlsafe_b64encode(bytes.fromhex(digest[: _BITS // 4])).decode("ascii")


@cache
def ledger_here() -> Ledger:
    """The ledger that comes along."""
    return read_ledger(LEDGER)


def read_ledger(path: Path) -> Ledger:
    """The ledger in a file; BadInputError if it holds none."""
    try:
        document = parsed(read_plain(path, MANIFEST), unique=True)
        check(document, {"format": INTEGER, "corpus": TEXT, "engines": OBJECT, "vectors": OBJECT})
        _require_format(document["format"])
        check(document["vectors"], dict.fromkeys(document["vectors"], TEXT_MAP))
        engines = {
            letter: Engine(item["name"], item["version"])
            for letter, item in document["engines"].items()
        }
        agreeing = {
            version: dict(_rows(version, groups, engines))
            for version, groups in document["vectors"].items()
        }
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is no ledger of witnesses: {error!r}") from None
    return Ledger(document["corpus"], tuple(engines.values()), agreeing)


def _require_format(number: int) -> None:
    """ValueError for a format that this version does not read."""
    if number != FORMAT:
        raise ValueError(f"format {number}; this version reads {FORMAT}")


def _rows(
    version: str, groups: Mapping[str, str], engines: Mapping[str, Engine]
) -> list[tuple[str, frozenset[Engine]]]:
    found = []
    for letters, keys in groups.items():
        if len(keys) % _KEY:
            raise ValueError(f"{version}: the keys of '{letters}' have not {_KEY} characters each")
        agreeing = frozenset(engines[letter] for letter in letters)
        found += [(keys[at : at + _KEY], agreeing) for at in range(0, len(keys), _KEY)]
    if len(dict(found)) != len(found):
        raise ValueError(f"{version}: has a key twice")
    return found


def ledger_text(ledger: Ledger) -> str:
    """The ledger as JSON, an operator version a line."""
    letters = dict(zip(ledger.engines, LETTERS, strict=False))
    if len(letters) < len(ledger.engines):
        raise BadInputError(f"a ledger holds at most {len(LETTERS)} engines")
    head: dict[str, Any] = {"format": FORMAT, "corpus": ledger.corpus}
    named = {
        letter: {"name": engine.name, "version": engine.version}
        for engine, letter in letters.items()
    }
    lines = [f" {json_line(key)}: {json_line(value)}," for key, value in head.items()]
    lines.append(' "engines": {')
    lines.append(_joined(named))
    lines += [" },", ' "vectors": {']
    lines.append(
        _joined({version: _grouped(rows, letters) for version, rows in ledger.agreeing.items()})
    )
    return "\n".join(["{", *lines, " }", "}"]) + "\n"


def _joined(items: Mapping[str, Any]) -> str:
    return ",\n".join(f"  {json_line(key)}: {json_line(value)}" for key, value in items.items())


def _grouped(
    rows: Mapping[str, frozenset[Engine]], letters: Mapping[Engine, str]
) -> dict[str, str]:
    """The keys of vectors, one after the other, by the letters of the engines that agree."""
    groups: dict[str, list[str]] = {}
    for key, agreeing in rows.items():
        word = "".join(letter for engine, letter in letters.items() if engine in agreeing)
        groups.setdefault(word, []).append(key)
    return {word: "".join(groups[word]) for word in sorted(groups)}
