"""What a drawer and a drawing are, and which drawers there are.

A drawer makes a drawing from an operator version, a seed and a number, and from nothing else: the
same one in every process and on every machine.
"""

from __future__ import annotations

import hashlib
import importlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from onnx_conformance.core.corpus.vectors import Vector
from onnx_conformance.core.errors import BadInputError

#: Letter -> the module in this package, and the name of its drawer's class.
DRAWERS = {
    "d": ("drawers.drawer", "SignatureDrawer"),
    "g": ("graphs.drawer", "GraphsDrawer"),
    "s": ("editing", "EditsDrawer"),
}


class NotDrawnError(Exception):
    """A drawer has nothing for an operator version; the message says why."""


@dataclass(frozen=True)
class Made:
    """A drawing as a vector, with what the oracle says.

    Attributes:
        vector: its metadata.
        files: all its files by path in its directory.
    """

    vector: Vector
    files: Mapping[str, bytes]


class Drawing(Protocol):
    """A drawn call, before anything is asked of an oracle."""

    @property
    def operator(self) -> str:
        """The operator as in the document; of several, the one that matters, or ''."""
        ...

    @property
    def base(self) -> str:
        """The vector of the corpus that it is made from; empty if there is none."""
        ...

    @property
    def edits(self) -> Sequence[str]:
        """What was changed or chosen, in words; the part before '=' is its kind."""
        ...

    @property
    def traits(self) -> Sequence[str]:
        """What a backend must have for it: element types, a form; a backend may lack some."""
        ...

    def plain(self) -> Drawing:
        """The same in the plainest form of model; itself where there is one form."""
        ...

    def made(self, vector_id: str) -> Made:
        """The vector with that id; NotPermittedError if nothing says what is permitted."""
        ...


class Drawer(Protocol):
    """Draws."""

    def draw(self, subject: str, seed: int, index: int, attempt: int = 0) -> Drawing:
        """A drawing.

        Args:
            subject: the operator version as in ids, `conv-22`.
            seed: what all drawings of an exploration are drawn from.
            index: its number.
            attempt: the documents do not permit every drawing; a caller asks again with the next
                number.

        Raises NotDrawnError.
        """
        ...

    def simpler(self, drawing: Any) -> Sequence[Drawing]:  # noqa: ANN401  one of its own
        """Simpler drawings that may show the same fault, the boldest first; always the same."""
        ...


def drawer_of(letter: str) -> Drawer:
    """The drawer with a letter; BadInputError if there is none."""
    if letter not in DRAWERS:
        raise BadInputError(
            f"nothing draws calls by the letter '{letter}': {', '.join(sorted(DRAWERS))} do"
        )
    module, name = DRAWERS[letter]
    made: Drawer = getattr(importlib.import_module(f".{module}", __package__), name)()
    return made


def chance_of(*facts: object) -> random.Random:
    """Random numbers that depend on nothing but some facts, in every version of Python."""
    text = "\0".join(map(str, facts))
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
    return random.Random(seed)  # noqa: S311  drawn so that it can be drawn again
