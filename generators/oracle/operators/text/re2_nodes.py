r"""The parts of a regular expression, and where in a text a match of each can end.

A part answers for many starts at once with the set of all ends. Whether it would take the longest
or the shortest match first does not matter to a match of the whole text, so no part knows it.

A text is bytes, and places are between bytes: `\C` matches one of them, every other set of
characters the bytes of one character in UTF-8.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from .re2_letters import Letters

_CONTINUES = 0x80, 0xBF
_LONGEST = 4
_WORD = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_NEWLINE = 0x0A
Places = frozenset[int]


class Node(ABC):
    """A part of a regular expression."""

    @abstractmethod
    def ends(self, text: bytes, starts: Places) -> Places:
        """Where matches end that begin at one of `starts`."""

    def copies(self) -> int:
        """The most that nested `{n,m}` repeat anything in it; 1 where nothing is repeated."""
        return 1


@dataclass(frozen=True)
class OneOf(Node):
    """A character of a set."""

    #: The characters, any one of which matches.
    letters: Letters

    def ends(self, text: bytes, starts: Places) -> Places:
        """Behind the character that stands at a start, where it is in the set."""
        found = set()
        for start in starts:
            letter = letter_at(text, start)
            if letter and self.letters.holds(letter):
                found.add(start + len(letter.encode()))
        return frozenset(found)


@dataclass(frozen=True)
class AnyByte(Node):
    """One byte, be it a part of a character."""

    def ends(self, text: bytes, starts: Places) -> Places:
        """One byte on."""
        return frozenset(start + 1 for start in starts if start < len(text))


@dataclass(frozen=True)
class Place(Node):
    """What is true of a place and takes no bytes, by its name in ASSERTIONS."""

    #: A key of ASSERTIONS.
    name: str

    def ends(self, text: bytes, starts: Places) -> Places:
        """The starts of which it is true."""
        return frozenset(start for start in starts if ASSERTIONS[self.name](text, start))


@dataclass(frozen=True)
class Row(Node):
    """Parts one after the other; none of them matches the empty text."""

    #: What must match, in this order.
    parts: tuple[Node, ...]

    def ends(self, text: bytes, starts: Places) -> Places:
        """Each part from where the one before it ends."""
        for part in self.parts:
            starts = part.ends(text, starts)
        return starts

    def copies(self) -> int:
        """The most of a part."""
        return max((part.copies() for part in self.parts), default=1)


@dataclass(frozen=True)
class Choice(Node):
    """One of several parts."""

    #: Any one of these must match.
    parts: tuple[Node, ...]

    def ends(self, text: bytes, starts: Places) -> Places:
        """The ends of them all."""
        return frozenset().union(*(part.ends(text, starts) for part in self.parts))

    def copies(self) -> int:
        """The most of a part."""
        return max(part.copies() for part in self.parts)


@dataclass(frozen=True)
class Repeat(Node):
    """A part again and again: from `low` to `high` times, without end where that is None.

    `counted` is true where the expression gives the numbers in braces.
    """

    #: What is repeated.
    part: Node
    #: The least number of times.
    low: int
    #: The largest number; None for no limit.
    high: int | None
    #: Whether the expression gives the numbers in braces.
    counted: bool = False

    def ends(self, text: bytes, starts: Places) -> Places:
        """The ends after each permitted number of times."""
        places = starts
        for _ in range(self.low):
            places = self.part.ends(text, places)
        found = set(places)
        left = None if self.high is None else self.high - self.low
        while places and left != 0:
            places = self.part.ends(text, places) - found
            found |= places
            left = None if left is None else left - 1
        return frozenset(found)

    def copies(self) -> int:
        """Those of the part, as often as the part is repeated by numbers."""
        times = self.low if self.high is None else self.high
        return self.part.copies() * (max(times, 1) if self.counted else 1)


def letter_at(text: bytes, place: int) -> str:
    """The character whose bytes begin at a place, or '' where no character does."""
    for length in range(1, _LONGEST + 1):
        piece = text[place : place + length]
        try:
            return piece.decode() if len(piece) == length else ""
        except UnicodeDecodeError:
            continue
    return ""


def _begins_line(text: bytes, place: int) -> bool:
    return place == 0 or text[place - 1] == _NEWLINE


def _ends_line(text: bytes, place: int) -> bool:
    return place == len(text) or text[place] == _NEWLINE


def _between_word_and_none(text: bytes, place: int) -> bool:
    before = place > 0 and text[place - 1] in _WORD
    behind = place < len(text) and text[place] in _WORD
    return before != behind


ASSERTIONS: dict[str, Callable[[bytes, int], bool]] = {
    "begin": lambda _, place: place == 0,
    "end": lambda text, place: place == len(text),
    "begin-line": _begins_line,
    "end-line": _ends_line,
    "boundary": _between_word_and_none,
    "no-boundary": lambda text, place: not _between_word_and_none(text, place),
}
